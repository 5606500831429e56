"""`handup inject`: drills, where a run was begun for them and nowhere else."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from handup.domains.kitting import CAUSES, KittingWorld
from tests.cli.calls import assert_one_line_error, here
from tests.cli.test_run import KITTING, process, until_said, worlds

LONG = (*KITTING, "--speed", "1", "--store", "s.db", "--steps")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_list_has_every_part_and_failure() -> None:
    called = here("inject", "--list", "--json")
    assert {each["failure"] for each in json.loads(called.out)["failures"]} == set(CAUSES)
    assert "The arm hangs before the camera." in here("inject", "--list").out


def test_a_drill_reaches_the_run_that_is_under_way_and_fails_it(folder: Path) -> None:
    made = process(folder, *LONG, "--drills")
    until_said(folder, "·", made)
    called = here("inject", "base", "stuck_base", "--store", "s.db")
    assert (called.code, called.out) == (0, "run-1: stuck_base at the base, at its next opportunity.\n")
    for part, failure, words in (
        ("arm", "hiccup", "the arm has no failure 'hiccup'"),
        ("knee", "slip", "nothing is known to fail at 'knee'"),
    ):
        assert_one_line_error(here("inject", part, failure, "--store", "s.db"), words)
    made.send_signal(signal.SIGINT)
    assert made.wait(60) == 130
    after = here("run", "--resume", "--store", "s.db")
    assert "navigate failed (stuck)" in after.err.split("goes on where it was")[1].split("↺")[0]


def test_without_drills_it_is_refused(folder: Path) -> None:
    made = process(folder, *LONG)
    until_said(folder, "·", made)
    assert_one_line_error(here("inject", "arm", "wedged_arm", "--store", "s.db"), "takes no drills", "--drills")
    made.send_signal(signal.SIGINT)
    made.wait(60)
    [path] = worlds(folder / "s.db")
    world = KittingWorld(path=path, create=False)
    assert world.state.drills == ()
    world.close()


@pytest.mark.usefixtures("folder")
def test_bad_input_is_one_line() -> None:
    assert_one_line_error(here("inject"), "no part or no failure is named", "--list")
    assert here("inject", "arm", "wedged_arm", "--store", "none.db").code == 2


def test_a_run_that_is_over_takes_no_drill(folder: Path) -> None:
    recipe = folder / "r.yaml"
    recipe.write_text("format: 1\na:\n  steps:\n  - op: noop\n", encoding="utf-8")
    assert here("run", "r.yaml", *KITTING, "--drills", "--store", "s.db").code == 0
    assert_one_line_error(here("inject", "arm", "wedged_arm", "--store", "s.db"), "run-1 is over")
