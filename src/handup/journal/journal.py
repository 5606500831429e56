"""The journal: one append-only log of typed events, chained by hashes, that survives whatever its programs do not."""

from __future__ import annotations

import json
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from sqlalchemy import Connection, delete, func, insert, select

from handup.core import BadSetting, Body, Clock, HandupError, IllegalCall, StoreUnavailable
from handup.journal.chain import Row, canonical, digest
from handup.journal.clock import LONGEST_JUMP_S, WallClock
from handup.journal.entry import Entry, Erasure, Head, Snapshot, Verdict
from handup.journal.events import JournalErased
from handup.journal.failures import CommitUnsure
from handup.journal.holding import Hold, holding
from handup.journal.opening import open_store
from handup.journal.personal import check_text, filled, pseudonym_of
from handup.journal.schema import BESIDE, PEOPLE, SNAPSHOTS
from handup.journal.store import Store
from handup.journal.writer import Wanted, Writer, entries_of, hash_at, made_of, read_head

POLL_S = 0.05
"""How often a waiting process looks whether another one has written."""
LISTENING_S = 1.0
"""The same where the database says so by itself."""
TRY_AGAIN_S = 0.25
"""The pause before something is tried again that the store refused."""
LAST_ERASURE = ""
"""The name among the snapshots that marks the last erasure; no state from before it is kept."""
T = TypeVar("T")
_log = logging.getLogger("handup.journal")


