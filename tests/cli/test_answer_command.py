"""`handup answer`: a person answers what is open in a store."""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from handup.core import Limits, Person, Question, QuestionKind, Value
from handup.desk import Desk
from handup.journal import Journal
from tests.cli.calls import SRC, Called, assert_one_line_error, here, shell

BOWL = Question("Which bowl?", QuestionKind.CHOICE, ("left", "right"), why="Both are [red]")
PEOPLE = [Person(name="Ada", limits=Limits(at_once=2)), Person(name="Tom")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("USER", "Ada")
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    return tmp_path


def answer(*arguments: str, typed: str = "") -> Called:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(typed))
        return here("answer", *arguments)


def robots(*steps: str, question: Question = BOWL) -> None:
    """Two robots ask, in two processes as it were."""
    for number, step in enumerate(steps):
        with Journal.open("handup.db") as journal, Desk(journal, PEOPLE) as desk:
            desk.ask(question, run=f"robot-{number + 1}", step=step)


def values() -> dict[str, Value | None]:
    with Journal.open("handup.db", readonly=True) as journal:
        records = Desk(journal).state.records.values()
    return {each.id: each.answer.value for each in records if each.answer is not None}


def test_what_is_open_is_answered_one_by_one() -> None:
    robots("bowl", "spoon")
    called = answer("--once", typed="1\n2\n")
    assert (called.code, called.out) == (0, "")
    assert called.err.index("from robot-1") < called.err.index("from robot-2")
    assert values() == {"robot-1/bowl/1": "left", "robot-2/spoon/1": "right"}


def test_who_leaves_early_leaves_the_rest_open() -> None:
    robots("bowl", "spoon")
    called = answer("--once", typed="1\n")
    assert called.code == 1
    assert "Left open" in called.err
    assert values() == {"robot-1/bowl/1": "left"}


def test_end_of_input_ends_the_waiting() -> None:
    robots("bowl")
    assert answer(typed="").code == 0


def test_one_answers_for_oneself() -> None:
    robots("bowl", question=Question("Which?", to=("Tom",)))
    called = answer("--once")
    assert called.code == 0
    assert "Nothing is asked of Ada now. There are questions for Tom." in " ".join(called.err.split())
    assert "--by" not in called.err, "nobody is told to answer as somebody else"
    assert answer("--once", "--by", "Tom", typed="this one\n").code == 0
    assert values() == {"robot-1/bowl/1": "this one"}


def test_someone_else_comes_to_the_next_person() -> None:
    robots("bowl")
    assert answer("--once", typed="o\n").code == 0
    assert answer("--once", "--by", "Tom", typed="2\n").code == 0
    assert values() == {"robot-1/bowl/1": "right"}


def test_the_first_of_the_people_answers_where_nobody_is_named(folder: Path) -> None:
    (folder / "people.yaml").write_text("- {name: Tom}\n- {name: Ada}\n")
    robots("bowl", question=Question("Which?", to=("Tom",)))
    assert answer("--once", "--people", "people.yaml", typed="that\n").code == 0
    assert_one_line_error(
        answer("--once", "--people", "people.yaml", "--by", "Eve"), "--by must name one of the people", "Tom, Ada"
    )


def test_what_is_open_is_listed_with_status_age_and_words() -> None:
    robots("bowl", "spoon")
    called = answer("--list")
    assert (called.code, called.err) == (0, "")
    assert called.out.splitlines()[3:] == ["open, for Ada, asked 1 second ago", "  Which bowl?", "  robot-2/spoon/1"]
    found = json.loads(answer("--list", "--json").out)
    assert found["stopped"] is False
    assert [each["id"] for each in found["questions"]] == ["robot-1/bowl/1", "robot-2/spoon/1"]
    assert found["questions"][0]["age_s"] >= 0.0
    assert Question.from_json(found["questions"][0]["question"]).prompt == "Which bowl?"


def test_an_empty_store_has_nothing_open() -> None:
    robots()
    Journal.open("handup.db").close()
    assert answer("--list").out == "Nothing is open.\n"


def test_a_store_that_is_not_there_is_not_made_by_looking(folder: Path) -> None:
    for options in (["--list"], ["--once"], ["--stop"], ["--enable"], []):
        assert_one_line_error(answer(*options), "there is no journal", "Check the path")
    assert list(folder.iterdir()) == []


