"""What must hold of any course of entries, by brute force."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from handup.core import Person, type_of
from handup.core.log_entry import LogEntry
from handup.desk import TABLE, Move, Status
from handup.desk.events import Opened
from handup.people.limits import quiet_until

LEAVING = {*Move} - {Move.JOINED, Move.OPENED, Move.CLAIMED, Move.CLAIM_ENDED}
"""After these a question is before nobody."""


def assert_table_respected(entries: Sequence[LogEntry]) -> None:
    """Every question moved by the table, read from the kinds alone; ended ones did not move again."""
    status: dict[str, Status] = {}
    for entry in entries:
        kind = type_of(entry.event).kind
        if kind in tuple(Move):
            move = Move(kind)
            assert (status.get(entry.key), move) in TABLE, (entry.key, status.get(entry.key), move)
            status[entry.key] = TABLE[status.get(entry.key), move]


def assert_one_answer_each(entries: Sequence[LogEntry]) -> None:
    """At most one answer was taken for each question."""
    answers = Counter(entry.key for entry in entries if type_of(entry.event).kind == Move.ANSWERED)
    assert all(count == 1 for count in answers.values())


def assert_limits_hold(entries: Sequence[LogEntry], people: Sequence[Person], loads: dict[str, float]) -> None:
    """Brute force: every hour that ends with a question, and every moment."""
    for person in people:
        limits = person.limits
        put = [(each.at_s, loads[each.key]) for each in entries if _for(each, person.name)]
        for place, (at_s, _) in enumerate(put):
            hour = [each for each in put[: place + 1] if each[0] + 3600.0 > at_s]
            assert limits.per_hour is None or len(hour) <= limits.per_hour
            heavy = math.fsum(load for _, load in hour)
            assert limits.load_per_hour is None or heavy <= limits.load_per_hour + 1e-6
            assert quiet_until(limits.quiet, at_s) == at_s
    shown: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry.event, Opened):
            shown[entry.key] = entry.event.turn
            before = Counter(shown.values())
            assert all(before[person.name] <= person.limits.at_once for person in people)
        elif type_of(entry.event).kind in LEAVING:
            shown.pop(entry.key, None)


def assert_in_order(entries: Sequence[LogEntry]) -> None:
    """Nobody is put a question while one that was asked earlier could have been, and is held for them."""
    held: dict[str, list[int]] = {}
    numbers: dict[str, int] = {}
    for entry in entries:
        name = type(entry.event).__name__
        if name == "Asked":
            numbers[entry.key] = entry.seq
        if name in ("Asked", "Held"):
            held.setdefault(entry.event.turn, []).append(numbers[entry.key])  # type: ignore[attr-defined]
            held[entry.event.turn].sort()  # type: ignore[attr-defined]
        elif name == "Opened":
            assert held[entry.event.turn].pop(0) == numbers[entry.key]  # type: ignore[attr-defined]
        else:
            for waiting in held.values():
                place = bisect_right(waiting, numbers.get(entry.key, -1))
                if place and waiting[place - 1] == numbers.get(entry.key):
                    waiting.pop(place - 1)


def _for(entry: LogEntry, person: str) -> bool:
    return isinstance(entry.event, Opened) and entry.event.turn == person
