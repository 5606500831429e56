"""`handup run`: what has no use is refused, and nobody is asked about the end of a world's time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handup.domains import kitting
from handup.executive.events import Failed, TaskAsked
from handup.journal import Journal
from tests.cli.calls import assert_one_line_error, here
from tests.cli.test_run import KITTING

PLAIN = "format: 1\nsay_it:\n  steps:\n  - {op: print, params: {message: Here.}}\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("option", [("--port", "8800"), ("--linger", "3"), ("--no-browser",), ("--no-wait",)])
@pytest.mark.parametrize("people", ["", "nobody", "simulated", "terminal"])
def test_what_is_for_the_page_is_refused_without_it(option: tuple[str, ...], people: str, files: Path) -> None:
    asked = ("--people", people) if people else ()
    called = here("run", *KITTING, *asked, *option)
    words = f"is for the page, and --people is '{people or 'nobody'}'"
    assert_one_line_error(called, option[0], words, "Use --people page.")
    assert not (files / "handup-runs").exists()


@pytest.mark.parametrize("option", ["--seed", "--speed"])
def test_what_is_for_a_world_is_refused_without_one(option: str, files: Path) -> None:
    (files / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    called = here("run", "plain.yaml", option, "3")
    assert_one_line_error(
        called,
        f"{option} is for a simulated world",
        "Name a --world: feeding, kitting, plate, reaching; or leave it out.",
    )
    assert not (files / "handup-runs").exists()


def test_who_goes_on_is_told_as_well(files: Path) -> None:
    (files / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    assert here("run", "plain.yaml").code == 0
    assert_one_line_error(here("run", "--resume", "--port", "8800"), "--port is for the page, and --people is 'nobody'")
    assert_one_line_error(here("run", "--resume", "--speed", "3"), "--speed is for a simulated world")
    assert here("run", "--resume").code == 0


def test_the_end_of_the_time_ends_a_run_with_other_recoveries_too(files: Path) -> None:
    (files / "none.yaml").write_text("format: 1\nrecoveries: []\n", encoding="utf-8")
    order = (*KITTING, "--seed", "7", "--people", "simulated", "--recoveries", "none.yaml", "--store", "s.db", "--json")
    called = here("run", *order)
    record = json.loads(called.out)
    assert (called.code, record["ending"]) == (0, "done")
    assert record["reason"] == "The time is up; after 45 minutes there is nothing more to do."
    with Journal.open("s.db", readonly=True) as journal:
        events = [each.event for each in journal.read()]
    late = [each.number for each in events if isinstance(each, Failed) and each.failure.code == "time_up"]
    assert late
    assert not [each for each in events if isinstance(each, TaskAsked) and each.number in late]
    assert json.loads(here("run", *order, "--resume").out) == record, "the same recoveries are named"


def test_a_rule_of_that_name_among_the_named_ones_holds_in_its_place(files: Path) -> None:
    shipped = Path(kitting.__file__).parent / "recoveries" / "common.yaml"
    text = shipped.read_text(encoding="utf-8").replace("The time is up; after 45", "It is late; after 45")
    (files / "mine.yaml").write_text(text, encoding="utf-8")
    order = (*KITTING, "--seed", "7", "--people", "simulated", "--recoveries", "mine.yaml", "--json")
    record = json.loads(here("run", *order).out)
    assert record["reason"] == "It is late; after 45 minutes there is nothing more to do."


def test_a_recipe_of_ones_own_ends_with_the_time_of_the_world_too(files: Path) -> None:
    (files / "rounds.yaml").write_text(
        "format: 1\nrounds:\n  steps:\n  - loop:\n      condition: 'true'\n      most: 500\n      body:\n"
        "      - {action: navigate, params: {to: gears}}\n      - {action: navigate, params: {to: machine}}\n",
        encoding="utf-8",
    )
    called = here("run", "rounds.yaml", *KITTING, "--people", "simulated", "--json")
    assert called.code == 0, called.err
    assert json.loads(called.out)["reason"] == "The time is up; after 45 minutes there is nothing more to do."
