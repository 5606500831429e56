"""The chain of hashes in pure functions: hashing an entry, checking a chain.

The hash of an entry is the SHA-256, in lower-case hexadecimal, of the canonical JSON of an object with its `seq`,
`at_s`, `run`, `key`, `kind`, `version`, `body` (the stored text, as a string) and `previous` (the hash of the entry
before; 64 zeros for the first). Canonical JSON has sorted keys, no spaces, UTF-8 without escapes for letters, and
neither NaN nor infinity.

A commitment to something personal is the SHA-256 of the canonical JSON of `{"salt": …, "value": …}` with a salt of 16
random bytes in hexadecimal; a pseudonym is the first 16 letters of the commitment to a name. With salt and value they
can be checked; once these are erased, nothing leads back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from handup.core import BadSetting, Malformed

NOTHING_BEFORE = "0" * 64
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredEntry:
    """An entry as it is stored: `body` is canonical JSON, pseudonyms for names and commitments for the personal."""

    seq: int
    at_s: float
    run: str
    key: str
    kind: str
    version: int
    body: str
    previous: str
    hash: str


@dataclass(frozen=True, kw_only=True)
class ChainFault:
    """First fault of a chain. `seq` is None where the fault is not in an entry."""

    seq: int | None
    why: str


def canonical(value: Any) -> str:
    """Return a value as canonical JSON.

    Raises:
        Malformed: It holds something that JSON or UTF-8 cannot: NaN, infinity, half a surrogate pair.
    """
    try:
        text = _ENCODER.encode(value)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Malformed(
            f"a journal keeps only plain JSON, and this is none: {error}", hint="Use finite numbers and plain text."
        ) from None
    return text


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, in hexadecimal."""
    return sha256(canonical(value).encode()).hexdigest()


def commitment(salt: str, value: Any) -> str:
    """Return the commitment that stands in the chain for a value that is kept beside it."""
    return digest({"salt": salt, "value": value})


def pseudonym(salt: str, name: str) -> str:
    """Return the pseudonym that stands in the chain for a person."""
    return commitment(salt, name)[:16]


def hash_of(row: StoredEntry) -> str:
    """Return the hash that a row carries if it is unchanged."""
    return digest({name: getattr(row, name) for name in StoredEntry.__slots__ if name != "hash"})


def is_right(row: StoredEntry) -> bool:
    """Return True if a row is unchanged since it was written."""
    try:
        return hash_of(row) == row.hash
    except BadSetting:
        return False


def fault_of(row: StoredEntry, before: StoredEntry | None) -> ChainFault | None:
    """Return the fault of a row that follows `before`, or None where it has none."""
    if row.seq != (expected := before.seq + 1 if before else 1):
        return ChainFault(seq=expected, why=f"entry {expected} is missing")
    if row.previous != (before.hash if before else NOTHING_BEFORE):
        return ChainFault(seq=row.seq, why=f"entry {row.seq} does not follow the entry before it")
    if not is_right(row):
        return ChainFault(seq=row.seq, why=f"entry {row.seq} is not what was written")
    if before and row.at_s < before.at_s:
        return ChainFault(seq=row.seq, why=f"entry {row.seq} is dated before the one ahead of it")
    return None


def verify_rows(
    rows: Iterable[StoredEntry], last: StoredEntry | None = None
) -> tuple[StoredEntry | None, ChainFault | None]:
    """Walk over the rows that follow `last` in a chain; return the last good one, and the first fault."""
    for row in rows:
        if fault := fault_of(row, last):
            return last, fault
        last = row
    return last, None
