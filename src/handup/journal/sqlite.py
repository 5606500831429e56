"""A store in a file of SQLite: write-ahead log, full sync, one writer at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from handup.core import HandupError, StoreUnavailable
from handup.journal.address import StoreAddress
from handup.journal.check import behind, inspect_chain, inspect_head
from handup.journal.entry import ChainVerdict, Head
from handup.journal.failures import is_damage, telling, told
from handup.journal.files import Lock, Witness, beside
from handup.journal.store import WRITES, Store

T = TypeVar("T")
APPLICATION = 0x48555030
"""SQLite's application id of a journal: the letters HUP0."""
TRIES = 5
"""Most readings of a file that changes meanwhile."""


def sqlite_engine(path: Path, mode: str, *, busy_timeout_s: float) -> Engine:
    """Return an engine for a file. `mode` is SQLite's: rw, ro, or ro&immutable=1 for a file that nobody changes."""
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    writes = mode.startswith("rw")

    def connect() -> sqlite3.Connection:
        # isolation_level=None: the sqlite3 module then leaves transactions to us, which "begin" below opens.
        return sqlite3.connect(
            uri, uri=True, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False, cached_statements=64
        )

    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=4, max_overflow=-1, hide_parameters=True
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        if writes:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=ON")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writing = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


@contextmanager
def passing_engine(path: Path, mode: str, *, busy_timeout_s: float) -> Iterator[Engine]:
    """Open an engine for as long as a block lasts."""
    engine = sqlite_engine(path, mode, busy_timeout_s=busy_timeout_s)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def changing(path: Path, shown: Path, *, busy_timeout_s: float) -> Iterator[Connection]:
    """Open a transaction that may write, in a file that nobody else has open; its log is gone at the end.

    Args:
        path: The file.
        shown: Name of the file in errors.
        busy_timeout_s: Seconds to wait for other programs.
    """
    with (
        telling(str(shown)),
        passing_engine(path, "rw", busy_timeout_s=busy_timeout_s) as engine,
        engine.connect().execution_options(**{WRITES: True}) as connection,
        connection.begin(),
    ):
        yield connection


class SqliteStore(Store):
    """A file that is open to read and write, under its lock. The witness is written after every commit."""

    def __init__(self, address: StoreAddress, path: Path, engine: Engine, lock: Lock, *, busy_timeout_s: float) -> None:
        super().__init__(address, engine, readonly=False, busy_timeout_s=busy_timeout_s)
        self._path = path
        self._lock = lock
        self._witness = Witness(path)
        self._file = path.stat().st_ino

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that may write, in the file that was opened and no other."""
        if not self._path.exists() or self._path.stat().st_ino != self._file:
            raise StoreUnavailable(
                f"the file of the store {self.address.shown} was moved or deleted while it was open",
                hint="Stop, put it back with all files beside it, and open it again.",
            )
        with super().writing() as connection:
            yield connection

    def committed(self, head: Head) -> None:
        """Write the witness."""
        with suppress(OSError):  # the entry is durable already, and a witness may lag behind
            self._witness.write(head)

    def verify(self) -> ChainVerdict:
        """Check the file, the tables and the witness."""
        return verdict_of(self._path, self.engine, self.address.shown)

    def scrub(self) -> bool:
        """Rewrite the file without its deleted rows, and empty the log."""
        with telling(self.address.shown), self.engine.connect() as connection:
            raw = cast(Any, connection.connection.driver_connection)  # VACUUM does not work in a transaction
            try:
                emptied = _truncate(raw)
                raw.execute("VACUUM")
                return _truncate(raw) and emptied
            except sqlite3.OperationalError:
                return False  # another program is using it: the next erasure tries again
            except sqlite3.DatabaseError as error:  # not through SQLAlchemy, which would wrap it
                raise told(DBAPIError(None, None, error), self.address.shown) from None

    def kept_in(self) -> tuple[str, ...]:
        """Return damaged stores that were put aside, and copies from before a migration."""
        names = (f"{self._path.name}.damaged-", f"{self._path.name}.before-")
        return tuple(sorted(str(file) for file in self._path.parent.iterdir() if file.name.startswith(names)))

    def close(self) -> None:
        """Close the file and release the lock."""
        super().close()
        self._witness.close()
        self._lock.close()


class ReadOnlySqliteStore(Store):
    """A file that is only read; nothing is left beside it.

    SQLite makes files of its own beside a database that it reads, unless told that nobody changes it. So as long as
    there is no write-ahead log the file is read as one that nobody changes, and read again if it was changed all the
    same.
    """

    def __init__(self, address: StoreAddress, path: Path, *, busy_timeout_s: float) -> None:
        self._path = path
        self._seen: object = None
        self._immutable = False
        super().__init__(address, self._look(busy_timeout_s), readonly=True, busy_timeout_s=busy_timeout_s)

    def _look(self, busy_timeout_s: float) -> Engine:
        self._seen, self._immutable = trace(self._path), not has_log(self._path)
        mode = "ro&immutable=1" if self._immutable else "ro"
        return sqlite_engine(self._path, mode, busy_timeout_s=busy_timeout_s)

    def read(self, of: Callable[[Connection], T]) -> T:
        """Return what a function reads; it is called again where the file changed meanwhile."""
        read = super().read
        return self._again(lambda: read(of))

    def verify(self) -> ChainVerdict:
        """Check the file, the tables and the witness."""
        return self._again(lambda: verdict_of(self._path, self.engine, self.address.shown))

    def _again(self, look: Callable[[], T]) -> T:
        for _ in range(TRIES):
            try:
                result = look()
            except HandupError:
                if not self._changed():
                    raise
            else:
                if not self._changed():
                    return result
            self.engine.dispose()
            self.engine = self._look(self.busy_timeout_s)
        return look()

    def _changed(self) -> bool:
        return self._immutable and (has_log(self._path) or trace(self._path) != self._seen)


def has_log(path: Path) -> bool:
    """Return True if there is a write-ahead log that is not empty."""
    log = beside(path, "-wal")
    return log.exists() and log.stat().st_size > 0


def trace(path: Path) -> object:
    """Return a value that differs once a file was changed."""
    status = path.stat() if path.exists() else None
    return status and (status.st_ino, status.st_size, status.st_mtime_ns)


def _truncate(raw: Any) -> bool:
    busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def verdict_of(path: Path, engine: Engine, shown: str, *, head_only: bool = False) -> ChainVerdict:
    """Check a store of SQLite: the file by SQLite itself, the tables, and the witness; or head and witness only.

    Raises:
        StoreUnavailable: It cannot be read for another reason than damage.
    """
    witnessed = Witness(path).read()  # before the store: it may grow meanwhile
    try:
        with telling(shown, apart_from=is_damage), engine.connect() as connection:
            result = "ok" if head_only else connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
            if result != "ok":
                return ChainVerdict(ok=False, entries=0, why=f"SQLite finds {str(result).splitlines()[-1].strip()}")
            verdict = inspect_head(connection) if head_only else inspect_chain(connection)
            return behind(connection, witnessed) or verdict if verdict.ok else verdict
    except DBAPIError as error:
        return ChainVerdict(ok=False, entries=0, why=f"SQLite says {error.orig}")
