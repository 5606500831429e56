"""Look-ahead on the posterior: near the optimum where that can be computed, and bounded where it cannot."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Costs
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.when import Troubleshoot
from handup.when.plan.problem import PlanProblem
from handup.when.troubleshoot import Planner, plan
from tests.make import chain_of, tangle
from tests.oracles.enumeration import enumerate_history, tell
from tests.strategies import histories, module_lists, share_of_examples
from tests.when.episodes import random_graph
from tests.when.measure import gap

SEEDS = range(12)
SMALL = random_graph(np.random.default_rng(0), 8)


def problem_of(belief: Belief, *, expert: float = 1.0, time_left: float | None = None) -> PlanProblem:
    costs = Costs.of(belief.graph.query_costs, expert=expert, time_left=time_left)
    return PlanProblem(belief, costs, ~belief.answered | (costs.expert < 1.0))


@pytest.mark.parametrize(("series", "worst"), [(False, 1.10), (True, 1.15)], ids=["gates", "chains"])
def test_with_a_true_expert_it_is_near_the_optimum(series: bool, worst: float) -> None:
    """Chains have exact planners; look-ahead takes them on only after uncertain outcomes and forward passes."""
    found = gap(Planner.LOOK_AHEAD, series=series, expert=1.0, modules=(2, 3, 4, 5), seeds=SEEDS)
    assert found.mean <= 1.01
    assert found.worst <= worst


@pytest.mark.parametrize("expert", [0.6, 0.8, 0.9, 0.95])
def test_with_an_expert_who_errs_it_is_near_the_optimum_on_gates(expert: float) -> None:
    found = gap(Planner.BEST, series=False, expert=expert, modules=(2, 3), seeds=SEEDS)
    assert found.mean <= 1.01
    assert found.worst <= 1.10


def test_four_modules_and_an_expert_who_errs() -> None:
    found = gap(Planner.BEST, series=False, expert=0.8, modules=(4,), seeds=SEEDS)
    assert found.mean <= 1.02
    assert found.worst <= 1.10


@pytest.mark.parametrize(
    ("belief", "planner", "exact"),
    [
        (Belief.of(chain_of((0.9, 0.2, 0.8))), "series", True),
        (Belief.of(SMALL), "gates", True),
        (Belief.of(tangle(12, 0)), "look-ahead", False),
        (Belief.of(chain_of((0.9, 0.2))).after_execution(False, certainty=0.9), "look-ahead", False),
        (Belief.of(chain_of(np.linspace(0.2, 0.9, 20).tolist())), "ordered", False),
    ],
)
def test_it_says_which_planner_was_used_and_whether_it_is_exact(belief: Belief, planner: str, exact: bool) -> None:
    values = plan(problem_of(belief))
    assert (values.planner, values.exact) == (planner, exact)


def test_an_expert_who_errs_is_planned_for_by_other_planners() -> None:
    assert plan(problem_of(Belief.of(chain_of((0.9, 0.2))), expert=0.9)).planner == "erring"
    assert plan(problem_of(Belief.of(SMALL), expert=0.9)).planner == "look-ahead"


@share_of_examples(0.5)
@given(data=st.data(), modules=module_lists(most=5))
def test_success_and_blame_are_the_posteriors(data: st.DataObject, modules: list[Module]) -> None:
    events = data.draw(histories(modules, most=3))
    truth = enumerate_history(modules, events)
    if truth is None:
        return
    belief = tell(Belief.of(ModuleGraph(modules)), events)
    values = plan(problem_of(belief), Planner.LOOK_AHEAD)
    assert values.success == pytest.approx(truth.reliability, abs=1e-9)
    assert values.wrong == pytest.approx([truth.wrong[name] for name in belief.graph.names], abs=1e-9)


@share_of_examples(0.5)
@given(data=st.data(), modules=module_lists(most=5), expert=st.floats(0.0, 1.0), left=st.integers(1, 12))
def test_values_lie_between_nothing_and_giving_up_after_the_step(
    data: st.DataObject, modules: list[Module], expert: float, left: int
) -> None:
    events = data.draw(histories(modules, most=3))
    if enumerate_history(modules, events) is None:
        return
    problem = problem_of(tell(Belief.of(ModuleGraph(modules)), events), expert=expert, time_left=left)
    values = plan(problem, Planner.LOOK_AHEAD)
    give_up_after = 0.5 * max(left - 1, 0)
    assert 0.0 <= values.act <= problem.costs.act_price + give_up_after + 1e-6 or math.isinf(values.act)
    weighed = ~np.isnan(values.ask)
    assert (values.ask[weighed] >= problem.costs.ask_price[weighed] - 1e-6).all()
    assert (values.ask[weighed] <= problem.costs.ask_price[weighed] + give_up_after + 1e-6).all()


def test_the_same_problem_gets_the_same_values() -> None:
    problem = problem_of(Belief.of(tangle(20, 1)).after_execution(False), expert=0.8)
    first, again = plan(problem), plan(problem)
    assert first.act == again.act
    assert np.array_equal(first.ask, again.ask, equal_nan=True)


def test_another_seed_draws_other_states() -> None:
    belief = Belief.of(tangle(20, 1)).after_execution(False)
    other = replace(belief, seed=1)
    assert not np.array_equal(plan(problem_of(belief)).ask, plan(problem_of(other)).ask, equal_nan=True)


@pytest.mark.parametrize("expert", [1.0, 0.8])
def test_after_a_certain_failure_it_does_not_act_on_the_same_outputs(expert: float) -> None:
    belief = Belief.of(tangle(14, 2)).after_execution(False)
    values = plan(problem_of(belief, expert=expert))
    assert math.isinf(values.act)


def test_a_wrong_module_that_everything_hangs_on_is_asked_about_first() -> None:
    many = [Module(f"m{position}", 0.95) for position in range(13)]
    graph = ModuleGraph([*many, Module("final", 0.05, inputs=tuple(each.name for each in many), gate=Gate.OR)])
    costs = Costs.of(graph.query_costs)
    decision = Troubleshoot().decide(Belief.of(graph), costs, 0.0)
    assert (decision.action, decision.module) == (Action.ASK, "final")


def test_with_nothing_to_ask_about_only_acting_and_giving_up_are_weighed() -> None:
    problem = replace(problem_of(Belief.of(tangle(12, 0))), askable=np.zeros(12, dtype=np.bool_))
    values = plan(problem)
    assert np.isnan(values.ask).all()
    assert math.isfinite(values.act)


def test_an_expert_who_is_never_right_is_not_asked() -> None:
    belief = Belief.of(tangle(12, 0))
    decision = Troubleshoot().decide(belief, Costs.of(belief.graph.query_costs, expert=0.0), 0.0)
    assert decision.action is not Action.ASK


@pytest.mark.parametrize("expert", [1.0, 0.8])
@pytest.mark.parametrize("planner", list(Planner))
def test_a_failure_that_nothing_explains_makes_it_ask(planner: Planner, expert: float) -> None:
    sure = [Module("camera", 1.0), Module("haptics", 1.0), Module("grasp", 1.0, 0.32, ("camera", "haptics"), Gate.OR)]
    for graph in (ModuleGraph(sure), chain_of((1.0, 1.0, 1.0))):
        belief = Belief.of(graph).after_execution(False)
        decision = Troubleshoot(planner).decide(belief, Costs.of(graph.query_costs, expert=expert), 0.0)
        assert decision.action is Action.ASK
