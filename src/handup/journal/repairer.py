"""Repair of a damaged store: its good part is taken into a new one. A person starts it, never a program by itself."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Engine, insert, update
from sqlalchemy.exc import DBAPIError

from handup.core import Clock, ConflictingSettings, DamagedJournal, StoreUnavailable, event_type
from handup.core.files import sync_folder
from handup.journal import schema
from handup.journal.address import address_of
from handup.journal.chain import StoredEntry, fault_of
from handup.journal.check import Beside, is_name, is_value
from handup.journal.clock import WallClock
from handup.journal.entry import Repaired
from handup.journal.events import REPAIRED, JournalRepaired
from handup.journal.failures import telling
from handup.journal.files import DamageNote, Lock, Witness, free_name, move, note_path, parts_of, read_note
from handup.journal.opener import identify, make_store, upgrade
from handup.journal.schema import BESIDE, ENTRIES, HEAD, PEOPLE
from handup.journal.sqlite import changing, has_log, passing_engine, verdict_of
from handup.journal.writer import Writer, hash_at, read_head

UNKNOWN = "unknown"
"""Name of the damaged store where the note cannot be read."""
_ENTRY = f"SELECT {', '.join(StoredEntry.__slots__)} FROM entries WHERE seq = ?"
_LAST = "SELECT kind, version, body FROM entries ORDER BY seq DESC LIMIT 1"
_FIRST = "SELECT hash FROM entries WHERE seq = 1"
_PEOPLE = "SELECT pseudonym, name, salt FROM people NOT INDEXED"
_BESIDE = "SELECT commitment, pseudonym, salt, value FROM beside NOT INDEXED"


def repair(
    store: str | Path, *, use_backup: bool = False, clock: Clock | None = None, busy_timeout_s: float = 5.0
) -> Repaired:
    """Put the entries up to the first bad one into a new store under the old name, and let it be opened again.

    The damaged store stays as it is, under the name it was put aside with. The new one ends with an entry that tells
    what happened, and which a desk takes for a stop: runs from before it end as stopped, and nothing moves before a
    person has enabled the robot. Run it when a person has looked at the damage.

    Args:
        store: The damaged store, by its old name.
        use_backup: Whether to go on from a backup that a person has put under the old name; all of it is checked.
            People who were erased since it was made are in it again; erase them again.
        clock: Clock of the new entry's time; the wall clock where it is None.
        busy_timeout_s: Seconds to wait for other programs to close the store.

    Raises:
        StoreUnavailable: It was not put aside, is in use, or its folder cannot be written. With `use_backup`: there
            is no backup, or it is another journal's.
        DamagedJournal: The backup is damaged, too.
        BadSetting: It is a database of PostgreSQL, which is restored from a backup instead.
    """
    path = address_of(store).path
    if path is None:
        cause = f"only a file of SQLite can be repaired, got {address_of(store).shown}"
        raise ConflictingSettings(cause, hint="Restore the database from a backup.")
    if read_note(path) is None:
        raise StoreUnavailable(
            f"the journal {path} was not put aside", hint="Open it: a damaged one is put aside, a whole one opens."
        )
    try:
        lock = Lock(path)
        try:
            if not lock.alone(busy_timeout_s):
                raise StoreUnavailable(f"the journal {path} is in use", hint="Close every program that uses it.")
            take = _take_backup if use_backup else _take_good
            done = take(path, clock or WallClock(), busy_timeout_s)
            note_path(path).unlink()
            sync_folder(path.parent)
        finally:
            lock.close()
    except OSError as error:
        raise StoreUnavailable(
            f"the journal {path} cannot be repaired: {error.strerror}", hint="Check the folder, its space and rights."
        ) from None
    return Repaired(
        store=str(path),
        source=str(path.with_name(done.source)),
        entries=done.last_good,
        lost=done.lost,
        values_lost=len(done.people_lost) + len(done.values_lost),
        from_backup=done.from_backup,
    )


def _take_good(path: Path, clock: Clock, busy_timeout_s: float) -> JournalRepaired:
    note = _moved(path)
    aside = path.with_name(note.moved_to)
    if path.exists():  # a repair was ended before it took the note away
        if (done := _last_repair(path, aside.name)) is None:
            raise StoreUnavailable(
                f"something else lies at {path}", hint="Move it away; or, if it is a backup, add --use-backup."
            )
    else:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.repair-") as folder:
            copy = Path(folder) / "copy"
            for old, new in zip(parts_of(aside)[:2], parts_of(copy)[:2], strict=True):
                if old.exists():
                    shutil.copyfile(old, new)
            good = _Good(copy)
        done = JournalRepaired(
            source=aside.name,
            last_good=len(good.rows),
            lost=_lost(good.rows, note),
            people_lost=tuple(sorted(good.people_lost)),
            values_lost=tuple(sorted(good.values_lost)),
        )
        make_store(path, busy_timeout_s, lambda connection: good.fill(connection, done, clock))
    return done


def _lost(good: list[StoredEntry], note: DamageNote) -> int | None:
    """Return the number of acknowledged entries that are not among the good ones; None where that is unknown."""
    if note.witnessed_seq is None:
        return None
    if 0 < note.witnessed_seq <= len(good) and good[note.witnessed_seq - 1].hash != note.witnessed_hash:
        return None  # whole, but another journal than the one that was acknowledged
    return max(0, note.witnessed_seq - len(good))


def _moved(path: Path) -> DamageNote:
    """Finish the move that the note speaks of, and return the note. Where it is unreadable, the files tell the name."""
    note = read_note(path)
    assert note is not None
    if not note.moved_to:
        aside = sorted(file.name for file in path.parent.glob(f"{path.name}.damaged-*") if file.suffix != ".witness")
        stores = [name for name in aside if not name.endswith(("-wal", "-shm"))]
        note = replace(note, moved_to=stores[-1] if stores and not path.exists() else free_name(path, UNKNOWN))
    if not (path.exists() and path.with_name(note.moved_to).exists()):  # else what lies there is not the damaged one
        move(path, note)
    return note


class _Good:
    """Good part of a damaged store: entries up to the first bad one, with the names and values that belong to them."""

    def __init__(self, path: Path) -> None:
        self.rows: list[StoredEntry] = []
        self.people: dict[str, dict[str, object]] = {}
        self.beside: dict[tuple[str, str], dict[str, object]] = {}
        if path.exists():
            with closing(sqlite3.connect(path)) as connection:
                connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
                self._read(connection)
        beside = Beside()
        sealed = {committed: (row.seq, owners) for row in self.rows for committed, owners in beside.take(row)}
        self.beside = {
            (committed, owner): {**kept, "seq": sealed[committed][0]}
            for (committed, owner), kept in self.beside.items()
            if committed in sealed and owner in sealed[committed][1]
        }
        self.values_lost = {
            committed
            for committed, (_, owners) in sealed.items()
            if not beside.gone_people.intersection(owners)
            and any((committed, owner) not in self.beside for owner in owners)
        } - beside.gone_values
        self.people_lost = beside.people - beside.gone_people - self.people.keys()

    def _read(self, connection: sqlite3.Connection) -> None:
        last: StoredEntry | None = None
        # Entries by their numbers, up to one that is missing, unreadable or no continuation of the chain.
        while columns := next(_rows(connection, _ENTRY, (len(self.rows) + 1,)), None):
            row = StoredEntry(**dict(zip(StoredEntry.__slots__, columns, strict=True)))
            if fault_of(row, last):
                break
            self.rows.append(row)
            last = row
        for pseudonym, name, salt in _rows(connection, _PEOPLE):
            if is_name(pseudonym, salt, name):
                self.people[pseudonym] = {"pseudonym": pseudonym, "name": name, "salt": salt}
        for committed, owner, salt, value in _rows(connection, _BESIDE):
            if is_value(committed, salt, value):
                kept = {"commitment": committed, "pseudonym": owner, "salt": salt, "value": value}
                self.beside[committed, owner] = kept

    def fill(self, connection: Connection, done: JournalRepaired, clock: Clock) -> None:
        """Write the good part into a new store, and at the end the entry of the repair."""
        for table, rows in (
            (ENTRIES, [{name: getattr(row, name) for name in StoredEntry.__slots__} for row in self.rows]),
            (PEOPLE, list(self.people.values())),
            (BESIDE, list(self.beside.values())),
        ):
            if rows:
                connection.execute(insert(table), rows)
        if self.rows:
            last = self.rows[-1]
            connection.execute(update(HEAD).values(seq=last.seq, hash=last.hash, at_s=last.at_s))
        writer = Writer(connection, clock)
        writer.append(done)
        writer.finish()


def _rows(connection: sqlite3.Connection, query: str, values: tuple[int, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a damaged store as far as SQLite can read them."""
    try:
        yield from connection.execute(query, values)
    except (sqlite3.Error, UnicodeDecodeError):
        return


