"""Claims on runs: one program at a time drives a run, by a claim that ends with the program, however that ends.

On SQLite the claim is a lock on a file beside the store, on PostgreSQL an advisory lock of a connection of its own. The
operating system or the server lets go of it when the program ends. A program that hangs, or is suspended, keeps it.
"""

from __future__ import annotations

import fcntl
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

from sqlalchemy import Connection, bindparam, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from handup.core import IllegalCall, StoreUnavailable
from handup.journal.failures import telling
from handup.journal.files import PRIVATE, beside
from handup.journal.store import Store

GRACE_S = 1.0
"""Seconds for which a claim is tried: a server needs a moment to notice that the last program was killed."""
LOOK_S = 0.05
"""Seconds between two attempts."""
_TAKE = select(func.pg_try_advisory_lock(bindparam("key")))
_HELD = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted AND objsubid = 1 "
    "AND classid::bigint = :high AND objid::bigint = :low"
)
_NOTICE = text(
    "SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false), "
    "set_config('tcp_keepalives_count', '3', false)"
)
"""A computer that loses power does not close its connection; with these settings the server notices in 25 s."""


class Hold(ABC):
    """The claim of a program on a run, from `Journal.holding`.

    Args:
        name: The run.
        store: The store of its journal.
    """

    def __init__(self, name: str, store: Store) -> None:
        self._name = name
        self._store = store
        self._digest = sha256(name.encode("utf-8", "surrogatepass")).digest()

    def take(self) -> None:
        """Take the claim.

        Raises:
            IllegalCall: Another program has it.
            StoreUnavailable: It cannot be asked for.
        """
        until = time.monotonic() + GRACE_S
        while not self._try():
            if time.monotonic() >= until:
                raise IllegalCall(
                    f"another program drives run '{self._name}'",
                    hint="Let one program drive a run: end it first; one that hangs has to be killed.",
                )
            time.sleep(LOOK_S)

    def check(self) -> None:
        """Make sure of the claim before a step that only one program may take. A lost claim is taken again, if free.

        Raises:
            IllegalCall: It was lost, and another program has it.
            StoreUnavailable: It was lost and cannot be asked for.
        """
        if not self._held():
            self.take()

    @abstractmethod
    def drop(self) -> None:
        """Give the claim up. Safe to call twice."""

    @abstractmethod
    def _try(self) -> bool:
        """Take the claim, if nobody else has it."""

    @abstractmethod
    def _held(self) -> bool:
        """Return True while it is still ours."""


@contextmanager
def holding(store: Store, name: str) -> Iterator[Hold]:
    """Claim a run for as long as the block lasts."""
    hold = _HoldOnFile(name, store) if store.address.path is not None else _HoldOnServer(name, store)
    try:
        hold.take()
        yield hold
    finally:
        hold.drop()


class _HoldOnFile(Hold):
    """A claim by a locked file. It is removed before it is unlocked, so a lock on a removed file is no claim."""

    def __init__(self, name: str, store: Store) -> None:
        super().__init__(name, store)
        assert store.address.path is not None
        self._path = beside(store.address.path, f".run-{self._digest.hex()[:16]}.lock")
        self._file = -1

    def _try(self) -> bool:
        self.drop()
        while True:
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
            except OSError as error:
                raise StoreUnavailable(
                    f"beside the store {self._store.address.shown} no file can be made: {error.strerror}",
                    hint="Check the permissions of the folder; nothing was changed.",
                ) from None
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                return False
            self._file = file
            if self._held():
                return True
            self.drop()

    def _held(self) -> bool:
        if self._file < 0:
            return False
        try:
            return os.path.samestat(os.fstat(self._file), self._path.stat())
        except FileNotFoundError:
            return False

    def drop(self) -> None:
        if self._file >= 0:
            if self._held():
                with suppress(OSError):  # a file that stays is locked by nobody
                    self._path.unlink()
            fcntl.flock(self._file, fcntl.LOCK_UN)  # also where a child of this program has inherited the file
            os.close(self._file)
            self._file = -1


class _HoldOnServer(Hold):
    """A claim by an advisory lock of PostgreSQL, on one connection of its own: poolers that share one lose it."""

    _connection: Connection | None = None

    def _try(self) -> bool:
        self.drop()
        with telling(self._store.address.shown):
            connection = self._store.engine.connect()
            self._connection = connection
            connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.detach()
            connection.execute(_NOTICE)
            taken = connection.execute(_TAKE, {"key": int.from_bytes(self._digest[:8], signed=True)}).scalar()
        if not taken:
            self.drop()
        return bool(taken)

    def _held(self) -> bool:
        if self._connection is None:
            return False
        try:
            halves = {"high": int.from_bytes(self._digest[:4]), "low": int.from_bytes(self._digest[4:8])}
            return bool(self._connection.execute(_HELD, halves).scalar())
        except SQLAlchemyError:
            return False  # the connection is gone, and the claim with it

    def drop(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with suppress(SQLAlchemyError):  # it ends with its connection in any case
                connection.close()
