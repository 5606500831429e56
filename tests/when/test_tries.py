"""Few tries, and mistakes that look like successes: near the optimum of the model that knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from handup.core import Action, BadSetting, Costs, Decision, UnknownModule
from handup.policy import Belief, ModuleGraph
from handup.recover import Session, Settings
from handup.when import Strategy, Troubleshoot
from handup.when.plan.problem import PlanProblem, Values
from handup.when.plan.tries import CANDIDATES, MOST_MODULES, plan_tries
from tests.make import chain_of
from tests.oracles.pomdp import NOTHING, Pomdp
from tests.when.episodes import Moment, average, pomdp_of, random_graph


class Blind(Troubleshoot):
    """The same without knowing how many tries are left, or that anything goes unseen."""

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return super().decide(belief, replace(costs, tries=None, unseen=np.zeros_like(costs.unseen)), now_s)


class Hopeful(Troubleshoot):
    """The same without knowing that nothing may be asked about twice."""

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return super().decide(belief, replace(costs, ask_again=True), now_s)


@dataclass(frozen=True)
class Ratios:
    """Expected cost over the optimum's, of the plan and of one that knows less."""

    knowing: list[float]
    blind: list[float]


def compared(cases: Sequence[tuple[ModuleGraph, Pomdp]], other: Strategy | None = None) -> Ratios:
    best = [pomdp.optimum() for _, pomdp in cases]
    knowing, blind = (
        [average(each, *case).cost / cost for case, cost in zip(cases, best, strict=True)]
        for each in (Troubleshoot(), other or Blind())
    )
    assert min(knowing) >= 1.0 - 1e-9, "nothing beats the optimum: the yardstick is wrong"
    return Ratios(knowing, blind)


def case(
    seed: int, modules: int, expert: float, *, series: bool = True, tries: int | None = None, unseen: bool = True
) -> tuple[ModuleGraph, Pomdp]:
    random = np.random.default_rng([seed, modules, round(100 * expert)])
    graph = random_graph(random, modules, series=series)
    hidden = tuple(random.uniform(0.0, 0.8, modules) * (random.random(modules) < 0.6)) if unseen else None
    w, loss = float(random.uniform(0.3, 0.7)), float(random.uniform(2.0, 8.0))
    return graph, pomdp_of(graph, expert=expert, w=w, unseen=hidden, loss=loss, tries=tries)


CASES = [(None, True), (3, True), (3, False), (1, False), (1, True)]


@pytest.mark.parametrize("expert", [1.0, 0.9])
@pytest.mark.parametrize("series", [True, False])
@pytest.mark.parametrize(("tries", "unseen"), CASES)
def test_it_is_near_the_optimum(expert: float, series: bool, tries: int | None, unseen: bool) -> None:
    cases = [
        case(seed, modules, expert, series=series, tries=tries, unseen=unseen)
        for modules in (2, 3)
        for seed in range(8)
    ]
    found = compared(cases)
    assert np.mean(found.knowing) <= 1.015
    assert max(found.knowing) <= 1.1
    if unseen or tries == 1:
        assert np.mean(found.blind) >= np.mean(found.knowing) + 0.02


@pytest.mark.parametrize("expert", [1.0, 0.9])
def test_with_four_modules_too(expert: float) -> None:
    found = compared([case(seed, 4, expert, tries=2) for seed in range(3)])
    assert np.mean(found.knowing) <= 1.02


# -- nothing is asked about twice ----------------------------------------------------------------------------------


def once(seed: int, modules: int, expert: float, *, tries: int, outdated: bool = False) -> tuple[ModuleGraph, Pomdp]:
    """Time to ask about everything more than once, if only that might be done; of the last module after each try."""
    random = np.random.default_rng([seed, modules, round(100 * expert)])
    graph = random_graph(random, modules, series=seed % 2 == 0)
    again = frozenset({modules - 1}) if outdated else NOTHING
    w = float(random.uniform(0.3, 0.7))
    return graph, pomdp_of(graph, expert=expert, w=w, horizon=12.0, tries=tries, again=False, outdated=again)


def planned(graph: ModuleGraph, pomdp: Pomdp) -> Values:
    start = Moment.start(graph, pomdp)
    problem = PlanProblem(start.belief, start.costs(pomdp), np.ones(len(graph), dtype=np.bool_))
    return plan_tries(problem, np.random.default_rng(0))


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("outdated", [True, False])
@pytest.mark.parametrize("tries", [1, 2, 3])
def test_of_one_module_it_is_the_optimum(again: bool, outdated: bool, tries: int) -> None:
    graph = chain_of((0.4,), (0.1,))
    pomdp = pomdp_of(
        graph, expert=0.7, horizon=12.0, tries=tries, again=again, outdated=frozenset({0}) if outdated else NOTHING
    )
    found = planned(graph, pomdp)
    assert found.ask[0] == pytest.approx(pomdp.ask_value(pomdp.prior(), 12.0, 0, tries, NOTHING))
    assert found.act == pytest.approx(pomdp.act_value(pomdp.prior(), 12.0, tries, NOTHING))


