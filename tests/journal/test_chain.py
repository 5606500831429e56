"""The chain of hashes, held against a verifier that was written from its definition alone."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting, ManualClock
from handup.journal import Journal, StoredEntry
from handup.journal.chain import NOTHING_BEFORE, canonical, digest, hash_of, verify_rows
from tests.journal.kinds import Met, Noted, Said


def first_bad(path: Path) -> int | None:
    """The oracle: hashlib, json and sqlite3, from the definition in the docs."""
    names = ("seq", "at_s", "run", "key", "kind", "version", "body", "previous")
    expected, previous = 1, "0" * 64
    with closing(sqlite3.connect(path)) as connection:
        for *values, found in connection.execute(f"SELECT {', '.join(names)}, hash FROM entries ORDER BY seq"):
            entry = dict(zip(names, values, strict=True))
            text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
            right = hashlib.sha256(text.encode("utf-8")).hexdigest() == found
            if entry["seq"] != expected or entry["previous"] != previous or not right:
                return expected
            expected, previous = expected + 1, found
        head = connection.execute("SELECT seq, hash FROM head").fetchall()
    return None if head == [(expected - 1, previous)] else expected


def filled(path: Path) -> Path:
    with Journal.open(path, clock=ManualClock(0.1 + 0.2)) as journal:
        journal.append(Noted(text='naïve ☕ \U0001f600 \0 \\ "', number=1e-7), Said(by="Ann", words="ja"), run="r/1")
        journal.append(Noted(number=12345678901234567.0), Met(who=("Ann", "Zoë"), where="x"), key="ключ")
        journal.erase("Zoë")
    return path


def test_the_oracle_agrees_that_a_journal_is_whole(tmp_path: Path) -> None:
    assert first_bad(filled(tmp_path / "j.db")) is None


@pytest.mark.parametrize(
    ("change", "bad"),
    [
        ("UPDATE entries SET body = replace(body, 'naïve', 'naive')", 1),
        ("UPDATE entries SET body = body || ' ' WHERE seq = 2", 2),
        ("UPDATE entries SET at_s = at_s + 1e-9 WHERE seq = 3", 3),
        ("UPDATE entries SET run = 'other' WHERE seq = 2", 2),
        ("UPDATE entries SET key = 'other' WHERE seq = 4", 4),
        ("UPDATE entries SET kind = 'test.other' WHERE seq = 4", 4),
        ("UPDATE entries SET version = 2 WHERE seq = 1", 1),
        ("DELETE FROM entries WHERE seq = 3", 3),
        ("DELETE FROM entries WHERE seq = 5", 5),
        ("DELETE FROM entries", 1),
        ("UPDATE entries SET hash = previous WHERE seq = 2", 2),
        ("UPDATE entries SET seq = 9 WHERE seq = 5", 5),
        ("UPDATE head SET seq = 6", 6),
    ],
)
def test_a_change_is_found_where_the_oracle_finds_it(tmp_path: Path, change: str, bad: int) -> None:
    path = filled(tmp_path / "j.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    assert first_bad(path) == bad
    with Journal.open(path, readonly=True) as journal:
        verdict = journal.verify()
    assert not verdict.ok
    assert verdict.bad_seq == bad
    assert verdict.entries == bad - 1
    assert verdict.why


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE head SET hash = 'x'",
        "UPDATE head SET at_s = 7",
        "DELETE FROM head",
        "UPDATE beside SET value = '\"nein\"' WHERE seq = 2",
        "UPDATE beside SET value = '\"nein' WHERE seq = 2",
        "UPDATE beside SET salt = '00' WHERE seq = 2",
        "UPDATE beside SET seq = 3 WHERE seq = 2",
        "DELETE FROM beside WHERE seq = 2",
        "UPDATE people SET name = 'Eve'",
        "UPDATE people SET name = x'ff'",
        "DELETE FROM people",
    ],
)
def test_a_change_beside_the_chain_is_found_too(tmp_path: Path, change: str) -> None:
    path = filled(tmp_path / "j.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    with Journal.open(path, readonly=True) as journal:
        assert not journal.verify().ok


def chained(texts: list[str]) -> list[StoredEntry]:
    rows: list[StoredEntry] = []
    previous = NOTHING_BEFORE
    for seq, text in enumerate(texts, 1):
        row = StoredEntry(
            seq=seq,
            at_s=seq / 3,
            run=text,
            key="",
            kind="k",
            version=1,
            body=canonical(text),
            previous=previous,
            hash="",
        )
        rows.append(replace(row, hash=hash_of(row)))
        previous = rows[-1].hash
    return rows


letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(letters, min_size=1, max_size=6), st.data())
def test_any_changed_field_of_any_row_is_the_first_fault(texts: list[str], data: st.DataObject) -> None:
    rows = chained(texts)
    assert verify_rows(rows) == (rows[-1], None)
    at = data.draw(st.integers(0, len(rows) - 1))
    field, value = data.draw(
        st.sampled_from(
            [("run", "\x01"), ("key", "x"), ("at_s", -1.0), ("version", 2), ("body", "[]"), ("hash", "0" * 64)]
        )
    )
    last, fault = verify_rows([*rows[:at], replace(rows[at], **cast(Any, {field: value})), *rows[at + 1 :]])
    assert fault is not None
    assert fault.seq == at + 1
    assert last == (rows[at - 1] if at else None)
    swapped = [*rows[:at], *rows[at + 1 :]]
    if at < len(rows) - 1:
        assert (verify_rows(swapped)[1] or fault).seq == at + 1


def test_what_canonical_json_refuses() -> None:
    assert canonical({"b": 1, "a": [None, True, "ü"]}) == '{"a":[null,true,"ü"],"b":1}'
    assert digest("x") == hashlib.sha256(b'"x"').hexdigest()
    for bad in (float("nan"), float("inf"), "\ud800", {1, 2}, b"x"):
        with pytest.raises(BadSetting):
            canonical(bad)


def test_time_that_ran_backwards_is_a_fault() -> None:
    rows = chained(["a", "b"])
    late = replace(rows[1], at_s=0.0, hash="")
    assert verify_rows([rows[0], replace(late, hash=hash_of(late))])[1] is not None