class Journal:
    """Events in order, durable when `append` returns. Threads may share one; several processes may open one store.

    Open it after a fork, never before. Build one with `Journal.open`.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._turn = threading.Lock()
        self._writing_thread: int | None = None
        self._grown = threading.Condition()
        self._times_grown = 0
        self._closed = False
        self._process = os.getpid()

    @classmethod
    def open(
        cls,
        store: str | Path,
        *,
        clock: Clock | None = None,
        create: bool = True,
        readonly: bool = False,
        busy_timeout_s: float = 5.0,
        check: Literal["all", "head"] = "all",
    ) -> Journal:
        """Open a store, and check all of it unless it is only read.

        Args:
            store: The path of a file for SQLite, or a URL: `sqlite:///path`, `postgresql://user@host/name`.
            clock: Where the entries' times come from; the wall clock where it is None.
            create: Make the store where there is none.
            readonly: Change nothing, not even a damaged store.
            busy_timeout_s: So long a writer waits for another before it gives up.
            check: With "head", only that it is a journal of this revision and that its last entry is the one that was
                acknowledged: for what must not wait or fail because of something old, such as a stop. Damage
                elsewhere is then not found here, but by the next program that opens it.

        Raises:
            DamagedJournal: What the store holds is not what was written. It was put aside, and nothing opens in its
                place before a person has repaired it.
            NewerJournal: A newer handup wrote it.
            StoreUnavailable: It cannot be reached, read or written, or is not there.
            BadSetting: `store` names neither a file nor a database.
        """
        if not 0.0 <= busy_timeout_s < math.inf:
            raise BadSetting(f"a writer cannot wait for {busy_timeout_s} s", hint="Give a finite time.")
        if check not in {"all", "head"}:
            raise BadSetting(f"there is no check '{check}'", hint="Use 'all' or 'head'.")
        opened = open_store(
            store, create=create, readonly=readonly, busy_timeout_s=busy_timeout_s, head_only=check == "head"
        )
        journal = cls(opened, clock or WallClock())
        if not readonly:
            try:
                journal._look_at_the_clock()
            except HandupError:
                journal.close()
                raise
        return journal

    def _look_at_the_clock(self) -> None:
        ahead_s = self.head().at_s - self._clock.now_s()
        if ahead_s > LONGEST_JUMP_S:
            _log.warning(
                "the last entry of the journal %s is dated %.1f days ahead of the clock, and its time stands still "
                "until then. Check the machine's date; if that is right, begin a new journal.",
                self.store,
                ahead_s / 86_400,
            )

    @property
    def store(self) -> str:
        """What was opened, without a password."""
        return self._store.address.shown

    @property
    def clock(self) -> Clock:
        """Where the time comes from."""
        return self._clock

    @property
    def writing_here(self) -> bool:
        """Whether this thread is inside a transaction, and so cannot begin another one."""
        return self._writing_thread == threading.get_ident()

    def append(self, *events: object, run: str = "", key: str = "") -> list[Entry]:
        """Add events, all of them or none. They are durable when this returns.

        Raises:
            BadSetting: One of them is no event, or holds what cannot be kept.
            StoreUnavailable: The store cannot be written. Nothing was added, unless the error says that this cannot
                be told: the connection was lost during the commit, and could not be made again to look.
        """
        with self.writing() as writer:
            return [writer.append(event, run=run, key=key) for event in events]

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """One transaction, alone among all threads, processes and machines that use the store.

        What is read inside is still true when the transaction ends. It is committed at the end of the block; an
        exception takes all of it back. Keep it short: everybody else waits.

        Raises:
            StoreUnavailable: Another writer did not finish in time, or the store cannot be written.
            IllegalCall: This thread is inside such a block already, or the journal is closed or read only.
        """
        with self._alone():
            try:
                with self._store.writing() as connection:
                    writer = Writer(connection, self._clock)
                    try:
                        yield writer
                        writer.finish()
                        if writer.wrote:
                            self._store.about_to_commit(connection, writer.head)
                    finally:
                        writer.end()
            except CommitUnsure as unsure:
                self._settle(writer, unsure)
        if writer.wrote:
            self._store.committed(writer.head)
            self._wake()

    def _settle(self, writer: Writer, unsure: CommitUnsure) -> None:
        """Find out what became of a commit that was not confirmed; raise unless it is there."""
        kept = self._store.is_kept(writer.head) if writer.wrote else False
        if kept is None:
            raise unsure
        if not kept:
            raise unsure.told

    @contextmanager
    def _alone(self) -> Iterator[None]:
        me = threading.get_ident()
        self._check_open()
        if self._writing_thread == me:
            raise IllegalCall("a transaction is open in this thread already", hint="Use its writer inside the block.")
        if not self._turn.acquire(timeout=self._store.busy_timeout_s):
            raise StoreUnavailable(
                f"another thread has been writing to {self.store} for too long", hint="Keep transactions short."
            )
        self._writing_thread = me
        try:
            yield
        finally:
            self._writing_thread = None
            self._turn.release()

    def _read(self, of: Callable[[Connection], T]) -> T:
        self._check_open()
        return self._store.read(of)

    def _check_open(self) -> None:
        if self._process != os.getpid():
            raise IllegalCall(
                f"the journal {self.store} was opened before a fork", hint="Open it in the new process instead."
            )
        if self._closed:
            raise IllegalCall(f"the journal {self.store} is closed", hint="Open it again.")

    def _wake(self) -> None:
        with self._grown:
            self._times_grown += 1
            self._grown.notify_all()

    def read(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, limit: int | None = None
    ) -> Iterator[Entry]:
        """The entries beyond number `after`, in order; only those of a run or a key where one is given.

        Raises:
            BadRecord: No imported room knows the kind of an entry, or it is of a newer version. `rows` reads it.
        """
        yield from made_of(self._read, entries_of, Wanted(after=after, run=run, key=key, limit=limit))

    def rows(self, after: int = 0, *, run: str | None = None, key: str | None = None) -> Iterator[Row]:
        """The entries as they are stored, of whatever kind: for export and for tools older than the journal."""
        yield from made_of(self._read, lambda _, rows: rows, Wanted(after=after, run=run, key=key))

    def bodies(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, personal: bool = True
    ) -> Iterator[tuple[Row, Body]]:
        """The entries as they are stored, with names and personal values in their places, or left out."""

        def pairs(connection: Connection, rows: list[Row]) -> list[tuple[Row, Body]]:
            return list(zip(rows, filled(connection, rows, personal=personal), strict=True))

        yield from made_of(self._read, pairs, Wanted(after=after, run=run, key=key))

    def head(self) -> Head:
        """Where the journal stands."""
        return self._read(read_head)

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait for an entry beyond `after`: at once when this journal writes it, soon when another process does.

        Returns:
            True when there is one; False when the time is up.
        """
        until = time.monotonic() + timeout_s
        while self.head().seq <= after:
            if (left := until - time.monotonic()) <= 0:
                return False
            times = self._times_grown
            look_s = LISTENING_S if self._store.listen(self._wake) else POLL_S
            if self.head().seq > after:  # written before anybody listened
                return True
            with self._grown:
                if times == self._times_grown:
                    self._grown.wait(min(left, look_s))
        return True

    def holding(self, run: str) -> AbstractContextManager[Hold]:
        """Claim a run for as long as a block lasts, so that one program drives it; the claim ends with the program.

        A program that hangs or is suspended keeps its claim. So do children that it forked while it held it.

        Raises:
            IllegalCall: Another program has the claim. Raised on entering the block.
            StoreUnavailable: It cannot be asked for.
        """
        self._check_open()
        return holding(self._store, run)

    def patiently(self, do: Callable[[], T], for_s: float) -> T:
        """Do something that writes, again and again while the store is unavailable, for so many real seconds.

        Raises:
            StoreUnavailable: It was unavailable all the time.
        """
        until = time.monotonic() + for_s
        while True:
            try:
                return do()
            except StoreUnavailable:
                if time.monotonic() >= until:
                    raise
            time.sleep(TRY_AGAIN_S)

    def save_snapshot(self, name: str, seq: int, state: Mapping[str, Any]) -> None:
        """Keep a state that was built from all entries up to `seq`, in place of the last one of that name.

        It is not kept where somebody was erased after `seq`: it may still hold what was erased.

        Raises:
            BadSetting: There is no such entry, the name is empty, or the state is no plain JSON.
        """
        if not check_text(name, "snapshot's name"):
            raise BadSetting("a snapshot needs a name", hint="Name what it is the state of.")
        text = canonical(dict(state))
        with self._alone(), self._store.writing() as connection:
            read_head(connection, lock=True)
            if (made := hash_at(connection, seq)) is None:
                raise BadSetting(f"there is no entry {seq}", hint="Save a state that was built from the journal.")
            erased = connection.execute(select(SNAPSHOTS.c.seq).where(SNAPSHOTS.c.name == LAST_ERASURE)).scalar()
            if erased is None or seq >= erased:
                _put_snapshot(connection, name, seq, made, text)

    def snapshot(self, name: str) -> Snapshot | None:
        """The last state kept under a name. None where there is none, or it cannot be trusted: then replay."""

        def found(connection: Connection) -> Snapshot | None:
            row = connection.execute(select(SNAPSHOTS).where(SNAPSHOTS.c.name == name)).first()
            if row is None or row.digest != digest([name, row.seq, row.hash, row.state]):
                return None
            if row.hash != hash_at(connection, row.seq):
                return None
            return Snapshot(name=name, seq=row.seq, state=json.loads(row.state))

        return self._read(found)

    def erase(self, person: str) -> Erasure:
        """Erase a person's name and everything personal to them. The chain stays whole.

        In SQLite the bytes are gone from the store's files. A PostgreSQL server keeps them in its own write-ahead
        log until that is recycled, and in backups and replicas' archives until these are deleted. All snapshots are
        dropped, since they may hold the name. Programs that have the state in memory must build it again when they
        read the event. Under the same name the person is later somebody new.
        """
        with self.writing() as writer:
            connection = writer.connection
            known = pseudonym_of(connection, person)
            if known is not None:
                theirs = select(BESIDE.c.commitment).where(BESIDE.c.pseudonym == known)
                count = select(func.count(BESIDE.c.commitment.distinct())).where(BESIDE.c.pseudonym == known)
                values = connection.execute(count).scalar_one()
                connection.execute(delete(BESIDE).where(BESIDE.c.commitment.in_(theirs)))
                connection.execute(delete(PEOPLE).where(PEOPLE.c.pseudonym == known))
                connection.execute(delete(SNAPSHOTS))
                entry = writer.append(JournalErased(pseudonym=known, values=values), key=known)
                _put_snapshot(connection, LAST_ERASURE, entry.seq, entry.hash, "{}")
        with self._alone():
            scrubbed = self._store.scrub()
        if known is None:
            return Erasure(pseudonym=None, values=0, scrubbed=scrubbed, kept_in=self._store.kept_in())
        return Erasure(pseudonym=known, values=values, seq=entry.seq, scrubbed=scrubbed, kept_in=self._store.kept_in())

    def verify(self) -> Verdict:
        """Check everything: the file, the chain, the head, what lies beside. Knows no kinds of events."""
        self._check_open()
        return self._store.verify()

    def close(self) -> None:
        """Let go of the store. Safe to call twice."""
        if self._closed or self._process != os.getpid():  # after a fork it is still the parent's
            return
        self._closed = True
        self._wake()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _put_snapshot(connection: Connection, name: str, seq: int, made: str, text: str) -> None:
    connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.name == name))
    kept = digest([name, seq, made, text])
    connection.execute(insert(SNAPSHOTS), {"name": name, "seq": seq, "hash": made, "state": text, "digest": kept})
