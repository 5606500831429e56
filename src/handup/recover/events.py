"""Events that a session takes in, as records that go to JSON and back. `told` is the kind of each record."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from handup.core import Action, BadRecord, Decision, HandupError, Outcome
from handup.core.decision import WHOM

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Unanswered(StrEnum):
    """Why a question brought no answer."""

    NOT_NOW = "not-now"
    SOMEONE_ELSE = "someone-else"
    LET_ROBOT_TRY = "let-robot-try"
    EXPIRED = "expired"


@dataclass(frozen=True, kw_only=True)
class Decided:
    """`next` was called; `load` is what the question, if it is one, costs the person."""

    now_s: Finite
    decision: Decision
    outcome: Outcome | None = None
    load: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.0
    told: Literal["next"] = "next"

    def is_whole(self, modules: Collection[str]) -> bool:
        """Return whether the event names what its action needs, and an outcome exactly when it ends the episode."""
        decision, until_s = self.decision, self.decision.until_s
        ends = (Outcome.YIELDED, Outcome.HORIZON) if decision.action is Action.YIELD else (None,)
        if self.outcome not in ends:
            return False
        if (decision.action is Action.ASK or decision.module is not None) and decision.module not in modules:
            return False
        return decision.action is not Action.WAIT or (until_s is not None and self.now_s < until_s < math.inf)


@dataclass(frozen=True, kw_only=True)
class Forwarded:
    """The policy ran again.

    `changed` are modules that gave another output, though perhaps as confidently; `renewed` are answered modules that
    speak for themselves again, since the world is no longer the one that the answer was about.
    """

    confidences: dict[str, Probability]
    changed: tuple[str, ...] = ()
    renewed: tuple[str, ...] = ()
    told: Literal["forwarded"] = "forwarded"


@dataclass(frozen=True, kw_only=True)
class ModuleAnswered:
    """A person answered."""

    module: str
    changed: bool | None
    expert: Probability
    by: str | None = None
    now_s: Finite | None = None
    told: Literal["answered"] = "answered"


@dataclass(frozen=True, kw_only=True)
class NotAnswered:
    """A question brought no answer."""

    module: str
    why: Unanswered
    until_s: Finite | None = None
    now_s: Finite | None = None
    told: Literal["unanswered"] = "unanswered"


@dataclass(frozen=True, kw_only=True)
class Rerouted:
    """The open question goes on to another person; `load` is what it costs them. The first person may still answer."""

    now_s: Finite
    decision: Decision
    load: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.0
    told: Literal["rerouted"] = "rerouted"


@dataclass(frozen=True, kw_only=True)
class Executed:
    """The robot acted. `ended` says whether that ended the episode; None in older records, which lack it."""

    ok: bool
    certainty: Annotated[float, Field(ge=0.5, le=1.0)] = 1.0
    now_s: Finite | None = None
    ended: bool | None = None
    told: Literal["executed"] = "executed"

    def is_whole(self) -> bool:
        """Return whether it ends the episode only by a success, and always by a certain one."""
        if self.ended is None:
            return True
        return self.ok if self.ended else not self.ok or self.certainty < 1.0


@dataclass(frozen=True, kw_only=True)
class EpisodeStopped:
    """Somebody stopped the robot."""

    why: str = ""
    told: Literal["stopped"] = "stopped"


Event = Decided | Forwarded | ModuleAnswered | NotAnswered | Rerouted | Executed | EpisodeStopped
_Told = Annotated[Event, Field(discriminator="told")]
EVENTS: TypeAdapter[list[Event]] = TypeAdapter(list[_Told])
_ONE: TypeAdapter[Event] = TypeAdapter(_Told)
LATER: Mapping[type[Any], tuple[str, ...]] = {Executed: ("now_s", "ended"), Forwarded: ("renewed",)}
"""Fields that older records lack."""
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, ValidationError, HandupError)
"""Errors that reading a record raises when no session wrote it."""


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event as a plain record; fields of later versions are left out where they say nothing."""
    record: dict[str, Any] = _ONE.dump_python(event, mode="json")
    later = LATER.get(type(event), ())
    # A record without later fields stays byte for byte what an older handup wrote.
    if isinstance(event, Decided | Rerouted):
        decision = _without_nobody(record["decision"])
        alternatives = [_without_nobody(entry, (*WHOM, "until_s")) for entry in decision["alternatives"]]
        record["decision"] = decision | {"alternatives": alternatives}
    return {key: value for key, value in record.items() if key not in later or value not in (None, [])}


def _without_nobody(record: dict[str, Any], names: tuple[str, ...] = WHOM) -> dict[str, Any]:
    """Return the record of a decision or alternative without those of some fields that say nothing."""
    return {key: value for key, value in record.items() if key not in names or value is not None}


def event_from_json(record: object) -> Event:
    """Return the event that `event_to_json` wrote.

    Raises:
        ValidationError: It is something else.
    """
    return _ONE.validate_python(record)


@contextmanager
def refusing_damage() -> Iterator[None]:
    """Turn every error that a damaged record causes into one `BadRecord`."""
    try:
        yield
    except BadRecord:
        raise
    except DAMAGE as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadRecord(f"the record is damaged ({first})", hint="Go back to the last good one.") from error
