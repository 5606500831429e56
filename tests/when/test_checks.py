"""The contracts that outside authors can run: handup's own keep them, broken ones are told what is wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from handup.core import Action, Alternative, ContractViolation, Costs, Decision
from handup.policy import Belief
from handup.what import SELECTORS, Selection, Selector, Situation, Topo, check_selector
from handup.when import WHENS, Choice, Pair, Strategy, Troubleshoot, When, WorkloadAware, check_strategy, check_when
from handup.when.troubleshoot import Planner
from tests.when.test_pairs import PAIRS, SELECTOR_NAMES, WHEN_NAMES

# -- handup's own ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SELECTOR_NAMES)
def test_handups_selectors_keep_the_contract(name: str) -> None:
    check_selector(SELECTORS.make(name, {}), most_modules=15 if name == "mip" else None)


@pytest.mark.parametrize("name", WHEN_NAMES)
def test_handups_querying_algorithms_keep_the_contract(name: str) -> None:
    check_when(WHENS.make(name, {}))


@pytest.mark.parametrize("planner", [Planner.BEST, Planner.LOOK_AHEAD])
def test_troubleshoot_keeps_the_contract(planner: Planner) -> None:
    check_strategy(Troubleshoot(planner))


@pytest.mark.parametrize("method", [each for each in PAIRS if not each.startswith(("mip", "hybrid"))])
def test_handups_pairs_keep_the_contract(method: str) -> None:
    what, when = method.split("+")
    check_strategy(Pair(SELECTORS.make(what, {}), WHENS.make(when, {})))


# -- broken selectors --------------------------------------------------------------------------------------------------


@dataclass
class ASelector:
    """A selector that can be broken: what it does is handed in."""

    select: Callable[[Situation], Any]
    name: Any = "mine"


def selection(module: Any, situation: Situation, *, reason: str = "Because.", values: Any = None) -> Selection:
    numbers = np.full(len(situation.open), np.nan) if values is None else values
    return Selection(module, reason, numbers)


def writes(situation: Situation) -> Selection:
    choice = Topo().select(situation)
    situation.open[:] = False
    return choice


def in_turn() -> Callable[[Situation], Selection]:
    turn = itertools.count()

    def select(situation: Situation) -> Selection:
        found = np.flatnonzero(situation.open)
        return selection(int(found[next(turn) % len(found)]) if len(found) else None, situation)

    return select


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (ASelector(Topo().select, name=None), "has no name"),
        (ASelector(Topo().select, name=""), "has no name"),
        (ASelector(lambda situation: 0), "returns int. Return a Selection"),
        (ASelector(lambda situation: None), "returns NoneType"),
        (ASelector(lambda situation: selection(0, situation)), "chooses '.*', which is not open"),
        (ASelector(lambda situation: selection(10_000, situation)), "chooses 10000. Choose a position or None"),
        (ASelector(lambda situation: selection(-1, situation)), "chooses -1"),
        (ASelector(lambda situation: selection("m0", situation)), "chooses 'm0'"),
        (ASelector(lambda situation: selection(None, situation, reason=" ")), "gives no reason"),
        (ASelector(lambda situation: selection(None, situation, values=np.zeros(1000))), r"gives \(1000,\) values"),
        (ASelector(lambda situation: selection(None, situation, values=0.5)), r"gives \(\) values"),
        (ASelector(writes), "changes what it was given"),
        (ASelector(in_turn()), "chooses differently the second time. Keep no state"),
    ],
)
def test_a_broken_selector_is_told_what_is_wrong(broken: Selector, message: str) -> None:
    with pytest.raises(ContractViolation, match=message) as caught:
        check_selector(broken)
    assert "selector ASelector" in str(caught.value)


def test_the_situation_in_which_a_selector_breaks_the_contract_is_named() -> None:
    with pytest.raises(ContractViolation, match=r"with one module, after a failure and an answer, w = 0\.5"):
        check_selector(ASelector(lambda situation: selection(0, situation)))


# -- broken querying algorithms ----------------------------------------------------------------------------------------


@dataclass
class AWhen:
    """A querying algorithm that can be broken."""

    choose: Callable[[Situation, Selector], Any]
    name: Any = "mine"


def asks_blindly(situation: Situation, selector: Selector) -> Choice:
    return Choice(True, "Ask.", selection(0, situation))


def asks_the_closed(situation: Situation, selector: Selector) -> Choice:
    closed = np.flatnonzero(~situation.open)
    return Choice(True, "Ask.", selection(int(closed[0]) if len(closed) else 0, situation))


def changes_its_mind() -> Callable[[Situation, Selector], Choice]:
    turn = itertools.count()

    def choose(situation: Situation, selector: Selector) -> Choice:
        chosen = selector.select(situation)
        return Choice(chosen.module is not None and next(turn) % 2 == 0, "Perhaps.", chosen)

    return choose


def closes_all(situation: Situation, selector: Selector) -> Choice:
    situation.open[:] = False
    return Choice(False, "Act.")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (AWhen(WorkloadAware().choose, name=""), "has no name"),
        (AWhen(WorkloadAware().choose, name=3), "has no name"),
        (AWhen(lambda situation, selector: True), "returns bool. Return a Choice"),
        (AWhen(lambda situation, selector: Choice(False, "")), "gives no reason"),
        (AWhen(lambda situation, selector: Choice(True, "Ask.")), "asks but names no module"),
        (AWhen(lambda situation, selector: Choice(True, "Ask.", selector.select(situation))), "asks but names no"),
        (AWhen(asks_blindly), "asks about a module that is not open"),
        (AWhen(asks_the_closed), "asks about a module that is not open"),
        (AWhen(changes_its_mind()), "chooses differently the second time"),
        (AWhen(closes_all), "changes what it was given"),
    ],
)
def test_a_broken_querying_algorithm_is_told_what_is_wrong(broken: When, message: str) -> None:
    with pytest.raises(ContractViolation, match=message) as caught:
        check_when(broken)
    assert "AWhen" in str(caught.value)


# -- broken strategies -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AStrategy:
    """A strategy that can be broken."""

    deciding: Callable[[Belief, Costs, float], Any]
    name: Any = "mine"
    number: float | None = None
    takes: bool = True

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Any:
        return self.deciding(belief, costs, now_s)

    def parameters(self, costs: Costs) -> dict[str, float]:
        return {} if self.number is None else {"number": self.number}

    def with_parameter(self, name: str, value: float) -> AStrategy:
        return self if self.takes else replace(self, number=value + 1.0)


def act(belief: Belief, costs: Costs, now_s: float) -> Decision:
    return Decision(action=Action.ACT, reason="Try.")


def ask_first(belief: Belief, costs: Costs, now_s: float) -> Decision:
    return Decision(action=Action.ASK, module=belief.graph.names[0], reason="Ask.")


def ask_free(belief: Belief, costs: Costs, now_s: float) -> Decision:
    free = np.flatnonzero(belief.free(now_s))
    return (
        Decision(action=Action.ASK, module=belief.graph.names[int(free[-1])], reason="Ask.")
        if len(free)
        else act(belief, costs, now_s)
    )


def ask_blocked(belief: Belief, costs: Costs, now_s: float) -> Decision:
    held = np.flatnonzero(~belief.free(now_s))
    if not len(held):
        return act(belief, costs, now_s)
    return Decision(action=Action.ASK, module=belief.graph.names[int(held[0])], reason="Ask.")


def wait(until_s: float | None) -> Callable[[Belief, Costs, float], Decision]:
    return lambda belief, costs, now_s: Decision(action=Action.WAIT, reason="Wait.", until_s=until_s)


def hesitates() -> Callable[[Belief, Costs, float], Decision]:
    turn = itertools.count()

    def decide(belief: Belief, costs: Costs, now_s: float) -> Decision:
        action = Action.ACT if next(turn) % 2 else Action.YIELD
        return Decision(action=action, reason="Hm.")

    return decide


def writes_to_belief(belief: Belief, costs: Costs, now_s: float) -> Decision:
    belief.answered[:] = ~belief.answered
    return act(belief, costs, now_s)


def alternatives(value: float) -> Callable[[Belief, Costs, float], Decision]:
    found = (Alternative(Action.ACT, None, value),)
    return lambda belief, costs, now_s: Decision(action=Action.ACT, reason="Try.", alternatives=found)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (AStrategy(act, name=None), "has no name"),
        (AStrategy(lambda belief, costs, now_s: "act"), "returns str. Return a Decision"),
        (AStrategy(lambda belief, costs, now_s: Decision(action=Action.ACT, reason="")), "gives no reason"),
        (AStrategy(lambda *_: Decision(action=Action.ASK, reason="Ask.")), "asks about None. Name a module"),
        (AStrategy(lambda *_: Decision(action=Action.ASK, module="x", reason="Ask.")), "asks about 'x'"),
        (AStrategy(ask_first), "asks what may not be asked now|asks again what a true expert answered"),
        (AStrategy(ask_blocked), "asks what may not be asked now"),
        (AStrategy(ask_free), "asks again what a true expert answered"),
        (AStrategy(wait(None)), "waits for None. Name the time"),
        (AStrategy(wait(math.inf)), "waits for inf"),
        (AStrategy(wait(-5.0)), "waits for -5"),
        (AStrategy(hesitates()), "decides differently the second time"),
        (AStrategy(alternatives(math.nan)), "lists an alternative without a value"),
        (AStrategy(act, number=2.0, takes=False), "does not take back its own number"),
        (AStrategy(writes_to_belief), "changes what it was given"),
    ],
)
def test_a_broken_strategy_is_told_what_is_wrong(broken: Strategy, message: str) -> None:
    with pytest.raises(ContractViolation, match=message) as caught:
        check_strategy(broken)
    assert "AStrategy" in str(caught.value)


def test_a_strategy_that_keeps_the_contract_is_accepted() -> None:
    check_strategy(AStrategy(act, number=2.0))
    check_strategy(AStrategy(wait(10.0)))


def test_a_selector_that_keeps_the_contract_is_accepted() -> None:
    check_selector(ASelector(Topo().select))


def test_a_querying_algorithm_that_keeps_the_contract_is_accepted() -> None:
    check_when(AWhen(WorkloadAware().choose))
