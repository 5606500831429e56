"""Going on from a backup that a person has put in a damaged store's place."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from handup.core import Clock, DamagedJournal, StoreUnavailable
from handup.journal import schema
from handup.journal.entry import Head
from handup.journal.events import REPAIRED, JournalRepaired
from handup.journal.failures import telling
from handup.journal.files import Note, Witness, read_note
from handup.journal.opening import identify, upgrade
from handup.journal.sqlite import has_log, sqlite_engine, verdict_of
from handup.journal.store import WRITES
from handup.journal.writer import Writer, hash_at, read_head

UNKNOWN = "unknown"
"""The damaged store's name where the note cannot be read."""
_LAST = "SELECT kind, body FROM entries ORDER BY seq DESC LIMIT 1"
_FIRST = "SELECT hash FROM entries WHERE seq = 1"


def take_backup(path: Path, clock: Clock, busy_timeout_s: float) -> JournalRepaired:
    """Check all of the backup that lies at a path, and add an entry that tells of it. Call it holding the lock alone.

    Raises:
        StoreUnavailable: There is none, or it is something else or another journal's.
        DamagedJournal: It is damaged, too. It stays where it is.
    """
    note = read_note(path)
    assert note is not None
    if not path.exists():
        raise StoreUnavailable(
            f"no backup lies at {path}",
            hint="Copy it there, with the files that are named after it, then give the command again.",
        )
    try:
        if (revision := identify(path, busy_timeout_s)) != schema.REVISION:
            upgrade(path, revision, busy_timeout_s)
        if (done := last_repair(path, note.moved_to or UNKNOWN)) is None:
            _check(path, note, busy_timeout_s)
            done = _tell(path, note, clock, busy_timeout_s)
    except DBAPIError as error:
        raise _damaged(path, f"SQLite says {error.orig}") from None
    return done


def _check(path: Path, note: Note, busy_timeout_s: float) -> None:
    engine = sqlite_engine(path, "ro", busy_timeout_s=busy_timeout_s)
    try:
        verdict = verdict_of(path, engine, str(path))
        if not verdict.ok:
            raise _damaged(path, verdict.why)
        if _is_other(path, engine, note):
            raise StoreUnavailable(
                f"what lies at {path} is whole, but another journal", hint="Put a backup of this one in its place."
            )
    finally:
        engine.dispose()


def _is_other(path: Path, engine: Engine, note: Note) -> bool:
    """Whether a journal is not the one that was damaged, as far as can be told by witness and first entry."""
    with telling(str(path)), engine.connect() as connection:
        there = read_head(connection)
        if there.seq and note.witnessed_seq and note.witnessed_seq <= there.seq:
            return hash_at(connection, note.witnessed_seq) != note.witnessed_hash
        first = hash_at(connection, 1)
    known = _one(path.with_name(note.moved_to or UNKNOWN), "ro&immutable=1", _FIRST)
    return known is not None and first is not None and known[0] != first


def _tell(path: Path, note: Note, clock: Clock, busy_timeout_s: float) -> JournalRepaired:
    engine = sqlite_engine(path, "rw", busy_timeout_s=busy_timeout_s)
    try:
        with (
            telling(str(path)),
            engine.connect().execution_options(**{WRITES: True}) as connection,
            connection.begin(),
        ):
            writer = Writer(connection, clock)
            lost = None if note.witnessed_seq is None else max(0, note.witnessed_seq - writer.head.seq)
            done = JournalRepaired(
                source=note.moved_to or UNKNOWN, last_good=writer.head.seq, lost=lost, from_backup=True
            )
            writer.append(done)
            writer.finish()
        _witness(path, writer.head)
    finally:
        engine.dispose()
    return done


def _witness(path: Path, head: Head) -> None:
    witness = Witness(path)
    try:
        witness.write(head)
    finally:
        witness.close()


def last_repair(path: Path, source: str) -> JournalRepaired | None:
    """What a repair of `source` said that ended before it took the note away; None where something else lies there."""
    found = _one(path, "ro" if has_log(path) else "ro&immutable=1", _LAST)
    if found is None or found[0] != REPAIRED:
        return None
    said = json.loads(found[1])["said"]
    if said["source"] != source:
        return None
    return JournalRepaired(
        source=said["source"],
        last_good=said["last_good"],
        lost=said["lost"],
        people_lost=tuple(said["people_lost"]),
        values_lost=tuple(said["values_lost"]),
        from_backup=said.get("from_backup", False),
    )


def _one(path: Path, mode: str, wanted: str) -> tuple[str, ...] | None:
    """The first row of something in a store that may be damaged; None where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)) as connection:
            found: tuple[str, ...] | None = connection.execute(wanted).fetchone()
            return found
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def _damaged(path: Path, why: str) -> DamagedJournal:
    return DamagedJournal(
        f"the backup that lies at {path} is damaged, too: {why}",
        hint="Put another one in its place; or move it away and repair without --use-backup.",
    )
