"""Journal entries of a run, and the trail that is read from them beyond the session's own events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from handup.core import BadRecord, Decision, Outcome, event
from handup.recover.events import (
    Decided,
    Event,
    Executed,
    Forwarded,
    ModuleAnswered,
    NotAnswered,
    Rerouted,
    Unanswered,
    event_from_json,
    event_to_json,
    refusing_damage,
)


@event("run.started", people=("people",))
@dataclass(frozen=True, kw_only=True)
class RunStarted:
    """A run began.

    Args:
        record: The session as `Session.to_json` gives it, without events and without names of people.
        modules: The names of the modules in the policy's order, which a record with sorted keys loses.
        people: The names that a workload knows; the record has `#0`, `#1` … in their place.
    """

    record: dict[str, Any]
    modules: tuple[str, ...]
    people: tuple[str, ...] = ()


@event("run.told", people=("by",))
@dataclass(frozen=True, kw_only=True)
class RunTold:
    """The session was told something. The entry's key is the question or the action concerned.

    Args:
        told: The event in JSON, without who answered.
        by: Who answered.
    """

    told: dict[str, Any]
    by: str | None = None

    @classmethod
    def of(cls, told: Event) -> RunTold:
        """Return the entry for an event."""
        record = event_to_json(told)
        if isinstance(told, Decided | Rerouted) and (people := _people_in(told.decision)):
            places = {name: f"#{number}" for number, name in enumerate(people)}
            return RunToldOfPeople(told=_with_people(record, places), people=people)
        return cls(told={**record, "by": None}, by=told.by) if isinstance(told, ModuleAnswered) else cls(told=record)

    def read(self) -> Event:
        """Return the event.

        Raises:
            BadRecord: It is damaged.
        """
        with refusing_damage():
            told = event_from_json(self.told)
        return replace(told, by=self.by) if isinstance(told, ModuleAnswered) else told


@event("run.told-of-people", people=("by", "people"))
@dataclass(frozen=True, kw_only=True)
class RunToldOfPeople(RunTold):
    """The session was told of a decision that weighed people.

    Args:
        people: Their names; the event has `#0`, `#1` … in their place, so that they can be erased.
    """

    people: tuple[str, ...] = ()

    def read(self) -> Event:
        """Return the event.

        Raises:
            BadRecord: It is damaged.
        """
        names = {f"#{number}": name for number, name in enumerate(self.people)}
        with refusing_damage():
            return event_from_json(_with_people(self.told, names))


def _people_in(decision: Decision) -> tuple[str, ...]:
    """Return the names of the people whom a decision weighed."""
    people = (decision.person, *(alternative.person for alternative in decision.alternatives))
    return tuple(dict.fromkeys(name for name in people if name is not None))


def _with_people(record: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the record of a decision with other names for its people."""

    def named(entry: Mapping[str, Any]) -> dict[str, Any]:
        person = entry.get("person")
        return {**entry, "person": names.get(person, person)} if person is not None else dict(entry)

    decision = record["decision"]
    alternatives = [named(alternative) for alternative in decision["alternatives"]]
    return {**record, "decision": {**named(decision), "alternatives": alternatives}}


@event("run.forwarded", people=("people",), personal={"outputs": "people"})
@dataclass(frozen=True, kw_only=True)
class RunForwarded:
    """The policy ran.

    Args:
        outputs: What each module said, in JSON; None once somebody was erased whose answers had shaped it.
        people: Who had answered until then, and whose earlier words are in it.
    """

    outputs: dict[str, Any] | None
    people: tuple[str, ...] = ()


@event("run.begun")
@dataclass(frozen=True, kw_only=True)
class RunBegun:
    """The robot is about to act. Written before it moves."""

    action: str


@event("run.unknown")
@dataclass(frozen=True, kw_only=True)
class RunUnknown:
    """Nobody knows what became of an action: the program ended before its outcome was written, or could not tell."""

    action: str


class Settled(StrEnum):
    """Ways in which an unknown outcome is settled."""

    SENSED = "sensed"
    """The robot looked."""
    SAID = "said"
    """A person said how it went."""
    LET_TRY = "let-try"
    """A person did not say how it went, but to let the robot go on."""
    VOID = "void"
    """The action had not started."""


@event("run.settled", people=("by",))
@dataclass(frozen=True, kw_only=True)
class RunSettled:
    """An unknown outcome was settled. Unless it is void, the outcome is told in the same transaction."""

    action: str
    how: Settled
    by: str | None = None


