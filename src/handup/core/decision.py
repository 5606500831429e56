"""Decisions of a strategy, and outcomes of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Action(StrEnum):
    """The five things a strategy can decide."""

    ACT = "act"
    RECOVER = "recover"
    """Run one of the robot's own recoveries."""
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


WHOM = ("person", "support", "recovery")
"""Fields of decisions and alternatives that records lack where they are None."""


def whom_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the fields of `WHOM` that a record has and that are not None."""
    return {name: record[name] for name in WHOM if record.get(name) is not None}


@dataclass(frozen=True)
class Alternative:
    """One possible decision, with its value in the units of the strategy (lower is better).

    Args:
        action: What would be done.
        module: For a question, the module that it would be about.
        value: Its value.
        person: For a question, the person who would be asked, where the strategy weighs people.
        support: The support that they would be shown.
        recovery: The recovery that would be run.
        until_s: For a wait that is weighed beside others, the time in seconds to wait for.
    """

    action: Action
    module: str | None
    value: float
    person: str | None = None
    support: str | None = None
    recovery: str | None = None
    until_s: float | None = None

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        record = {"action": str(self.action), "module": self.module, "value": self.value, **whom_of(vars(self))}
        return record if self.until_s is None else {**record, "until_s": self.until_s}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Alternative:
        """Return the alternative that `to_json` wrote."""
        known = {**whom_of(record), "until_s": record.get("until_s")}
        return cls(Action(record["action"]), record["module"], record["value"], **known)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Decision of a strategy: the next action, its reason, and the alternatives that were weighed.

    Args:
        action: Act, recover, ask, wait or yield.
        module: The module to ask about; for the other actions, the one that came nearest to being asked about.
        reason: One sentence for a person.
        alternatives: Everything that was weighed, best first.
        until_s: For `wait`, the time in seconds to wait for.
        person: For `ask`, the person to ask; None where anybody may answer.
        support: For `ask`, the key of the support to show beside the question.
        recovery: For `recover`, the name of the recovery.
    """

    action: Action
    module: str | None = None
    reason: str
    alternatives: tuple[Alternative, ...] = ()
    until_s: float | None = None
    person: str | None = None
    support: str | None = None
    recovery: str | None = None

    def same_choice(self, other: Decision) -> bool:
        """Tell whether both would make the robot do the same, with the same person."""
        if self.action is not other.action:
            return False
        if self.action is Action.ASK:
            return (self.module, self.person, self.support) == (other.module, other.person, other.support)
        return self.recovery == other.recovery

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "action": str(self.action),
            "module": self.module,
            "reason": self.reason,
            "alternatives": [alternative.to_json() for alternative in self.alternatives],
            "until_s": self.until_s,
            **whom_of(vars(self)),
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
            **whom_of(record),
        )
