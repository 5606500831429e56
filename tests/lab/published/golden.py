"""The committed rows, hashes and records of the published studies, and how they are written."""

from __future__ import annotations

import hashlib
import json
import lzma
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

from tests.data import ROOT
from tests.lab.published.adapter import Row, Rows

ROUNDING = 1e-9
FOLDER = ROOT / "tests" / "golden" / "studies"
PROSE = "why"
NOT_NUMBERS = ("versions", "made_at", PROSE)
"""When and with what a record was made, and sentences about it."""


def row_hash(rows: Rows) -> str:
    """Return a short hash of rows; every digit of every number counts."""
    return hashlib.sha256(_text(rows, sort_keys=True).encode()).hexdigest()[:16]


def write(name: str, record: Any) -> Path:
    """Write a file; the same record gives the same bytes."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.json.xz"
    path.write_bytes(lzma.compress(_text(record).encode(), preset=9 | lzma.PRESET_EXTREME))
    return path


def is_there(name: str) -> bool:
    return (FOLDER / f"{name}.json.xz").exists()


@cache
def read(name: str) -> Any:
    return json.loads(lzma.decompress((FOLDER / f"{name}.json.xz").read_bytes()))


def pack(batches: Sequence[tuple[Row, Rows]]) -> Row:
    """Turn batches with their rows into columns, which compress well."""
    return {
        "batches": columns([identity for identity, _ in batches]),
        "counts": [len(rows) for _, rows in batches],
        "rows": columns([row for _, rows in batches for row in rows]),
    }


def unpack(record: Row) -> list[tuple[Row, Rows]]:
    return list(zip(records(record["batches"]), _split(records(record["rows"]), record["counts"]), strict=True))


def columns(rows: Rows) -> Row:
    """Turn records of the same keys into one list for each key; lists of records become columns themselves."""
    return {name: _column([row[name] for row in rows]) for name in rows[0]}


def records(table: Mapping[str, Any]) -> Rows:
    names = list(table)
    return [dict(zip(names, row, strict=True)) for row in zip(*(_values(table[name]) for name in names), strict=True)]


def without_prose(record: Mapping[str, Any]) -> Any:
    """Return a record without words that may be written anew."""
    said = sorted(set(_said(record)), key=len, reverse=True)
    return _without(record, said)


def compare(made: Any, published: Any, where: str = "") -> None:
    """Check that a record has all of a published one; numbers may differ in rounding, and keys may have been added."""
    if isinstance(published, Mapping):
        assert isinstance(made, Mapping), where
        assert set(published) <= set(made), f"{where}: {set(published) - set(made)} missing"
        for key, value in published.items():
            compare(made[key], value, f"{where}.{key}")
    elif isinstance(published, list):
        assert len(made) == len(published), where
        for number, value in enumerate(published):
            compare(made[number], value, f"{where}[{number}]")
    elif isinstance(published, float):
        assert math.isclose(made, published, rel_tol=ROUNDING, abs_tol=ROUNDING), f"{where}: {made} is not {published}"
    else:
        assert made == published, where


def _column(values: list[Any]) -> Any:
    items = list(chain.from_iterable(values)) if all(isinstance(value, list) for value in values) else []
    if not items or not all(isinstance(item, dict) for item in items):
        return values
    return {"counts": [len(value) for value in values], "items": columns(items)}


def _values(column: Any) -> list[Any]:
    if isinstance(column, list):
        return column
    return _split(records(column["items"]), column["counts"])


def _split(rows: Rows, counts: Sequence[int]) -> list[Rows]:
    return [rows[start:end] for start, end in pairwise(accumulate(counts, initial=0))]


def _text(value: Any, *, sort_keys: bool = False) -> str:
    return json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False)


def _said(value: Any) -> Iterator[str]:
    """Yield the sentences of a record, which its tables may quote."""
    if isinstance(value, Mapping):
        if isinstance(value.get(PROSE), str):
            yield value[PROSE]
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _said(each)


def _without(value: Any, said: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(each, said) for key, each in value.items() if key not in NOT_NUMBERS}
    if isinstance(value, list):
        return [_without(each, said) for each in value]
    if isinstance(value, str):
        for sentence in said:
            value = value.replace(sentence, "") if sentence else value
    return value
