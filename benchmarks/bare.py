"""What the journal is measured against: the bare disk, a bare hand-over between threads, a plain script."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path

PAGE = b"\x5a" * 4096
CONDITION = "bare: fdatasync, then a Condition"
ASLEEP_S = 0.01
"""After this time a thread that was about to wait is waiting."""
BODY = (
    '{"people":{"by":"0123456789abcdef"},'
    '"said":{"certainty":1.0,"latency_s":4.2,"token":"token-%d","value":"cherry tomato"}}'
)


@contextmanager
def bare_sync(path: Path) -> Iterator[Callable[[], object]]:
    """A step that appends a page to a file and waits until it is on the disk."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def step() -> None:
        os.write(file, PAGE)
        os.fdatasync(file)

    try:
        yield step
    finally:
        os.close(file)


def plain_script(connection: sqlite3.Connection) -> Callable[[], object]:
    """A step that inserts one row such as the journal's, with its settings and a hash, and nothing else."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute(
        "CREATE TABLE entries (seq INTEGER PRIMARY KEY, at_s REAL, run TEXT, key TEXT, kind TEXT, version INTEGER,"
        " body TEXT, previous TEXT, hash TEXT)"
    )
    connection.execute("CREATE INDEX by_run ON entries (run)")
    connection.execute("CREATE INDEX by_key ON entries (key)")
    numbers, previous = count(1), "0" * 64

    def step() -> None:
        nonlocal previous
        seq = next(numbers)
        body = BODY % seq
        made = sha256(f"{seq}{body}{previous}".encode()).hexdigest()
        row = (seq, time.time(), "bench", "bench/food/1", "desk.answered", 1, body, previous, made)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute("COMMIT")
        previous = made

    return step


def condition_handover(write: Callable[[], object]) -> float:
    """How long it takes to write a page durably and wake a thread that waits for a condition, in seconds."""
    done, told = threading.Condition(), threading.Event()

    def wait() -> None:
        with done:
            done.wait_for(told.is_set)

    def tell() -> None:
        write()
        with done:
            told.set()
            done.notify_all()

    return woken(wait, tell)


def woken(wait: Callable[[], object], tell: Callable[[], object]) -> float:
    """The seconds from a call of `tell` until a thread that had begun to `wait` is back."""
    waits, back = threading.Event(), [0.0]

    def robot() -> None:
        waits.set()
        wait()
        back[0] = time.perf_counter()

    thread = threading.Thread(target=robot)
    thread.start()
    waits.wait()
    time.sleep(ASLEEP_S)
    start = time.perf_counter()
    tell()
    thread.join()
    return back[0] - start
