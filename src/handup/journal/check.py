"""Checks of a store's tables: the chain, its head, and the personal data beside it, whatever the kinds of events."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from handup.core import BadSetting, DamagedJournal
from handup.journal import chain
from handup.journal.chain import NOTHING_BEFORE, StoredEntry
from handup.journal.entry import ChainVerdict, Head
from handup.journal.events import ERASED, REPAIRED
from handup.journal.personal import parsed, people_in, sealed_in
from handup.journal.schema import BESIDE, PEOPLE
from handup.journal.writer import EntryQuery, hash_at, made_of, read_head, read_rows


@dataclass
class Beside:
    """Names and personal values that a chain speaks of, those that are missing, and those that were erased or lost."""

    people: set[str] = field(default_factory=set)
    missing: list[tuple[int, str, list[str]]] = field(default_factory=list)
    gone_people: set[str] = field(default_factory=set)
    gone_values: set[str] = field(default_factory=set)

    def take(self, row: StoredEntry) -> Iterator[tuple[str, list[str]]]:
        """Take in one entry; return its commitments, each with the pseudonyms of its owners."""
        stored = parsed(row)
        self.people.update(people_in(stored))
        if row.kind == ERASED:
            self.gone_people.add(stored["said"]["pseudonym"])
        elif row.kind == REPAIRED:
            self.gone_people.update(stored["said"]["people_lost"])
            self.gone_values.update(stored["said"]["values_lost"])
        return sealed_in(stored)


def inspect_chain(connection: Connection) -> ChainVerdict:
    """Check the whole of a store's tables within one transaction."""
    try:
        return _inspect(connection)
    except DamagedJournal as error:
        return ChainVerdict(ok=False, entries=0, why=error.cause)


def _inspect(connection: Connection) -> ChainVerdict:
    head = read_head(connection)
    last: StoredEntry | None = None
    beside = Beside()
    for rows in made_of(lambda of: of(connection), lambda _, rows: [rows] if rows else [], EntryQuery()):
        last, fault = chain.verify_rows(rows, last)
        if fault is not None:
            return ChainVerdict(ok=False, entries=last.seq if last else 0, bad_seq=fault.seq, why=fault.why)
        if verdict := _check_beside(connection, rows, beside):
            return verdict
    # A chain without its last entries is still consistent. Only the head, written with each entry, shows the loss.
    end = Head(seq=last.seq, hash=last.hash, at_s=last.at_s) if last else Head(hash=NOTHING_BEFORE)
    if end != head:
        why = f"entry {end.seq + 1} is missing" if end.seq < head.seq else "the head is not the last entry's"
        return ChainVerdict(ok=False, entries=end.seq, bad_seq=end.seq + 1 if end.seq < head.seq else None, why=why)
    return _check_gone(connection, beside, end.seq)


def behind(connection: Connection, witnessed: Head | None) -> ChainVerdict | None:
    """Return a verdict on an intact chain that lacks an acknowledged entry or has another in its place; or None."""
    if witnessed is None or witnessed.seq == 0:
        return None
    head = read_head(connection)
    if head.seq < witnessed.seq:
        why = f"it ends at entry {head.seq}, and entry {witnessed.seq} had been acknowledged"
        return ChainVerdict(ok=False, entries=head.seq, bad_seq=head.seq + 1, why=why)
    if hash_at(connection, witnessed.seq) != witnessed.hash:
        why = f"entry {witnessed.seq} is not the one that was acknowledged"
        return ChainVerdict(ok=False, entries=head.seq, bad_seq=witnessed.seq, why=why)
    return None


def inspect_head(connection: Connection) -> ChainVerdict:
    """Check only that the head is that of the last entry, and that this entry is unchanged; nothing else is checked."""
    try:
        head = read_head(connection)
    except DamagedJournal as error:
        return ChainVerdict(ok=False, entries=0, why=error.cause)
    rows = read_rows(connection, EntryQuery(after=max(head.seq - 1, 0)))
    if not rows and head == Head():
        return ChainVerdict(ok=True, entries=0)
    last = rows[0] if len(rows) == 1 else None
    if last is None or Head(seq=last.seq, hash=last.hash, at_s=last.at_s) != head:
        return ChainVerdict(ok=False, entries=0, why="the head is not the last entry's")
    if not chain.is_right(last):
        return ChainVerdict(ok=False, entries=0, bad_seq=last.seq, why=f"entry {last.seq} is not what was written")
    return ChainVerdict(ok=True, entries=last.seq)


def _check_beside(connection: Connection, rows: Sequence[StoredEntry], beside: Beside) -> ChainVerdict | None:
    """Check that the values beside a batch of entries are those that the entries commit to."""
    kept: dict[tuple[int, str], list[tuple[str, str, str]]] = {}
    query = select(BESIDE).where(BESIDE.c.seq >= rows[0].seq, BESIDE.c.seq <= rows[-1].seq)
    for sealed in connection.execute(query):
        kept.setdefault((sealed.seq, sealed.commitment), []).append((sealed.pseudonym, sealed.salt, sealed.value))
    for row in rows:
        for committed, owners in beside.take(row):
            copies = kept.get((row.seq, committed), [])
            if {owner for owner, _, _ in copies} != set(owners):
                # Not yet a fault: a later entry may say that it was erased or lost.
                beside.missing.append((row.seq, committed, owners))
            if not all(is_value(committed, salt, value) for _, salt, value in copies):
                why = f"a personal value of entry {row.seq} is not what was written"
                return ChainVerdict(ok=False, entries=rows[0].seq - 1, bad_seq=row.seq, why=why)
    return None


def is_value(committed: str, salt: str, value: str) -> bool:
    """Return True if a stored value is the one that a commitment stands for."""
    try:
        return chain.commitment(salt, json.loads(value)) == committed
    except (TypeError, ValueError, BadSetting):
        return False


def is_name(pseudonym: str, salt: str, name: str) -> bool:
    """Return True if a name is the one that a pseudonym was made from."""
    try:
        return chain.pseudonym(salt, name) == pseudonym
    except BadSetting:
        return False


def _check_gone(connection: Connection, beside: Beside, entries: int) -> ChainVerdict:
    """Check that everything missing was erased or lost, and that every name is the one of its pseudonym."""
    for seq, committed, owners in beside.missing:
        if committed not in beside.gone_values and not beside.gone_people.intersection(owners):
            return ChainVerdict(
                ok=False, entries=entries, bad_seq=seq, why=f"a personal value of entry {seq} is missing"
            )
    names = {person.pseudonym: person for person in connection.execute(select(PEOPLE))}
    for pseudonym, person in names.items():
        if not is_name(pseudonym, person.salt, person.name):
            return ChainVerdict(
                ok=False, entries=entries, why=f"the name of person {pseudonym} is not what was written"
            )
    if lost := beside.people - beside.gone_people - names.keys():
        return ChainVerdict(ok=False, entries=entries, why=f"the name of person {min(lost)} is missing")
    return ChainVerdict(ok=True, entries=entries)
