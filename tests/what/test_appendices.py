"""Appendix A's union bound and appendix B's critical values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.what import BruteForce, Graph, Mip, Situation
from handup.what.mip import Solver
from handup.what.objective import set_value
from tests.make import chain_of, situation_of
from tests.strategies import module_lists

MODULES, FAILING = 10, 6


def one_failing(query: float) -> Situation:
    """Appendix B: one module of confidence 0.1 among certain ones, one cost for all questions."""
    confidences = [0.1 if module == FAILING else 1.0 for module in range(MODULES)]
    return situation_of(chain_of(confidences, query))


@given(module_lists(gate=st.just(Gate.AND)))
def test_the_sum_of_uncertainties_bounds_the_failure_probability_in_series(modules: list[Module]) -> None:
    failure = 1.0 - Belief.of(ModuleGraph(modules)).reliability
    assert sum(1.0 - module.confidence for module in modules) >= failure - 1e-12


@given(module_lists(gate=st.just(Gate.AND)), st.data())
def test_the_bound_holds_for_what_is_left_after_questions(modules: list[Module], data: st.DataObject) -> None:
    situation = situation_of(ModuleGraph(modules))
    asked = data.draw(st.sets(st.integers(0, len(modules) - 1)))
    costs, confidences = situation.costs, situation.belief.confidences
    left = [module for module in range(len(modules)) if module not in asked]
    eq3 = 0.5 * sum(costs.query[each] for each in asked) + 0.5 * sum(1.0 - confidences[each] for each in left)
    assert eq3 >= set_value(situation, sorted(asked)) - 1e-12


@pytest.mark.parametrize(("query", "worthwhile"), [(0.1, True), (0.899, True), (0.9, False), (0.901, False)])
def test_graph_ceases_to_find_a_question_worthwhile_at_a_cost_of_0_9(query: float, worthwhile: bool) -> None:
    selection = Graph(1.0).select(one_failing(query))
    assert selection.module == FAILING
    assert selection.values[FAILING] == pytest.approx(query - 0.9)
    assert ("is the first worth asking about" in selection.reason) is worthwhile


@pytest.mark.parametrize(("epsilon", "worthwhile"), [(1.0, True), (8.99, True), (9.0, False), (9.01, False)])
def test_graph_ceases_to_find_a_question_worthwhile_at_an_epsilon_of_9(epsilon: float, worthwhile: bool) -> None:
    selection = Graph(epsilon).select(one_failing(0.1))
    assert selection.values[FAILING] == pytest.approx(0.1 * epsilon - 0.9)
    assert ("is the first worth asking about" in selection.reason) is worthwhile


def test_graph_never_finds_a_certain_module_worthwhile() -> None:
    values = Graph(1.0).select(one_failing(0.0)).values
    assert (np.delete(values, FAILING) >= 0.0).all()


@pytest.mark.parametrize("query", [0.1, 0.5, 0.89])
def test_the_values_of_appendix_b_halved_by_the_weight(query: float) -> None:
    """The appendix adds cost and failure 1:1; w = 0.5 halves both."""
    situation = one_failing(query)
    assert 2.0 * set_value(situation, []) == pytest.approx(0.9)
    assert 2.0 * set_value(situation, [FAILING]) == pytest.approx(query)
    values = BruteForce().select(situation).values
    assert 2.0 * np.delete(values, FAILING) == pytest.approx(np.full(MODULES - 1, query + 0.9))
    assert 2.0 * values[FAILING] == pytest.approx(query)


@pytest.mark.parametrize("solver", list(Solver))
@pytest.mark.parametrize("query", [0.1, 0.5, 0.89, 0.8999])
def test_mip_asks_about_the_failing_module_below_a_cost_of_0_9(query: float, solver: Solver) -> None:
    selection = Mip(solver).select(one_failing(query))
    assert selection.module == FAILING
    assert selection.nothing == pytest.approx(0.45)
    assert selection.values[FAILING] == pytest.approx(0.5 * query)


@pytest.mark.parametrize("solver", list(Solver))
@pytest.mark.parametrize("query", [0.9001, 1.5])
def test_mip_asks_nothing_above_a_cost_of_0_9(query: float, solver: Solver) -> None:
    assert Mip(solver).select(one_failing(query)).module is None
