"""What a journal holds, read without the package: plain SQL, plain JSON, and the hashes as they are documented."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

ENTRIES = "SELECT seq, at_s, run, key, kind, version, body, previous, hash FROM entries ORDER BY seq"
COLUMNS = ("seq", "at_s", "run", "key", "kind", "version", "body", "previous", "hash")
BESIDE = "SELECT commitment, value FROM beside"
HEAD = "SELECT seq, hash FROM head"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One entry: `said` are its plain fields, with what is personal in its place."""

    seq: int
    key: str
    kind: str
    said: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Book:
    """A whole journal, and what is wrong with its chain."""

    lines: tuple[Line, ...]
    faults: tuple[str, ...]

    def of(self, *kinds: str) -> list[Line]:
        """The entries of some kinds."""
        return [line for line in self.lines if line.kind in kinds]


def read(store: str) -> Book:
    """Read a store."""
    rows, beside, head = _fetch(store)
    faults, previous, number = [], "0" * 64, 0
    for row in rows:
        plain = {name: value for name, value in row.items() if name != "hash"}
        text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if (row["seq"], row["previous"]) != (number + 1, previous) or sha256(text.encode()).hexdigest() != row["hash"]:
            faults.append(f"entry {row['seq']} does not follow")
        previous, number = row["hash"], row["seq"]
    if head != [(number, previous)]:
        faults.append(f"the head is {head}, and the last entry is {number}")
    values = dict(beside)
    return Book(lines=tuple(_line(row, values) for row in rows), faults=tuple(faults))


def _line(row: dict[str, Any], values: dict[str, str]) -> Line:
    body = json.loads(row["body"])
    sealed = {name: None if seal is None else json.loads(values[seal["is"]])
              for name, seal in body.get("sealed", {}).items()}  # fmt: skip
    return Line(seq=row["seq"], key=row["key"], kind=row["kind"], said={**body["said"], **sealed})


def _fetch(store: str) -> tuple[list[dict[str, Any]], list[Any], list[Any]]:
    if "://" not in store:
        with closing(sqlite3.connect(store)) as connection:
            found = [connection.execute(each).fetchall() for each in (ENTRIES, BESIDE, HEAD)]
    else:
        import psycopg

        with psycopg.connect(store) as server:
            found = [list(server.execute(each).fetchall()) for each in (ENTRIES, BESIDE, HEAD)]
    return [_named(row) for row in found[0]], found[1], found[2]


def _named(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(COLUMNS, row, strict=True))