@pytest.mark.parametrize("modules", [2, 3, 4])
@pytest.mark.parametrize("expert", [1.0, 0.8])
def test_of_one_try_it_is_the_optimum(modules: int, expert: float) -> None:
    for seed in range(6):
        graph, pomdp = case(seed, modules, expert, series=seed % 2 == 0, tries=1)
        found, prior, left = planned(graph, pomdp), pomdp.prior(), float(pomdp.steps)
        exact = [pomdp.ask_value(prior, left, module, 1) for module in range(modules)]
        assert found.ask == pytest.approx(exact)
        assert found.act == pytest.approx(pomdp.act_value(prior, left, 1))


@pytest.mark.parametrize("outdated", [True, False])
@pytest.mark.parametrize("tries", [2, 3])
@pytest.mark.parametrize("expert", [0.9, 0.7])
def test_it_promises_nothing_that_cannot_be(expert: float, tries: int, outdated: bool) -> None:
    for modules in (2, 3):
        for seed in range(10):
            graph, pomdp = once(seed, modules, expert, tries=tries, outdated=outdated)
            found, prior, left = planned(graph, pomdp), pomdp.prior(), float(pomdp.steps)
            assert found.act >= pomdp.act_value(prior, left, tries) - 1e-9
            for module in range(modules):
                assert found.ask[module] >= pomdp.ask_value(prior, left, module, tries) - 1e-9


@pytest.mark.parametrize("tries", [2, 3])
@pytest.mark.parametrize("expert", [0.9, 0.7])
def test_knowing_that_it_may_ask_only_once_it_is_near_the_optimum(expert: float, tries: int) -> None:
    found = compared([once(seed, modules, expert, tries=tries) for modules in (2, 3) for seed in range(10)], Hopeful())
    assert np.mean(found.knowing) <= 1.005
    assert max(found.knowing) <= 1.06
    assert np.mean(found.blind) >= np.mean(found.knowing) + 0.01


@pytest.mark.parametrize("tries", [2, 3])
@pytest.mark.parametrize("expert", [0.9, 0.7])
def test_what_acting_outdates_is_asked_again_after_it(expert: float, tries: int) -> None:
    class Strict(Troubleshoot):
        """The same without knowing that acting outdates an answer."""

        def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
            known = np.zeros_like(costs.outdated_by_acting)
            return super().decide(belief, replace(costs, outdated_by_acting=known), now_s)

    cases = [once(seed, modules, expert, tries=tries, outdated=True) for modules in (2, 3) for seed in range(10)]
    found = compared(cases, Strict())
    assert np.mean(found.knowing) <= 1.005
    assert max(found.knowing) <= 1.06
    assert np.mean(found.blind) > np.mean(found.knowing)


def test_a_session_says_what_acting_outdates() -> None:
    graph = chain_of((0.99, 0.05), (0.1, 0.1))
    terms = Settings(expert=0.6, horizon=12.0, max_executions=2, ask_again=False)
    values = {}
    for outdated in ((), ("m1",)):
        session = Session(graph, settings=replace(terms, outdated_by_acting=outdated))
        decision = session.next(0.0)
        values[outdated] = min(each.value for each in decision.alternatives)
        assert Session.from_json(session.to_json()).settings == session.settings
    assert values["m1",] < values[()] - 0.1


# -- more modules than are planned for -----------------------------------------------------------------------------


def six(seed: int, tries: int) -> tuple[ModuleGraph, Pomdp]:
    """One of six modules makes mistakes that go unseen, and they are dear."""
    random = np.random.default_rng([seed, 6])
    graph = random_graph(random, 6, series=seed % 2 == 0)
    hidden = np.where(np.arange(6) == random.integers(6), 0.6, 0.0)
    w = float(random.uniform(0.3, 0.7))
    return graph, pomdp_of(graph, w=w, horizon=12.0, unseen=tuple(hidden), loss=20.0, tries=tries)


@pytest.mark.parametrize("tries", [1, 2, 3])
def test_with_six_modules_too(tries: int) -> None:
    found = compared([six(seed, tries) for seed in range(8)])
    assert np.mean(found.knowing) <= 1.02
    assert max(found.knowing) <= 1.1


