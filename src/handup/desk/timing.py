"""What time brings: leases, deadlines and deferrals that end, and held questions that fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from handup.core import Person
from handup.desk.events import Cause, ClaimEnded, DeskEvent, Expired, HandedOn, Held, Opened, Withdrawn
from handup.desk.record import End, Record, gone
from handup.desk.state import DeskState, Fact, apply
from handup.desk.status import Status
from handup.desk.terms import Terms
from handup.people.limits import Fit, fit

STOPPED = "the robot is stopped"


@dataclass(frozen=True, kw_only=True)
class Made:
    """An event that is to be written, with the run and the question it belongs to."""

    event: DeskEvent
    run: str = ""
    key: str = ""


@dataclass(kw_only=True)
class Draft:
    """A decision in the making: events so far, and the state as it will be after them."""

    state: DeskState
    now_s: float
    people: Mapping[str, Person]
    terms: Terms
    made: list[Made] = field(default_factory=list)

    def add(self, event: DeskEvent, *, run: str = "", key: str = "") -> None:
        """One more event.

        Raises:
            IllegalCall: The transition table does not allow it.
        """
        fact = Fact(seq=self.state.seq + 1, at_s=self.now_s, run=run, key=key, event=event)
        self.state = apply(self.state, fact)
        self.made.append(Made(event=event, run=run, key=key))

    def to(self, record: Record, event: DeskEvent) -> None:
        """One more event for a question."""
        self.add(event, run=record.run, key=record.id)


def fitting(draft: Draft, turn: str, load: float, number: float = math.inf) -> Fit:
    """Whether a question fits a person now, behind those that were asked before it."""
    if draft.state.stopped is not None:
        return Fit(fits=False, from_s=None, why=STOPPED)
    person = draft.people.get(turn)
    if person is None:
        return Fit(fits=False, from_s=None, why="this desk does not know whom it is for")
    mine = [each for each in draft.state.waiting if each.turn == turn]
    before = sum(1 for each in mine if each.status in (Status.OPEN, Status.CLAIMED))
    found = fit(person.limits, draft.state.put.get(turn, ()), draft.now_s, load=load, before=before)
    if found.fits and any(each.status is Status.HELD and each.number < number for each in mine):
        return Fit(fits=False, from_s=None, why="others were asked first")
    return found


def hold(draft: Draft, record: Record, turn: str) -> None:
    """Let a question wait for a person; `open_what_fits` opens it where it may."""
    found = fitting(draft, turn, record.load, record.number)
    until_s = found.from_s if found.from_s != math.inf and not found.fits else None
    draft.to(record, Held(turn=turn, until_s=until_s, why=found.why))


def hand_on(draft: Draft, record: Record, by: str, token: str = "", device: str = "") -> None:
    """Give a question to the next of its audience whom it can ever fit; to nobody where none is left."""
    passed = {*record.passed, by}
    left = [each for each in record.audience if each not in passed and not gone(each)]
    turn = next((each for each in left if not fitting(draft, each, record.load).never), None)
    draft.to(record, HandedOn(by=by, turn=turn, token=token, device=device))
    if turn is not None:
        hold(draft, record, turn)


def let_time_pass(draft: Draft) -> None:
    """End what has ended by now, in the order in which it ended."""
    due: list[tuple[float, int, End, str]] = []
    for record in draft.state.waiting:
        if record.due_s <= draft.now_s:
            due.extend((at_s, record.number, end, record.id) for end, at_s in record.ends if at_s <= draft.now_s)
    for _, _, end, id_ in sorted(due):
        record = draft.state.records[id_]
        if record.waiting:
            _end(draft, record, end)


def _end(draft: Draft, record: Record, end: End) -> None:
    if end is End.WORDS and record.erased:
        draft.to(record, Withdrawn(cause=Cause.ERASED, why="its words were erased"))
    elif end is End.WORDS and all(gone(each) or each in record.passed for each in record.audience):
        draft.to(record, Withdrawn(cause=Cause.NOBODY, why="nobody who could be asked is left"))
    elif end is End.WORDS:
        hand_on(draft, record, by=record.turn or "")
    elif end is End.DEADLINE:
        draft.to(record, Expired())
    elif end is End.LEASE and record.status is Status.CLAIMED:
        draft.to(record, ClaimEnded())
    elif end is End.DEFERRAL and record.status is Status.DEFERRED:
        hold(draft, record, record.turn or "")


def open_what_fits(draft: Draft) -> None:
    """Put held questions to their people, in order of asking for each, while they fit.

    A question that can never fit, such as one with more load than an hour may bring, stays held and blocks nobody.
    """
    if draft.state.stopped is not None:
        return
    waiting = draft.state.waiting
    before = Counter(each.turn for each in waiting if each.status in (Status.OPEN, Status.CLAIMED))
    full: set[str] = set()
    for record in waiting:
        person = draft.people.get(record.turn or "")
        if record.status is not Status.HELD or person is None or person.name in full:
            continue
        put = draft.state.put.get(person.name, ())
        found = fit(person.limits, put, draft.now_s, load=record.load, before=before[person.name])
        if found.fits:
            draft.to(record, Opened(turn=person.name))
            before[person.name] += 1
        elif not found.never:
            full.add(person.name)


def next_due_s(state: DeskState, people: Mapping[str, Person], now_s: float) -> float:
    """When time will bring something: a lease, deadline or deferral that ends, or a held question that fits.

    Infinity where nothing is due. What waits for an answer comes with the answer.
    """
    due = math.inf
    waiting = state.waiting
    before = Counter(each.turn for each in waiting if each.status in (Status.OPEN, Status.CLAIMED))
    seen: set[str] = set()
    for record in waiting:
        due = min(due, record.due_s)
        person = people.get(record.turn or "")
        if record.status is not Status.HELD or state.stopped is not None or person is None or person.name in seen:
            continue
        put = state.put.get(person.name, ())
        found = fit(person.limits, put, now_s, load=record.load, before=before[person.name])
        if not found.never:
            seen.add(person.name)
            due = min(due, math.inf if found.from_s is None else found.from_s)
    return due
