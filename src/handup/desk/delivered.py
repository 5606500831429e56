"""What the shell was told: so that a command that is run again asks anew, and one that was cut off does not."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import event
from handup.desk.record import question_id
from handup.journal import Journal


@event("ask.delivered")
@dataclass(frozen=True, kw_only=True)
class Delivered:
    """The outcome of a question reached whoever asked it from the shell. The entry's key is the question's id."""


def next_attempt(journal: Journal, run: str, step: str) -> int:
    """The first attempt at a step whose outcome has not reached the asker yet.

    Attempts are made in order, each once the outcome of the one before was delivered, so a few looks find it
    however many there were.
    """

    def delivered(attempt: int) -> bool:
        return any(isinstance(each.event, Delivered) for each in journal.read(key=question_id(run, step, attempt)))

    low, high = 0, 1
    while delivered(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if delivered(middle) else (low, middle)
    return high