def test_dear_mistakes_are_among_what_is_planned_for() -> None:
    graph = chain_of((0.9, 0.6, 0.6, 0.6, 0.6, 0.6), (0.3,) * 6)
    pomdp = pomdp_of(graph, horizon=15.0, unseen=(0.6, 0.0, 0.0, 0.0, 0.0, 0.0), loss=20.0, tries=3)
    asked = np.flatnonzero(~np.isnan(planned(graph, pomdp).ask))
    assert asked.tolist() == [0, 1, 2, 3]


def test_before_a_last_try_everything_may_be_asked() -> None:
    assert CANDIDATES[1] == MOST_MODULES
    graph = chain_of((0.3,) * 8, (0.1,) * 8)
    settings = Settings(horizon=40.0, max_executions=1)
    session = Session(graph, settings=settings)
    for _ in range(8):
        decision = session.next(0.0)
        assert decision.action is Action.ASK
        session.answered(str(decision.module), changed=True)
    assert session.next(0.0).action is Action.ACT


# -- what it means for decisions -----------------------------------------------------------------------------------


def test_a_last_try_is_asked_about_first() -> None:
    belief, now_s = Belief.of(chain_of((0.7, 0.95), (0.1, 0.1))), 0.0
    often, once = (Costs.of(belief.graph.query_costs, time_left=15.0, tries=tries) for tries in (None, 1))
    assert Troubleshoot().decide(belief, often, now_s).action is Action.ACT
    decision = Troubleshoot().decide(belief, once, now_s)
    assert (decision.action, decision.module) == (Action.ASK, belief.graph.names[0])


def test_what_looks_like_a_success_is_asked_about_first() -> None:
    graph = chain_of((0.8, 0.8), (0.1, 0.1))
    first, second = graph.names
    assert Session(graph, settings=Settings(horizon=15.0)).next(0.0).action is Action.ACT
    for module in (first, second):
        decision = Session(graph, settings=Settings(horizon=15.0, unseen={module: 0.5})).next(0.0)
        assert (decision.action, decision.module) == (Action.ASK, module)


def test_what_it_costs_counts() -> None:
    graph = chain_of((0.8, 0.8), (0.1, 0.1))
    cheap = Settings(horizon=15.0, unseen={graph.names[0]: 0.5}, unseen_cost=0.1)
    assert Session(graph, settings=cheap).next(0.0).action is Action.ACT


def test_what_was_answered_is_asked_again_unless_that_is_turned_off() -> None:
    graph = chain_of((0.05, 0.99), (0.1, 3.0))
    for again in (True, False):
        session = Session(graph, settings=Settings(expert=0.7, horizon=15.0, max_executions=3, ask_again=again))
        session.next(0.0)
        session.answered("m0", changed=True)
        while session.next(1.0).action is Action.ACT:
            session.executed(False)
        asked = session.pending is not None and session.pending.action is Action.ASK and session.pending.module == "m0"
        assert asked is again


def test_without_tries_nothing_is_done_any_more() -> None:
    belief = Belief.of(chain_of((0.7, 0.9), (0.1, 0.1)))
    costs = Costs.of(belief.graph.query_costs, time_left=15.0, tries=0)
    assert Troubleshoot().decide(belief, costs, 0.0).action is Action.YIELD


def test_a_session_is_stored_with_it() -> None:
    graph = chain_of((0.8, 0.8), (0.1, 0.1))
    settings = Settings(horizon=15.0, unseen={graph.names[0]: 0.5}, unseen_cost=3.0, max_executions=2)
    session = Session(graph, settings=settings)
    session.next(0.0)
    again = Session.from_json(session.to_json())
    assert again.settings == settings
    assert again.pending == session.pending


def test_what_is_not_used_is_not_in_the_record() -> None:
    assert not {"unseen", "unseen_cost", "ask_again", "outdated_by_acting"} & set(Settings().to_json())


@pytest.mark.parametrize(
    "wrong",
    [{"outdated_by_acting": "box"}, {"unseen": {"a": 1.5}}, {"unseen": {"a": float("nan")}}, {"unseen_cost": -1.0}],
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadSetting):
        Settings(**wrong)  # type: ignore[arg-type]


def test_a_module_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownModule, match="sauce"):
        Session(chain_of((0.8, 0.8)), settings=Settings(unseen={"sauce": 0.5}))
    with pytest.raises(UnknownModule, match="sauce"):
        Session(chain_of((0.8, 0.8)), settings=Settings(outdated_by_acting=("sauce",)))
