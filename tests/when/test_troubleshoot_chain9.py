"""The chain of nine with three low modules, counted out over all 512 states: the numbers that the spec names."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from handup.core import Action, Costs, Decision, Outcome
from handup.policy import Belief, ModuleGraph
from handup.recover import Session
from handup.when import Troubleshoot, strategy
from handup.when.plan.problem import PlanProblem
from handup.when.troubleshoot import plan
from tests.make import chain_of
from tests.when.episodes import Average, average, pomdp_of

LOW = (1, 4, 7)
SETTINGS = {
    (0.9, 0.2, 0.32): 3.43,
    (0.8, 0.3, 0.32): 4.56,
    (0.7, 0.4, 0.32): 5.39,
    (0.9, 0.2, 0.08): 2.88,
    (1.0, 0.1, 0.32): 1.98,
}
"""(high, low, query cost): mean J of the optimum as the spec's prototype measured it."""

Setting = tuple[float, float, float]


def chain_of_nine(setting: Setting) -> ModuleGraph:
    high, low, query = setting
    return chain_of([low if position in LOW else high for position in range(9)], query)


@cache
def measured(setting: Setting) -> Average:
    graph = chain_of_nine(setting)
    return average(Troubleshoot(), graph, pomdp_of(graph))


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_costs_what_the_exact_plan_promises(setting: Setting) -> None:
    belief = Belief.of(chain_of_nine(setting))
    values = plan(PlanProblem(belief, Costs.of(belief.graph.query_costs), ~belief.answered))
    assert (values.planner, values.exact) == ("series", True)
    optimum = min(values.act, values.give_up, float(values.ask.min()))
    assert measured(setting).cost / optimum == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("setting", "prototype"), SETTINGS.items())
def test_it_costs_what_the_prototype_measured(setting: Setting, prototype: float) -> None:
    assert measured(setting).cost == pytest.approx(prototype, rel=0.02)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_always_recovers(setting: Setting) -> None:
    assert measured(setting).recovers == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("setting", [each for each in SETTINGS if each[0] < 1.0])
def test_it_beats_the_papers_recommended_pair(setting: Setting) -> None:
    graph = chain_of_nine(setting)
    paper = average(strategy("graph+workload-aware"), graph, pomdp_of(graph))
    assert measured(setting).cost < 0.7 * paper.cost


def test_the_papers_recommended_pair_fails_where_it_does_not_learn_from_failures() -> None:
    graph = chain_of_nine((0.9, 0.2, 0.32))
    paper = average(strategy("graph+workload-aware"), graph, pomdp_of(graph))
    assert paper.recovers == pytest.approx(0.9**6, abs=1e-9)


def test_where_all_good_methods_coincide_it_costs_the_same() -> None:
    setting = (1.0, 0.1, 0.32)
    graph = chain_of_nine(setting)
    paper = average(strategy("graph+workload-aware"), graph, pomdp_of(graph))
    assert paper.cost == pytest.approx(measured(setting).cost, abs=1e-9)


def test_sessions_over_all_512_states_cost_the_same_and_all_recover() -> None:
    setting = (0.9, 0.2, 0.32)
    graph = chain_of_nine(setting)
    chances = graph.confidences.tolist()
    mean = 0.0
    for state in itertools.product((False, True), repeat=9):
        session = _driven(graph, list(state))
        assert session.outcome is Outcome.RECOVERED
        weight = float(np.prod([c if right else 1.0 - c for c, right in zip(chances, state, strict=True)]))
        mean += weight * session.tally.objective
    assert mean == pytest.approx(measured(setting).cost, abs=1e-9)


class _Remembering:
    """`troubleshoot`, thinking once about each history: states that look alike so far share their decisions."""

    def __init__(self) -> None:
        self._made: dict[object, Decision] = {}
        self._inner = Troubleshoot()
        self.name = self._inner.name

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        key = (belief.chances, belief.executions, costs.time_left)
        if key not in self._made:
            self._made[key] = self._inner.decide(belief, costs, now_s)
        return self._made[key]

    def parameters(self, costs: Costs) -> dict[str, float]:
        return self._inner.parameters(costs)

    def with_parameter(self, name: str, value: float) -> Troubleshoot:
        return self._inner.with_parameter(name, value)


REMEMBERING = _Remembering()


def _driven(graph: ModuleGraph, state: list[bool]) -> Session:
    """One episode of a robot whose modules are right or wrong as listed."""
    session = Session(graph, REMEMBERING)
    while session.outcome is None:
        decision = session.next(0.0)
        if decision.action is Action.ACT:
            session.executed(all(state))
        elif decision.action is Action.ASK and decision.module is not None:
            module = graph.index(decision.module)
            session.answered(decision.module, changed=not state[module])
            state[module] = True
    return session
