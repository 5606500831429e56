"""An expert who may be wrong: near the optimum on chains, asks again, gives up, and always comes to an end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import Action, Costs, Decision, Outcome, default_horizon
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.recover import Session, Settings
from handup.when import Troubleshoot
from handup.when.plan.problem import PlanProblem
from handup.when.troubleshoot import Planner, plan
from tests.make import chain_of
from tests.oracles.enumeration import succeeds
from tests.strategies import chances, module_lists, share_of_examples
from tests.when.episodes import average, pomdp_of, random_graph
from tests.when.measure import gap

SEEDS = range(10)
GATES = ModuleGraph(
    [
        Module("camera", 0.3, 0.1),
        Module("haptics", 0.2, 0.5),
        Module("grasp", 0.9, 0.3, ("camera", "haptics"), Gate.OR),
    ]
)


@pytest.mark.parametrize("expert", [0.6, 0.8, 0.9, 0.95])
def test_on_chains_it_is_near_the_optimum(expert: float) -> None:
    found = gap(Planner.BEST, series=True, expert=expert, modules=(2, 3, 4), seeds=SEEDS)
    assert found.mean <= 1.005
    assert found.worst <= 1.02


def test_along_an_order_a_true_expert_costs_no_more_than_in_the_exact_plan() -> None:
    found = gap(Planner.ORDERED, series=True, expert=1.0, modules=(2, 3, 4, 5), seeds=range(6))
    assert found.worst <= 1.001


def test_on_longer_chains_the_order_costs_no_more_than_the_exact_plan_promises() -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        belief = Belief.of(random_graph(random, 10, series=True))
        belief = belief.after_execution(False) if seed % 2 else belief
        problem = PlanProblem(belief, Costs.of(belief.graph.query_costs), ~belief.answered)
        exact, along = (_best(plan(problem, planner)) for planner in (Planner.BEST, Planner.ORDERED))
        assert exact - 1e-9 <= along <= 1.001 * exact


def _best(values: object) -> float:
    return float(min(values.act, values.give_up, np.nanmin(values.ask)))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("act_time", "ask_time", "horizon"), [(2.0, 1.0, 10.0), (1.0, 2.0, 10.0), (1.0, 0.5, 5.0), (30.0, 2.0, 120.0)]
)
def test_durations_that_differ_keep_it_near_the_optimum(act_time: float, ask_time: float, horizon: float) -> None:
    ratios = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        graph = random_graph(random, 2, series=True)
        w = float(random.uniform(0.2, 0.8))
        pomdp = pomdp_of(graph, expert=0.9, w=w, act_time=act_time, ask_time=(ask_time,) * 2, horizon=horizon)
        ratios.append(average(Troubleshoot(), graph, pomdp).cost / pomdp.optimum())
    assert max(ratios) <= 1.02


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize(("act_time", "ask_time"), [(1.0, 0.0), (30.0, 0.01), (0.01, 30.0)])
def test_questions_of_no_or_hardly_any_time_are_planned_for(act_time: float, ask_time: float, failed: bool) -> None:
    belief = Belief.of(chain_of((0.5, 0.6, 0.4)))
    belief = belief.after_execution(False) if failed else belief
    costs = Costs.of(belief.graph.query_costs, expert=0.9, act_time=act_time, ask_time=ask_time)
    values = plan(PlanProblem(belief, costs, np.ones(3, dtype=np.bool_)))
    assert values.planner == "erring"
    weighed = values.ask[~np.isnan(values.ask)]
    assert len(weighed) == 3
    assert (weighed >= costs.ask_price.min()).all()


@pytest.mark.parametrize("graph", [chain_of((0.95, 0.3), 0.1), GATES])
def test_the_same_module_is_asked_about_again_and_the_reason_says_so(graph: ModuleGraph) -> None:
    decisions = _stubborn(graph, Settings(expert=0.6, horizon=12))
    questions = [each for each in decisions if each.action is Action.ASK]
    asked = [each.module for each in questions]
    assert len(asked) > len(set(asked)), "some module is asked about twice"
    seen: set[str | None] = set()
    for question in questions:
        assert ("asking about it again" in question.reason) == (question.module in seen)
        seen.add(question.module)


def test_a_true_expert_is_not_asked_again() -> None:
    decisions = _stubborn(chain_of((0.95, 0.3), 0.1), Settings(expert=1.0, horizon=12))
    asked = [each.module for each in decisions if each.action is Action.ASK]
    assert len(asked) == len(set(asked))
    assert decisions[-1].action is Action.YIELD
    assert "every module has been asked about" in decisions[-1].reason


@pytest.mark.parametrize("expert", [0.8, 1.0])
@pytest.mark.parametrize("graph", [chain_of((0.5, 0.5), 30.0), ModuleGraph(GATES.modules[:1])])
def test_it_gives_up_when_no_question_is_worth_its_cost_and_says_so(graph: ModuleGraph, expert: float) -> None:
    dear = ModuleGraph([Module(each.name, each.confidence, 30.0, each.inputs, each.gate) for each in graph.modules])
    decisions = _stubborn(dear, Settings(expert=expert))
    assert [each.action for each in decisions] == [Action.ACT, Action.YIELD]
    assert "no question is worth its cost any more and acting again cannot succeed" in decisions[-1].reason


def _stubborn(graph: ModuleGraph, settings: Settings) -> list[Decision]:
    """An episode in which every try fails and every answer changes something."""
    session, decisions = Session(graph, settings=settings), []
    while session.outcome is None:
        decision = session.next(0.0)
        decisions.append(decision)
        if decision.action is Action.ACT:
            session.executed(False)
        elif decision.module is not None and decision.action is Action.ASK:
            session.answered(decision.module, changed=True)
    return decisions


@share_of_examples(0.7)
@given(
    modules=module_lists(most=6, confidence=chances),
    expert=st.floats(0.0, 0.99),
    w=st.floats(0.0, 1.0),
    seed=st.integers(0, 1000),
)
def test_every_episode_comes_to_a_named_end_within_its_horizon(
    modules: list[Module], expert: float, w: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    graph = ModuleGraph(modules)
    right = {module.name: bool(random.random() < module.confidence) for module in modules}
    session = Session(graph, settings=Settings(expert=expert, w=w))
    for _ in range(default_horizon(len(graph)) + 1):
        decision = session.next(0.0)
        if decision.action is Action.ACT:
            session.executed(bool(succeeds(modules, {name: np.array([each]) for name, each in right.items()})[0]))
        elif decision.action is Action.ASK and decision.module is not None:
            session.answered(decision.module, changed=not right[decision.module])
            right[decision.module] = bool(random.random() < expert)
        if session.outcome is not None:
            break
    assert session.outcome in (Outcome.RECOVERED, Outcome.HORIZON, Outcome.YIELDED)


@share_of_examples(0.5)
@given(modules=module_lists(most=5), expert=st.floats(0.1, 0.99))
def test_it_never_acts_twice_on_the_same_outputs(modules: list[Module], expert: float) -> None:
    for before, after in _steps(_stubborn(ModuleGraph(modules), Settings(expert=expert))):
        assert not (before is Action.ACT and after is Action.ACT)


@pytest.mark.parametrize("expert", [0.5, 1.0])
@pytest.mark.parametrize("planner", list(Planner))
def test_what_cannot_succeed_is_not_tried_even_where_it_costs_no_more_than_giving_up(
    planner: Planner, expert: float
) -> None:
    hopeless = Belief.of(chain_of((0.0, 0.9), 50.0))
    costs = Costs.of(hopeless.graph.query_costs, expert=expert, time_left=2.0)
    assert Troubleshoot(planner).decide(hopeless, costs, 0.0).action is Action.YIELD


def _steps(decisions: list[Decision]) -> list[tuple[Action, Action]]:
    actions = [each.action for each in decisions]
    return list(pairwise(actions))
