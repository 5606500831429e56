"""Strategies by name: `troubleshoot`, `joint`, or a selector and a querying algorithm together, `SELECTOR+WHEN`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handup.core import (
    Action,
    Alternative,
    Costs,
    Decision,
    MissingSetting,
    Registry,
    UnknownMethod,
    UnknownName,
    settings_of,
)
from handup.policy import Belief
from handup.what import SELECTORS, Graph, Hybrid, Selection, Selector, Situation
from handup.when.base import WHENS, Strategy, When
from handup.when.joint import Joint
from handup.when.troubleshoot import Troubleshoot

STRATEGIES: Registry[Strategy] = Registry("strategy", "handup.strategies")
STRATEGIES.register(Troubleshoot)
STRATEGIES.register(Joint)
DEFAULT = Troubleshoot.name


def strategy(method: str = DEFAULT, **settings: Any) -> Strategy:
    """Return the strategy of a name.

    Args:
        method: `troubleshoot`, `SELECTOR+WHEN` such as `graph+workload-aware`, or the name of an outside strategy.
        settings: Numbers of its parts, such as `epsilon=2`, `tau=0.7`, `lambda_=1`.

    Raises:
        UnknownMethod: No such name; the message lists the known ones.
        UnknownName: The method has no such setting.
        OutOfRange: The value of a setting lies outside its range.
    """
    what, plus, when = method.partition("+")
    if plus:
        makers: tuple[Any, ...] = (SELECTORS.maker(what), WHENS.maker(when))
    elif what in SELECTORS.names() or what in WHENS.names():
        raise UnknownMethod(
            f"'{method}' is half a method", hint="Write SELECTOR+WHEN, for example graph+workload-aware."
        )
    else:
        try:
            makers = (STRATEGIES.maker(what),)
        except UnknownMethod as error:
            hint = f"{error.hint} Or write SELECTOR+WHEN, for example graph+workload-aware."
            raise UnknownMethod(error.cause, hint=hint) from None
    known = {setting for maker in makers for setting in settings_of(maker)}
    for setting in settings:
        if setting not in known:
            have = ", ".join(sorted(name.rstrip("_") for name in known)) or "none"
            raise UnknownName(f"'{method}' has no setting '{setting.rstrip('_')}'", hint=f"It has: {have}.")
    if plus:
        return Pair(SELECTORS.make(what, settings), WHENS.make(when, settings))
    return STRATEGIES.make(what, settings)


def settings_in_force(chosen: Strategy) -> dict[str, Any]:
    """Return the settings that `strategy` needs, beside the name, to make the same strategy again."""
    parts: tuple[object, ...] = (chosen.what, chosen.when) if isinstance(chosen, Pair) else (chosen,)
    return {setting: getattr(part, setting) for part in parts for setting in settings_of(part)}


def methods() -> tuple[str, ...]:
    """Return the names of all methods."""
    pairs = (f"{what}+{when}" for what in sorted(SELECTORS.names()) for when in WHENS.names())
    return (*STRATEGIES.names(), *pairs)


@dataclass(frozen=True)
class Pair:
    """A selector with a querying algorithm, as in the paper: *what* to ask about, then *whether*.

    It acts again after a failure even if nothing has changed since, as the paper's algorithms do. Only where it would
    ask a question that may not be asked yet, it waits for that instead.
    """

    what: Selector
    when: When

    @property
    def name(self) -> str:
        """`SELECTOR+WHEN`."""
        return f"{self.what.name}+{self.when.name}"

    def decide(self, belief: Belief, costs: Costs, now_s: float) -> Decision:
        """Ask about the selector's module or act, as the querying algorithm says."""
        free = belief.free(now_s)
        situation = Situation(belief, costs, ~belief.answered & free)
        choice = self.when.choose(situation, self.what)
        if choice.ask and (choice.selection is None or choice.selection.module is None):
            hint = "Return the selection in its Choice."
            raise MissingSetting("a querying algorithm that asks must name a module, got none", hint=hint)
        held = ~belief.answered & ~free
        if not choice.ask and held.any() and belief.acting_is_futile:
            later = self._later(belief, costs)
            if later is not None and held[later]:
                return _waiting(belief, later)
        selection = choice.selection or self.what.select(situation)
        return Decision(
            action=Action.ASK if choice.ask else Action.ACT,
            module=_nearest(situation, selection),
            reason=choice.reason,
            alternatives=_alternatives(situation, selection),
        )

    def parameters(self, costs: Costs) -> dict[str, float]:
        """Return ε, λ and τ, where the two have them."""
        numbers: dict[str, float] = {}
        for part in (self.what, self.when):
            for setting in settings_of(part):
                value = getattr(part, setting)
                if setting == "epsilon" and isinstance(part, Graph | Hybrid):
                    value = Graph(part.epsilon).weight(costs)
                if isinstance(value, float):
                    numbers[setting.rstrip("_")] = value
        numbers.pop("time_limit_s", None)  # a limit of the solver, not a weight of the rule
        return numbers

    def with_parameter(self, name: str, value: float) -> Pair:
        """Return the pair with one number of its parts changed."""
        pair = self
        for part in ("what", "when"):
            for setting in settings_of(getattr(pair, part)):
                if setting.rstrip("_") == name:
                    changed: Any = replace(getattr(pair, part), **{setting: value})
                    pair = replace(pair, **{part: changed})
        if pair is self:
            raise UnknownName(f"'{self.name}' has no setting '{name}'", hint="See its page in the docs.")
        return pair

    def _later(self, belief: Belief, costs: Costs) -> int | None:
        """Return the module that would be asked about if every module might be; None where it would act."""
        choice = self.when.choose(Situation(belief, costs, ~belief.answered), self.what)
        return choice.selection.module if choice.ask and choice.selection is not None else None


def _waiting(belief: Belief, module: int) -> Decision:
    name, until_s = belief.graph.names[module], float(belief.blocked_until_s[module])
    if math.isinf(until_s):
        reason = f"Acting again cannot succeed, and '{name}' may not be asked about any more."
        return Decision(action=Action.YIELD, module=name, reason=reason)
    reason = f"Acting again cannot succeed, and '{name}' may not be asked about yet."
    return Decision(action=Action.WAIT, module=name, reason=reason, until_s=until_s)


def _nearest(situation: Situation, selection: Selection) -> str | None:
    if selection.module is not None:
        return situation.name(selection.module)
    if np.isnan(selection.values).all():
        return None
    return situation.name(int(np.nanargmin(selection.values)))


def _alternatives(situation: Situation, selection: Selection) -> tuple[Alternative, ...]:
    alternatives = [
        Alternative(Action.ASK, situation.name(int(module)), float(selection.values[module]))
        for module in np.flatnonzero(~np.isnan(selection.values))
    ]
    if selection.nothing is not None:
        alternatives.append(Alternative(Action.ACT, None, selection.nothing))
    return tuple(sorted(alternatives, key=lambda alternative: alternative.value))
