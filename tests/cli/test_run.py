"""`handup run`: to a named end, left in order, killed and gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from handup.core import Person
from handup.desk import Desk
from handup.domains.kitting import HallState, KittingWorld, run_once
from handup.domains.kitting.hall_state import Effect, WorldFile
from handup.executive import Ending
from handup.journal import Journal
from tests.cli.calls import SRC, Called, assert_one_line_error, here

RECIPE = """\
format: 1
look_around:
  params: [where]
  var: [clusters]
  steps:
  - {action: navigate, params: {to: params.where}}
  - {action: look, params: {pose: the gears}}
  - {action: segment, var: [clusters]}
  - {op: print, params: {message: I have seen it.}}
"""
SLIPS = """\
format: 1
give_up:
  steps:
  - {action: look, params: {pose: the gears}}
  - {op: abort, params: {code: bored, why: There is nothing to do.}}
"""
RULE = """\
format: 1
recoveries:
- {name: so_what, about: It does not matter., when: {code: bored}, resume: next}
"""
KITTING = ("--world", "kitting")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("look.yaml", RECIPE), ("slips.yaml", SLIPS), ("rule.yaml", RULE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def told(called: Called) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(called.out)
    return record


def worlds(store: Path, run: str = "run-1") -> list[Path]:
    """The files of a run's world; more than one where another store of this name had such a run."""
    return sorted(store.parent.glob(f"{store.name}.{run}.*.world"))


def world_of(store: Path, run: str = "run-1") -> tuple[HallState, tuple[Effect, ...]]:
    [path] = worlds(store, run)
    kept = WorldFile(path, create=False)
    try:
        state = kept.load()
        assert state is not None
        return state, kept.effects()
    finally:
        kept.close()


