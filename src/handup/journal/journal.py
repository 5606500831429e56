"""The journal: one append-only log of typed events, chained by hashes, that outlives the programs that write it."""

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

from handup.core import Body, Clock, HandupError, IllegalCall, MissingSetting, OutOfRange, StoreUnavailable, UnknownName
from handup.journal.chain import StoredEntry, canonical, digest
from handup.journal.clock import LONGEST_JUMP_S, WallClock
from handup.journal.entry import ChainVerdict, Entry, Erasure, Head, Snapshot
from handup.journal.events import JournalErased
from handup.journal.failures import CommitUnsure
from handup.journal.opener import open_store
from handup.journal.personal import check_text, filled, pseudonym_of
from handup.journal.run_claim import Hold, holding
from handup.journal.schema import BESIDE, PEOPLE, SNAPSHOTS
from handup.journal.store import Store
from handup.journal.writer import EntryQuery, Writer, entries_of, hash_at, made_of, read_head

POLL_S = 0.05
"""Seconds between two looks of a waiting process for entries of another one."""
LISTENING_S = 1.0
"""The same where the database announces entries by itself."""
TRY_AGAIN_S = 0.25
"""Pause in seconds before another attempt at something that the store refused."""
LAST_ERASURE = ""
"""Name of the snapshot that marks the last erasure; no state from before it is kept."""
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
            clock: Clock of the entries' times; the wall clock where it is None.
            create: Whether to make the store where there is none.
            readonly: Whether to change nothing, not even a damaged store.
            busy_timeout_s: Seconds that a writer waits for another before it gives up, finite and at least 0.
            check: "all", or "head" to check only that it is a journal of this revision and that its last entry is the
                one that was acknowledged: for what must not wait or fail because of something old, such as a stop.
                Damage elsewhere is then found by the next program that opens it, not by this one.

        Raises:
            DamagedJournal: The store does not hold what was written. It was put aside, and nothing opens in its place
                before a person has repaired it.
            NewerJournal: A newer handup wrote it.
            StoreUnavailable: It cannot be reached, read or written, or is not there.
            BadSetting: `store` names neither a file nor a database, or another argument is out of range.
        """
        if not 0.0 <= busy_timeout_s < math.inf:
            raise OutOfRange.of("busy_timeout_s", busy_timeout_s, "be finite and at least 0", hint="Give seconds.")
        if check not in {"all", "head"}:
            raise UnknownName.of("check", f"'{check}'", "be 'all' or 'head'", hint="Choose one of them.")
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
        """Address of the store, without a password."""
        return self._store.address.shown

    @property
    def clock(self) -> Clock:
        """Clock of the entries' times."""
        return self._clock

    @property
    def writing_here(self) -> bool:
        """True if this thread is inside a transaction, and so cannot begin another one."""
        return self._writing_thread == threading.get_ident()

    def append(self, *events: object, run: str = "", key: str = "") -> list[Entry]:
        """Add events, all of them or none. They are durable when this returns.

        Raises:
            BadSetting: One of them is no event, or cannot be kept as plain JSON.
            StoreUnavailable: The store cannot be written. Nothing was added, unless the error says that this cannot
                be told: the connection was lost during the commit, and could not be made again to look.
        """
        with self.writing() as writer:
            return [writer.append(event, run=run, key=key) for event in events]

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Open one transaction, alone among all threads, processes and machines that use the store.

        Entries read inside are still the latest when the transaction ends. It is committed at the end of the block; an
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
        """Look whether a commit that was not confirmed is in the store; raise unless it is."""
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
        """Yield the entries beyond number `after`, in order; only those of a run or a key where one is given.

        Raises:
            BadRecord: No imported room knows the kind of an entry, or it is of a newer version. `rows` reads it.
        """
        yield from made_of(self._read, entries_of, EntryQuery(after=after, run=run, key=key, limit=limit))

    def rows(self, after: int = 0, *, run: str | None = None, key: str | None = None) -> Iterator[StoredEntry]:
        """Yield the entries as they are stored, of any kind: for export and for tools older than the journal."""
        yield from made_of(self._read, lambda _, rows: rows, EntryQuery(after=after, run=run, key=key))

    def bodies(
        self, after: int = 0, *, run: str | None = None, key: str | None = None, personal: bool = True
    ) -> Iterator[tuple[StoredEntry, Body]]:
        """Yield the entries as they are stored, with names and personal values filled in, or left out."""

        def pairs(connection: Connection, rows: list[StoredEntry]) -> list[tuple[StoredEntry, Body]]:
            return list(zip(rows, filled(connection, rows, personal=personal), strict=True))

        yield from made_of(self._read, pairs, EntryQuery(after=after, run=run, key=key))

    def head(self) -> Head:
        """Return the head: number, hash and time of the last entry."""
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
            # Count first, then look: an entry that comes between this and the wait below changes the count.
            times = self._times_grown
            look_s = LISTENING_S if self._store.listen(self._wake) else POLL_S
            if self.head().seq > after:  # written before the listener had started
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
            StoreUnavailable: The store cannot be asked for the claim.
        """
        self._check_open()
        return holding(self._store, run)

    def patiently(self, do: Callable[[], T], for_s: float) -> T:
        """Call a function that writes, again and again while the store is unavailable.

        Args:
            do: The function.
            for_s: Real seconds after which to give up.

        Raises:
            StoreUnavailable: The store was unavailable all the time.
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

        It is not kept where a person was erased after `seq`: it may still hold their name or words.

        Raises:
            BadSetting: There is no such entry, the name is empty, or the state is no plain JSON.
        """
        if not check_text(name, "snapshot's name"):
            raise MissingSetting("a snapshot needs a name, got an empty one", hint="Name the state it holds.")
        text = canonical(dict(state))
        with self._alone(), self._store.writing() as connection:
            read_head(connection, lock=True)
            if (entry_hash := hash_at(connection, seq)) is None:
                hint = "Save a state that was built from this journal."
                raise OutOfRange(f"a snapshot needs an entry of the journal, and there is no entry {seq}", hint=hint)
            erased = connection.execute(select(SNAPSHOTS.c.seq).where(SNAPSHOTS.c.name == LAST_ERASURE)).scalar()
            if erased is None or seq >= erased:
                _put_snapshot(connection, name, seq, entry_hash, text)

    def snapshot(self, name: str) -> Snapshot | None:
        """Return the last state kept under a name. None where there is none, or it cannot be trusted: then replay."""

        def look(connection: Connection) -> Snapshot | None:
            row = connection.execute(select(SNAPSHOTS).where(SNAPSHOTS.c.name == name)).first()
            if row is None or row.digest != digest([name, row.seq, row.hash, row.state]):
                return None
            if row.hash != hash_at(connection, row.seq):
                return None
            return Snapshot(name=name, seq=row.seq, state=json.loads(row.state))

        return self._read(look)

    def erase(self, person: str) -> Erasure:
        """Erase a person's name and everything personal to them. The chain stays whole.

        In SQLite the bytes are gone from the store's files. A PostgreSQL server keeps them in its own write-ahead
        log until that is recycled, and in backups and replicas' archives until these are deleted. All snapshots are
        dropped, since they may hold the name. Programs that have the state in memory must build it again when they
        read the event. A person who comes back under the same name gets another pseudonym.
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

    def verify(self) -> ChainVerdict:
        """Check everything: the file, the chain, the head, the personal data beside it. No kind of event is needed."""
        self._check_open()
        return self._store.verify()

    def close(self) -> None:
        """Close the store. Safe to call twice."""
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


def _put_snapshot(connection: Connection, name: str, seq: int, entry_hash: str, text: str) -> None:
    connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.name == name))
    row = {"name": name, "seq": seq, "hash": entry_hash, "state": text}
    connection.execute(insert(SNAPSHOTS), {**row, "digest": digest([name, seq, entry_hash, text])})
