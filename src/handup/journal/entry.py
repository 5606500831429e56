"""Records that a journal gives out: entries, its head, and the results of a check, an erasure, a repair."""

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
        at_s: Time of writing, by the journal's clock; never before that of the previous entry.
        run: The episode it belongs to; empty where it belongs to none.
        key: Its subject, such as the id of a question or an action.
        kind: The kind of event, such as `desk.answered`.
        version: Version of the event's fields as written; reading brings an old one up to date.
        event: The event itself.
        previous: Hash of the previous entry.
        hash: Hash of all other fields, with the event as it lies in the chain.
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
    """Number, hash and time of a journal's last entry. The number is 0 in an empty journal."""

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
class ChainVerdict:
    """Result of a check of a journal.

    Args:
        ok: Whether it holds what was written, as far as can be told.
        entries: Number of good entries, from the first on.
        bad_seq: Number of the first bad entry; None where there is none, or where the fault lies elsewhere.
        why: The fault in one sentence without a full stop; empty where there is none.
    """

    ok: bool
    entries: int
    bad_seq: int | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Erasure:
    """Result of an erasure.

    Args:
        pseudonym: Pseudonym that stays in the chain for the person; None where the journal did not know them.
        values: Number of personal values that were erased.
        seq: Number of the entry that records it; None where there was nothing to erase.
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
    """Result of a repair.

    Args:
        store: The store that is whole again.
        source: The damaged one, which stays as it is.
        entries: Number of entries that were taken over.
        lost: Number of entries that are known to be lost; None where that cannot be told.
        values_lost: Number of names and personal values that are lost though their entries are not.
        from_backup: Whether the entries are those of a backup. People who were erased since then are in it again.
    """

    store: str
    source: str
    entries: int
    lost: int | None
    values_lost: int = 0
    from_backup: bool = False
