"""Few tries, and mistakes that look like successes: near the optimum of the model that knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from handup.core import Action, BadSetting, Costs, Decision, UnknownModule
from handup.policy import Belief, ModuleGraph
from handup.recover import Session, Settings
from handup.when import Troubleshoot
from tests.make import chain_of
from tests.when.episodes import average, pomdp_of, random_graph
from tests.when.pomdp import Pomdp


class Blind(Troubleshoot):
    """The same without knowing how many tries are left, or that anything goes unseen."""

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        return super().decide(belief, replace(costs, tries=None, unseen=np.zeros_like(costs.unseen)), now_s)


@dataclass(frozen=True)
class Ratios:
    """Expected cost over the optimum's."""

    knowing: list[float]
    blind: list[float]


def compared(cases: Sequence[tuple[ModuleGraph, Pomdp]]) -> Ratios:
    best = [pomdp.optimum() for _, pomdp in cases]
    knowing, blind = (
        [average(each, *case).cost / cost for case, cost in zip(cases, best, strict=True)]
        for each in (Troubleshoot(), Blind())
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
    graph = chain_of((0.3, 0.99), (0.1, 3.0))
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
    assert not {"unseen", "unseen_cost"} & set(Settings().to_json())


@pytest.mark.parametrize("wrong", [{"unseen": {"a": 1.5}}, {"unseen": {"a": float("nan")}}, {"unseen_cost": -1.0}])
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadSetting):
        Settings(**wrong)  # type: ignore[arg-type]


def test_a_module_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownModule, match="sauce"):
        Session(chain_of((0.8, 0.8)), settings=Settings(unseen={"sauce": 0.5}))
