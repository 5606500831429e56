"""A store in a database of PostgreSQL: writers queue for the head's row, waiting processes listen."""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, cast

from sqlalchemy import Connection, Engine, bindparam, create_engine, event, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from handup.core import DamagedJournal, HandupError, MissingExtra, StoreUnavailable
from handup.journal import schema
from handup.journal.address import StoreAddress
from handup.journal.check import inspect_chain, inspect_head
from handup.journal.entry import ChainVerdict, Head
from handup.journal.failures import telling
from handup.journal.store import Store

CHANNEL = "handup_journal"
CONNECT_TIMEOUT_S = 5
IDLE_TIMEOUT_S = 30
"""Seconds after which the server ends the transaction of a program that hangs, so that the others can go on."""
_MIGRATING = 0x68616E647570
_NOTIFY = select(func.pg_notify(CHANNEL, bindparam("seq")))
_SETTINGS = """SELECT
  set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
    ELSE current_setting('synchronous_commit') END, false),
  set_config('lock_timeout', %s, false), set_config('idle_in_transaction_session_timeout', %s, false),
  set_config('default_transaction_read_only', %s, false)"""


def postgres_engine(address: StoreAddress, *, readonly: bool, busy_timeout_s: float) -> Engine:
    """Return an engine for a database. Parameters of the URL take precedence over the defaults here.

    Raises:
        MissingExtra: The driver is not installed.
    """
    assert address.url is not None
    general = {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "handup"}
    alive = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 11_000}
    defaults = {name: value for name, value in (general | alive).items() if name not in address.url.query}
    try:
        engine = create_engine(
            address.url,
            connect_args={**defaults, "client_encoding": "utf8"},
            hide_parameters=True,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            max_overflow=20,
        )
    except ModuleNotFoundError:
        raise MissingExtra.of("postgres", "a journal in PostgreSQL") from None

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        limits = (f"{max(1, round(busy_timeout_s * 1000))}ms", f"{IDLE_TIMEOUT_S}s", "on" if readonly else "off")
        connection.execute(_SETTINGS, limits)
        connection.commit()

    return engine


def open_postgres(
    address: StoreAddress, *, create: bool, readonly: bool, busy_timeout_s: float, head_only: bool = False
) -> Store:
    """Open a database for a journal: make the tables or bring them up to date, then check all of it, or its head.

    A damaged one stays where it is and is refused every time, since a database cannot be put aside.
    """
    engine = postgres_engine(address, readonly=readonly, busy_timeout_s=busy_timeout_s)
    store = PostgresStore(address, engine, readonly=readonly, busy_timeout_s=busy_timeout_s)
    try:
        revision = store.read(schema.revision_of)
        schema.check_known(revision, address.shown)
        if revision is None and (readonly or not create):
            raise StoreUnavailable(f"there is no journal in {address.shown}", hint="Check the name of the database.")
        if readonly:
            schema.check_current(revision, address.shown)
        elif revision != schema.REVISION:
            _migrate(store)
        if not readonly and not (verdict := store.read(inspect_head) if head_only else store.verify()).ok:
            raise DamagedJournal(
                f"the journal {address.shown} is damaged: {verdict.why}",
                hint="Keep the robot stopped and restore the database from a backup, or use another one.",
            )
    except HandupError:
        store.close()
        raise
    return store


def _migrate(store: Store) -> None:
    with store.writing() as connection:
        if connection.execute(text("SHOW server_encoding")).scalar() != "UTF8":
            raise StoreUnavailable(
                f"the database {store.address.shown} cannot hold every letter", hint="Make it with: createdb -E UTF8."
            )
        connection.execute(select(func.pg_advisory_xact_lock(_MIGRATING)))
        if schema.revision_of(connection) != schema.REVISION:  # another program may have done it meanwhile
            schema.migrate(connection)


class PostgresStore(Store):
    """An open database of PostgreSQL."""

    def __init__(self, address: StoreAddress, engine: Engine, *, readonly: bool, busy_timeout_s: float) -> None:
        super().__init__(address, engine, readonly=readonly, busy_timeout_s=busy_timeout_s)
        self._listener: _Listener | None = None
        self._starting = threading.Lock()
        self._closed = False

    def verify(self) -> ChainVerdict:
        """Check the tables, all of them as they were at one moment."""
        with (
            telling(self.address.shown),
            self.engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection,
        ):
            return inspect_chain(connection)

    def about_to_commit(self, connection: Connection, head: Head) -> None:
        """Notify listening processes; the server does so at the commit."""
        connection.execute(_NOTIFY, {"seq": str(head.seq)})

    def listen(self, told: Callable[[], None]) -> bool:
        """Call `told` from a thread with a connection of its own, from the first call on."""
        from psycopg import OperationalError  # noqa: PLC0415  an extra

        with self._starting:
            if self._closed:
                return False
            if self._listener is None or not self._listener.is_alive():
                if self._listener is not None:
                    self._listener.close()
                    self._listener = None
                try:
                    self._listener = _Listener(self.engine, told)
                except (OperationalError, PoolTimeout):
                    return False  # the server is away, and the next look at the head says so
                self._listener.start()
        return True

    def scrub(self) -> bool:
        """Rewrite the tables without their deleted rows. The server's log and backups still hold them for a time."""
        try:
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                for table in (schema.PEOPLE, schema.BESIDE, schema.SNAPSHOTS):
                    connection.execute(text(f"VACUUM FULL {table.name}"))
        except DBAPIError:
            return False  # another program holds a table: the next erasure tries again
        return True

    def close(self) -> None:
        """Stop listening and close the connections."""
        with self._starting:
            self._closed = True
            if self._listener is not None:
                self._listener.close()
                self._listener = None
        super().close()


class _Listener(threading.Thread):
    """Thread that waits for the server's notices of new entries; it ends with its connection."""

    def __init__(self, engine: Engine, told: Callable[[], None]) -> None:
        super().__init__(name="handup-journal-listener", daemon=True)
        self._told = told
        borrowed = engine.raw_connection()
        self._connection = cast(Any, borrowed.driver_connection)
        borrowed.detach()
        with ExitStack() as at_failure:
            at_failure.callback(self._connection.close)
            self._connection.autocommit = True
            self._connection.execute(f"LISTEN {CHANNEL}")
            self._ending, self._end = os.pipe()
            at_failure.pop_all()

    def run(self) -> None:
        """Listen until closed."""
        from psycopg import Error  # noqa: PLC0415  an extra

        try:
            with selectors.DefaultSelector() as either:
                either.register(self._connection.fileno(), selectors.EVENT_READ)
                either.register(self._ending, selectors.EVENT_READ)
                while all(key.fd != self._ending for key, _ in either.select()):
                    for _ in self._connection.notifies(timeout=0):
                        pass
                    self._told()
        except Error:
            return  # the connection is gone; the next call of `listen` starts another listener

    def close(self) -> None:
        """End the thread and its connection."""
        os.close(self._end)
        self.join()
        os.close(self._ending)
        self._connection.close()
