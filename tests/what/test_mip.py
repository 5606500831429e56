"""`mip` with both solvers against every set of questions."""

import sys

import numpy as np
import pytest
from hypothesis import given

from handup.core import MissingExtra, NotSolvable
from handup.policy import Module, ModuleGraph
from handup.what import Mip, Situation
from handup.what.mip import MAX_OPEN, Solver
from tests.make import chain_of, crossed_pairs, situation_of
from tests.oracles.enumeration import eq4, open_sets
from tests.strategies import share_of_examples, situations

NEAR = 1e-6
"""The solvers' tolerance."""
both_solvers = pytest.mark.parametrize("solver", list(Solver))


@both_solvers
@given(situation=situations(most=8))
def test_the_programme_finds_the_least_value_of_all_sets(solver: Solver, situation: Situation) -> None:
    selection = Mip(solver).select(situation)
    if not situation.open.any():
        assert selection.module is None
        return
    found = selection.nothing if selection.module is None else selection.values[selection.module]
    assert found == pytest.approx(min(eq4(situation, asked) for asked in open_sets(situation)), abs=NEAR)


@both_solvers
@given(situation=situations(most=6))
def test_where_one_set_is_clearly_best_its_first_module_is_selected(solver: Solver, situation: Situation) -> None:
    values = {each: eq4(situation, each) for each in open_sets(situation)}
    best = min(values, key=lambda each: values[each])
    if all(value > values[best] + NEAR for each, value in values.items() if each != best):
        assert Mip(solver).select(situation).module == min(best, default=None)


@both_solvers
@share_of_examples(0.3)
@given(situation=situations(most=6))
def test_values_are_eq_4_with_the_module_put_in(solver: Solver, situation: Situation) -> None:
    selection = Mip(solver).select(situation)
    for module in np.flatnonzero(situation.open).tolist():
        least = min(eq4(situation, each) for each in open_sets(situation) if module in each)
        assert selection.values[module] >= least - 1e-9


@both_solvers
def test_shared_inputs_are_counted_once(solver: Solver) -> None:
    graph = ModuleGraph(
        [Module("a", 0.5, 0.1), Module("b", 0.9, 0.1), Module("c", 0.9, 0.1)], success="any(all(a, b), all(a, c))"
    )
    selection = Mip(solver).select(situation_of(graph))
    assert selection.module == 0
    assert selection.nothing == pytest.approx(0.5 * (1.0 - 0.5 * 0.99))
    assert selection.values[0] == pytest.approx(0.05 + 0.5 * 0.01)


@both_solvers
def test_fifteen_modules_in_series_are_solved(solver: Solver) -> None:
    confidences = [0.2 if module in (4, 9, 12) else 1.0 for module in range(15)]
    assert Mip(solver).select(situation_of(chain_of(confidences))).module == 4


def test_too_many_open_modules_are_refused() -> None:
    with pytest.raises(NotSolvable, match="binary-tree"):
        Mip().select(situation_of(chain_of([0.5] * (MAX_OPEN + 1))))


def test_a_graph_beyond_the_exact_range_is_refused() -> None:
    graph = crossed_pairs(25, 0.5)
    with pytest.raises(NotSolvable):
        Mip().select(situation_of(graph, closed=graph.names[1:]))


def test_many_modules_of_which_few_are_open_are_taken_on() -> None:
    graph = chain_of([0.999] * 39 + [0.2])
    assert Mip().select(situation_of(graph, closed=graph.names[:30])).module == 39


@both_solvers
def test_a_solver_out_of_time_says_so(solver: Solver) -> None:
    with pytest.raises(NotSolvable, match="no proven optimum within 0 s"):
        Mip(solver, time_limit_s=0.0).select(situation_of(chain_of([0.9, 0.2] * 7)))


def test_without_scip_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[mip\]'"):
        Mip(Solver.SCIP).select(situation_of(chain_of((0.5,))))
