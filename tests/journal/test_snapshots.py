"""Snapshots: a shortcut that is never trusted more than the chain."""

from __future__ import annotations

import math

import pytest
from sqlalchemy import text

from handup.core import BadSetting
from handup.journal import Journal, Snapshot
from tests.journal.kinds import Noted, Said


def test_the_last_one_of_a_name_is_kept(journal: Journal, store: str) -> None:
    assert journal.snapshot("desk") is None
    journal.append(Noted(), Noted())
    journal.save_snapshot("empty", 0, {})
    journal.save_snapshot("desk", 1, {"a": [1, "ü"]})
    journal.save_snapshot("desk", 2, {"a": [2]})
    assert journal.snapshot("desk") == Snapshot(name="desk", seq=2, state={"a": [2]})
    assert journal.snapshot("empty") == Snapshot(name="empty", seq=0, state={})
    with Journal.open(store, readonly=True) as again:
        assert again.snapshot("desk") == Snapshot(name="desk", seq=2, state={"a": [2]})


def test_a_state_of_no_entry_or_of_no_json_is_refused(journal: Journal) -> None:
    with pytest.raises(BadSetting, match="no entry 1"):
        journal.save_snapshot("desk", 1, {})
    with pytest.raises(BadSetting):
        journal.save_snapshot("desk", 0, {"a": math.nan})


def test_a_state_from_before_an_erasure_is_not_kept_after_it(journal: Journal) -> None:
    journal.append(Said(by="Ann"), Said(by="Bob"))
    journal.save_snapshot("desk", 2, {"by": "Ann"})
    seq = journal.erase("Ann").seq
    assert seq == 3
    journal.save_snapshot("desk", 2, {"by": "Ann"})
    assert journal.snapshot("desk") is None
    journal.save_snapshot("desk", 3, {"by": None})
    assert journal.snapshot("desk") == Snapshot(name="desk", seq=3, state={"by": None})
    with pytest.raises(BadSetting, match="needs a name"):
        journal.save_snapshot("", 3, {})


@pytest.mark.parametrize("change", ["state = '[]'", "seq = 2", "digest = ''", "hash = ''"])
def test_a_damaged_one_is_as_good_as_none(journal: Journal, change: str) -> None:
    journal.append(Noted(), Noted())
    journal.save_snapshot("desk", 1, {"a": 1})
    with journal._store.writing() as connection:
        connection.execute(text(f"UPDATE snapshots SET {change}"))
    assert journal.snapshot("desk") is None
    assert journal.verify().ok, "the chain is whole"
