"""`handup journal export`: every entry for other programs, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handup.cli import journal as command
from handup.journal import Journal, as_jsonl
from tests.cli.calls import SRC, assert_one_line_error, here
from tests.cli.histories import content, history
from tests.journal.kinds import Noted


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    history(tmp_path)
    return tmp_path


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_every_entry_is_a_line_of_json(folder: Path) -> None:
    before = content(folder)
    called = here("journal", "export", "--to", "all.jsonl", cwd=folder)
    found = lines((folder / "all.jsonl").read_text(encoding="utf-8"))
    assert (called.code, called.err) == (0, "")
    assert called.out == f"{len(found)} entries of handup.db in all.jsonl.\n"
    with Journal.open("handup.db", readonly=True) as journal:
        assert [each["hash"] for each in found] == [row.hash for row in journal.rows()]
    assert "Ana" in json.dumps(found)
    assert {name: data for name, data in content(folder).items() if name != "all.jsonl"} == before


def test_csv_by_its_ending_and_one_run(folder: Path) -> None:
    assert here("journal", "export", "handup.db", "--to", "tea.CSV", "--run", "tea").code == 0
    found = list(csv.DictReader(io.StringIO((folder / "tea.CSV").read_text(encoding="utf-8"))))
    assert {each["run"] for each in found} == {"tea"}
    assert [each["kind"] for each in found] == ["desk.asked", "desk.opened"]


def test_without_what_is_personal_no_name_and_no_answer_is_there(folder: Path) -> None:
    assert here("journal", "export", "--to", "plain.jsonl", "--without-personal").code == 0
    text = (folder / "plain.jsonl").read_text(encoding="utf-8")
    assert not any(word in text for word in ("Ana", "Ben", "cherry tomato", "Which food", "spoon"))
    assert "person-" in text


def test_stdout_is_the_default_and_jsonl(folder: Path) -> None:
    called = here("journal", "export")
    assert called.err == ""
    assert lines(called.out)[0]["kind"] == "desk.person"
    assert here("journal", "export", "--to", "-", "--format", "csv").out.startswith("seq,")


def test_stdout_is_utf_8_whatever_the_terminal_is(folder: Path) -> None:
    with Journal.open("handup.db") as journal:
        journal.append(Noted(text="crème brûlée"))
    done = subprocess.run(
        [sys.executable, "-m", "handup", "journal", "export"],
        env={**os.environ, "PYTHONPATH": str(SRC), "PYTHONIOENCODING": "ascii"},
        cwd=folder,
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert lines(done.stdout.decode())[-1]["body"]["text"] == "crème brûlée"


def test_a_file_is_overwritten_only_by_force(folder: Path) -> None:
    (folder / "all.jsonl").write_text("mine", encoding="utf-8")
    assert_one_line_error(here("journal", "export", "--to", "all.jsonl"), "'all.jsonl' is there already", "--force")
    assert (folder / "all.jsonl").read_text(encoding="utf-8") == "mine"
    assert here("journal", "export", "--to", "all.jsonl", "--force").code == 0
    assert len(lines((folder / "all.jsonl").read_text(encoding="utf-8"))) > 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "all.txt"], ["'all.txt' names no format", "Use jsonl or csv"]),
        (["--to", "all"], ["'all' names no format"]),
        (["--format", "xml"], ["--format must be jsonl or csv, got 'xml'"]),
        (["--to", "no/such/folder.csv"], ["can be written", "folder that exists"]),
        (["--to", ".", "--format", "csv"], ["can be written"]),
        (["--to", "handup.db", "--format", "csv", "--force"], ["belongs to the journal"]),
        (["--to", "handup.db-wal", "--format", "csv", "--force"], ["belongs to the journal"]),
        (["--to", "./handup.db.witness", "--format", "csv", "--force"], ["belongs to the journal"]),
        (["--json"], ["would go to stdout, too"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_a_place_or_format_that_will_not_do_is_refused(arguments: list[str], words: list[str], folder: Path) -> None:
    before = content(folder)
    assert_one_line_error(here("journal", "export", *arguments), *words)
    assert content(folder) == before


def test_a_name_that_begins_like_the_stores_is_fine(folder: Path) -> None:
    called = here("journal", "export", "--to", "handup.db.csv", "--json")
    assert json.loads(called.out)["format"] == "csv"


def test_a_run_that_is_not_there_is_said(folder: Path) -> None:
    called = here("journal", "export", "--to", "none.csv", "--run", "lnch")
    assert called.code == 0
    assert called.out == "0 entries of handup.db in none.csv.\n"
    assert called.err == "handup: no entry belongs to run 'lnch'.\n"


def test_an_export_that_fails_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "all.jsonl").write_text("mine", encoding="utf-8")

    def breaks(*_: object, **__: object) -> Any:
        yield "a line\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(command.FORMATS, "jsonl", breaks)
    called = here("journal", "export", "--to", "all.jsonl", "--force")
    assert called.code == 1
    assert called.err.count("\n") == 1
    assert "No space left" in called.err
    assert (folder / "all.jsonl").read_text(encoding="utf-8") == "mine"
    assert not [each for each in folder.iterdir() if each.name.endswith(".tmp")]


def test_somebody_who_is_erased_meanwhile_is_in_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = as_jsonl

    def erasing(*arguments: Any, **names: Any) -> Any:
        yield from whole(*arguments, **names)
        with Journal.open("handup.db") as journal:
            journal.erase("Ana")

    monkeypatch.setitem(command.FORMATS, "jsonl", erasing)
    called = here("journal", "export", "--to", "all.jsonl")
    assert_one_line_error(called, "somebody was erased while this was exported", "Give the command again")
    assert not (folder / "all.jsonl").exists()
