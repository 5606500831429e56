"""Export: every entry, of whatever kind, in a file that is whole or not there."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from handup.core import BadSetting, StoreUnavailable
from handup.core.event import _BY_KIND
from handup.journal import Journal, export
from tests.journal.kinds import Noted, Said


def test_json_lines_hold_everything(journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = journal.append(Said(by="Änn", words="yes\nno"), Noted(number=0.5), run="r", key="k")
    monkeypatch.delitem(_BY_KIND, "test.said")
    seen: list[int] = []
    assert export(journal, tmp_path / "out.jsonl", progress=seen.append) == 2
    assert seen == [2]
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {
        "seq": 1,
        "at_s": 1000.0,
        "at": "1970-01-01T00:16:40.000000Z",
        "run": "r",
        "key": "k",
        "kind": "test.said",
        "version": 1,
        "body": {"by": "Änn", "words": "yes\nno", "loud": False},
        "previous": "0" * 64,
        "hash": made[0].hash,
    }
    assert lines[1]["body"] == {"text": "", "number": 0.5}


def test_without_what_is_personal(journal: Journal, tmp_path: Path) -> None:
    journal.append(Said(by="Änn", words="yes"), run="r")
    journal.append(Said(by="Bob", words="no"), run="other")
    export(journal, tmp_path / "out.jsonl", run="r", personal=False)
    (line,) = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert "Änn" not in line
    body = json.loads(line)["body"]
    assert body["by"].startswith("person-")
    assert body["words"] is None


def test_a_table_starts_no_formula(journal: Journal, tmp_path: Path) -> None:
    journal.append(Noted(text='=HYPERLINK("x")'), run="=1+1", key="@x")
    journal.append(Noted(text='a,"b"\n'), run="plain, with comma", key="-1")
    assert export(journal, tmp_path / "out.csv") == 2
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["key"]) for row in rows] == [("'=1+1", "'@x"), ("plain, with comma", "'-1")]
    assert json.loads(rows[1]["body"]) == {"text": 'a,"b"\n', "number": 0.0}
    assert rows[0]["at"] == "1970-01-01T00:16:40.000000Z"


def test_a_file_that_cannot_be_finished_stays_as_it_was(journal: Journal, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old")
    journal.append(Noted())

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    journal.append(*(Noted() for _ in range(1000)))
    with pytest.raises(KeyboardInterrupt):
        export(journal, out, progress=interrupt)
    assert out.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        export(journal, tmp_path / "none" / "out.csv")
    with pytest.raises(BadSetting):
        export(journal, tmp_path / "out.xlsx")
