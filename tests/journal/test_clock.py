"""The clock of the wall: set back it stands still, set far ahead it is refused, and a journal in the future is told."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from handup.core import ManualClock, StoreUnavailable
from handup.journal import Journal, WallClock
from handup.journal.clock import LONGEST_JUMP_S, passed_s
from tests.journal.kinds import Noted

DAY_S = 86_400.0


class Machine:
    """A clock that can be set, and time that passes."""

    def __init__(self) -> None:
        self.set_to_s, self.passed_s = 1.8e9, 50.0

    def pass_time(self, seconds: float) -> None:
        self.set_to_s += seconds
        self.passed_s += seconds

    def clock(self) -> WallClock:
        return WallClock(wall_s=lambda: self.set_to_s, passed_s=lambda: self.passed_s)


def test_one_reading_far_ahead_is_refused_and_leaves_no_trace(store: str) -> None:
    machine = Machine()
    with Journal.open(store, clock=machine.clock()) as journal:
        journal.append(Noted())
        machine.set_to_s += 3650 * DAY_S
        with pytest.raises(StoreUnavailable, match=r"jumped ahead by 3,650\.0 days"):
            journal.append(Noted())
        assert journal.head().seq == 1
        machine.set_to_s -= 3650 * DAY_S
        machine.pass_time(60.0)
        assert journal.append(Noted())[0].at_s == 1.8e9 + 60.0


def test_corrections_rest_and_sleep_are_no_jumps() -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock.now_s() == 1.8e9
    machine.pass_time(90 * DAY_S)
    assert clock.now_s() == 1.8e9 + 90 * DAY_S, "time that passed"
    machine.set_to_s += LONGEST_JUMP_S
    assert clock.now_s() == 1.8e9 + 91 * DAY_S, "as far as it may"
    machine.set_to_s -= 400 * DAY_S
    assert clock.now_s() < 1.8e9, "set back: the journal stands still"
    machine.set_to_s += LONGEST_JUMP_S + 1.0
    with pytest.raises(StoreUnavailable, match="clock"):
        clock.now_s()
    machine.set_to_s -= 1.0
    assert clock.now_s()
    assert machine.clock().now_s(), "a new program believes its first reading"


def test_time_passes() -> None:
    first = passed_s()
    assert passed_s() >= first
    assert WallClock().now_s() > 1.7e9


def test_a_journal_in_the_future_says_so_when_it_is_opened(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = tmp_path / "journal.db"
    with Journal.open(store, clock=ManualClock(1.8e9)) as journal:
        journal.append(Noted())
    with caplog.at_level(logging.WARNING, "handup.journal"):
        Journal.open(store, clock=ManualClock(1.8e9 - DAY_S)).close()
        assert caplog.messages == []
        with Journal.open(store, clock=ManualClock(1.8e9 - 3 * DAY_S)) as journal:
            assert journal.append(Noted())[0].at_s == 1.8e9
    [said] = caplog.messages
    assert "3.0 days ahead of the clock" in said
    assert "Check the machine's date" in said
