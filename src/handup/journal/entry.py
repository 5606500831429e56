"""What a journal gives out: entries, where it stands, and what became of a check, an erasure, a repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handup.journal.chain import NOTHING_BEFORE


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One event of a journal, in its place.

    Args:
        seq: Its number: 1, 2, 3 … without gaps.
        at_s: When it was written, by the journal's clock; never before the one ahead of it.
        run: The episode it belongs to; empty where it belongs to none.
        key: What it is about, such as the id of a question or an action.
        kind: The kind of event, such as `desk.answered`.
        version: Of the event's fields as written; reading brings an old one up to date.
        event: The event itself.
        previous: The hash of the entry before.
        hash: Of everything else here, with the event as it lies in the chain.
    """

    seq: int
    at_s: float
    run: str
    key: str
    kind: str
    version: int
    event: object
    previous: str
    hash: str


@dataclass(frozen=True, kw_only=True)
class Head:
    """Where a journal stands: its last entry's number, hash and time. An empty one stands at 0."""

    seq: int = 0
    hash: str = NOTHING_BEFORE
    at_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A state that was built from all entries up to `seq`, kept so that a start need not read them again."""

    name: str
    seq: int
    state: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a check of a journal found.

    Args:
        ok: Whether it holds what was written, as far as can be told.
        entries: So many entries are good, from the first on.
        bad_seq: The first entry that is not; None where none is, or where the fault lies elsewhere.
        why: What is wrong, in one sentence without a full stop; empty where nothing is.
    """

    ok: bool
    entries: int
    bad_seq: int | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Erasure:
    """What an erasure did.

    Args:
        pseudonym: Under which the person stays in the chain; None where the journal did not know them.
        values: So many personal values were erased.
        seq: The entry that records it; None where there was nothing to erase.
        scrubbed: Whether the bytes are gone from the store's files too. False where another process was reading at
            the time: erase again later, which does only this.
        kept_in: Files beside the store that are older copies of it and may still hold what was erased. A person
            deletes them.
    """

    pseudonym: str | None
    values: int
    seq: int | None = None
    scrubbed: bool = True
    kept_in: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """What a repair did.

    Args:
        store: The store that is whole again.
        source: The damaged one, which stays as it is.
        entries: So many entries were taken over.
        lost: So many are known to be lost; None where that cannot be told.
        values_lost: So many names and personal values are lost though their entries are not.
        from_backup: Whether the entries are those of a backup. Whoever was erased after it was made is in it again.
    """

    store: str
    source: str
    entries: int
    lost: int | None
    values_lost: int = 0
    from_backup: bool = False
