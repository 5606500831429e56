"""What the tests run in processes of their own: writers that race, disks that fill, users without rights.

Usage: python -m tests.journal.child WHAT STORE [NUMBER]. Prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from handup.core import HandupError
from handup.journal import Journal
from tests.journal.kinds import Noted, Said

RACERS = 3


def race(store: str, count: int) -> object:
    """Append in several processes at once, half of it in transactions that decide by what they read."""
    racing: list[int] = []
    for _ in range(RACERS):
        if (pid := os.fork()) == 0:
            _race(store, count)
            os._exit(0)  # past whatever the parent would do at its end
        racing.append(pid)
    return {pid: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in racing}


def _race(store: str, count: int) -> None:
    me = str(os.getpid())
    with Journal.open(store, busy_timeout_s=60.0) as journal:
        for number in range(count):
            with journal.writing() as writer:
                head = writer.head.seq
                assert writer.append(Said(by="Ann", words=f"{me} {number}"), run=me).seq == head + 1
            journal.append(Noted(number=number), run=me)


def fill_disk(store: str, limit: int) -> object:
    """Append until the system refuses to let a file grow, then go on when it may grow again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    acknowledged = []
    said: list[str] = []
    with Journal.open(store) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for number in range(1000):
            try:
                acknowledged.append(journal.append(Noted(text="x" * 900, number=number))[0].hash)
            except HandupError as error:
                said.append(str(error))
                if len(said) == 3:
                    break
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        acknowledged.append(journal.append(Noted(text="after"))[0].hash)
        here = [entry.hash for entry in journal.read()]
        return {"acknowledged": acknowledged, "here": here, "said": said, "ok": journal.verify().ok}


def as_nobody(folder: str, _: int) -> object:
    """Open every store under a folder as a user without rights, to write and to read only: what is said of each."""
    with TemporaryDirectory() as warm:  # what is imported late must be there before the rights are gone
        Journal.open(Path(warm) / "warm.db").close()
        with Journal.open(Path(warm) / "warm.db", readonly=True) as journal:
            journal.verify()
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    found: dict[str, object] = {}
    for store in sorted(Path(folder).glob("*/journal.db")):
        before = sorted(each.name for each in store.parent.iterdir())
        for readonly in (False, True):
            answer: object
            try:
                with Journal.open(store, readonly=readonly) as journal:
                    answer = [len(list(journal.read())), journal.verify().ok]
            except HandupError as error:
                answer = str(error)
            found[f"{store.parent.name} {'read' if readonly else 'write'}"] = answer
            assert sorted(each.name for each in store.parent.iterdir()) == before
    return found


def hold(store: str, _: int) -> object:
    """Hold the write lock until told to let go."""
    with Journal.open(store) as journal, journal.writing() as writer:
        writer.append(Noted(text="held"))
        sys.stdout.write("holding\n")
        sys.stdout.flush()
        sys.stdin.readline()
    return "released"


def die(store: str, _: int) -> object:
    """Be killed in the middle of a transaction."""
    journal = Journal.open(store)
    journal.append(Noted(text="acknowledged"))
    with journal.writing() as writer:
        writer.append(Noted(text="never"))
        os.kill(os.getpid(), signal.SIGKILL)
    return None


def fork(store: str, _: int) -> object:
    """Use a journal in a process that was forked after it was opened, and go on with it in the first one."""
    reading, writing = os.pipe()
    with Journal.open(store) as journal:
        journal.append(Noted())
        if (pid := os.fork()) == 0:
            try:
                journal.append(Noted())
            except HandupError as error:
                os.write(writing, str(error).encode())
            journal.close()
            os._exit(0)
        os.waitpid(pid, 0)
        assert journal.append(Noted())[0].seq == 2
        assert journal.verify().ok
    return os.read(reading, 1000).decode()


if __name__ == "__main__":
    what, store, *number = sys.argv[1:]
    calls = {"race": race, "fill": fill_disk, "nobody": as_nobody, "hold": hold, "die": die, "fork": fork}
    sys.stdout.write(json.dumps(calls[what](store, int(number[0]) if number else 0)) + "\n")
