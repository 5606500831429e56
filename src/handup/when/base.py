"""The protocols of querying algorithms (*when* to ask) and of whole strategies, and their contracts as checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from handup.core import Action, CostModel, Costs, Decision, Registry, default_horizon
from handup.core.contract import Contract
from handup.policy import Belief
from handup.what import SELECTORS, Selection, Selector, Situation
from handup.what.base import COPY, REASON, STATELESS, contents, example_beliefs, example_situations

SELECTORS_TRIED = ("never", "topo", "graph")


@dataclass(frozen=True)
class Choice:
    """Choice of a querying algorithm between asking and acting.

    Args:
        ask: Whether to ask about the selected module rather than act.
        reason: One sentence for a person.
        selection: The selector's choice, where it was consulted.
    """

    ask: bool
    reason: str
    selection: Selection | None = None


class When(Protocol):
    """Decides between asking and acting. Implementations are frozen dataclasses whose fields are their settings."""

    @property
    def name(self) -> str:
        """Name of the algorithm on the command line; a `ClassVar[str]` in most."""
        ...

    def choose(self, situation: Situation, selector: Selector) -> Choice:
        """Ask about the selector's module, or act. Pure: the situation holds everything it may look at."""
        ...


class Strategy(Protocol):
    """Decides what a robot does next. Frozen: a strategy keeps no memory of an episode."""

    @property
    def name(self) -> str:
        """Name of the method: `troubleshoot`, or `SELECTOR+WHEN`."""
        ...

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        """Act, ask, wait or yield. Pure: the same belief, costs and time give the same decision."""
        ...

    def parameters(self, costs: Costs) -> dict[str, float]:
        """Return the strategy's own numbers in force, by the names that people use: `epsilon`, `lambda`, `tau`."""
        ...

    def with_parameter(self, name: str, value: float) -> Strategy:
        """Return the same strategy with one of its numbers changed."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionMoment:
    """Everything that is known when options are made.

    Args:
        belief: The belief about the policy.
        costs: Costs of questions and time, without options.
        model: The cost model behind them, which may know the load of each person.
        now_s: Present time in seconds.
        used: For each recovery, the number of times that it was run in this episode and did not help.
    """

    belief: Belief
    costs: Costs
    model: CostModel
    now_s: float
    used: Mapping[str, int] = field(default_factory=dict)


class OptionSource(Protocol):
    """Maker of options, such as `whom.Options`: it knows the people, and a session calls it for every decision."""

    def costs_at(self, moment: DecisionMoment) -> Costs:
        """Return the costs of a moment with everything that may be weighed then, by `Costs.offering`."""
        ...


WHENS: Registry[When] = Registry("querying algorithm", "handup.when")


def check_when(when: When) -> None:
    """Run a querying algorithm, with several selectors, through the contract that handup's own keep.

    Raises:
        ContractViolation: The algorithm breaks the contract; the message names the situation and the fault.
    """
    contract = Contract(type(when).__name__)
    contract.is_named(when)
    for selector in (SELECTORS.make(name, {}) for name in SELECTORS_TRIED):
        for name, situation in example_situations():
            case = contract.on(f"with '{selector.name}' and {name}")
            before = contents(situation.belief, situation.costs, situation.open)
            choice = when.choose(situation, selector)
            unchanged = contents(situation.belief, situation.costs, situation.open) == before
            case.keeps(unchanged, "changes what it was given", COPY)
            case.keeps(isinstance(choice, Choice), f"returns {type(choice).__name__}", "Return a Choice.")
            case.keeps(choice.reason.strip(), "gives no reason", REASON)
            if choice.ask:
                module = None if choice.selection is None else choice.selection.module
                case.keeps(module is not None, "asks but names no module", "Put the selection into the Choice.")
                case.keeps(situation.open[module], "asks about a module that is not open", "Ask what was selected.")
            again = when.choose(situation, selector)
            case.keeps(again.ask == choice.ask, "chooses differently the second time", STATELESS)


def check_strategy(strategy: Strategy) -> None:
    """Run a strategy through the contract that handup's own keep, through whole episodes.

    Raises:
        ContractViolation: The strategy breaks the contract; the message names the situation and the fault.
    """
    contract = Contract(type(strategy).__name__)
    contract.is_named(strategy)
    for name, belief in example_beliefs():
        case = contract.on(f"with {name}")
        for expert in (1.0, 0.8):
            costs = Costs.of(belief.graph.query_costs, expert=expert)
            before = contents(belief, costs)
            decision = strategy.decide(belief, costs, 0.0)
            case.keeps(contents(belief, costs) == before, "changes what it was given", COPY)
            _check_decision(case, belief, costs, decision)
            again = strategy.decide(belief, costs, 0.0)
            case.keeps(decision.same_choice(again), "decides differently the second time", "Keep no state.")
        _check_episode(contract, strategy, name, belief)
    costs = Costs.of([0.3, 0.3])
    for parameter, value in strategy.parameters(costs).items():
        set_back = strategy.with_parameter(parameter, value).parameters(costs).get(parameter)
        contract.keeps(set_back == value, f"does not take back its own {parameter}", "Let with_parameter set it.")


def _check_episode(contract: Contract, strategy: Strategy, name: str, belief: Belief) -> None:
    """Play an episode in which every try fails and every answer changes something; all decisions must be legal."""
    for left in range(default_horizon(len(belief.graph)), 0, -1):
        costs = Costs.of(belief.graph.query_costs, time_left=left)
        decision = strategy.decide(belief, costs, 0.0)
        _check_decision(contract.on(f"with {name}, {left} steps left"), belief, costs, decision)
        if decision.action in (Action.WAIT, Action.YIELD):
            break
        if decision.action is Action.ASK and decision.module is not None:
            belief = belief.after_answer(belief.graph.index(decision.module), changed=True, expert=1.0)
        else:
            belief = belief.after_execution(False)


def _check_decision(case: Contract, belief: Belief, costs: Costs, decision: Decision) -> None:
    case.keeps(isinstance(decision, Decision), f"returns {type(decision).__name__}", "Return a Decision.")
    case.keeps(decision.reason.strip(), "gives no reason", REASON)
    if decision.action is Action.ASK:
        known = decision.module in belief.graph.names
        case.keeps(known, f"asks about {decision.module!r}", "Name a module of the policy.")
        module = belief.graph.index(decision.module or "")
        case.keeps(belief.free(0.0)[module], "asks what may not be asked now", "Look at belief.free(now_s).")
        for_certain = belief.answered[module] and costs.expert[module] >= 1.0 and belief.confidences[module] >= 1.0
        case.keeps(not for_certain, "asks again what a true expert answered", "Skip belief.answered.")
    timed = decision.until_s is not None and 0.0 < decision.until_s < math.inf
    case.keeps(
        decision.action is not Action.WAIT or timed, f"waits for {decision.until_s}", "Name the time to wait for."
    )
    valued = not any(np.isnan(alternative.value) for alternative in decision.alternatives)
    case.keeps(valued, "lists an alternative without a value", "Leave it out.")
