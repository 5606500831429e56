"""Errors of databases as errors of handup: one cause, one next step, never a password or a person's words."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from handup.core import DamagedJournal, HandupError, StoreUnavailable

_GARBLED = "text that is no UTF-8"
_LOCKED = "Wait until the other program is done, or end it; nothing was changed."
_SQLITE = {
    sqlite3.SQLITE_PERM: ("may not be opened", "Check the permissions of the file."),
    sqlite3.SQLITE_BUSY: ("is locked by another program", _LOCKED),
    sqlite3.SQLITE_LOCKED: ("is locked by another program", _LOCKED),
    sqlite3.SQLITE_READONLY: (
        "may not be written",
        "Check the permissions of the file and of its folder; nothing was changed.",
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error",
        "Check the disk, its free space and its limits; nothing was changed.",
    ),
    sqlite3.SQLITE_FULL: ("has no room left on its disk", "Free some space; nothing was changed."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Check the permissions of the file and of its folder."),
    sqlite3.SQLITE_NOTADB: ("is a file, but no journal", "Name another file; this one is left as it is."),
}
_DAMAGED = {
    None,  # the sqlite3 module itself: text that is no UTF-8
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_SCHEMA,
}
_POSTGRES = {
    "55P03": ("is locked by another program", _LOCKED),
    "57014": ("did not answer in time", "Look at the server; nothing was changed."),
    "28P01": ("refuses the password", "Check user and password."),
    "28000": ("refuses this user", "Check the user and the server's pg_hba.conf."),
    "3D000": ("does not exist", "Create the database first: createdb."),
    "42501": ("does not permit this", "Grant the user the right to create and write tables."),
    "25006": ("may only be read", "Connect to the primary server, with a user who may write; nothing was changed."),
    "53100": ("has no room left on its disk", "Free some space on the server; nothing was changed."),
    "53300": ("has too many connections", "Close some, or raise max_connections."),
}


def sqlite_code(error: BaseException | None) -> int | None:
    """Return SQLite's primary result code of an error, or None where it is none of SQLite's."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def is_damage(error: DBAPIError) -> bool:
    """Return True if SQLite says that a file's bytes are not what it wrote. For errors of correct statements only."""
    return isinstance(error.orig, sqlite3.Error) and sqlite_code(error.orig) in _DAMAGED


def told(error: DBAPIError, shown: str) -> HandupError:
    """Return the error of handup for an error of the database."""
    if (code := sqlite_code(error.orig)) is not None:
        if code == sqlite3.SQLITE_CORRUPT or isinstance(error, IntegrityError):
            return _damaged(shown, str(error.orig))
        cause, hint = _SQLITE.get(code, (f"cannot be used: {error.orig}", "Check the file."))
        return StoreUnavailable(f"the store {shown} {cause}", hint=hint)
    if isinstance(error.orig, sqlite3.Error) and "UTF-8" in str(error.orig):
        return _damaged(shown, str(error.orig))
    if isinstance(error, IntegrityError):
        return _damaged(shown, "an entry with its number is there already")
    state = getattr(error.orig, "sqlstate", None)
    if state in _POSTGRES:
        cause, hint = _POSTGRES[state]
        return StoreUnavailable(f"the store {shown} {cause}", hint=hint)
    message = str(error.orig).strip()
    why = message.splitlines()[0].strip() if message else "no reason given"
    hint = "Check that the server runs and can be reached; nothing was changed."
    if "password authentication" in message:
        hint = "Check user and password."
    return StoreUnavailable(f"the store {shown} cannot be used: {why}", hint=hint)


def _damaged(shown: str, why: str) -> DamagedJournal:
    return DamagedJournal(
        f"the store {shown} is damaged: {why}",
        hint="Stop, close every program that uses it and open it again: it is then put aside and can be repaired.",
    )


class CommitUnsure(StoreUnavailable):
    """A commit that the database did not confirm: the entries may be there, or not."""

    def __init__(self, shown: str, told: HandupError) -> None:
        super().__init__(
            f"the store {shown} did not confirm what was written, so it may or may not have been added: {told.cause}",
            hint="Check the store, then read what is there before you write it again.",
        )
        self.told = told


@contextmanager
def telling(
    shown: str, apart_from: Callable[[DBAPIError], bool] = lambda _: False, *, ours: bool = True
) -> Iterator[None]:
    """Turn errors of the database inside the block into errors of handup, except some.

    Args:
        shown: Name of the store for people.
        apart_from: Test for the errors that stay as they are.
        ours: True if all code in the block is the journal's own.
    """
    try:
        yield
    except DBAPIError as error:
        if apart_from(error):
            raise
        raise told(error, shown) from None
    except UnicodeDecodeError:
        if not ours:
            raise
        # a damaged schema, which SQLite quotes and the sqlite3 module cannot read
        garbled = DatabaseError(None, None, sqlite3.DatabaseError(_GARBLED))
        if apart_from(garbled):
            raise garbled from None
        raise told(garbled, shown) from None
    except PoolTimeout:
        raise StoreUnavailable(
            f"the store {shown} is used by too many threads at once", hint="Use fewer, or wait; nothing was changed."
        ) from None
