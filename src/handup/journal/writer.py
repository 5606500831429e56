"""One transaction of a journal: read, decide, append; all of it is kept or nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, bindparam, insert, select, update

from handup.core import Clock, DamagedJournal, IllegalCall, OutOfRange, event_of, type_of
from handup.journal.chain import NOTHING_BEFORE, StoredEntry, digest
from handup.journal.entry import Entry, Head
from handup.journal.personal import check_text, filled, hide
from handup.journal.schema import ENTRIES, HEAD

T = TypeVar("T")
BATCH = 256
"""Most entries that are read at a time."""

_READ_HEAD = select(HEAD.c.seq, HEAD.c.hash, HEAD.c.at_s).where(HEAD.c.one == 1)
_LOCK_HEAD = _READ_HEAD.with_for_update()
_MOVE_HEAD = update(HEAD).where(HEAD.c.one == 1)
_INSERT = insert(ENTRIES)
_HASH = select(ENTRIES.c.hash).where(ENTRIES.c.seq == bindparam("at"))
_ROWS = select(ENTRIES).where(ENTRIES.c.seq > bindparam("after")).order_by(ENTRIES.c.seq)


class Writer:
    """Writer of entries within one transaction, from `Journal.writing`."""

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection: Connection | None = connection
        self.head = read_head(connection, lock=True)
        self._first = self.head
        now_s = clock.now_s()
        if not math.isfinite(now_s):
            raise OutOfRange.of("the time of a journal's clock", now_s, "be finite", hint="Give it another clock.")
        self.at_s = max(float(now_s), self.head.at_s)

    @property
    def wrote(self) -> bool:
        """True if anything was appended."""
        return self.head is not self._first

    def append(self, event: object, *, run: str = "", key: str = "") -> Entry:
        """Add an event. It is durable when the transaction has ended without an exception.

        Raises:
            BadSetting: It is no event, or cannot be kept as plain JSON.
        """
        connection = self._open()
        declared = type_of(event)
        seq = self.head.seq + 1
        body = hide(connection, declared, declared.to_body(event), seq)
        columns: dict[str, Any] = {
            "seq": seq,
            "at_s": self.at_s,
            "run": check_text(run, "run"),
            "key": check_text(key, "key"),
            "kind": declared.kind,
            "version": declared.version,
            "body": body,
            "previous": self.head.hash,
        }
        entry_hash = digest(columns)
        connection.execute(_INSERT, {**columns, "hash": entry_hash})
        self.head = Head(seq=seq, hash=entry_hash, at_s=self.at_s)
        del columns["body"]
        return Entry(**columns, event=event, hash=entry_hash)

    def read(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, limit: int | None = None
    ) -> Iterator[Entry]:
        """Yield the entries beyond `after`, in order, with everything that was committed or appended here so far."""
        yield from made_of(
            lambda of: of(self._open()), entries_of, EntryQuery(after=after, run=run, key=key, limit=limit)
        )

    def finish(self) -> None:
        """Move the head to the last entry."""
        if self.wrote:
            moved = {"seq": self.head.seq, "hash": self.head.hash, "at_s": self.head.at_s}
            self._open().execute(_MOVE_HEAD, moved)

    def end(self) -> None:
        """End the writer: nothing can be written by it any more."""
        self._connection = None

    @property
    def connection(self) -> Connection:
        """Connection of the transaction, for the journal's own tables."""
        return self._open()

    def _open(self) -> Connection:
        if self._connection is None:
            raise IllegalCall("a writer was used after its transaction", hint="Use it inside the with block only.")
        return self._connection


def read_head(connection: Connection, *, lock: bool = False) -> Head:
    """Return the head; with `lock`, no other process can write before the transaction ends."""
    row = connection.execute(_LOCK_HEAD if lock else _READ_HEAD).first()
    if row is None:
        raise DamagedJournal("the journal's head is missing", hint="Stop, and open the journal again.")
    return Head(seq=row[0], hash=row[1], at_s=row[2])


def hash_at(connection: Connection, seq: int) -> str | None:
    """Return the hash of an entry; None where there is none of this number."""
    if seq == 0:
        return NOTHING_BEFORE
    return connection.execute(_HASH, {"at": seq}).scalar()


@dataclass(frozen=True, kw_only=True)
class EntryQuery:
    """Selection of entries: those beyond a number, of a run or a key where one is given, up to a limit."""

    after: int = 0
    run: str | None = None
    key: str | None = None
    limit: int | None = None


def made_of(
    read: Callable[[Callable[[Connection], tuple[list[StoredEntry], list[T]]]], tuple[list[StoredEntry], list[T]]],
    make: Callable[[Connection, list[StoredEntry]], list[T]],
    wanted: EntryQuery,
) -> Iterator[T]:
    """Yield what `make` makes of the rows, read a batch at a time: each call of `read` may use another connection."""

    def batch(connection: Connection) -> tuple[list[StoredEntry], list[T]]:
        rows = read_rows(connection, wanted)
        return rows, make(connection, rows)

    while wanted.limit is None or wanted.limit > 0:
        rows, results = read(batch)
        yield from results
        if len(rows) < BATCH:
            return
        left = None if wanted.limit is None else wanted.limit - len(rows)
        wanted = replace(wanted, after=rows[-1].seq, limit=left)


def read_rows(connection: Connection, wanted: EntryQuery) -> list[StoredEntry]:
    """Return the next rows as they are stored, a batch at most."""
    chosen: Select[*tuple[object, ...]] = _ROWS
    if wanted.run is not None:
        chosen = chosen.where(ENTRIES.c.run == wanted.run)
    if wanted.key is not None:
        chosen = chosen.where(ENTRIES.c.key == wanted.key)
    chosen = chosen.limit(BATCH if wanted.limit is None else min(wanted.limit, BATCH))
    return [StoredEntry(**row._mapping) for row in connection.execute(chosen, {"after": wanted.after})]


def entries_of(connection: Connection, rows: list[StoredEntry]) -> list[Entry]:
    """Return the entries that some rows hold, with names and personal values filled in."""
    names = [name for name in StoredEntry.__slots__ if name != "body"]
    return [
        Entry(**{name: getattr(row, name) for name in names}, event=event_of(row.kind, row.version, body))
        for row, body in zip(rows, filled(connection, rows), strict=True)
    ]