# -- going on from a backup that a person has put in a damaged store's place -------------------------------------------


def _take_backup(path: Path, clock: Clock, busy_timeout_s: float) -> JournalRepaired:
    """Check all of the backup that lies at a path, and add an entry that tells of it. Hold the lock alone.

    Raises:
        StoreUnavailable: There is no backup, or it is something else or another journal's.
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
        if (done := _last_repair(path, note.moved_to or UNKNOWN)) is None:
            _check(path, note, busy_timeout_s)
            done = _tell(path, note, clock, busy_timeout_s)
    except DBAPIError as error:
        raise _damaged(path, f"SQLite says {error.orig}") from None
    return done


def _check(path: Path, note: DamageNote, busy_timeout_s: float) -> None:
    with passing_engine(path, "ro", busy_timeout_s=busy_timeout_s) as engine:
        verdict = verdict_of(path, engine, str(path))
        if not verdict.ok:
            raise _damaged(path, verdict.why)
        if _is_other(path, engine, note):
            raise StoreUnavailable(
                f"what lies at {path} is whole, but another journal", hint="Put a backup of this one in its place."
            )


def _is_other(path: Path, engine: Engine, note: DamageNote) -> bool:
    """Return True if a journal is not the one that was damaged, as far as witness and first entry tell."""
    with telling(str(path)), engine.connect() as connection:
        head = read_head(connection)
        if head.seq and note.witnessed_seq and note.witnessed_seq <= head.seq:
            return hash_at(connection, note.witnessed_seq) != note.witnessed_hash
        first = hash_at(connection, 1)
    known = _first_row(path.with_name(note.moved_to or UNKNOWN), "ro&immutable=1", _FIRST)
    return known is not None and first is not None and known[0] != first


def _tell(path: Path, note: DamageNote, clock: Clock, busy_timeout_s: float) -> JournalRepaired:
    with changing(path, path, busy_timeout_s=busy_timeout_s) as connection:
        writer = Writer(connection, clock)
        lost = None if note.witnessed_seq is None else max(0, note.witnessed_seq - writer.head.seq)
        done = JournalRepaired(source=note.moved_to or UNKNOWN, last_good=writer.head.seq, lost=lost, from_backup=True)
        writer.append(done)
        writer.finish()
    with closing(Witness(path)) as witness:
        witness.write(writer.head)
    return done


def _last_repair(path: Path, source: str) -> JournalRepaired | None:
    """Return the event of a repair of `source` that was killed before it removed the note; None if there was none."""
    last = _first_row(path, "ro" if has_log(path) else "ro&immutable=1", _LAST)
    if last is None or last[0] != REPAIRED:
        return None
    done: JournalRepaired = event_type(REPAIRED).from_body(json.loads(last[2])["said"], int(last[1]))
    return done if done.source == source else None


def _first_row(path: Path, mode: str, query: str) -> tuple[str, ...] | None:
    """Return the first row of a query to a store that may be damaged; None where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)) as connection:
            row: tuple[str, ...] | None = connection.execute(query).fetchone()
            return row
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def _damaged(path: Path, why: str) -> DamagedJournal:
    return DamagedJournal(
        f"the backup that lies at {path} is damaged, too: {why}",
        hint="Put another one in its place; or move it away and repair without --use-backup.",
    )
