"""Opening of a store: find it, make it, bring it up to date, check all of it; put a damaged one aside."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from handup.core import DamagedJournal, HandupError, StoreUnavailable
from handup.core.files import sync_folder, written_whole
from handup.journal import schema
from handup.journal.address import StoreAddress, address_of
from handup.journal.failures import is_damage, telling
from handup.journal.files import LOOK_S, PRIVATE, Lock, Witness, beside, parts_of, put_aside, refuse_if_stopped
from handup.journal.postgres import open_postgres
from handup.journal.schema import migrate
from handup.journal.sqlite import (
    APPLICATION,
    TRIES,
    ReadOnlySqliteStore,
    SqliteStore,
    changing,
    has_log,
    passing_engine,
    sqlite_engine,
    trace,
    verdict_of,
)
from handup.journal.store import Store
from handup.journal.writer import read_head


def open_store(
    store: str | Path, *, create: bool, readonly: bool, busy_timeout_s: float, head_only: bool = False
) -> Store:
    """Open a store for a journal. Arguments and errors are those of `Journal.open`."""
    address = address_of(store)
    if address.path is None:
        return open_postgres(
            address, create=create, readonly=readonly, busy_timeout_s=busy_timeout_s, head_only=head_only
        )
    try:
        if readonly:
            return _open_to_read(address, address.path, busy_timeout_s)
        return _open_to_write(address, address.path, create, busy_timeout_s, head_only)
    except OSError as error:
        raise StoreUnavailable(
            f"the store {address.shown} cannot be used: {error.strerror}", hint="Check the path and its permissions."
        ) from None


def _open_to_read(address: StoreAddress, path: Path, busy_timeout_s: float) -> Store:
    refuse_if_stopped(path)
    if not path.exists():
        raise _missing(path)
    if path.is_dir():
        raise _no_journal(path, "a folder")
    if path.stat().st_size == 0:
        raise _damaged(path, "it is empty") if Witness(path).there() else _no_journal(path, "empty")
    try:
        revision = identify(path, busy_timeout_s)
    except DBAPIError as error:
        raise _damaged(path, f"SQLite says {error.orig}") from None
    schema.check_current(revision, str(path))
    return ReadOnlySqliteStore(address, path, busy_timeout_s=busy_timeout_s)


def identify(path: Path, busy_timeout_s: float) -> str:
    """Return the revision of a store that others may be writing to just now.

    A store without a write-ahead log is read as a file that nobody changes, which leaves no files beside it. An error
    of such a read is believed only if the next read fails on the same file: the clock of a file system is coarse, so a
    change may leave no trace.
    """
    seen: object = None
    for _ in range(TRIES):
        before, logged = seen, has_log(path)
        seen = (trace(path), logged)
        try:
            return _identify(path, "ro" if logged else "ro&immutable=1", busy_timeout_s)
        except (DamagedJournal, StoreUnavailable, DBAPIError) as error:
            if (trace(path), has_log(path)) != seen or not (logged or before == seen):
                continue
            if logged and isinstance(error, StoreUnavailable) and not os.access(path.parent, os.W_OK):
                raise StoreUnavailable(
                    f"the log of the store {path} cannot be read in a folder that may not be written",
                    hint="Copy the store, with all files that are named after it, and open the copy.",
                ) from None
            raise
    raise StoreUnavailable(f"the store {path} changes all the time", hint="Try again.")


def _open_to_write(address: StoreAddress, path: Path, create: bool, busy_timeout_s: float, head_only: bool) -> Store:
    _check_place(path)
    refuse_if_stopped(path)
    if not path.exists() and not Witness(path).there() and not create:
        raise _missing(path)
    if path.exists() and not Witness(path).there():
        _check_ours(path, busy_timeout_s)
    with ExitStack() as at_failure:
        lock = Lock(path)
        at_failure.callback(lock.close)
        lock.share(busy_timeout_s)
        refuse_if_stopped(path)
        _make_if_missing(path, lock, create, busy_timeout_s)
        _check(path, lock, busy_timeout_s, head_only)
        store = SqliteStore(
            address, path, sqlite_engine(path, "rw", busy_timeout_s=busy_timeout_s), lock, busy_timeout_s=busy_timeout_s
        )
        at_failure.callback(store.close)
        store.committed(store.read(read_head))
        at_failure.pop_all()
        return store


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise _no_journal(path, "a folder")
    if not path.parent.is_dir():
        raise StoreUnavailable(f"there is no folder {path.parent}", hint="Make it first, or check the path.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreUnavailable(
            f"the folder {path.parent} may not be written", hint="Check its permissions, or open it to read only."
        )
    for file in (*parts_of(path), beside(path, ".lock"), Witness(path).path):
        if file.exists() and not os.access(file, os.R_OK | os.W_OK):
            raise StoreUnavailable(
                f"the file {file} may not be read and written",
                hint="Check its owner and permissions; nothing was changed.",
            )


def _check_ours(path: Path, busy_timeout_s: float) -> None:
    """Refuse a file that is no journal, before anything is put beside it."""
    if path.stat().st_size == 0:
        raise _no_journal(path, "empty")
    with suppress(DBAPIError):  # a damaged journal: put aside later, under the lock
        identify(path, busy_timeout_s)


def _make_if_missing(path: Path, lock: Lock, create: bool, busy_timeout_s: float) -> None:
    if path.exists():
        return
    if Witness(path).there():
        raise put_aside(path, "it is missing, though there was one", lock)
    if not create:
        raise _missing(path)
    until = time.monotonic() + busy_timeout_s
    while not path.exists():  # another program may be making it
        if lock.alone():
            if not path.exists():  # made between the look and the lock
                make_store(path, busy_timeout_s)
        elif time.monotonic() > until:
            raise StoreUnavailable(f"the store {path} is in use, but missing", hint="Close the programs that use it.")
        else:
            time.sleep(LOOK_S)
    lock.share(busy_timeout_s)


def make_store(path: Path, busy_timeout_s: float, fill: Callable[[Connection], None] = lambda _: None) -> None:
    """Make a store under another name and rename it, so that it is complete or missing. Hold the lock alone.

    Args:
        path: The store.
        busy_timeout_s: Seconds to wait for other programs.
        fill: Function that writes the first rows.
    """
    passing = path.with_name(f".{path.name}.new")
    for file in parts_of(passing):
        file.unlink(missing_ok=True)
    passing.touch(mode=PRIVATE, exist_ok=False)  # SQLite gives its own files the same permissions
    try:
        with changing(passing, path, busy_timeout_s=busy_timeout_s) as connection:
            connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION}")
            migrate(connection)
            fill(connection)
        passing.rename(path)
        sync_folder(path.parent)
    finally:
        for file in parts_of(passing):
            file.unlink(missing_ok=True)


def _check(path: Path, lock: Lock, busy_timeout_s: float, head_only: bool) -> None:
    """Check a store, all of it or its head, and bring it up to date; put a damaged one aside.

    Looks with connections that only read, since one that writes would clear the log away when it is closed.
    """
    try:
        if path.stat().st_size == 0:
            raise put_aside(path, "it is empty", lock)
        if identify(path, busy_timeout_s) != schema.REVISION:
            _bring_up_to_date(path, lock, busy_timeout_s)
    except DBAPIError as error:
        raise put_aside(path, f"SQLite says {error.orig}", lock) from None
    with passing_engine(path, "ro", busy_timeout_s=busy_timeout_s) as engine:
        verdict = verdict_of(path, engine, str(path), head_only=head_only)
    if not verdict.ok:
        raise put_aside(path, verdict.why, lock)


def _identify(path: Path, mode: str, busy_timeout_s: float) -> str:
    """Return the revision of a store's tables.

    Raises:
        StoreUnavailable: It is another program's file.
        NewerJournal: A newer handup wrote it.
        DBAPIError: It is a journal, and damaged.
    """
    ours = Witness(path).there()

    def damaged(error: DBAPIError) -> bool:
        return ours and is_damage(error)

    with (
        passing_engine(path, mode, busy_timeout_s=busy_timeout_s) as engine,
        telling(str(path), apart_from=damaged),
        engine.connect() as connection,
    ):
        application = connection.exec_driver_sql("PRAGMA application_id").scalar()
        if application != APPLICATION and not ours:
            raise _no_journal(path, "a database of something else")
        ours = True
        revision = schema.revision_of(connection)
        if revision is None or application != APPLICATION:
            raise _Unmarked(sqlite3.DatabaseError("the file is not marked as a journal any more"))
        schema.check_known(revision, str(path))
        return revision


class _Unmarked(DBAPIError):
    """Error of a file that is not marked as a journal, while the witness file beside it says that it is one."""

    def __init__(self, orig: Exception) -> None:
        super().__init__(None, None, orig)


def _bring_up_to_date(path: Path, lock: Lock, busy_timeout_s: float) -> None:
    until = time.monotonic() + busy_timeout_s
    while (revision := identify(path, busy_timeout_s)) != schema.REVISION:  # another program may be doing it
        if lock.alone():
            if identify(path, busy_timeout_s) == revision:
                upgrade(path, revision, busy_timeout_s)
        elif time.monotonic() > until:
            raise StoreUnavailable(
                f"the store {path} must be brought up to date, and another program has it open",
                hint="Close every program that uses it, then open it again; nothing was changed.",
            )
        else:
            time.sleep(LOOK_S)
    lock.share(busy_timeout_s)


def upgrade(path: Path, revision: str, busy_timeout_s: float) -> None:
    """Bring a store up to date, with a copy beside it. Hold the lock alone."""
    _copy(path, revision, busy_timeout_s)
    with changing(path, path, busy_timeout_s=busy_timeout_s) as connection:
        migrate(connection)


def _copy(path: Path, revision: str, busy_timeout_s: float) -> None:
    """Put a copy beside a store before it is changed."""
    number = 1
    while (copy := beside(path, f".before-{revision}" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    with (
        telling(str(path)),
        passing_engine(path, "ro", busy_timeout_s=busy_timeout_s) as engine,
        engine.connect() as connection,
        written_whole(copy, PRIVATE) as passing,
        closing(sqlite3.connect(passing)) as target,
    ):
        source = connection.connection.driver_connection
        assert isinstance(source, sqlite3.Connection)
        source.backup(target)


def _missing(path: Path) -> HandupError:
    if Witness(path).there():
        return _damaged(path, "it is missing, though there was one")
    return StoreUnavailable(f"there is no journal at {path}", hint="Check the path.")


def _no_journal(path: Path, what: str) -> StoreUnavailable:
    return StoreUnavailable(f"{path} is {what}, no journal", hint="Name another file; this one is left as it is.")


def _damaged(path: Path, why: str) -> DamagedJournal:
    return DamagedJournal(
        f"the journal {path} is damaged: {why}",
        hint=f"Stop what runs on it; opened to write it is put aside, then run: handup journal repair {path}.",
    )
