"""`brute-force` against one reliability evaluation per question."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.lab.bench.decisions import one_by_one
from handup.policy import Gate, ModuleGraph
from handup.what import BruteForce, Situation
from tests.make import chain_of, crossed_pairs, situation_of
from tests.oracles.enumeration import eq4
from tests.strategies import share_of_examples, situations


@share_of_examples(1.5)
@given(situations(most=10))
def test_all_at_once_equals_one_by_one(situation: Situation) -> None:
    assert BruteForce().select(situation).module == one_by_one(situation)


@given(situations(most=10, gate=st.just(Gate.AND)))
def test_all_at_once_equals_one_by_one_in_series(situation: Situation) -> None:
    assert BruteForce().select(situation).module == one_by_one(situation)


@given(situations(most=8))
def test_values_are_eq_4_by_enumeration(situation: Situation) -> None:
    selection = BruteForce().select(situation)
    for module in np.flatnonzero(situation.open).tolist():
        assert selection.values[module] == pytest.approx(eq4(situation, (module,)), abs=1e-9)


def test_asking_nothing_wins_only_strictly() -> None:
    assert BruteForce().select(situation_of(chain_of((1.0, 0.1), 0.9))).module == 1
    assert BruteForce().select(situation_of(chain_of((1.0, 0.1), 0.9 + 1e-9))).module is None


def test_a_free_question_that_changes_nothing_ties_with_asking_nothing() -> None:
    assert BruteForce().select(situation_of(chain_of((1.0, 1.0), 0.0))).module == 0


def test_the_last_of_two_redundant_modules_is_not_worth_much() -> None:
    modules = chain_of((0.9, 0.8), 0.2).modules
    pair = [type(module)(module.name, module.confidence, module.query_cost) for module in modules]
    graph = ModuleGraph(pair, success="any(m0, m1)")
    selection = BruteForce().select(situation_of(graph))
    assert selection.module is None
    assert selection.values == pytest.approx([0.1, 0.1])
    assert selection.nothing == pytest.approx(0.01)


def test_beyond_the_exact_range_the_bottleneck_is_found() -> None:
    graph = crossed_pairs(25, 0.5, final=0.1)
    assert BruteForce().select(situation_of(graph)).module == graph.index("final")