def test_stop_is_latched_until_somebody_enables() -> None:
    robots("bowl")
    called = answer("--stop")
    assert (called.code, called.out) == (0, "")
    assert "Stopped" in called.err
    assert "Everything is stopped, by Ada." in answer("--list").out
    robots("spoon")
    called = answer("--once", typed="1\n")
    assert called.code == 1
    assert "Everything is stopped by Ada" in called.err
    assert values() == {}
    assert answer("--once", "--enable", typed="1\n").code == 0
    assert values() == {"robot-1/spoon/1": "left"}


def test_a_stop_typed_at_a_question_ends_the_round() -> None:
    robots("bowl", "spoon")
    called = answer("--once", typed="s\n")
    assert called.code == 1
    assert "Everything is stopped by Ada" in called.err
    assert values() == {}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--json",), "--json must stand with --list"),
        (("--stop", "--enable"), "Give one of them"),
        (("--list", "--enable"), "Give one of them"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: tuple[str, ...], words: str) -> None:
    assert_one_line_error(answer(*arguments), words)


def test_a_damaged_store_is_not_said_to_be_empty(folder: Path) -> None:
    robots("bowl")
    with closing(sqlite3.connect(folder / "handup.db")) as raw, raw:
        raw.execute("DELETE FROM entries")
    assert_one_line_error(answer("--list"), "HU401")


def test_a_stop_comes_before_a_list() -> None:
    robots("bowl")
    called = answer("--list", "--stop")
    assert called.code == 0
    assert "Stopped." in called.err
    assert "Everything is stopped, by Ada." in called.out


def test_a_stop_that_fails_says_first_that_the_robot_was_not_stopped(folder: Path) -> None:
    for options in (["--store", "typo.db"], ["--people", "nobody.yaml"], ["--enable"]):
        called = answer("--stop", *options)
        assert_one_line_error(called)
        assert called.err.startswith("handup: The robot was NOT stopped: use its own stop button. ")
    assert list(folder.iterdir()) == []


def test_enabling_says_whether_anything_was_stopped() -> None:
    robots()
    Journal.open("handup.db").close()
    assert "Nothing was stopped." in answer("--once", "--enable").err
    answer("--stop")
    assert "A run that was stopped stays stopped; begin a new one." in answer("--once", "--enable").err


def test_commands_to_run_name_the_store_and_stand_alone(folder: Path) -> None:
    Journal.open(folder / "my store.db").close()
    for options in (["--stop"], ["--once"]):
        called = answer(*options, "--store", "my store.db")
        assert called.err.splitlines()[-1] == "  handup answer --enable --store 'my store.db'"


def test_everybody_in_the_audience_may_answer_after_what_is_their_turn() -> None:
    robots("bowl")
    robots("spoon", question=Question("Which spoon?", to=("Tom",)))
    called = answer("--once", "--by", "Tom", typed="this\nright\n")
    assert called.code == 0
    assert called.err.index("Which spoon?") < called.err.index("It is Ada's turn. You may answer it too, Tom.")
    assert values() == {"robot-1/spoon/1": "this", "robot-1/bowl/1": "right"}


def test_what_is_somebody_elses_turn_can_be_left_to_them() -> None:
    robots("bowl")
    called = answer("--once", "--by", "Tom", typed="n\n")
    assert called.code == 1
    assert "This question is with Ada now." in called.err
    assert values() == {}


def test_the_list_says_why_and_fits() -> None:
    robots("a", "b", "c")
    assert "held, for Ada, asked 1 second ago: no more than 2 at once" in answer("--list").out
    narrow = shell("answer", "--by", "Ada", "--list", cwd=Path.cwd(), columns=40)
    assert max(map(len, narrow.out.splitlines())) <= 40


def test_what_was_put_off_is_asked_again_at_the_earliest_then() -> None:
    robots("bowl")
    answer("--once", typed="n\n")
    assert "Ada said not now; asked again in 10 minutes at the earliest" in " ".join(answer("--list").out.split())


def test_it_waits_for_questions_and_ctrl_c_leaves(folder: Path) -> None:
    Journal.open("handup.db").close()
    environment = {**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "80"}
    process = subprocess.Popen(
        [sys.executable, "-m", "handup", "answer"],
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    assert "Waiting; Ctrl-C leaves." in process.stderr.readline()
    robots("bowl")
    process.stdin.write("2\n")
    process.stdin.flush()
    while "Nothing is asked of Ada now." not in process.stderr.readline():
        pass
    assert values() == {"robot-1/bowl/1": "right"}
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Left. What waits for an answer goes on waiting." in err
