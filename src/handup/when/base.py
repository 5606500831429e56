"""The protocols of querying algorithms (*when* to ask) and of whole strategies, and their contracts as checks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from handup.core import Action, ContractViolation, Costs, Decision, Registry, default_horizon
from handup.policy import Belief
from handup.what import SELECTORS, Selection, Selector, Situation
from handup.what.base import COPY, contents, example_beliefs, example_situations

SELECTORS_TRIED = ("never", "topo", "graph")


@dataclass(frozen=True)
class Choice:
    """What a querying algorithm chose.

    Args:
        ask: Whether to ask about the selected module rather than act.
        reason: One sentence for a person.
        selection: What the selector said, where it was consulted.
    """

    ask: bool
    reason: str
    selection: Selection | None = None


class When(Protocol):
    """Decides between asking and acting. Implementations are frozen dataclasses whose fields are their settings."""

    @property
    def name(self) -> str:
        """What the algorithm is called on the command line; a `ClassVar[str]` in most."""
        ...

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask about the selector's module, or act. Pure: everything it may look at is in the situation."""
        ...


class Strategy(Protocol):
    """Decides what a robot does next. Frozen: a strategy keeps no memory of an episode."""

    @property
    def name(self) -> str:
        """How the method is written: `troubleshoot`, or `SELECTOR+WHEN`."""
        ...

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        """Act, ask, wait or yield. Pure: the same belief, costs and time give the same decision."""
        ...

    def parameters(self, costs: Costs) -> dict[str, float]:
        """The strategy's own numbers in force, by the names that people use: `epsilon`, `lambda`, `tau`."""
        ...

    def with_parameter(self, name: str, value: float) -> Strategy:
        """The same strategy with one of its numbers changed."""
        ...


WHENS: Registry[When] = Registry("querying algorithm", "handup.when")


def asked(selection: Selection, why: str = "") -> Choice:
    """Ask about the selection's module."""
    return Choice(True, f"{selection.reason} {why}".strip(), selection)


def nothing_to_ask(selection: Selection) -> Choice:
    """Act because the selector names no module."""
    return Choice(False, f"Acting: {selection.reason[:1].lower()}{selection.reason[1:]}", selection)


def check_when(when: When) -> None:
    """Run a querying algorithm, with several selectors, through the contract that handup's own keep.

    Raises:
        ContractViolation: Naming the situation and what is wrong with the answer.
    """
    _check_name(when)
    for selector in (SELECTORS.make(name, {}) for name in SELECTORS_TRIED):
        for name, situation in example_situations():
            where = f"with '{selector.name}' and {name}"
            before = contents(situation.belief, situation.costs, situation.open)
            choice = when.choose(situation, selector)
            if contents(situation.belief, situation.costs, situation.open) != before:
                raise _violation(when, f"{where} changes what it was given", COPY)
            if not isinstance(choice, Choice):
                raise _violation(when, f"{where} returns {type(choice).__name__}", "Return a Choice.")
            if not choice.reason.strip():
                raise _violation(when, f"{where} gives no reason", "Say in one sentence why.")
            if choice.ask:
                selection = choice.selection
                if selection is None or selection.module is None:
                    raise _violation(when, f"{where} asks but names no module", "Put the selection into the Choice.")
                if not situation.open[selection.module]:
                    raise _violation(when, f"{where} asks about a module that is not open", "Ask what was selected.")
            if when.choose(situation, selector).ask != choice.ask:
                raise _violation(when, f"{where} chooses differently the second time", "Keep no state, draw nothing.")


def check_strategy(strategy: Strategy) -> None:
    """Run a strategy through the contract that handup's own keep, through whole episodes.

    Raises:
        ContractViolation: Naming the situation and what is wrong with the decision.
    """
    _check_name(strategy)
    for name, belief in example_beliefs():
        for expert in (1.0, 0.8):
            costs = Costs.of(belief.graph.query_costs, expert=expert)
            before = contents(belief, costs)
            decision = strategy.decide(belief, costs, 0.0)
            if contents(belief, costs) != before:
                raise _violation(strategy, f"with {name} changes what it was given", COPY)
            _check_decision(strategy, name, belief, costs, decision)
            if not decision.same_choice(strategy.decide(belief, costs, 0.0)):
                raise _violation(strategy, f"with {name} decides differently the second time", "Keep no state.")
    costs = Costs.of([0.3, 0.3])
    for parameter, value in strategy.parameters(costs).items():
        if strategy.with_parameter(parameter, value).parameters(costs).get(parameter) != value:
            raise _violation(strategy, f"does not take back its own {parameter}", "Let with_parameter set it.")
    _check_episodes(strategy)


def _check_episodes(strategy: Strategy) -> None:
    """Everything fails and every answer changes something: the strategy must stay legal to the end."""
    for name, start in example_beliefs():
        belief, left = start, default_horizon(len(start.graph))
        while left:
            costs = Costs.of(belief.graph.query_costs, time_left=left)
            decision = strategy.decide(belief, costs, 0.0)
            _check_decision(strategy, f"{name}, {left} steps left", belief, costs, decision)
            if decision.action in (Action.WAIT, Action.YIELD):
                break
            if decision.action is Action.ASK and decision.module is not None:
                belief = belief.after_answer(belief.graph.index(decision.module), changed=True, expert=1.0)
            else:
                belief = belief.after_execution(False)
            left -= 1


def _check_decision(strategy: Strategy, name: str, belief: Belief, costs: Costs, decision: Decision) -> None:
    if not isinstance(decision, Decision):
        raise _violation(strategy, f"with {name} returns {type(decision).__name__}", "Return a Decision.")
    if not decision.reason.strip():
        raise _violation(strategy, f"with {name} gives no reason", "Say in one sentence why.")
    if decision.action is Action.ASK:
        if decision.module not in belief.graph.names:
            raise _violation(strategy, f"with {name} asks about {decision.module!r}", "Name a module of the policy.")
        module = belief.graph.index(decision.module)
        if not belief.free(0.0)[module]:
            raise _violation(strategy, f"with {name} asks what may not be asked now", "Look at belief.free(now_s).")
        if belief.answered[module] and costs.expert[module] >= 1.0 and belief.confidences[module] >= 1.0:
            raise _violation(strategy, f"with {name} asks again what a true expert answered", "Skip belief.answered.")
    if decision.action is Action.WAIT and not (decision.until_s is not None and 0.0 < decision.until_s < math.inf):
        raise _violation(strategy, f"with {name} waits for {decision.until_s}", "Name the time to wait for.")
    if any(np.isnan(each.value) for each in decision.alternatives):
        raise _violation(strategy, f"with {name} lists an alternative without a value", "Leave it out.")


def _check_name(author: When | Strategy) -> None:
    if not isinstance(getattr(author, "name", None), str) or not author.name:
        raise _violation(author, "has no name", "Give the class a ClassVar[str] called 'name'.")


def _violation(author: When | Strategy, what: str, hint: str) -> ContractViolation:
    return ContractViolation(f"{type(author).__name__} {what}", hint=hint)
