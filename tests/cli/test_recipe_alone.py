"""`handup recipe test`: a task, an action or a recovery, alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import assert_one_line_error, here
from tests.cli.test_run import KITTING, RULE, SLIPS


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """With a run that failed."""
    monkeypatch.chdir(tmp_path)
    Path("slips.yaml").write_text(SLIPS, encoding="utf-8")
    Path("rule.yaml").write_text(RULE, encoding="utf-8")
    assert here("run", "slips.yaml", *KITTING, "--store", "s.db").code == 1
    return "s.db"


def test_an_action_runs_alone_from_json() -> None:
    called = here("recipe", "test", "navigate", *KITTING, "--params", '{"to": "machine"}', "--json")
    record = json.loads(called.out)
    assert (called.code, called.err, record["ok"]) == (0, "", True)
    assert record["time_s"] > 1.0


def test_a_task_of_the_world_runs_alone_and_shows_its_steps() -> None:
    called = here("recipe", "test", "perceive", *KITTING, "--params", '{"object": "bolt", "pose": "bin"}')
    assert called.code == 0
    assert called.out.startswith("perceive: done after ")
    assert "  grasps = " in called.out
    assert [each.split()[-1] for each in called.err.splitlines()][:2] == ["perceive/look", "perceive/wait"]


@pytest.mark.usefixtures("store")
def test_a_task_of_a_file_that_fails_exits_with_1() -> None:
    called = here("recipe", "test", "give_up", "--recipe", "slips.yaml", *KITTING, "--json")
    assert called.code == 1
    assert json.loads(called.out)["failed"]["code"] == "bored"
    helped = here("recipe", "test", "give_up", "--recipe", "slips.yaml", "--recoveries", "rule.yaml", *KITTING)
    assert helped.code == 0


def test_a_new_recovery_is_tried_on_a_stored_failure_without_moving(store: str) -> None:
    called = here("recipe", "test", "so_what", "--recoveries", "rule.yaml", "--from-failure", "last", "--store", store)
    assert called.code == 0
    assert called.out == "Failure 1: give_up/abort (bored).\nso_what: next at give_up.\n"
    told = (
        "recipe",
        "test",
        "so_what",
        "--recoveries",
        "rule.yaml",
        "--from-failure",
        "last",
        "--store",
        store,
        "--json",
    )
    assert json.loads(here(*told).out)["failure"]["number"] == 1
    Path("rule.yaml").write_text(RULE.replace("bored", "tired"), encoding="utf-8")
    again = here("recipe", "test", "so_what", "--recoveries", "rule.yaml", "--from-failure", "1", "--store", store)
    assert again.code == 1
    assert "It is for tired, and the code is bored." in again.out


WRONG = """\
format: 1
tidy:
  params: [room]
  steps:
  - {action: navigate, params: {to: params.rom}}
  - {action: dance}
  - {acton: look}
"""
WRONG_RULES = """\
format: 1
recoveries:
- {name: turn, when: {path: "**/tidy/navigat"}, do: [{action: spin}], resume: continue}
- {name: again, when: {code: bored}, resume: sometimes}
"""


@pytest.mark.parametrize("name", ["tidy", "navigate", "nothing"])
def test_everything_that_is_wrong_with_the_files_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.yaml").write_text(WRONG, encoding="utf-8")
    Path("rules.yaml").write_text(WRONG_RULES, encoding="utf-8")
    files = ("wrong.yaml", "--recoveries", "rules.yaml", *KITTING)
    called = here("recipe", "test", name, "--params", '{"room": "hall"}', "--recipe", *files)
    told = here("recipe", "check", *files).out.splitlines()[:-1]
    assert (called.code, called.out) == (2, "")
    assert called.err.splitlines()[:-1] == told
    assert [each.split(" ")[0] for each in told] == [
        *("wrong.yaml:5:37:", "wrong.yaml:6:6:", "wrong.yaml:7:6:"),
        *("rules.yaml:3:22:", "rules.yaml:3:55:", "rules.yaml:4:23:", "rules.yaml:4:46:"),
    ]
    assert f"there are {len(told)} problems in the files" in called.err.splitlines()[-1]


def test_everything_that_is_wrong_with_an_actions_inputs_is_told_at_once() -> None:
    called = here("recipe", "test", "navigate", *KITTING, "--params", '{"too": "machine", "fast": true}')
    assert called.code == 2
    *told, last = called.err.splitlines()
    assert [each.split(".")[0] for each in told] == [
        "action 'navigate' is not given 'to'",
        *(f"action 'navigate' takes no '{name}'" for name in ("too", "fast")),
    ]
    assert "there are 3 problems in the inputs. Correct what is told above." in last
    assert_one_line_error(here("recipe", "test", "navigate", *KITTING), "handup: action 'navigate' is not given 'to'")


def test_everything_that_is_wrong_with_a_recoverys_file_is_told_at_once(store: str) -> None:
    Path("rule.yaml").write_text(
        "format: 1\nrecoveries:\n- {name: so_what, whn: {code: bored}, resume: sometimes}\n", encoding="utf-8"
    )
    called = here("recipe", "test", "so_what", "--recoveries", "rule.yaml", "--from-failure", "1", "--store", store)
    assert called.code == 2
    assert [each.split(" ")[0] for each in called.err.splitlines()[:-1]] == ["rule.yaml:3:19:", "rule.yaml:3:47:"]


def test_bad_input_is_one_line(store: str) -> None:
    assert_one_line_error(here("recipe", "test", "dance", *KITTING), "there is no task, action or recovery 'dance'")
    assert_one_line_error(here("recipe", "test", "wiggle_free", *KITTING), "'wiggle_free' is a recovery")
    assert_one_line_error(here("recipe", "test", "x", "--from-failure", "last", "--store", store), "no recovery 'x'")
    wrong = here("recipe", "test", "so_what", "--recoveries", "rule.yaml", "--from-failure", "9", "--store", store)
    assert_one_line_error(wrong, "has no failure 9")
    odd = here("recipe", "test", "so_what", "--recoveries", "rule.yaml", "--from-failure", "x", "--store", store)
    assert_one_line_error(odd, "--from-failure must be 'last' or a number, got 'x'")


def test_only_actions_that_a_recovery_starts_can_give_up(store: str) -> None:
    told = ("recipe", "test", "so_what", "--recoveries", "rule.yaml", "--from-failure", "1", "--store", store)
    Path("rule.yaml").write_text(RULE.replace("name: so_what", "name: so_what, do: [{action: wait}]"), "utf-8")
    assert_one_line_error(
        here(*told, "--aborts", "wiat:late"), "'so_what' does not start the action 'wiat'", "It starts: wait."
    )
    assert here(*told).code == 0
    assert here(*told, "--aborts", "wait:late").code == 1