def process(cwd: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    with (cwd / "out").open("wb") as out, (cwd / "err").open("ab") as err:
        return subprocess.Popen(
            [sys.executable, "-m", "handup", "run", *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )


def until_said(cwd: Path, words: str, made: subprocess.Popen[bytes]) -> None:
    while words not in (cwd / "err").read_text(encoding="utf-8"):
        assert made.poll() is None, (cwd / "err").read_text(encoding="utf-8")
        time.sleep(0.02)


# -- to an end ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_a_recipe_runs_in_a_world_to_its_end() -> None:
    called = here("run", "look.yaml", *KITTING, "--params", '{"where": "gears"}')
    assert called.code == 0
    assert called.out.startswith("run-1: done after ")
    assert "3 actions, 0 failures, 0 recoveries, 0 questions" in called.out
    assert "Begins run-1 in kitting, seed 0. Kept in handup-runs/run.db." in called.err
    assert "“I have seen it.”" in called.err


@pytest.mark.usefixtures("files")
def test_json_says_everything_and_nothing_on_the_way() -> None:
    called = here("run", "look.yaml", *KITTING, "--params", '{"where": "gears"}', "--json", "--seed", "4")
    record = told(called)
    assert (called.code, called.err) == (0, "")
    assert (record["run"], record["ending"], record["seed"], record["starts"]) == ("run-1", "done", 4, 3)
    assert record["outputs"]["clusters"]
    assert record["result"] == {"kits": 0, "points": 0}


@pytest.mark.usefixtures("files")
def test_what_fails_ends_with_a_name_and_exit_code_1() -> None:
    called = here("run", "slips.yaml", *KITTING)
    assert called.code == 1
    assert called.out.splitlines()[:2] == [
        "run-1: failed after 2 s: 0 kits, 0 points.",
        "give_up/abort failed (bored), and no recovery is for that.",
    ]
    assert "✗ give_up: abort failed (bored). There is nothing to do." in called.err


@pytest.mark.usefixtures("files")
def test_a_recovery_is_told_with_its_reason() -> None:
    called = here("run", "slips.yaml", "--recoveries", "rule.yaml", *KITTING, "--steps")
    assert called.code == 0
    lines = [each[6:] for each in called.err.splitlines()]
    assert "  · give_up/look" in lines
    assert "  ↺ so_what: It does not matter." in lines
    assert "  → next at give_up" in lines


def test_without_a_recipe_the_worlds_own_task_runs_as_in_a_study(files: Path) -> None:
    called = here("run", *KITTING, "--seed", "7", "--json")
    record, study = told(called), run_once(7, "full")
    assert called.code == 0
    assert (record["result"]["kits"], record["ending"]) == (study.kits, str(study.ending))
    assert record["starts"] == sum(study.starts.values())
    assert world_of(files / "handup-runs" / "run.db")[0].now_s == pytest.approx(study.ended_s)


def test_the_next_run_is_another_one(files: Path) -> None:
    for expected in ("run-1", "run-2"):
        assert told(here("run", "slips.yaml", *KITTING, "--json"))["run"] == expected
    for run in ("run-1", "run-2"):
        assert len(worlds(files / "handup-runs" / "run.db", run)) == 1


# -- refused before anything moves ------------------------------------------------------------------------------------


def test_wrong_recipes_are_refused_before_anything_is_written(files: Path) -> None:
    (files / "wrong.yaml").write_text("format: 1\na:\n  steps:\n  - action: fly\n", encoding="utf-8")
    before = sorted(files.iterdir())
    called = here("run", "wrong.yaml", *KITTING, "--store", "s.db")
    assert_one_line_error(called, "wrong.yaml:4:5: there is no action 'fly'")
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "nothing to run is named"),
        (("slips.yaml",), "there is no action 'look'"),
        ((*KITTING, "--people", "everybody"), "--people must be nobody, simulated, terminal or page, got 'everybody'"),
        (("--world", "moon"), "there is no world 'moon'"),
        (("look.yaml", *KITTING, "--params", "[1]"), "--params must be a JSON object, got '[1]'"),
        (("look.yaml", *KITTING), "the inputs of task 'look_around' must be"),
        (("look.yaml", *KITTING, "--task", "dance"), "there is no task 'dance'"),
        (("slips.yaml", "--drills"), "there is nothing to drill without a world"),
        (("nowhere.yaml", *KITTING), "nowhere.yaml"),
        (("slips.yaml", *KITTING, "--resume", "--params", '{"a": 1}'), "task 'give_up'"),
        (("--resume",), "nothing to run is named"),
        (("slips.yaml", "--people", "simulated"), "nobody is simulated without a world"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(files: Path, arguments: tuple[str, ...], words: str) -> None:
    before = sorted(files.iterdir())
    assert_one_line_error(here("run", *arguments), words)
    assert sorted(files.iterdir()) == before


def test_a_robot_does_not_begin_while_a_stop_holds(files: Path) -> None:
    with Journal.open(files / "s.db") as journal, Desk(journal, [Person(name="ana")]) as desk:
        desk.stop("ana", "too close")
    called = here("run", "slips.yaml", *KITTING, "--people", "terminal", "--store", "s.db")
    assert called.code == 2
    assert "somebody stopped the robots of this store" in called.err


# -- people -----------------------------------------------------------------------------------------------------------


def test_somebody_simulated_is_asked_when_recoveries_run_out(files: Path) -> None:
    (files / "none.yaml").write_text("format: 1\nrecoveries: []\n", encoding="utf-8")
    pick = "format: 1\na:\n  steps:\n  - {action: navigate, params: {to: gears}}\n  - {task: b}\nb:\n  steps:\n"
    (files / "ask.yaml").write_text(f"{pick}  - {{op: abort, params: {{code: odd}}}}\n", encoding="utf-8")
    called = here("run", "ask.yaml", *KITTING, "--people", "simulated", "--json")
    record = told(called)
    assert (called.code, record["ending"]) == (1, str(Ending.OUT_OF_RECOVERIES))
    assert record["questions"] == 3
    assert record["help_s"] > 10.0
    assert record["interventions"] == 4, "three failures that somebody was asked about, and a run that broke off"
    assert record["availability"] is None, "nobody said how long it was to last"


def test_somebody_at_the_terminal_says_how_to_go_on(files: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "80"}
    command = [sys.executable, "-m", "handup", "run", "slips.yaml", *KITTING, "--people", "terminal"]
    done = subprocess.run(
        command, cwd=files, env=environment, input="3\n", capture_output=True, timeout=120, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "I cannot abort. How shall I go on?" in done.stderr
    assert "in the hall you would see" in " ".join(done.stderr.split())
    assert "1 question" in done.stdout
    left = subprocess.run(
        command, cwd=files, env=environment, input="", capture_output=True, timeout=120, check=False, text=True
    )
    assert left.returncode == 2
    assert "Go on with: handup run --resume" in " ".join(left.stderr.split())


# -- left, killed, gone on with ---------------------------------------------------------------------------------------


def test_ctrl_c_makes_safe_and_says_how_to_go_on(files: Path) -> None:
    made = process(files, *KITTING, "--seed", "3", "--speed", "200", "--store", "s.db")
    until_said(files, "✗", made)
    made.send_signal(signal.SIGINT)
    assert made.wait(60) == 130
    assert "Left; nothing moves. To go on: handup run --resume --store s.db" in (files / "err").read_text()
    state, effects = world_of(files / "s.db")
    assert state.goal is None, "what was under way was taken back"
    called = here("run", "--resume", "--store", "s.db", "--json")
    record, after = told(called), world_of(files / "s.db")
    assert (called.code, record["run"], record["seed"]) == (0, "run-1", 3)
    assert after[1][: len(effects)] == effects
    assert len({each.number for each in after[1]}) == len(after[1])
    assert not any(each.again for each in after[1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_leave_it_in_order_too(files: Path, number: signal.Signals) -> None:
    made = process(files, *KITTING, "--speed", "1", "--steps", "--store", "s.db")
    until_said(files, "·", made)
    made.send_signal(number)
    assert made.wait(60) == 128 + number
    assert "Left; nothing moves. To go on: handup run --resume --store s.db" in (files / "err").read_text()
    assert str(128 + number) in here("run", "--help").out
    assert world_of(files / "s.db")[0].goal is None


def test_going_on_with_what_is_over_moves_nothing_and_says_the_same(files: Path) -> None:
    first = here("run", "slips.yaml", *KITTING, "--json", "--store", "s.db")
    before = world_of(files / "s.db")
    again = here("run", "--resume", "--json", "--store", "s.db")
    assert (again.code, told(again)) == (first.code, told(first))
    assert world_of(files / "s.db") == before


@pytest.mark.usefixtures("files")
def test_with_nothing_to_go_on_with_it_begins() -> None:
    record = told(here("run", "slips.yaml", *KITTING, "--resume", "--json"))
    assert record["run"] == "run-1"


@pytest.mark.usefixtures("files")
def test_in_a_store_that_holds_no_run_it_begins_too() -> None:
    with Journal.open("s.db"):
        pass
    assert_one_line_error(here("run", "--resume", "--store", "s.db"), "nothing to run is named")
    assert told(here("run", "slips.yaml", *KITTING, "--resume", "--json", "--store", "s.db"))["run"] == "run-1"


@pytest.mark.usefixtures("files")
def test_a_run_that_is_over_says_so_and_how_to_begin_anew() -> None:
    here("run", "slips.yaml", *KITTING)
    again = here("run", "--resume")
    assert again.code == 1
    assert "Is over: run-1" in again.err
    assert "It stays over, and nothing moves. To begin a new one, leave out --resume." in again.err


# -- as it was begun, and in its own world ----------------------------------------------------------------------------

LOOKS = ("look.yaml", *KITTING, "--seed", "3", "--params", '{"where": "gears"}')


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seed", "9"), "--seed 9, not 3"),
        (("--params", '{"where": "moon"}'), "not {'where': 'gears'}"),
        (("--task", "dance"), "--task 'dance', not 'look_around'"),
        (("slips.yaml",), "other recipe files"),
        (("--recoveries", "rule.yaml"), "other --recoveries"),
        (("--database", "rule.yaml"), "other --database"),
        (("--drills",), "now you give --drills"),
        (("--seed", "4", "slips.yaml"), "--seed 4, not 3; other recipe files"),
    ],
)
def test_going_on_with_other_terms_is_refused(arguments: tuple[str, ...], words: str) -> None:
    assert here("run", *LOOKS).code == 0
    assert_one_line_error(here("run", "--resume", *arguments), "run-1 was begun otherwise", words)


@pytest.mark.usefixtures("files")
def test_going_on_with_the_same_terms_and_other_people_is_not() -> None:
    first = here("run", *LOOKS, "--json")
    again = here("run", *LOOKS, "--json", "--resume", "--people", "simulated", "--speed", "100")
    assert told(again) == told(first)


def test_a_new_store_of_the_same_name_has_a_new_world(files: Path) -> None:
    store = files / "handup-runs" / "run.db"
    here("run", *LOOKS)
    [left] = worlds(store)
    for each in store.parent.glob("run.db*"):
        if ".world" not in each.name:
            each.unlink()
    record = told(here("run", *LOOKS[:-4], "--seed", "5", *LOOKS[-2:], "--json"))
    assert (record["run"], record["starts"]) == ("run-1", 3)
    [new] = (each for each in worlds(store) if each != left)
    world = KittingWorld(path=new, create=False)
    assert world.state.seed == 5
    world.close()


def cut_off(files: Path) -> Path:
    """A run that can go on; its world's file."""
    made = process(files, *KITTING, "--speed", "1", "--store", "s.db", "--steps")
    until_said(files, "·", made)
    made.kill()
    made.wait()
    [world] = worlds(files / "s.db")
    return world


def test_a_run_whose_world_is_gone_does_not_go_on(files: Path) -> None:
    world = cut_off(files)
    for each in files.glob("s.db.run-1.*"):
        each.unlink()
    refused = here("run", "--resume", "--store", "s.db")
    assert_one_line_error(refused, f"the world of run-1 is not here: {world.name}", "leave out --resume")
    assert not world.exists()


def test_a_run_does_not_go_on_in_the_world_of_another_one(files: Path) -> None:
    world = cut_off(files)
    here("run", *LOOKS, "--store", "other.db")
    for each in files.glob("s.db.run-1.*"):
        each.unlink()
    worlds(files / "other.db")[0].rename(world)
    assert_one_line_error(here("run", "--resume", "--store", "s.db"), "is the one of another run")


def test_two_robots_on_one_store_are_refused(files: Path) -> None:
    made = process(files, *KITTING, "--speed", "1", "--store", "s.db", "--steps")
    until_said(files, "·", made)
    assert_one_line_error(here("run", "slips.yaml", *KITTING, "--store", "s.db"), "a robot is at work on this store")
    made.send_signal(signal.SIGTERM)
    assert made.wait(60) == 128 + signal.SIGTERM
