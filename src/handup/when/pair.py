"""A selector and a querying algorithm together: a strategy such as `graph+workload-aware`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from handup.core import Action, Alternative, BadSetting, Costs, Decision, settings_of
from handup.policy import Belief
from handup.what import Graph, Hybrid, Selection, Selector, Situation
from handup.when.base import Choice, When


@dataclass(frozen=True)
class Pair:
    """The paper's way to decide: *what* to ask about, then *whether*.

    It acts again after a failure that nothing has changed, as the paper's algorithms do; only where a question
    would be asked but may not be now, it waits for that instead.
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
        if choice.ask:
            return _asking(situation, choice)
        held = ~belief.answered & ~free
        if held.any() and belief.acting_is_futile:
            later = self._later(belief, costs)
            if later is not None and held[later]:
                return _waiting(belief, later)
        selection = choice.selection or self.what.select(situation)
        return Decision(
            action=Action.ACT,
            module=_nearest(situation, selection),
            reason=choice.reason,
            alternatives=_alternatives(situation, selection),
        )

    def parameters(self, costs: Costs) -> dict[str, float]:
        """ε, λ and τ, where the two have them."""
        found: dict[str, float] = {}
        for part in (self.what, self.when):
            for setting in settings_of(part):
                value = getattr(part, setting)
                if setting == "epsilon" and isinstance(part, Graph | Hybrid):
                    value = Graph(part.epsilon).weight(costs)
                if isinstance(value, float):
                    found[setting.rstrip("_")] = value
        found.pop("time_limit_s", None)
        return found

    def with_parameter(self, name: str, value: float) -> Pair:
        """The pair with one number of its parts changed."""
        pair = self
        for part in ("what", "when"):
            for setting in settings_of(getattr(pair, part)):
                if setting.rstrip("_") == name:
                    changed: Any = replace(getattr(pair, part), **{setting: value})
                    pair = replace(pair, **{part: changed})
        if pair is self:
            raise BadSetting(f"'{self.name}' has no setting '{name}'", hint="See its page in the docs.")
        return pair

    def _later(self, belief: Belief, costs: Costs) -> int | None:
        """What would be asked if everything might be asked now."""
        choice = self.when.choose(Situation(belief, costs, ~belief.answered), self.what)
        return choice.selection.module if choice.ask and choice.selection is not None else None


def _asking(situation: Situation, choice: Choice) -> Decision:
    selection = choice.selection
    if selection is None or selection.module is None:
        raise BadSetting("a querying algorithm asks but names no module", hint="Return the selection in its Choice.")
    return Decision(
        action=Action.ASK,
        module=situation.name(selection.module),
        reason=choice.reason,
        alternatives=_alternatives(situation, selection),
    )


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
    found = [
        Alternative(Action.ASK, situation.name(int(module)), float(selection.values[module]))
        for module in np.flatnonzero(~np.isnan(selection.values))
    ]
    if selection.nothing is not None:
        found.append(Alternative(Action.ACT, None, selection.nothing))
    return tuple(sorted(found, key=lambda each: each.value))
