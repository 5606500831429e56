"""Several processes and threads on one store: no gap, no lost entry, one writer at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from handup.core import HandupError, StoreUnavailable
from handup.journal import Journal
from tests.journal.child import RACERS
from tests.journal.kinds import Noted

ROOT = Path(__file__).parents[2]


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.journal.child", *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_that_race_leave_no_gap_and_lose_nothing(store: str) -> None:
    each = 15
    out, err = start("race", store, str(each)).communicate(timeout=100)
    racing = json.loads(out)
    assert list(racing.values()) == [0] * RACERS, err
    with Journal.open(store) as journal:
        entries = list(journal.read())
        assert [entry.seq for entry in entries] == list(range(1, 6 * each + 1))
        assert Counter(entry.run for entry in entries) == dict.fromkeys(racing, 2 * each)
        for one in racing:
            noted = [entry.event for entry in entries if entry.run == one and isinstance(entry.event, Noted)]
            assert noted == [Noted(number=number) for number in range(each)]


def test_threads_that_race_leave_no_gap_and_lose_nothing(journal: Journal) -> None:
    failed: list[HandupError] = []

    def write(who: int) -> None:
        try:
            for number in range(10):
                journal.append(Noted(number=number), run=str(who))
        except HandupError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert Counter(entry.run for entry in journal.read()) == {str(who): 10 for who in range(6)}
    assert journal.verify().ok


def test_a_writer_that_takes_too_long_is_not_waited_for_for_ever(store: str) -> None:
    with Journal.open(store, busy_timeout_s=0.1) as journal:
        holding = start("hold", store)
        assert holding.stdout is not None
        assert holding.stdout.readline() == "holding\n"
        for call in (lambda: journal.append(Noted()), lambda: journal.save_snapshot("a", 0, {})):
            with pytest.raises(StoreUnavailable, match="locked by another program"):
                call()
        assert journal.head().seq == 0, "reading goes on"
        assert holding.communicate("go\n", timeout=60)[0] == '"released"\n'
        assert journal.append(Noted())[0].seq == 2


def test_a_thread_that_takes_too_long_is_not_waited_for_for_ever(store: str) -> None:
    with Journal.open(store, busy_timeout_s=0.05) as journal:
        ready, done = threading.Event(), threading.Event()

        def hold() -> None:
            with journal.writing():
                ready.set()
                done.wait(30)

        holding = threading.Thread(target=hold)
        holding.start()
        ready.wait(30)
        with pytest.raises(StoreUnavailable, match="another thread"):
            journal.append(Noted())
        done.set()
        holding.join()
        journal.append(Noted())


def test_a_killed_writer_leaves_what_was_acknowledged_and_no_lock(store: str) -> None:
    dying = start("die", store)
    dying.communicate(timeout=60)
    assert dying.returncode == -9
    with Journal.open(store) as journal:
        assert [entry.event for entry in journal.read()] == [Noted(text="acknowledged")]
        assert journal.append(Noted())[0].seq == 2


def test_a_journal_is_not_used_after_a_fork(store: str) -> None:
    running = start("fork", store)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "opened before a fork" in json.loads(out)
