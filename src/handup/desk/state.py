"""All questions in flight as one immutable value, and the one function that takes an entry of the journal in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from handup.core import Answer, BadRecord, HandupError, Question, ReplyKind, value_from_json
from handup.desk.events import (
    Answered,
    Asked,
    Claimed,
    ClaimEnded,
    Deferred,
    Delegated,
    DeskEvent,
    Enabled,
    Expired,
    HandedOn,
    Held,
    Opened,
    QuestionEvent,
    Stopped,
    Withdrawn,
)
from handup.desk.record import ERASED, Done, Record, addressed
from handup.desk.status import Move, after
from handup.people.limits import HOUR_S, Put

SCHEMA = 1
MOST_ENDED = 256
"""So many ended questions stay in the state, the latest; older ones are found in the journal by their id."""
MOST_STOPS = 64
"""So many stop replies are remembered; an older one that is sent again stops again."""
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, HandupError)


class Entry(Protocol):
    """What the state needs of an entry of the journal."""

    @property
    def seq(self) -> int:
        """Its number."""
        ...

    @property
    def at_s(self) -> float:
        """When it was written."""
        ...

    @property
    def run(self) -> str:
        """The run it belongs to."""
        ...

    @property
    def key(self) -> str:
        """The question it belongs to."""
        ...

    @property
    def event(self) -> object:
        """What happened."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fact:
    """An entry that is not written yet: the desk thinks ahead with it."""

    seq: int
    at_s: float
    run: str
    key: str
    event: object


