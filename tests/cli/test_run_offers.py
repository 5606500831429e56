"""`handup run` offers what people taught, ready to paste."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handup.executive.reader import parse_recoveries
from tests.cli.calls import here

NONE = "format: 1\nrecoveries: []\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none.yaml").write_text(NONE, encoding="utf-8")


def test_what_somebody_solved_the_same_way_again_and_again_is_offered_at_the_end() -> None:
    arguments = ("run", "--world", "kitting", "--people", "simulated", "--recoveries", "none.yaml", "--json")
    runs = [json.loads(here(*arguments, "--seed", f"{seed}").out) for seed in (3, 4, 5)]
    assert runs[0]["proposals"] == [], "nothing was solved the same way three times"
    assert runs[0]["questions"] == runs[0]["failures"], "nothing reads what people could say of a module"
    record = runs[-1]
    first = record["proposals"][0]
    assert first["times"] == 3
    called = here("run", "--resume")
    assert "People solved these the same way again and again." in called.out
    pasted = called.out[called.out.index("- name:") :]
    rules = parse_recoveries({"pasted.yaml": f"format: 1\nrecoveries:\n{pasted}"})
    assert [each.name for each in rules] == [each["name"] for each in record["proposals"]]
    assert parse_recoveries({"pasted.yaml": f"format: 1\nrecoveries:\n{first['yaml']}"})[0] == rules[0]


def test_where_nobody_was_asked_nothing_is_offered() -> None:
    assert json.loads(here("run", "--world", "kitting", "--seed", "3", "--json").out)["proposals"] == []
