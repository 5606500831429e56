"""Waiting for an answer, without blocking."""

from __future__ import annotations

from collections.abc import Callable, Generator

from handup.executive.action import Working
from handup.executive.around import Around
from handup.executive.people import Heard
from handup.executive.run import Run

WAITING = "waiting for an answer"
STOP = "Somebody said stop."


def hear(
    run: Run, around: Around, question: str, stopped: Callable[[], bool]
) -> Generator[Working, None, Heard | None]:
    """What came of a question, once something did; None, and the question taken back, after a stop."""
    people = around.people
    assert people is not None
    run.waiting_for = question
    try:
        while not stopped():
            heard = people.heard(question)
            if heard is not None:
                return heard
            yield Working(around.look_every_s, WAITING)
    finally:
        run.waiting_for = ""
    people.withdraw(question)
    return None
