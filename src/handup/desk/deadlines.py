"""Changes that time brings: leases, deadlines and deferrals end, and held questions fit the limits of their person."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from heapq import heapify, heappop, heappush
from typing import Any

from handup.core import OutOfRange, type_of
from handup.desk.events import ClaimEnded, DeskEvent, Expired, HandedOn, Held, Opened, WithdrawalCause, Withdrawn
from handup.desk.question_state import DeskState, Fold
from handup.desk.record import End, Record, gone
from handup.desk.status import BEFORE, Status
from handup.people.limits import QuestionFit, fit

STOPPED = "the robot is stopped"


def check_above_zero(limits: Any) -> None:
    """Refuse a dataclass of limits if one of them is not finite and above zero."""
    for limit in fields(limits):
        value = getattr(limits, limit.name)
        if not (value > 0 and math.isfinite(value)):
            raise OutOfRange.of(limit.name, value, "be finite and above 0", hint="Give such a number.")


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Limits and default times of a desk. All are above zero.

    Args:
        lease_s: Length of a claim for which none is given, in seconds.
        longest_lease_s: Longest claim in seconds; longer ones are shortened.
        renewal_share: Share of its length by which a renewed claim must last longer to be written.
        not_now_s: Length of a *not now* for which none is given, in seconds.
        longest_not_now_s: Longest *not now* in seconds; longer ones are shortened.
        most_waiting: Most questions that may wait for an answer; a further one is refused.
        longest_text: Longest token, device or reason, in characters.
        snapshot_every: Number of entries after which another snapshot is made.
        look_every_s: Longest time between two looks of `Desk.wait`, in real seconds.

    Raises:
        OutOfRange: A number is not finite or not above zero.
    """

    lease_s: float = 120.0
    longest_lease_s: float = 3600.0
    renewal_share: float = 0.1
    not_now_s: float = 600.0
    longest_not_now_s: float = 86400.0
    most_waiting: int = 10_000
    longest_text: int = 500
    snapshot_every: int = 500
    look_every_s: float = 1.0

    def __post_init__(self) -> None:
        check_above_zero(self)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """An entry that is not written yet, with the fields that a `Fold` of the desk's state needs."""

    seq: int
    at_s: float
    run: str
    key: str
    event: object

    @property
    def kind(self) -> str:
        """The kind of event."""
        return type_of(self.event).kind


@dataclass(kw_only=True)
class DecisionDraft:
    """A decision in the making: events so far, and the state as it will be after them."""

    fold: Fold
    now_s: float
    terms: Terms
    made: list[Fact] = field(default_factory=list)

    def add(self, event: DeskEvent, *, run: str = "", key: str = "") -> None:
        """Add an event.

        Raises:
            IllegalCall: The transition table does not allow it.
        """
        fact = Fact(seq=self.fold.seq + 1, at_s=self.now_s, run=run, key=key, event=event)
        self.fold.take(fact)
        self.made.append(fact)

    def to(self, record: Record, event: DeskEvent) -> Record:
        """Add an event to a question, and return the question after it."""
        self.add(event, run=record.run, key=record.id)
        return self.fold.records.get(record.id, record)


def fitting(draft: DecisionDraft, turn: str, load: float, number: float = math.inf) -> QuestionFit:
    """Return whether and when a question fits a person's limits, after the questions that were asked before it."""
    if draft.fold.stopped is not None:
        return QuestionFit(fits=False, from_s=None, why=STOPPED)
    person = draft.fold.people.get(turn)
    if person is None:
        return QuestionFit(fits=False, from_s=None, why="nobody knows whom it is for")
    index = draft.fold.index
    before, busy = index.before.get(turn, 0), draft.fold.busy.get(turn)
    chance = fit(person.limits, draft.fold.put(turn), draft.now_s, load=load, before=before, busy=busy)
    if chance.fits and index.first_held(turn) < number:
        return QuestionFit(fits=False, from_s=None, why="others were asked first")
    return chance


def hold(draft: DecisionDraft, record: Record, turn: str) -> None:
    """Let a question wait for a person; `open_what_fits` opens it once it fits."""
    chance = fitting(draft, turn, record.load, record.number)
    until_s = chance.from_s if chance.from_s != math.inf and not chance.fits else None
    draft.to(record, Held(turn=turn, until_s=until_s, why=chance.why))


def hand_on(
    draft: DecisionDraft, record: Record, by: str, token: str = "", device: str = "", to: str | None = None
) -> None:
    """Hand a question on to a person, or else to the next of its audience whose limits ever allow it, if any."""
    passed = {*record.passed, by}
    left = (person for person in record.audience if person not in passed and not gone(person))
    turn = to or next((person for person in left if not fitting(draft, person, record.load).never), None)
    record = draft.to(record, HandedOn(by=by, turn=turn, token=token, device=device))
    if turn is not None:
        hold(draft, record, turn)


