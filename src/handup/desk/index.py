"""What is looked up in a state again and again: what waits, what is due, who has how much before them."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from handup.desk.record import Record
from handup.desk.status import Status

BEFORE = (Status.OPEN, Status.CLAIMED)
"""Where a question is before a person."""


@dataclass(kw_only=True)
class Index:
    """The questions that wait, in the orders in which they are needed. Whoever changes one copies it first.

    Args:
        waiting: All of them by id, in order of asking.
        before: How many are before each person.
        held: Number and id of those that are held for each person, in order of asking.
        due: Time, number and id of those with which time does something, in order of time.
    """

    waiting: dict[str, Record] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    held: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    due: list[tuple[float, int, str]] = field(default_factory=list)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Index:
        """The index of questions in order of asking."""
        index = cls()
        for each in records:
            index.enter(each)
        return index

    def copy(self) -> Index:
        """The same again, to be changed."""
        held = {turn: numbers[:] for turn, numbers in self.held.items() if numbers}
        return Index(waiting=dict(self.waiting), before=dict(self.before), held=held, due=self.due[:])

    def enter(self, record: Record) -> None:
        """Take a question in, or what became of it."""
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
        """A question changed."""
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
        """The number of the first question that is held for a person; infinity where none is."""
        held = self.held.get(person)
        return held[0][0] if held else math.inf
