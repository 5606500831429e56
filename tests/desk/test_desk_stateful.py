"""The desk under everything that people, clocks and crashes do, on SQLite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from handup.journal import Journal
from tests.desk.desks import SetClock, at
from tests.desk.machine import SEEN, DeskMachine

EVERYWHERE = {
    *(f"answer: {status}" for status in ("accepted", "accepted again", "late", "invalid", "unauthorised", "unknown")),
    *(f"{kind}: {status}" for kind in ("not-now", "someone-else") for status in ("accepted", "accepted again", "late")),
    *("let-robot-try: accepted", "stop: accepted", "claim: accepted", "withdraw: accepted"),
}
"""What has to come out at least once, or the courses did not go far enough."""


def in_a_folder(clock: SetClock) -> tuple[Callable[[], Journal], Callable[[], None]]:
    folder = TemporaryDirectory()
    return (lambda: Journal.open(at(Path(folder.name)), clock=clock)), folder.cleanup


class OnSqlite(DeskMachine):
    open_store = staticmethod(in_a_folder)


@pytest.mark.hypothesis
def test_the_desk_on_sqlite_under_everything() -> None:
    run_state_machine_as_test(
        OnSqlite, settings=settings(max_examples=settings().max_examples // 4, stateful_step_count=50)
    )
    assert set(SEEN) >= EVERYWHERE
