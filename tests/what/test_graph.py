"""`graph` against Dijkstra on the literal layered graph."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting, Costs
from handup.lab.bench.decisions import layered_graph_dijkstra
from handup.what import Graph, Situation
from tests.make import chain_of, situation_of
from tests.strategies import situations


@given(situations(), st.floats(0.0, 20.0) | st.sampled_from((0.0, 1.0, 9.0)))
def test_one_pass_equals_dijkstra_on_the_layered_graph(situation: Situation, epsilon: float) -> None:
    assert Graph(epsilon).select(situation).module == layered_graph_dijkstra(situation, epsilon)


@given(situations())
def test_epsilon_follows_from_the_weights(situation: Situation) -> None:
    w = situation.costs.w
    expected = layered_graph_dijkstra(situation, w / (1.0 - w) if w < 1.0 else 1e12)
    assert Graph().select(situation).module == expected


@given(situations(), st.floats(0.0, 20.0))
def test_the_worthwhile_set_minimises_the_sum_of_uncertainties(situation: Situation, epsilon: float) -> None:
    """Eq. 3 by enumeration over one module at a time: its terms are independent."""
    values = Graph(epsilon).select(situation).values
    for module in np.flatnonzero(situation.open):
        asked = epsilon * situation.costs.query[module] + 1.0 - situation.costs.expert[module]
        left_alone = 1.0 - situation.belief.confidences[module]
        assert values[module] == pytest.approx(asked - left_alone, abs=1e-9)


def test_the_first_worthwhile_module_wins_over_a_better_one_downstream() -> None:
    assert Graph(1.0).select(situation_of(chain_of((1.0, 0.6, 0.1), 0.3))).module == 1


def test_where_none_is_worth_it_the_least_penalty_wins() -> None:
    selection = Graph(1.0).select(situation_of(chain_of((0.9, 0.7, 0.8), 0.5)))
    assert selection.module == 1
    assert selection.values == pytest.approx([0.4, 0.2, 0.3])


def test_a_question_worth_exactly_its_cost_is_not_worthwhile() -> None:
    selection = Graph(1.0).select(situation_of(chain_of((0.5, 0.4), (0.5, 0.6))))
    assert selection.module == 0
    assert selection.reason.startswith("No module is worth its question")


def test_with_all_weight_on_load_the_cheapest_question_is_nearest() -> None:
    assert Graph().select(situation_of(chain_of((0.1, 0.9), (0.4, 0.3)), w=1.0)).module == 1


@pytest.mark.parametrize(("w", "epsilon"), [(0.0, 0.0), (0.5, 1.0), (0.75, 3.0)])
def test_the_default_epsilon(w: float, epsilon: float) -> None:
    assert Graph().weight(Costs.of([1.0], w=w)) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [-1.0, math.nan, math.inf])
def test_an_epsilon_outside_its_range_is_refused(epsilon: float) -> None:
    with pytest.raises(BadSetting, match="epsilon"):
        Graph(epsilon)
