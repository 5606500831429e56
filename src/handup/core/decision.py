"""Decisions of a strategy, and outcomes of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Action(StrEnum):
    """The four things a strategy can decide."""

    ACT = "act"
    ASK = "ask"
    WAIT = "wait"
    YIELD = "yield"


class Outcome(StrEnum):
    """Ways in which an episode ends."""

    RECOVERED = "recovered"
    """An execution succeeded."""
    HORIZON = "horizon"
    """The time given to the episode was used up."""
    YIELDED = "yielded"
    """Nothing that is still possible is worth its cost; the decision's reason says why."""
    STOPPED = "stopped"
    """A person or the robot's own safety stopped it."""


@dataclass(frozen=True)
class Alternative:
    """One possible decision, with its value in the units of the strategy (lower is better)."""

    action: Action
    module: str | None
    value: float

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"action": str(self.action), "module": self.module, "value": self.value}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Alternative:
        """Return the alternative that `to_json` wrote."""
        return cls(Action(record["action"]), record["module"], record["value"])


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Decision of a strategy: the next action, its reason, and the alternatives that were weighed.

    Args:
        action: Act, ask, wait or yield.
        module: The module to ask about; for the other actions, the one that came nearest to being asked about.
        reason: One sentence for a person.
        alternatives: Everything that was weighed, best first.
        until_s: For `wait`, the time in seconds to wait for.
    """

    action: Action
    module: str | None = None
    reason: str
    alternatives: tuple[Alternative, ...] = ()
    until_s: float | None = None

    def same_choice(self, other: Decision) -> bool:
        """Tell whether both would make the robot do the same."""
        asks = self.action is Action.ASK
        return self.action is other.action and (not asks or self.module == other.module)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "action": str(self.action),
            "module": self.module,
            "reason": self.reason,
            "alternatives": [alternative.to_json() for alternative in self.alternatives],
            "until_s": self.until_s,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Decision:
        """Return the decision that `to_json` wrote."""
        return cls(
            action=Action(record["action"]),
            module=record["module"],
            reason=record["reason"],
            alternatives=tuple(Alternative.from_json(entry) for entry in record["alternatives"]),
            until_s=record["until_s"],
        )
