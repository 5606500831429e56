"""`hybrid`: blocks propose, the exact Eq. 4 settles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.policy import Gate, Module, ModuleGraph
from handup.what import BinaryTree, Hybrid, Situation
from handup.what.sets import _combine
from tests.make import situation_of
from tests.oracles.enumeration import eq4, open_sets
from tests.strategies import share_of_examples, situations


@given(situations(most=7))
def test_never_worse_than_asking_nothing(situation: Situation) -> None:
    """The questions it begins are worth asking: some set that starts with its module is no worse than nothing."""
    selection = Hybrid().select(situation)
    if selection.module is not None:
        begun = [eq4(situation, each) for each in open_sets(situation) if each and each[0] == selection.module]
        assert min(begun) <= eq4(situation, ()) + 1e-9


@given(situations(most=9))
def test_asking_nothing_means_that_no_block_alone_is_better(situation: Situation) -> None:
    selection = Hybrid().select(situation)
    if selection.module is None and situation.open.any():
        nothing = eq4(situation, ())
        assert selection.nothing == pytest.approx(nothing, abs=1e-9)
        assert not (selection.values < nothing - 1e-9).any()


@given(st.data(), st.integers(0, 4))
def test_a_combination_is_no_worse_than_none_all_or_any_one(data: st.DataObject, proposals: int) -> None:
    values: dict[frozenset[int], float] = {}

    def objective(chosen: frozenset[int]) -> float:
        return values.setdefault(chosen, data.draw(st.sampled_from((0.0, 0.25, 0.5, 1.0))))

    found = objective(_combine(objective, proposals))
    simple = [frozenset[int](), frozenset(range(proposals)), *(frozenset({each}) for each in range(proposals))]
    assert found <= min(objective(each) for each in simple)


def test_of_equally_good_combinations_the_larger_is_taken() -> None:
    assert _combine(lambda _: 1.0, 3) == {0, 1, 2}


@share_of_examples(0.5)
@given(situations(gate=st.just(Gate.AND)))
def test_in_series_it_is_the_binary_tree(situation: Situation) -> None:
    assert Hybrid().select(situation).module == BinaryTree().select(situation).module


def visuo_haptic(camera: float, haptics: float, skill: float) -> ModuleGraph:
    modules = [Module("camera", camera, 0.16), Module("haptics", haptics, 0.16), Module("skill", skill, 0.16)]
    return ModuleGraph(modules, success="all(any(camera, haptics), skill)")


def test_the_needed_module_is_asked_about_where_redundancy_holds() -> None:
    assert Hybrid().select(situation_of(visuo_haptic(0.9, 0.9, 0.2))).module == 2


def test_the_redundant_ones_are_asked_about_where_the_needed_one_is_fine() -> None:
    assert Hybrid().select(situation_of(visuo_haptic(0.2, 0.3, 0.95))).module == 0


def test_nothing_is_asked_where_all_is_well() -> None:
    assert Hybrid().select(situation_of(visuo_haptic(0.9, 0.9, 0.95))).module is None


def test_epsilon_keeps_redundant_modules_from_being_asked_about() -> None:
    assert Hybrid(epsilon=100.0).select(situation_of(visuo_haptic(0.2, 0.3, 0.95))).module is None


def test_a_redundant_module_not_worth_its_question_is_not_proposed() -> None:
    values = Hybrid().select(situation_of(visuo_haptic(0.2, 0.97, 0.5))).values
    assert np.isnan(values).tolist() == [False, True, False]
