"""`handup plate`: one record of a cleared plate, and one line for everything that cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handup.cli import plate
from handup.core import MissingExtra
from handup.domains.plate.task import DOMAIN
from handup.domains.runs import latest_run
from handup.journal import Journal
from tests.cli.calls import assert_one_line_error, here


def test_a_plate_gives_one_record_and_on_a_store_a_run_that_is_over(tmp_path: Path) -> None:
    asked = ("plate", "--people", "simulated", "--policy", "group-first", "--seed", "3", "--json", "--store", "p.db")
    called = here(*asked, cwd=tmp_path)
    assert called.code == 0
    assert called.err == "Begins plate-1: beans, seed 3, group-first. Kept in p.db.\n"
    record = json.loads(called.out)
    assert (record["evidence"], record["people"], record["seed"], record["ending"]) == (
        "simulated",
        "simulated",
        3,
        "done",
    )
    assert [action["primitive"] for action in record["actions"]] == ["group"] + ["acquire"] * 7
    assert record["cleared"] == pytest.approx(1.0 - record["left"] - record["lost"])
    with Journal.open(tmp_path / "p.db", readonly=True) as journal:
        last = latest_run(journal)
    assert last is not None
    assert last.over is not None
    assert last.order.world == DOMAIN.name


def test_people_read_a_table_and_a_sentence() -> None:
    called = here("plate", "--people", "simulated", "--policy", "acquire")
    assert called.code == 0
    assert called.out.splitlines()[0].split() == ["action", "did", "asked", "took", "lost", "left"]
    assert "of the beans in 8 actions, 0 of them pushes. Nobody was asked." in called.out
    assert "A simulated plate; shares are of a full one." in called.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--food", "soup"], ["--food", "soup", "noodles"]),
        (["--people", "dogs"], ["--people", "dogs", "simulated"]),
        (["--policy", "orakle"], ["orakle", "oracle"]),
        (["--people", "simulated", "--record", "taken/films"], ["--record", "taken"]),
        (["--question-share", "0"], ["question-share"]),
    ],
    ids=" ".join,
)
def test_what_cannot_be_is_one_line(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    (tmp_path / "taken").write_text("a file")
    assert_one_line_error(here("plate", *arguments, cwd=tmp_path), *words)


def test_beans_without_their_extra_are_refused_before_anything_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def engine_of(food: object) -> None:
        raise MissingExtra.of("sim", "beans")

    monkeypatch.setattr(plate, "engine_of", engine_of)
    assert_one_line_error(here("plate", "--people", "simulated", "--store", "p.db", cwd=tmp_path), "'sim'")
    assert not (tmp_path / "p.db").exists()


def test_noodles_without_a_compiler_are_said_to_be_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plate, "has_compiler", lambda: False)
    called = here("plate", "--food", "noodles", "--people", "dogs")
    assert called.code == 2
    monkeypatch.setattr(plate, "_clear", lambda order, wanted: {"actions": [], "in_words": "Nothing."})
    called = here("plate", "--food", "noodles", "--people", "simulated")
    assert "Noodles are computed by NumPy here, many times slower" in called.err