def let_time_pass(draft: DecisionDraft) -> None:
    """End leases, deadlines and deferrals that are over by now, in the order of their times."""
    due: list[tuple[float, int, End, str]] = []
    for due_s, number, id_ in draft.fold.index.due:
        if due_s > draft.now_s:
            break
        ends = draft.fold.records[id_].ends
        due.extend((at_s, number, end, id_) for end, at_s in ends if at_s <= draft.now_s)
    for _, _, end, id_ in sorted(due):
        # An earlier end may have settled the question: then there is nothing left to end.
        waiting = draft.fold.index.waiting.get(id_)
        if waiting is not None:
            _end(draft, waiting, end)


def _end(draft: DecisionDraft, record: Record, end: End) -> None:
    if end is End.WORDS and record.erased:
        draft.to(record, Withdrawn(cause=WithdrawalCause.ERASED, why="its words were erased"))
    elif end is End.WORDS and all(gone(person) or person in record.passed for person in record.audience):
        draft.to(record, Withdrawn(cause=WithdrawalCause.NOBODY, why="nobody who could be asked is left"))
    elif end is End.WORDS:
        hand_on(draft, record, by=record.turn or "")
    elif end is End.DEADLINE:
        draft.to(record, Expired())
    elif end is End.LEASE and record.status is Status.CLAIMED:
        draft.to(record, ClaimEnded())
    elif end is End.DEFERRAL and record.status is Status.DEFERRED:
        hold(draft, record, record.turn or "")


def spare_the_busy(draft: DecisionDraft) -> None:
    """Hand the questions of busy people on to others who can be asked. If there are none, hold the questions."""
    fold = draft.fold
    busy = {name for name, said in fold.busy.items() if said.holds(draft.now_s)}
    if not busy or fold.stopped is not None:
        return
    free = {name for name in fold.people if name not in busy and _askable(draft, name)}
    for record in tuple(fold.index.waiting.values()):
        held, open_ = record.status is Status.HELD, record.status in BEFORE and record.by in {None, record.turn}
        if record.turn not in busy or not (held or open_):
            continue
        others = (person for person in record.audience if person in free and person not in record.passed)
        turn = next((person for person in others if _askable(draft, person, record.load)), None)
        if turn is not None:
            hold(draft, draft.to(record, HandedOn(by=record.turn, turn=turn, busy=True)), turn)
        elif open_:
            hold(draft, record, record.turn)


def _askable(draft: DecisionDraft, person: str, load: float = 0.0) -> bool:
    """Return True if a person can be asked now, or as soon as they have answered what is before them."""
    chance = fitting(draft, person, load)
    return chance.fits or chance.from_s is None


def open_what_fits(draft: DecisionDraft) -> None:
    """Put held questions to their people, in order of asking for each, while they fit.

    A question that can never fit, such as one with more load than an hour may bring, stays held and blocks nobody.
    """
    fold = draft.fold
    if fold.stopped is not None or not fold.index.held:
        return
    lines = {turn: iter(tuple(held)) for turn, held in fold.index.held.items() if held and turn in fold.people}
    # A heap of the first question in each person's line: the next to come is always the one that was asked first.
    first = [(*next(line), turn) for turn, line in lines.items()]
    heapify(first)
    while first:
        _, id_, turn = heappop(first)
        record, limits = fold.records[id_], fold.people[turn].limits
        before, busy = fold.index.before.get(turn, 0), fold.busy.get(turn)
        chance = fit(limits, fold.put(turn), draft.now_s, load=record.load, before=before, busy=busy)
        if chance.fits:
            draft.to(record, Opened(turn=turn))
        if (chance.fits or chance.never) and (then := next(lines[turn], None)) is not None:
            heappush(first, (*then, turn))


def next_due_s(state: DeskState, now_s: float) -> float:
    """Return the time of the next change: a lease, deadline or deferral ends, or a held question fits.

    Infinity where nothing is due. Changes that come with an answer do not count.
    """
    index = state.index
    due_s = index.due[0][0] if index.due else math.inf
    for turn, held in index.held.items() if state.stopped is None else ():
        person, put, busy = state.people.get(turn), state.put.get(turn, ()), state.busy.get(turn)
        if person is None:
            continue
        for _, id_ in held:
            load, before = state.records[id_].load, index.before.get(turn, 0)
            chance = fit(person.limits, put, now_s, load=load, before=before, busy=busy)
            if not chance.never:
                due_s = min(due_s, math.inf if chance.from_s is None else chance.from_s)
                break
    return due_s
