"""Quarantine of a damaged store: it is renamed, never changed, and a note keeps everything stopped."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from handup.core import DamagedJournal
from handup.core.files import sync_folder
from handup.journal.files import DamageNote, Lock, Witness, beside, note_path, parts_of, read_note, write_note


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
        write_note(path, note)  # before the move: after a crash in between, the note still stops everything
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
