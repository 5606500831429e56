"""State of all questions in flight as one immutable value, and the fold that builds it from journal entries."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from handup.core import Answer, BadRecord, HandupError, Person, Question, ReplyKind, value_from_json
from handup.core.log_entry import LogEntry
from handup.desk import events
from handup.desk.record import ERASED, AcceptedReply, Record, addressed, digest
from handup.desk.status import BEFORE, Move, Status, after
from handup.journal.events import JournalRepaired
from handup.people.limits import HOUR_S, Busy, Put

SCHEMA = 1
MOST_ENDED = 256
"""Most ended questions in the state, the latest; older ones are found in the journal by their id."""
MOST_STOPS = 64
"""Most stop replies that are remembered; an older one that is sent again stops again."""
REPAIR = events.Stopped(by="the repair of the journal", why="what the robot did last may be missing from it")
"""The stop that a repair brings: nothing moves before a person has looked and enabled the robot."""
MOST_REPLIES = 32
"""Most accepted replies to a question that are remembered, the latest; an older one that comes again is judged anew."""
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, HandupError)


def moved(record: Record | None, entry: LogEntry, event: events.QuestionEvent) -> Record:
    """Return a question after one of its events.

    Raises:
        IllegalCall: The transition table does not allow it.
    """
    status = after(None if record is None else record.status, Move(entry.kind), entry.key)
    if record is None:
        assert isinstance(event, events.Asked)
        return _asked(entry, event)
    if isinstance(event, events.Joined):
        return _joined(record, event.person)
    record = replace(record, status=status, until_s=None, by=None, device=None, token=None, why="")
    match event:
        case events.Held():
            record = replace(record, turn=event.turn, until_s=event.until_s, why=event.why)
        case events.Opened():
            record = replace(record, turn=event.turn, opened_s=entry.at_s)
        case events.Claimed():
            record = replace(record, by=event.by, device=event.device, until_s=event.until_s)
        case events.Answered():
            value = value_from_json(event.value)
            answer = Answer(value=value, by=event.by, latency_s=event.latency_s, certainty=event.certainty)
            content = digest(ReplyKind.ANSWER, event.value, certainty=event.certainty)
            record = _replied(replace(record, answer=answer), ReplyKind.ANSWER, event, content)
        case events.Deferred():
            record = replace(record, until_s=event.until_s)
            content = digest(ReplyKind.NOT_NOW, until_s=event.wanted_s)
            record = _replied(record, ReplyKind.NOT_NOW, event, content, span_s=event.until_s - entry.at_s)
        case events.HandedOn():
            passed = record.passed if event.busy or event.by in record.passed else (*record.passed, event.by)
            record = _replied(replace(record, turn=event.turn, passed=passed), ReplyKind.SOMEONE_ELSE, event)
        case events.Delegated():
            record = _replied(record, ReplyKind.LET_ROBOT_TRY, event)
        case events.Withdrawn():
            record = replace(record, cause=event.cause, why=event.why)
    return record


def _asked(entry: LogEntry, event: events.Asked) -> Record:
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
        newcomers=event.newcomers,
    )


def _joined(record: Record, person: str) -> Record:
    audience = (*record.audience, person)
    record = replace(record, question=addressed(record.question, audience), audience=audience)
    return replace(record, turn=person, until_s=None, why="") if record.turn is None else record


def _replied(
    record: Record,
    kind: ReplyKind,
    event: events.Answered | events.Deferred | events.HandedOn | events.Delegated,
    content: str | None = None,
    span_s: float = 0.0,
) -> Record:
    replies = record.replies
    if event.token:
        content = digest(kind) if content is None else content
        replies = (*replies, AcceptedReply(token=event.token, by=event.by, kind=kind, digest=content, span_s=span_s))
    return replace(record, by=event.by, device=event.device, token=event.token, replies=replies[-MOST_REPLIES:])


@dataclass(kw_only=True)
class QuestionIndex:
    """Waiting questions in the orders in which the rules need them. Copy an index before changing it.

    Args:
        waiting: All of them by id, in order of asking.
        before: Number of questions before each person.
        held: Number and id of the questions that are held for each person, in order of asking.
        due: Time, number and id of the questions that time will change, in order of time.
    """

    waiting: dict[str, Record] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    held: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    due: list[tuple[float, int, str]] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[Record]) -> QuestionIndex:
        """Return the index of questions in order of asking."""
        index = cls()
        for record in records:
            index.enter(record)
        return index

    def copy(self) -> QuestionIndex:
        """Return a copy that may be changed."""
        held = {turn: numbers[:] for turn, numbers in self.held.items() if numbers}
        return QuestionIndex(waiting=dict(self.waiting), before=dict(self.before), held=held, due=self.due[:])

    def enter(self, record: Record) -> None:
        """Add a question, if it waits."""
        if not record.waiting:
            return
        self.waiting[record.id] = record
        turn = record.turn or ""
        if record.status is Status.HELD:
            insort(self.held.setdefault(turn, []), (record.number, record.id))
        elif record.status in BEFORE:
            self.before[turn] = self.before.get(turn, 0) + 1
        if record.due_s < math.inf:
            insort(self.due, (record.due_s, record.number, record.id))

    def move(self, old: Record | None, new: Record) -> None:
        """Replace a question by its changed record."""
        if old is not None and old.waiting:
            self._leave(old)
            if not new.waiting:
                del self.waiting[old.id]
        self.enter(new)

    def _leave(self, record: Record) -> None:
        turn = record.turn or ""
        if record.status is Status.HELD:
            held = self.held[turn]
            del held[bisect_left(held, (record.number, record.id))]
        elif record.status in BEFORE:
            self.before[turn] -= 1
        if record.due_s < math.inf:
            del self.due[bisect_left(self.due, (record.due_s, record.number, record.id))]

    def first_held(self, person: str) -> float:
        """Return the number of the first question that is held for a person; infinity where none is."""
        held = self.held.get(person)
        return held[0][0] if held else math.inf


@dataclass(frozen=True, kw_only=True)
class DeskState:
    """State of a desk. Equal journals give equal states.

    Args:
        seq: Number of the last entry that was taken in.
        at_s: Its time.
        people: People who can be asked, by name, as last introduced. They hold for all desks on a journal.
        records: Questions by id, in order of asking; all that wait, and the latest that ended.
        ended: Ids of those that ended, in order of ending.
        put: For each person, the questions put to them within the hour before the latest of these.
        stopped: The stop that holds, if one does.
        last_stop: Entry number of the last stop, also of one that no longer holds; 0 where there was none.
        stops: Token and person of the latest stop replies.
        busy: People who said that they are busy, by name, also where that is over by now.
        replaced: People who were set up on the page, as programs introduced them before. As long as a program
            introduces them in the same way, what was set up on the page holds.
    """

    seq: int = 0
    at_s: float = 0.0
    people: Mapping[str, Person] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)
    ended: tuple[str, ...] = ()
    put: Mapping[str, tuple[Put, ...]] = field(default_factory=dict)
    stopped: events.Stopped | None = None
    last_stop: int = 0
    stops: tuple[tuple[str, str], ...] = ()
    busy: Mapping[str, Busy] = field(default_factory=dict)
    replaced: Mapping[str, Person] = field(default_factory=dict)

    @cached_property
    def index(self) -> QuestionIndex:
        """Index of the waiting questions. Not to be changed."""
        return QuestionIndex.of(self.records.values())

    @cached_property
    def waiting(self) -> tuple[Record, ...]:
        """Questions that still wait for an answer, in order of asking."""
        return tuple(self.index.waiting.values())

    @property
    def before(self) -> Mapping[str, int]:
        """Number of questions before each person now."""
        return self.index.before

    def is_busy(self, person: str, now_s: float) -> bool:
        """Return True if a person said that they are busy, and may not be asked yet."""
        return person in self.busy and self.busy[person].holds(now_s)

    def recalling(self, record: Record | None) -> DeskState:
        """Return the state with an ended question that it had dropped."""
        return self if record is None else replace(self, records={**self.records, record.id: record})

    def to_json(self) -> dict[str, Any]:
        """Return a plain record with its schema version, for `from_json`. Empty `busy` and `replaced` are left out."""
        busy = {name: [busy.since_s, busy.until_s] for name, busy in self.busy.items()}
        replaced = [person.to_json() for person in self.replaced.values()]
        return {
            "schema": SCHEMA,
            "seq": self.seq,
            "at_s": self.at_s,
            "people": [person.to_json() for person in self.people.values()],
            "records": [record.to_json() for record in self.records.values()],
            "ended": list(self.ended),
            "put": {name: [[put.at_s, put.load] for put in puts] for name, puts in self.put.items()},
            "stopped": self.stopped and asdict(self.stopped),
            "last_stop": self.last_stop,
            "stops": [list(stop) for stop in self.stops],
            **({"busy": busy} if busy else {}),
            **({"replaced": replaced} if replaced else {}),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> DeskState:
        """Return the state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged or of another schema.
        """
        if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
            raise BadRecord("this is no state of a desk that this handup knows", hint="Replay the journal instead.")
        try:
            people = [Person.from_json(entry) for entry in record["people"]]
            replaced = [Person.from_json(entry) for entry in record.get("replaced", ())]
            records = [Record.from_json(entry) for entry in record["records"]]
            stopped = record["stopped"]
            return cls(
                seq=record["seq"],
                at_s=record["at_s"],
                people={person.name: person for person in people},
                records={question.id: question for question in records},
                ended=tuple(record["ended"]),
                put={name: tuple(Put(*put) for put in puts) for name, puts in record["put"].items()},
                stopped=None if stopped is None else events.Stopped(**stopped),
                last_stop=record["last_stop"],
                stops=tuple((token, by) for token, by in record["stops"]),
                busy={name: Busy(*busy) for name, busy in record.get("busy", {}).items()},
                replaced={person.name: person for person in replaced},
            )
        except _DAMAGE as error:
            raise BadRecord(f"a state of a desk is damaged ({error})", hint="Replay the journal instead.") from None


class Fold:
    """Builder of a state from entries, one after another. An entry costs the same however many questions wait.

    The state that it starts from stays as it is, and so does each that it returns: before the first change after
    either, it copies. Not for several threads at a time.
    """

    def __init__(self, state: DeskState | None = None) -> None:
        state = state or DeskState()
        self.seq, self.at_s = state.seq, state.at_s
        self.stopped, self.last_stop = state.stopped, state.last_stop
        self.people: Mapping[str, Person] = state.people
        self.busy: Mapping[str, Busy] = state.busy
        self.replaced: Mapping[str, Person] = state.replaced
        self.records: Mapping[str, Record] = state.records
        self._own: dict[str, Record] | None = None  # the fold's own copy of the records, once it has changed one
        self._ended = deque(state.ended)
        self._put = state.put
        self._latest: dict[str, deque[Put]] = {}
        self._stops = dict.fromkeys(state.stops)
        self._state: DeskState | None = state
        self._index: QuestionIndex | None = state.__dict__.get("index")
        self._owns_index = False

    def take(self, entry: LogEntry) -> None:
        """Take an entry in. Entries of other rooms only move its number on.

        Raises:
            IllegalCall: The transition table does not allow it; the fold is then as it was.
        """
        event = entry.event
        if isinstance(event, events.QuestionEvent):
            self._move(entry, event)
        elif isinstance(event, events.Introduced):
            if (known := event.known()) is not None:
                self._introduce(known, by_page=event.by is not None)
        elif isinstance(event, events.Presence):
            self.busy = {name: busy for name, busy in self.busy.items() if name != event.person}
            if event.busy:
                self.busy = {**self.busy, event.person: Busy(entry.at_s, event.until_s)}
        elif isinstance(event, events.Stopped):
            self.stopped, self.last_stop = event, entry.seq
            if event.token:
                self._stops.pop((event.token, event.by), None)
                self._stops[event.token, event.by] = None
                if len(self._stops) > MOST_STOPS:
                    del self._stops[next(iter(self._stops))]
        elif isinstance(event, JournalRepaired):
            self.stopped, self.last_stop = REPAIR, entry.seq
        elif isinstance(event, events.Enabled):
            self.stopped = None
        self.seq, self.at_s = entry.seq, entry.at_s
        self._state = None

    def _introduce(self, person: Person, *, by_page: bool) -> None:
        before = self.replaced.get(person.name) or self.people.get(person.name)
        self.replaced = {name: replaced for name, replaced in self.replaced.items() if name != person.name}
        if by_page and before is not None:
            self.replaced = {**self.replaced, person.name: before}
        self.people = {**self.people, person.name: person}

    def _move(self, entry: LogEntry, event: events.QuestionEvent) -> None:
        before = self.records.get(entry.key)
        record = moved(before, entry, event)
        if self._own is None:
            self.records = self._own = dict(self.records)
        self._own[entry.key] = record
        if self._index is not None:
            self._index = self._index if self._owns_index else self._index.copy()
            self._owns_index = True
            self._index.move(before, record)
        if record.ended and not (before is not None and before.ended):
            self._ended.append(entry.key)
            if len(self._ended) > MOST_ENDED:
                del self._own[self._ended.popleft()]
        if isinstance(event, events.Opened):
            latest = self._latest.get(event.turn)
            if latest is None:
                latest = self._latest[event.turn] = deque(self._put.get(event.turn, ()))
            while latest and latest[0].at_s + HOUR_S <= entry.at_s:
                latest.popleft()
            latest.append(Put(entry.at_s, record.load))

    @property
    def index(self) -> QuestionIndex:
        """Index of the questions that wait by now. Not to be changed; ask for it again after each entry."""
        if self._index is None:
            self._index = self._state.index if self._state is not None else QuestionIndex.of(self.records.values())
            self._owns_index = self._state is None
        return self._index

    def put(self, person: str) -> Iterable[Put]:
        """Return the questions put to a person within the last hour, perhaps with older ones."""
        return self._latest.get(person) or self._put.get(person, ())

    def is_busy(self, person: str, now_s: float) -> bool:
        """Return True if a person said that they are busy, and may not be asked yet."""
        return person in self.busy and self.busy[person].holds(now_s)

    def stop_known(self, token: str, by: str) -> bool:
        """Return True if a stop reply was accepted before."""
        return (token, by) in self._stops

    def state(self) -> DeskState:
        """Return the state as it is by now."""
        if self._state is None:
            if self._latest:
                self._put = {**self._put, **{name: tuple(latest) for name, latest in self._latest.items()}}
                self._latest = {}
            self._state = DeskState(
                seq=self.seq,
                at_s=self.at_s,
                people=self.people,
                records=self.records,
                ended=tuple(self._ended),
                put=self._put,
                stopped=self.stopped,
                last_stop=self.last_stop,
                stops=tuple(self._stops),
                busy=self.busy,
                replaced=self.replaced,
            )
            self._own = None
            if self._index is not None:
                self._state.__dict__["index"] = self._index
                self._owns_index = False
        return self._state


def replay(entries: Iterable[LogEntry], state: DeskState | None = None) -> DeskState:
    """Return the state after all entries, from an empty or an earlier state.

    Raises:
        IllegalCall: The transition table does not allow what the entries say.
    """
    fold = Fold(state)
    for entry in entries:
        fold.take(entry)
    return fold.state()


def apply(state: DeskState, entry: LogEntry) -> DeskState:
    """Return the state after one entry. For many entries use `replay` or a `Fold`, which do not copy for each.

    Raises:
        IllegalCall: The transition table does not allow it.
    """
    return replay((entry,), state)
