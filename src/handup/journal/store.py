"""The database under a journal, as far as SQLite and PostgreSQL agree; each has a file of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Connection, Engine

from handup.core import DamagedJournal, IllegalCall, StoreUnavailable
from handup.journal.address import StoreAddress
from handup.journal.check import inspect_chain
from handup.journal.entry import ChainVerdict, Head
from handup.journal.failures import CommitUnsure, telling
from handup.journal.writer import hash_at, read_head

T = TypeVar("T")
AGAIN_S = 0.1
"""Seconds between two looks for an unconfirmed commit in a store that is away."""
WRITES = "writes"
"""Execution option of a connection whose transactions may write."""


class Store:
    """An open database with checked tables. Use one per process: it does not survive a fork."""

    def __init__(self, address: StoreAddress, engine: Engine, *, readonly: bool, busy_timeout_s: float) -> None:
        self.address = address
        self.engine = engine
        self.readonly = readonly
        self.busy_timeout_s = busy_timeout_s

    def read(self, of: Callable[[Connection], T]) -> T:
        """Return what a function reads within one transaction. It is called again if the store changed meanwhile."""
        with telling(self.address.shown), self.engine.connect() as connection:
            return of(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that may write; it is committed at the end of the block, or taken back on an exception.

        Raises:
            CommitUnsure: The commit was not confirmed; `is_kept` can tell whether it happened.
        """
        if self.readonly:
            raise IllegalCall(
                f"the journal {self.address.shown} was opened for reading only", hint="Open it without readonly."
            )
        committing = False
        try:
            with (
                telling(self.address.shown, ours=False),
                self.engine.connect().execution_options(**{WRITES: True}) as connection,
                connection.begin(),
            ):
                yield connection
                committing = True
        except (StoreUnavailable, DamagedJournal) as error:
            if committing:
                raise CommitUnsure(self.address.shown, error) from None
            raise

    def is_kept(self, head: Head) -> bool | None:
        """Return True if a transaction that was to end at this head was committed; None where the store is away.

        Looks while it holds the lock that every writer needs, so that the transaction can no longer be under way.
        """
        until = time.monotonic() + self.busy_timeout_s
        while True:
            try:
                with self.writing() as connection:
                    read_head(connection, lock=True)
                    return hash_at(connection, head.seq) == head.hash
            except StoreUnavailable:
                if time.monotonic() >= until:
                    return None
                time.sleep(AGAIN_S)

    def about_to_commit(self, connection: Connection, head: Head) -> None:
        """Hook before the commit of a transaction that ends at this head."""

    def committed(self, head: Head) -> None:
        """Hook after the commit of a transaction that ends at this head."""

    def verify(self) -> ChainVerdict:
        """Check the tables, and the file where there is one."""
        return self.read(inspect_chain)

    def listen(self, told: Callable[[], None]) -> bool:
        """Call `told` whenever another process may have written. False where the caller has to look instead."""
        return False

    def scrub(self) -> bool:
        """Remove the bytes of deleted rows from the store's files. False where another program prevents it now."""
        return True

    def kept_in(self) -> tuple[str, ...]:
        """Return files beside the store that are older copies of it."""
        return ()

    def close(self) -> None:
        """Close the connections to the database."""
        self.engine.dispose()
