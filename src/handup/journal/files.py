"""The files beside a store of SQLite: a lock, a witness of the last commit, a note while it is damaged.

SQLite drops a damaged end of its write-ahead log without a word, and takes an empty file for a new database. The
witness tells: it holds number and hash of the last entry that was acknowledged. It is written after the commit and not
synced, so it may lag behind the store but is never ahead of it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from handup.core import StoreUnavailable
from handup.core.files import written_whole
from handup.journal.entry import Head

LOOK_S = 0.01
"""How often one looks whether a lock is free."""
PRIVATE = 0o600
"""Of every file that is made: it tells of people, so others on the machine may not read it."""


def beside(path: Path, ending: str) -> Path:
    """The file that belongs to a store and is named after it."""
    return path.with_name(path.name + ending)


def parts_of(path: Path) -> tuple[Path, ...]:
    """The files of a store itself: the database, its write-ahead log, the log's index."""
    return path, beside(path, "-wal"), beside(path, "-shm")


class Lock:
    """Held, shared, by everybody who has a store open to write; alone by whoever makes, moves or migrates it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(beside(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        self._shown = str(path)

    def share(self, timeout_s: float) -> None:
        """Hold it with the others.

        Raises:
            StoreUnavailable: Somebody held it alone all the time.
        """
        if not self._get(fcntl.LOCK_SH, timeout_s):
            raise StoreUnavailable(
                f"the store {self._shown} is being made, migrated or repaired by another program",
                hint="Try again when that is done; nothing was changed.",
            )

    def alone(self, timeout_s: float = 0.0) -> bool:
        """Hold it alone, if nobody else has the store open before the time is up.

        Else it is not held at all, so that of several who want it alone one can have it.
        """
        if self._get(fcntl.LOCK_EX, timeout_s):
            return True
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return False

    def _get(self, how: int, timeout_s: float) -> bool:
        until = time.monotonic() + timeout_s
        while True:
            try:
                fcntl.flock(self._file, how | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    return False
                time.sleep(LOOK_S)
            else:
                return True

    def close(self) -> None:
        """Let go. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Witness:
    """Number and hash of the last acknowledged entry, in a file of one line that is written in place."""

    def __init__(self, path: Path) -> None:
        self.path = beside(path, ".witness")
        self._file = -1

    def there(self) -> bool:
        """Whether there is one: then there was a store."""
        return self.path.exists()

    def read(self) -> Head | None:
        """What it says; None where there is none, or it was cut by a crash and says nothing."""
        for _ in range(3):  # another process may be writing it
            try:
                words = self.path.read_bytes().decode(errors="replace").split()
            except FileNotFoundError:
                return None
            if len(words) == 3 and words[2] == _check(words[0], words[1]) and words[0].isdigit():
                return Head(seq=int(words[0]), hash=words[1])
        return None

    def write(self, head: Head) -> None:
        """Set it to a head that is committed."""
        if self._file < 0:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        seq = f"{head.seq:020d}"
        os.pwrite(self._file, f"{seq} {head.hash} {_check(seq, head.hash)}\n".encode(), 0)

    def close(self) -> None:
        """Let go of the file. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _check(seq: str, made: str) -> str:
    return sha256(f"{seq} {made}".encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class Note:
    """Says that a store is damaged and was put aside; while it lies there, nothing opens.

    Args:
        why: What is damaged.
        moved_to: The name of the damaged store, in the same folder.
        at: When, in UTC.
        witnessed_seq: The last entry that was acknowledged; None where unknown.
        witnessed_hash: Its hash.
    """

    why: str
    moved_to: str
    at: str
    witnessed_seq: int | None = None
    witnessed_hash: str | None = None


def note_path(path: Path) -> Path:
    """Where the note of a store lies."""
    return beside(path, ".stopped")


def write_note(path: Path, note: Note) -> None:
    """Leave a note; it is durable when this returns."""
    with written_whole(note_path(path), PRIVATE) as passing:
        passing.write_text(json.dumps(asdict(note), indent=2) + "\n", encoding="utf-8")


def read_note(path: Path) -> Note | None:
    """The note of a store. An unreadable one counts: it names nothing, but says that something was wrong."""
    try:
        told = json.loads(note_path(path).read_text(encoding="utf-8"))
        return Note(**told)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        return Note(why="a note says so that cannot be read", moved_to="", at="")
