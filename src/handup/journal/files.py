"""The files beside a store of SQLite: a lock, a witness of the last commit, a note while it is damaged.

SQLite drops a damaged end of its write-ahead log without an error, and takes an empty file for a new database. The
witness reveals both: it holds number and hash of the last entry that was acknowledged. It is written after the commit
and not synced, so it may lag behind the store but is never ahead of it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from handup.core import DamagedJournal, StoreUnavailable
from handup.core.files import sync_folder, written_whole
from handup.journal.entry import Head

LOOK_S = 0.01
"""Seconds between two attempts to take a lock."""
PRIVATE = 0o600
"""Permissions of every new file: it holds personal data, so other users of the machine may not read it."""


def beside(path: Path, ending: str) -> Path:
    """Return the path of a file that belongs to a store and is named after it."""
    return path.with_name(path.name + ending)


def parts_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a store itself: the database, its write-ahead log, the log's index."""
    return path, beside(path, "-wal"), beside(path, "-shm")


class Lock:
    """Lock of a store: shared by programs that have it open to write, exclusive to one that makes or migrates it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(beside(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        self._shown = str(path)

    def share(self, timeout_s: float) -> None:
        """Take the lock as shared.

        Raises:
            StoreUnavailable: Another program held it alone all the time.
        """
        if not self._get(fcntl.LOCK_SH, timeout_s):
            raise StoreUnavailable(
                f"the store {self._shown} is being made, migrated or repaired by another program",
                hint="Try again when that is done; nothing was changed.",
            )

    def alone(self, timeout_s: float = 0.0) -> bool:
        """Take the lock alone, if no other program holds it before the time is up.

        Otherwise a share is given up as well: two programs that wait for each other's share would wait for ever.
        """
        if self._get(fcntl.LOCK_EX, timeout_s):
            return True
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return False

    def _get(self, mode: int, timeout_s: float) -> bool:
        until = time.monotonic() + timeout_s
        while True:
            try:
                fcntl.flock(self._file, mode | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    return False
                time.sleep(LOOK_S)
            else:
                return True

    def close(self) -> None:
        """Release the lock. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Witness:
    """Number and hash of the last acknowledged entry, in a file of one line that is written in place."""

    def __init__(self, path: Path) -> None:
        self.path = beside(path, ".witness")
        self._file = -1

    def there(self) -> bool:
        """Return True if there is a witness, which proves that there was a store."""
        return self.path.exists()

    def read(self) -> Head | None:
        """Return the witnessed head; None where there is no witness, or a crash cut it off."""
        for _ in range(3):  # another process may be writing it
            try:
                words = self.path.read_bytes().decode(errors="replace").split()
            except FileNotFoundError:
                return None
            if len(words) == 3 and words[2] == _check(words[0], words[1]) and words[0].isdigit():
                return Head(seq=int(words[0]), hash=words[1])
        return None

    def write(self, head: Head) -> None:
        """Write a head that is committed, over the last one."""
        if self._file < 0:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        seq = f"{head.seq:020d}"
        os.pwrite(self._file, f"{seq} {head.hash} {_check(seq, head.hash)}\n".encode(), 0)

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _check(seq: str, entry_hash: str) -> str:
    return sha256(f"{seq} {entry_hash}".encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class DamageNote:
    """Note that a store is damaged and was put aside. While it lies there, nothing opens.

    Args:
        why: The damage.
        moved_to: The name of the damaged store, in the same folder.
        at: Time of the note, in UTC.
        witnessed_seq: Number of the last entry that was acknowledged; None where unknown.
        witnessed_hash: Its hash.
    """

    why: str
    moved_to: str
    at: str
    witnessed_seq: int | None = None
    witnessed_hash: str | None = None


def note_path(path: Path) -> Path:
    """Return the path of a store's note."""
    return beside(path, ".stopped")


def read_note(path: Path) -> DamageNote | None:
    """Return the note of a store, or None. An unreadable note counts as one that names no damaged store."""
    try:
        return DamageNote(**json.loads(note_path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        return DamageNote(why="the note beside it says so, and cannot be read any further", moved_to="", at="")


# -- quarantine of a damaged store: it is renamed, never changed, and a note keeps everything stopped ------------------


def refuse_if_stopped(path: Path) -> None:
    """Raise while a note says that the store was damaged and nobody has repaired it.

    Raises:
        DamagedJournal: There is such a note.
    """
    if (note := read_note(path)) is not None:
        aside = path.with_name(note.moved_to) if note.moved_to else note_path(path)
        raise DamagedJournal(f"the journal {path} is damaged: {note.why}; it lies in {aside}", hint=_hint(path))


def put_aside(path: Path, why: str, lock: Lock) -> DamagedJournal:
    """Rename a damaged store and leave the note.

    Returns:
        The error to raise. Where another program has the store open, nothing is renamed, and the error says so.
    """
    if not lock.alone():
        return DamagedJournal(
            f"the journal {path} is damaged: {why}; another program has it open, so it was left in its place",
            hint="Stop, close every program that uses it and open it again: it is then put aside and can be repaired.",
        )
    if (note := read_note(path)) is None:
        now = datetime.now(UTC)
        witnessed = Witness(path).read()
        note = DamageNote(
            why=why,
            moved_to=free_name(path, now.strftime("%Y%m%dT%H%M%SZ")),
            at=now.isoformat(timespec="seconds"),
            witnessed_seq=witnessed.seq if witnessed else None,
            witnessed_hash=witnessed.hash if witnessed else None,
        )
        # Durable before the move: after a crash in between, the note still stops everything.
        with written_whole(note_path(path), PRIVATE) as passing:
            passing.write_text(json.dumps(asdict(note), indent=2) + "\n", encoding="utf-8")
    move(path, note)
    aside = path.with_name(note.moved_to)
    return DamagedJournal(f"the journal {path} is damaged: {why}; it was put aside as {aside}", hint=_hint(path))


def move(path: Path, note: DamageNote) -> None:
    """Rename those files of a damaged store that still have their old names. Safe to repeat after a crash."""
    aside = path.with_name(note.moved_to)
    for old, new in zip((*parts_of(path), Witness(path).path), (*parts_of(aside), Witness(aside).path), strict=True):
        if old.exists() and not new.exists():
            old.rename(new)
    sync_folder(path.parent)


def free_name(path: Path, stamp: str) -> str:
    """Return a name for a damaged store that no file has yet."""
    number = 1
    while True:
        aside = beside(path, f".damaged-{stamp}" + (f"-{number}" if number > 1 else ""))
        if not any(file.exists() for file in (*parts_of(aside), Witness(aside).path)):
            return aside.name
        number += 1


def _hint(path: Path) -> str:
    return (
        f"Keep the robot stopped, look at it, then run: handup journal repair {path}; or put a backup in its place and "
        "run that with --use-backup."
    )
