"""One program drives a run: a second one is refused, whatever the first one does, until it has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from handup.core import IllegalCall, Outcome
from handup.journal import Journal
from handup.recover import DurableSession, Settled
from tests.recover.program import drive, wait_for
from tests.recover.robot import SensingRobot, effects

REFUSED = "another program drives run 'bite'.*end it first"
ROOT = Path(__file__).parents[2]


@contextmanager
def program(store: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program that stands just before the robot moves."""
    words = [sys.executable, "-m", "tests.recover.program", store, str(folder)]
    running = subprocess.Popen(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    try:
        wait_for(folder / "there")
        yield running
    finally:
        running.kill()
        running.wait()


def robot(folder: Path) -> SensingRobot:
    return SensingRobot(folder / "effects.jsonl")


def done(folder: Path) -> list[object]:
    return [each["action"] for each in effects(folder / "effects.jsonl")]


def test_a_suspended_program_keeps_its_run_and_a_killed_one_leaves_it(store: str, tmp_path: Path) -> None:
    with program(store, tmp_path) as first:
        first.send_signal(signal.SIGSTOP)
        with pytest.raises(IllegalCall, match=REFUSED):
            drive(store, robot(tmp_path))
        assert drive(store, robot(tmp_path), "other").outcome is Outcome.RECOVERED, "other runs are free"
        first.kill()
        first.wait()
        episode = drive(store, robot(tmp_path))
    assert episode.outcome is Outcome.RECOVERED
    assert [(each.id, each.settled) for each in episode.actions] == [("bite/act/1", Settled.VOID), ("bite/act/2", None)]
    assert done(tmp_path) == ["other/act/1", "bite/act/2"]


def test_a_program_goes_on_after_another_was_refused(store: str, tmp_path: Path) -> None:
    with program(store, tmp_path) as first:
        first.send_signal(signal.SIGSTOP)
        with pytest.raises(IllegalCall, match=REFUSED):
            drive(store, robot(tmp_path))
        first.send_signal(signal.SIGCONT)
        (tmp_path / "go").touch()
        assert first.wait(60.0) == 0
    assert drive(store, robot(tmp_path)).outcome is Outcome.RECOVERED
    assert done(tmp_path) == ["bite/act/1"]


def test_a_claim_ends_with_its_block_and_can_be_taken_again(store: str) -> None:
    with Journal.open(store) as journal, Journal.open(store) as other:
        for _ in range(2):
            with journal.holding("bite") as hold:
                hold.check()
                with pytest.raises(IllegalCall, match=REFUSED), other.holding("bite"):
                    pass
                with other.holding("another"):
                    pass
        with other.holding("bite"):
            pass


def test_a_claim_leaves_nothing_beside_the_store(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        before = {path.name for path in tmp_path.iterdir()}
        with journal.holding("bite"):
            assert len({path.name for path in tmp_path.iterdir()} - before) == 1
        assert {path.name for path in tmp_path.iterdir()} == before


def lose(store: str, tmp_path: Path) -> None:
    """Take the claim away from whoever has it: the file is deleted, or the connection is ended."""
    if store.startswith("postgresql"):
        with psycopg.connect(store, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
            )
    else:
        [lock] = tmp_path.glob("*.run-*.lock")
        lock.unlink()


def test_a_claim_that_was_lost_is_taken_again(store: str, tmp_path: Path) -> None:
    with Journal.open(store) as journal, Journal.open(store) as other, journal.holding("bite") as hold:
        lose(store, tmp_path)
        hold.check()
        with pytest.raises(IllegalCall, match=REFUSED), other.holding("bite"):
            pass


def test_a_claim_that_was_lost_to_another_program_is_noticed(store: str, tmp_path: Path) -> None:
    with Journal.open(store) as journal, Journal.open(store) as other, journal.holding("bite") as hold:
        lose(store, tmp_path)
        with other.holding("bite") as theirs:
            with pytest.raises(IllegalCall, match=REFUSED):
                hold.check()
            theirs.check()


def test_a_program_that_lost_its_run_does_not_move(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the beginning of an action and the movement the claim is lost, and another program ends the run."""
    turns: list[str] = []
    begin = DurableSession.begin

    def begin_and_lose(session: DurableSession) -> str:
        action = begin(session)
        if not turns:
            turns.append(action)
            lose(store, tmp_path)
            assert drive(store, robot(tmp_path)).outcome is Outcome.RECOVERED
        return action

    monkeypatch.setattr(DurableSession, "begin", begin_and_lose)
    with pytest.raises(IllegalCall, match="another program drives run 'bite'"):
        drive(store, robot(tmp_path))
    assert done(tmp_path) == ["bite/act/2"]
