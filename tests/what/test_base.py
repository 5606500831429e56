"""What all selectors keep to, and how ties are settled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.what import SELECTORS, Situation
from handup.what.base import first_best
from tests.make import chain_of, situation_of
from tests.oracles.enumeration import Answered, tell
from tests.strategies import share_of_examples, situations

ALL = ("never", "topo", "confidence", "brute-force", "mip", "binary-tree", "graph", "hybrid")
WEIGHING = ("brute-force", "mip", "binary-tree", "hybrid")
"""Those that may say that asking nothing is best."""


def select(name: str, situation: Situation) -> int | None:
    return SELECTORS.make(name, {}).select(situation).module


def test_every_selector_is_known_by_name() -> None:
    assert set(ALL) <= set(SELECTORS.names())


@pytest.mark.parametrize("name", ALL)
@share_of_examples(0.3)
@given(situation=situations(most=7))
def test_only_open_modules_are_selected_and_valued(name: str, situation: Situation) -> None:
    selection = SELECTORS.make(name, {}).select(situation)
    assert selection.module is None or situation.open[selection.module]
    assert np.isnan(selection.values[~situation.open]).all()
    assert selection.reason.endswith(".")


@pytest.mark.parametrize("name", ALL)
@share_of_examples(0.2)
@given(situation=situations(most=6))
def test_the_same_situation_gets_the_same_selection(name: str, situation: Situation) -> None:
    selector = SELECTORS.make(name, {})
    first, again = selector.select(situation), selector.select(situation)
    assert (first.module, first.reason, first.nothing) == (again.module, again.reason, again.nothing)
    assert np.array_equal(first.values, again.values, equal_nan=True)


@pytest.mark.parametrize("name", ALL)
def test_where_nothing_is_open_nothing_is_selected(name: str) -> None:
    situation = situation_of(chain_of((0.1, 0.2), 0.0), closed=("m0", "m1"))
    assert select(name, situation) is None


@pytest.mark.parametrize("name", ALL)
def test_where_all_are_answered_nothing_is_selected(name: str) -> None:
    start = situation_of(chain_of((0.1, 0.2), 0.0))
    belief = tell(start.belief, [Answered("m0", None, 0.5), Answered("m1", None, 0.5)])
    assert select(name, Situation(belief, start.costs, ~belief.answered)) is None


@pytest.mark.parametrize("name", ["topo", "confidence", "brute-force", "mip", "binary-tree", "graph", "hybrid"])
def test_the_only_open_module_is_selected_where_it_helps(name: str) -> None:
    situation = situation_of(chain_of((0.5, 0.1, 0.5), 0.01), closed=("m0", "m2"))
    assert select(name, situation) == 1


@pytest.mark.parametrize("name", WEIGHING)
def test_modules_that_are_certain_are_not_worth_a_cost(name: str) -> None:
    assert select(name, situation_of(chain_of((1.0, 1.0), 0.01))) is None


@pytest.mark.parametrize("name", ["brute-force", "mip", "binary-tree", "graph", "hybrid"])
def test_a_module_that_is_surely_wrong_is_asked_about(name: str) -> None:
    assert select(name, situation_of(chain_of((1.0, 0.0, 1.0)))) == 1


@pytest.mark.parametrize("name", ["brute-force", "mip", "binary-tree", "graph", "hybrid"])
def test_a_free_question_that_helps_is_asked(name: str) -> None:
    assert select(name, situation_of(chain_of((1.0, 0.999, 1.0), 0.0))) == 1


@pytest.mark.parametrize("name", ["brute-force", "mip", "binary-tree", "graph", "hybrid"])
def test_with_no_weight_on_load_any_gain_is_worth_any_cost(name: str) -> None:
    assert select(name, situation_of(chain_of((1.0, 0.9, 1.0), 1e6), w=0.0)) == 1


@pytest.mark.parametrize("name", WEIGHING)
def test_with_all_weight_on_load_nothing_that_costs_is_asked(name: str) -> None:
    assert select(name, situation_of(chain_of((0.0, 0.1), 0.01), w=1.0)) is None


@pytest.mark.parametrize("name", ["brute-force", "binary-tree", "graph", "hybrid"])
def test_with_all_weight_on_load_a_free_question_is_still_asked(name: str) -> None:
    assert select(name, situation_of(chain_of((0.5, 0.1), (0.1, 0.0)), w=1.0)) == 1


@pytest.mark.parametrize("name", WEIGHING)
def test_a_person_who_knows_less_than_the_module_is_not_asked(name: str) -> None:
    assert select(name, situation_of(chain_of((0.9, 0.8), 0.01), expert=0.5)) is None


@pytest.mark.parametrize("name", ["topo", "confidence", "brute-force", "mip", "binary-tree", "graph", "hybrid"])
def test_of_equal_modules_the_upstream_one_is_selected(name: str) -> None:
    assert select(name, situation_of(chain_of((0.2, 0.5, 0.5), 0.01), closed=("m0",))) == 1


@pytest.mark.parametrize(("name", "query"), [("confidence", 0.1), ("brute-force", 0.1), ("graph", 0.9)])
def test_a_difference_below_the_tolerance_is_a_tie(name: str, query: float) -> None:
    tied = situation_of(chain_of((0.5, 0.5 - 1e-13), query))
    values = SELECTORS.make(name, {}).select(tied).values
    assert values[1] < values[0]
    assert select(name, tied) == 0
    assert select(name, situation_of(chain_of((0.5, 0.5 - 1e-9), query))) == 1


@given(st.lists(st.tuples(st.sampled_from((0.0, 1e-13, 1.0)), st.booleans()), min_size=1))
def test_the_first_of_the_smallest_is_the_best(pairs: list[tuple[float, bool]]) -> None:
    values, among = np.array([value for value, _ in pairs]), np.array([is_open for _, is_open in pairs])
    rounded = [(round(value, 6), position) for position, (value, is_open) in enumerate(pairs) if is_open]
    assert first_best(values, among) == (min(rounded)[1] if rounded else None)


def test_infinite_values_are_still_chosen_from() -> None:
    assert first_best(np.array([np.inf, np.inf]), np.array([False, True])) == 1