@event("run.ended")
@dataclass(frozen=True, kw_only=True)
class RunEnded:
    """A run is over, and its questions are taken back."""

    outcome: Outcome
    reason: str


RunEvent = RunStarted | RunTold | RunToldOfPeople | RunForwarded | RunBegun | RunUnknown | RunSettled | RunEnded


def question_of(run: str, step: str, attempt: int) -> str:
    """Return the id that the desk gives a question."""
    return f"{run}/{step}/{attempt}"


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One action of a robot.

    Args:
        id: Its id, by which the robot's own log knows it.
        ok: Whether it looked like a success; None where it is void, or nobody knows.
        certainty: The probability that this is right.
        unknown: Whether its outcome was lost with a program that ended.
        settled: How that was settled.
    """

    id: str
    ok: bool | None = None
    certainty: float | None = None
    unknown: bool = False
    settled: Settled | None = None

    @property
    def is_open(self) -> bool:
        """True when the action was begun and its outcome is not known."""
        return self.ok is None and self.settled is None


@dataclass(frozen=True, kw_only=True)
class Trail:
    """Summary of a run's entries, beside what the session makes of them. Immutable; `after` takes in one more.

    Args:
        started: How it began.
        outputs: What the modules said last, in JSON; None before the first pass, and where it was erased.
        forward_due: Whether the policy has to run, because it has not or because there is an answer since.
        attempts: The actions, oldest first.
        answers: For each module that was answered for, the question that brought the latest answer that still holds.
        people: Who answered.
        over: For each module, how many of its questions no more can come of, as far as the session was told.
        put_off: For each module, until when its question was put off, where that was the last that was told.
        ended: How it ended.
    """

    started: RunStarted | None = None
    outputs: Mapping[str, Any] | None = None
    forward_due: bool = True
    attempts: tuple[Attempt, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    over: Mapping[str, int] = field(default_factory=dict)
    put_off: Mapping[str, float | None] = field(default_factory=dict)
    ended: RunEnded | None = None

    @property
    def open_attempt(self) -> Attempt | None:
        """The action that was begun and whose outcome is not known."""
        return self.attempts[-1] if self.attempts and self.attempts[-1].is_open else None

    def turn(self, module: str) -> int:
        """Return the number of the present question about a module, from 1. A deferred question keeps its number."""
        return self.over.get(module, 0) + 1

    def after(self, event: object, key: str) -> Trail:
        """Return the trail with one more entry. An entry of another kind changes nothing.

        Raises:
            BadRecord: It does not fit the ones before.
        """
        match event:
            case RunTold():
                return self._told(event.read(), key)
            case RunUnknown():
                return self._changed(event.action, unknown=True)
            case RunSettled():
                return self._changed(event.action, settled=event.how)
            case RunStarted():
                changes: dict[str, Any] = {"started": event}
            case RunForwarded():
                changes = {"outputs": event.outputs, "forward_due": event.outputs is None}
            case RunBegun():
                changes = {"attempts": (*self.attempts, Attempt(id=event.action))}
            case RunEnded():
                changes = {"ended": event}
            case _:
                changes = {}
        return replace(self, **changes)

    def _told(self, told: Event, key: str) -> Trail:
        match told:
            case ModuleAnswered():
                people = self.people if told.by is None else tuple(dict.fromkeys((*self.people, told.by)))
                answers = {**self.answers, told.module: key}
                return replace(self, answers=answers, people=people, forward_due=True)._over(told.module)
            case Forwarded():
                holding = {module: key for module, key in self.answers.items() if module not in told.renewed}
                return replace(self, answers=holding)
            case NotAnswered(why=Unanswered.NOT_NOW):
                return replace(self, put_off={**self.put_off, told.module: told.until_s})
            case NotAnswered():
                return self._over(told.module)
            # After LET_TRY the session hears a made-up outcome, evidence of nothing: it is not the action's own.
            case Executed() if self.attempts and self.attempts[-1].settled is not Settled.LET_TRY:
                return self._changed(key, ok=told.ok, certainty=told.certainty)
            case _:
                return self

    def _over(self, module: str) -> Trail:
        put_off = {name: until_s for name, until_s in self.put_off.items() if name != module}
        return replace(self, over={**self.over, module: self.turn(module)}, put_off=put_off)

    def _changed(self, action: str, **changes: Any) -> Trail:
        """Return the trail with something known about the last action."""
        if not self.attempts or self.attempts[-1].id != action:
            raise BadRecord(f"the journal tells of an action '{action}' that was not begun", hint="Verify the journal.")
        return replace(self, attempts=(*self.attempts[:-1], replace(self.attempts[-1], **changes)))
