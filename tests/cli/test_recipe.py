"""`handup recipe`: checked in one pass, shown as a tree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import assert_one_line_error, here

CUP = Path(__file__).parents[2] / "examples" / "recipes"
FILES = (str(CUP / "cup.yaml"), "--recoveries", str(CUP / "cup-recoveries.yaml"))
DATABASE = ("--database", str(CUP / "cup-database.yaml"))


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.yaml"
    text = "format: 1\na:\n  steps:\n  - task: b\n  - {action: x, params: {y: var.z}}\n  - {op: noop, whatever: 1}\n"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_right_exits_with_0(tmp_path: Path) -> None:
    called = here("recipe", "check", *FILES, *DATABASE, cwd=tmp_path)
    assert (called.code, called.out, called.err) == (0, "2 tasks, 2 recoveries: nothing is wrong.\n", "")


def test_everything_wrong_is_told_with_its_place(wrong: Path) -> None:
    called = here("recipe", "check", str(wrong))
    assert (called.code, called.err) == (1, "")
    assert called.out.splitlines() == [
        f"{wrong}:4:5: there is no task 'b'. Known: a.",
        f"{wrong}:5:29: var.z is read before anything sets it. A step sets it, with var: [z].",
        f"{wrong}:6:16: 'whatever' is no key of this op. Known: op, params, var.",
        "1 task, 0 recoveries: 3 problems.",
    ]


def test_in_json(wrong: Path) -> None:
    called = here("recipe", "check", str(wrong), "--json")
    found = json.loads(called.out)
    assert called.code == 1
    assert (found["ok"], found["tasks"], len(found["problems"])) == (False, 1, 3)
    assert found["problems"][0] == {
        "file": str(wrong),
        "line": 4,
        "column": 5,
        "cause": "there is no task 'b'",
        "hint": "Known: a.",
    }
    assert json.loads(here("recipe", "check", *FILES, *DATABASE, "--json").out)["ok"] is True


def test_all_files_are_looked_at(wrong: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nrecoveries: [\n", encoding="utf-8")
    called = here("recipe", "check", str(wrong), "--recoveries", str(broken), "--database", str(broken))
    assert called.code == 1
    assert [line.split(":")[0] for line in called.out.splitlines()[:-1]] == [str(wrong), str(broken)]


def test_the_actions_of_a_world_are_known() -> None:
    called = here("recipe", "check", *FILES, *DATABASE, "--world", "kitting")
    assert called.code == 1
    assert "there is no action 'drive'" in called.out
    assert_one_line_error(here("recipe", "check", *FILES, "--world", "moon"), "there is no world 'moon'", "kitting")


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.yaml")
    for options in ((missing,), (*FILES[:2], missing), (FILES[0], "--database", missing)):
        assert_one_line_error(here("recipe", "check", *options), "there is no such file", "HU110")
    assert_one_line_error(here("recipe", "show", missing), "there is no such file")


def test_the_tree_is_shown_with_its_recoveries() -> None:
    called = here("recipe", "show", *FILES)
    assert (called.code, called.err) == (0, "")
    assert called.out.startswith("task bring_cup\n├─ task pick(object='cup'")
    assert "↺ grasp_again (slipped) → next or previous, at most 3×" in called.out
    assert here("recipe", "show", *FILES, "--task", "pick").out.startswith("task pick\n")
    assert_one_line_error(here("recipe", "show", *FILES, "--task", "pik"), "there is no task 'pik'", "pick")


def test_a_tree_that_is_too_deep_is_cut(tmp_path: Path) -> None:
    deep = tmp_path / "deep.yaml"
    calls = "".join(f"t{at}:\n  steps:\n  - task: t{at + 1}\n" for at in range(400))
    deep.write_text(f"format: 1\n{calls}t400:\n  steps:\n  - op: noop\n", encoding="utf-8")
    for options in ((), ("--json",), ("--svg", str(tmp_path / "a.svg"))):
        assert here("recipe", "show", str(deep), *options).code == 0
    assert here("recipe", "show", str(deep)).out.endswith("… what is more than 100 levels deep is not shown\n")
    assert "more than 64 tasks stand in each other" in here("recipe", "check", str(deep)).out


def test_the_tree_as_data_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "tree.svg"
    called = here("recipe", "show", *FILES, "--svg", str(picture), "--json")
    found = json.loads(called.out)
    assert (found["main"], found["tree"]["name"]) == ("bring_cup", "bring_cup")
    assert picture.read_text(encoding="utf-8").startswith("<svg ")
    assert here("recipe", "show", *FILES, "--svg", str(picture)).out == ""
    assert_one_line_error(here("recipe", "show", *FILES, "--svg", str(tmp_path)), "can be written")


def test_what_cannot_be_read_is_not_shown(wrong: Path) -> None:
    assert_one_line_error(here("recipe", "show", str(wrong)), f"{wrong}:6:16: 'whatever' is no key", "HU110")
    wrong.write_text(wrong.read_text(encoding="utf-8") + "  - {opp: noop}\n", encoding="utf-8")
    called = here("recipe", "show", str(wrong))
    assert (called.code, called.out, len(called.err.splitlines())) == (2, "", 3)


def test_a_run_tells_everything_that_the_check_tells(wrong: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("format: 1\nrecoveries:\n- {name: r, when: {path: '**/y'}, resume: nxt}\n", encoding="utf-8")
    files = (str(wrong), "--recoveries", str(rules), "--world", "kitting")
    *told, _ = here("recipe", "check", *files).out.splitlines()
    called = here("run", *files, "--store", str(tmp_path / "s.db"))
    *lines, last = called.err.splitlines()
    assert (called.code, called.out, lines) == (2, "", told)
    assert len(lines) == 6  # what cannot be read and what does not fit, of both files
    assert last.startswith("handup: there are 6 problems in the files. ")
    assert not (tmp_path / "s.db").exists()


def test_alone_it_says_what_there_is() -> None:
    called = here("recipe")
    assert called.code == 0
    assert all(word in called.out for word in ("check", "show"))