@dataclass(frozen=True, kw_only=True)
class DeskState:
    """What the desk knows. Equal journals give equal states.

    Args:
        seq: The last entry that was taken in.
        at_s: Its time.
        records: The questions by id, in order of asking; all that wait, and the latest that ended.
        ended: Ids of those that ended, in order of ending.
        put: For each person, what was put to them within an hour before the last time something was.
        stopped: The stop that holds, if one does.
        stops: Token and person of the latest stop replies.
    """

    seq: int = 0
    at_s: float = 0.0
    records: Mapping[str, Record] = field(default_factory=dict)
    ended: tuple[str, ...] = ()
    put: Mapping[str, tuple[Put, ...]] = field(default_factory=dict)
    stopped: Stopped | None = None
    stops: tuple[tuple[str, str], ...] = ()

    @cached_property
    def waiting(self) -> tuple[Record, ...]:
        """The questions that still wait for an answer, in order of asking."""
        return tuple(each for each in self.records.values() if each.waiting)

    def recalling(self, record: Record | None) -> DeskState:
        """The state with an ended question that it had dropped."""
        return self if record is None else replace(self, records={**self.records, record.id: record})

    def to_json(self) -> dict[str, Any]:
        """A plain record with its schema version; `from_json` reads it back."""
        stopped = self.stopped
        return {
            "schema": SCHEMA,
            "seq": self.seq,
            "at_s": self.at_s,
            "records": [each.to_json() for each in self.records.values()],
            "ended": list(self.ended),
            "put": {name: [[each.at_s, each.load] for each in puts] for name, puts in self.put.items()},
            "stopped": stopped
            and {"by": stopped.by, "why": stopped.why, "token": stopped.token, "device": stopped.device},
            "stops": [list(each) for each in self.stops],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> DeskState:
        """The state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged or of another schema.
        """
        if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
            raise BadRecord("this is no state of a desk that this handup knows", hint="Replay the journal instead.")
        try:
            records = [Record.from_json(each) for each in record["records"]]
            stopped = record["stopped"]
            return cls(
                seq=record["seq"],
                at_s=record["at_s"],
                records={each.id: each for each in records},
                ended=tuple(record["ended"]),
                put={name: tuple(Put(*each) for each in puts) for name, puts in record["put"].items()},
                stopped=None if stopped is None else Stopped(**stopped),
                stops=tuple((token, by) for token, by in record["stops"]),
            )
        except _DAMAGE as error:
            raise BadRecord(f"a state of a desk is damaged ({error})", hint="Replay the journal instead.") from None


def replay(entries: Iterable[Entry], state: DeskState | None = None) -> DeskState:
    """The state after all entries, from nothing or from an earlier state."""
    state = state or DeskState()
    for entry in entries:
        state = apply(state, entry)
    return state


def apply(state: DeskState, entry: Entry) -> DeskState:
    """The state after an entry. Entries of other rooms only move its number on.

    Raises:
        IllegalCall: The transition table does not allow it.
    """
    event, records, put = entry.event, state.records, state.put
    ended, stopped, stops = state.ended, state.stopped, state.stops
    if isinstance(event, QuestionEvent):
        record = moved(records.get(entry.key), entry, event)
        records = {**records, entry.key: record}
        if record.ended and entry.key not in ended:
            ended = (*ended, entry.key)
            if len(ended) > MOST_ENDED:
                dropped, ended = ended[0], ended[1:]
                del records[dropped]
        if isinstance(event, Opened):
            latest = tuple(each for each in put.get(event.turn, ()) if each.at_s + HOUR_S > entry.at_s)
            put = {**put, event.turn: (*latest, Put(entry.at_s, record.load))}
    elif isinstance(event, Stopped):
        stopped = event
        if event.token:
            stops = (*stops, (event.token, event.by))[-MOST_STOPS:]
    elif isinstance(event, Enabled):
        stopped = None
    return DeskState(
        seq=entry.seq, at_s=entry.at_s, records=records, ended=ended, put=put, stopped=stopped, stops=stops
    )


def moved(record: Record | None, entry: Entry, event: QuestionEvent) -> Record:
    """One question after what happened to it.

    Raises:
        IllegalCall: The transition table does not allow it.
    """
    status = after(None if record is None else record.status, MOVES[type(event)], entry.key)
    if record is None:
        assert isinstance(event, Asked)
        return _asked(entry, event)
    record = replace(record, status=status, until_s=None, by=None, device=None, token=None, why="")
    match event:
        case Held():
            record = replace(record, turn=event.turn, until_s=event.until_s, why=event.why)
        case Opened():
            record = replace(record, turn=event.turn, opened_s=entry.at_s)
        case Claimed():
            record = replace(record, by=event.by, device=event.device, until_s=event.until_s)
        case Answered():
            value = value_from_json(event.value)
            answer = Answer(value=value, by=event.by, latency_s=event.latency_s, certainty=event.certainty)
            record = _replied(replace(record, answer=answer), ReplyKind.ANSWER, event)
        case Deferred():
            record = replace(record, until_s=event.until_s)
            record = _replied(record, ReplyKind.NOT_NOW, event, span_s=event.until_s - entry.at_s)
        case HandedOn():
            record = replace(record, turn=event.turn, passed=(*record.passed, event.by))
            record = _replied(record, ReplyKind.SOMEONE_ELSE, event)
        case Delegated():
            record = _replied(record, ReplyKind.LET_ROBOT_TRY, event)
        case Withdrawn():
            record = replace(record, cause=event.cause, why=event.why)
    return record


MOVES: dict[type, Move] = {
    Asked: Move.ASKED,
    Held: Move.HELD,
    Opened: Move.OPENED,
    Claimed: Move.CLAIMED,
    ClaimEnded: Move.CLAIM_ENDED,
    Answered: Move.ANSWERED,
    Deferred: Move.DEFERRED,
    HandedOn: Move.HANDED_ON,
    Delegated: Move.DELEGATED,
    Withdrawn: Move.WITHDRAWN,
    Expired: Move.EXPIRED,
}
"""Which move an event is."""


def _asked(entry: Entry, event: Asked) -> Record:
    words = ERASED if event.question is None else Question.from_json(event.question)
    return Record(
        id=entry.key,
        run=entry.run,
        step=event.step,
        attempt=event.attempt,
        question=addressed(words, event.audience),
        load=event.load,
        audience=event.audience,
        turn=event.turn,
        status=after(None, Move.ASKED, entry.key),
        number=entry.seq,
        asked_s=entry.at_s,
        until_s=event.until_s,
        deadline_s=event.deadline_s,
        why=event.why,
    )


def _replied(
    record: Record, kind: ReplyKind, event: Answered | Deferred | HandedOn | Delegated, span_s: float = 0.0
) -> Record:
    done = () if not event.token else (Done(token=event.token, by=event.by, kind=kind, span_s=span_s),)
    return replace(record, by=event.by, device=event.device, token=event.token, replies=(*record.replies, *done))


__all__ = ["MOST_ENDED", "MOST_STOPS", "DeskEvent", "DeskState", "Entry", "Fact", "apply", "moved", "replay"]
