"""Journals of every format that was ever released stay readable."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from handup.journal import Journal, JournalErased, Snapshot, as_jsonl
from tests.journal.kinds import Met, Noted, Said, Weighed
from tests.journal.make_golden import GOLDEN, write
from tests.journal.stores import content
from tests.journal.test_chain import first_bad

FORMATS = sorted(path.stem for path in GOLDEN.glob("journal-v*.db"))


def expected(bob: str) -> list[object]:
    return [
        Noted(text="naïve ☕ \0", number=0.1),
        Said(by="Ann", words="Ja, bitte"),
        Said(by=f"erased-{bob}", words=None),
        Met(who=("Ann", f"erased-{bob}"), where=None, notes=None),
        Met(who=("Ann",), where="kitchen"),
        JournalErased(pseudonym=bob, values=3),
        Weighed(what="pea", weight_g=0.25, by=None),
        Weighed(what="bean", weight_g=1.5, by=None),
        Weighed(what="plum", weight_g=40.0, by="Ann"),
    ]


def check(journal: Journal) -> None:
    entries = list(journal.read())
    bob = entries[5].key
    assert [entry.event for entry in entries] == expected(bob)
    assert [entry.version for entry in entries][-3:] == [1, 2, 3]
    assert [entry.at_s for entry in entries] == [1_700_000_000.25] * 3 + [1_700_000_060.75] * 6
    assert [entry.key for entry in entries][:3] == ["", "meal-1/q/1", "meal-1/q/1"]
    assert journal.verify().ok
    assert journal.snapshot("desk") == Snapshot(name="desk", seq=9, state={"open": ["meal-1/q/1"]})


@pytest.mark.parametrize("name", FORMATS)
def test_a_golden_journal_opens_and_says_what_it_always_said(tmp_path: Path, name: str) -> None:
    path = tmp_path / "journal.db"
    shutil.copyfile(GOLDEN / f"{name}.db", path)
    with Journal.open(path) as journal:
        check(journal)
        lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line) for line in as_jsonl(journal)] == [json.loads(line) for line in lines]
        assert journal.append(Noted())[0].seq == 10
    assert first_bad(path) is None


def test_the_current_format_is_read_where_it_lies() -> None:
    before = content(GOLDEN)
    with Journal.open(GOLDEN / f"{FORMATS[-1]}.db", readonly=True) as journal:
        check(journal)
    assert content(GOLDEN) == before


def test_what_makes_them_still_makes_the_same(tmp_path: Path) -> None:
    write(tmp_path / "journal.db")
    with Journal.open(tmp_path / "journal.db") as journal:
        check(journal)
