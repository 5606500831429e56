"""`handup ask`: one question from the shell, its answer on stdout, and nothing lost in between."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handup.cli.ask import next_attempt
from handup.cli.people_file import load_people
from handup.core import BadSetting, Person, QuietHours, Reply, ReplyKind, Role, Value
from handup.desk import Delivered, Desk, Status
from handup.journal import Entry, Journal
from handup.server import Access
from tests.cli.calls import SRC, Called, assert_one_line_error, here

BOWL = ("Which bowl?", "--option", "left", "--option", "right")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("USER", "Ada")
    monkeypatch.delenv("HANDUP_STORE", raising=False)
    return tmp_path


def ask(*arguments: str, typed: str | None = None) -> Called:
    """The command with somebody at this terminal, or without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(typed or ""))
        return here("ask", *arguments, "--elsewhere" if typed is None else "--here")


def answer(question: str, value: Value, by: str = "Ada", store: str = "handup.db") -> None:
    """Somebody answers elsewhere."""
    with Journal.open(store) as journal, Desk(journal, [Person(name=by)]) as desk:
        reply = Reply(question=question, kind=ReplyKind.ANSWER, by=by, token=f"t-{question}", value=value)
        assert desk.reply(reply).accepted


def open_question(store: str = "handup.db") -> str:
    with Journal.open(store, readonly=True) as journal:
        (record,) = Desk(journal).pending()
    return record.id


def test_the_answer_stands_on_stdout_and_nothing_else() -> None:
    called = ask(*BOWL, typed="2\n")
    assert (called.code, called.out) == (0, "right\n")
    assert "Which bowl?" in called.err


@pytest.mark.parametrize(
    ("arguments", "typed", "out"),
    [
        (("What is it?",), "a bowl\n", "a bowl\n"),
        (("Is it empty?", "--kind", "yes-no", "--guess", "no"), "\n", "no\n"),
        (("Turn it.", "--kind", "physical"), "1\n", "done\n"),
        (("How far?", "--kind", "number", "--low", "0", "--high", "9", "--unit", "cm"), "10\n2.5\n", "2.5\n"),
        (("Where?", "--kind", "box", "--image", "a.png"), "10 20 50 75\n", "0.1 0.2 0.5 0.75\n"),
        (("Where?", "--kind", "box", "--image", "a.png", "--guess", "[0, 0, 0.5, 1]"), "\n", "0 0 0.5 1\n"),
        (("?", "--kind", "points", "--image", "a", "--mark", "a", "--mark", "b"), "5\n0 100\n", "0.5 0.5\n0 1\n"),
        ((*BOWL, "--kind", "action"), "1\n4\n", "left\nnext\n"),
        ((*BOWL, "--kind", "action", "--guess", '{"action": "left"}'), "\n", "left\n"),
        ((*BOWL, "--kind", "diagnosis"), "neither\n", "neither\n"),
        ((*BOWL, "--kind", "text", "--guess", "left", "--sure", "0.9", "--why", "w", "--doing", "d"), "\n", "left\n"),
    ],
)
def test_every_kind_prints_its_value(arguments: tuple[str, ...], typed: str, out: str) -> None:
    called = ask(*arguments, typed=typed)
    assert (called.code, called.out) == (0, out), called.err


@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        ("n\n", "deferred", "Ada said: not now."),
        ("o\n", "handed-on", "Everybody said: someone else."),
        ("t\n", "delegated", "Ada said: let the robot try."),
        ("s\n", "withdrawn", "Stopped: "),
        ("", "open", "stays open. The same command waits for it again. To answer: handup answer --by Ada"),
    ],
)
def test_without_an_answer_one_line_says_why_and_the_code_is_1(typed: str, status: str, words: str) -> None:
    called = ask(*BOWL, "--json", typed=typed)
    assert called.code == 1
    assert words in called.err.splitlines()[-1]
    found = json.loads(called.out)
    assert (found["status"], found["value"]) == (status, None)


def test_json_holds_id_status_value_by_and_latency() -> None:
    found = json.loads(ask(*BOWL, "--run", "meal/1", "--step", "bowl", "--json", typed="1\n").out)
    assert found.pop("latency_s") >= 0.0
    assert found == {"id": "meal/1/bowl/1", "status": "answered", "value": "left", "by": "Ada"}


def test_after_a_timeout_the_same_command_finds_the_answer_that_came_meanwhile() -> None:
    first = ask(*BOWL, "--timeout", "0")
    assert (first.code, first.out) == (1, "")
    assert "stays open" in first.err
    answer(open_question(), "left")
    again = ask(*BOWL, "--timeout", "0")
    assert (again.code, again.out, again.err) == (0, "left\n", "")


def test_once_an_outcome_was_printed_the_same_command_asks_anew() -> None:
    assert ask(*BOWL, typed="1\n").out == "left\n"
    assert ask(*BOWL, typed="2\n").out == "right\n"
    assert ask(*BOWL, typed="t\n").code == 1
    assert ask(*BOWL, "--timeout", "0").code == 1
    assert open_question().endswith("/4")


def test_with_a_step_of_its_own_the_answer_stays_the_answer() -> None:
    named = (*BOWL, "--run", "meal", "--step", "bowl")
    assert ask(*named, typed="1\n").out == "left\n"
    assert ask(*named, "--timeout", "0").out == "left\n"
    assert ask(*named, "--attempt", "2", typed="2\n").out == "right\n"
    changed = ask("Which spoon?", *BOWL[1:], "--run", "meal", "--step", "bowl")
    assert_one_line_error(changed, "'meal/bowl/1' must be asked in the words of the first time", "--attempt")


def test_people_are_asked_in_order_and_by_name() -> None:
    assert ask(*BOWL, "--to", "Tom", "--to", "Ada", "--timeout", "0").code == 1
    with Journal.open("handup.db", readonly=True) as journal:
        (record,) = Desk(journal).pending()
    assert (record.turn, record.audience) == ("Tom", ("Tom", "Ada"))


def test_whoever_has_a_device_is_asked_before_the_user_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "maker")
    with Journal.open("handup.db") as journal, Desk(journal, [Person(name="maker"), Person(name="Ada")]):
        access = Access(journal)
        access.pair(access.make_code("Ada", Role.RESIDENT)[0])
    assert ask("Which?", "--timeout", "0").code == 1
    assert ask("Which?", "--step", "here", "--timeout", "0", typed="").code == 1
    with Journal.open("handup.db") as journal, Desk(journal) as desk:
        assert [record.turn for record in desk.pending()] == ["Ada", "maker"]


def test_people_come_from_a_file(folder: Path) -> None:
    (folder / "people.yaml").write_text("- {name: Ada}\n- {name: Tom, role: caregiver}\n")
    assert ask(*BOWL, "--people", "people.yaml", "--to", "Tom", "--timeout", "0").code == 1


def test_whoever_is_not_known_is_found_before_a_store_is_made(folder: Path) -> None:
    (folder / "people.yaml").write_text("- {name: Ada}\n")
    for wrong in (("--to", "Eve"), ("--step", "a/b"), ("--attempt", "0")):
        called = ask(*BOWL, "--people", "people.yaml", *wrong)
        assert_one_line_error(called)
    assert [each.name for each in folder.iterdir()] == ["people.yaml"]


def test_a_held_question_says_what_is_in_front_of_it_and_stays_held() -> None:
    ask("Old?", "--timeout", "0")
    called = ask(*BOWL, "--timeout", "0.1")
    first, last = called.err.splitlines()
    assert "Before it: 'Old?'. To answer: handup answer --by Ada" in first
    assert "stays held (no more than 1 at once)" in last


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_stop_typed_while_the_question_is_held_stops(folder: Path) -> None:
    import pty

    ask("Old?", "--timeout", "0")
    master, slave = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TERM": "xterm", "COLUMNS": "200"}
    command = [sys.executable, "-m", "handup", "ask", *BOWL]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    seen = ""
    try:
        while "type s and press Enter" not in seen:
            seen += os.read(master, 4096).decode()
        os.write(master, b"s\n")
        assert process.wait(timeout=30) == 1
    finally:
        process.kill()
        process.wait()
        os.close(master)
    with Journal.open("handup.db", readonly=True) as journal:
        assert Desk(journal).stopped


def test_a_file_of_people_is_read_with_all_that_it_says(folder: Path) -> None:
    path = folder / "people.yaml"
    path.write_text(
        "people:\n  - name: Ada\n    role: operator\n    channels: [terminal]\n    limits:\n      per_hour: 6\n"
        "      quiet: [{start: 22:00, end: 06:30, zone: Europe/Berlin}]\n"
    )
    (ada,) = load_people(path)
    assert (ada.role, ada.channels, ada.limits.per_hour) == (Role.OPERATOR, ("terminal",), 6)
    assert ada.limits.quiet == (QuietHours(start="22:00", end="06:30", zone="Europe/Berlin"),)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", r"people\.yaml:1: there is nothing to read\. Write for example"),
        ("name: Ada", "must hold a list of people, got a map"),
        ("[]", "got an empty list"),
        ("- {name: Ada}\n- {role: operator}\n", r"people\.yaml:2: a person has no name"),
        ("- {name: Ada}\n- {name: Ada}\n", r"people\.yaml:2: .* 'Ada' stands twice"),
        ("- {name: Ada, limits: {per_hour: 0}}", "per_hour must be a whole number of at least 1, got 0"),
        ("- {name: 3}", "name of a person must be a text, got 3"),
        ("- [", "no valid YAML"),
    ],
)
def test_a_file_that_describes_no_people_is_refused_with_its_line(folder: Path, text: str, match: str) -> None:
    (folder / "people.yaml").write_text(text)
    with pytest.raises(BadSetting, match=match):
        load_people(folder / "people.yaml")


BAD: list[tuple[tuple[str, ...], str]] = [
    ((" ",), "no words"),
    (("Which?", "--option", "left"), "a choice must have at least 2 options, got 1"),
    (("Which?", "--option", "left"), "Give --option 2 times"),
    (("Which?", "--kind", "yes-no", "--guess", "maybe"), "Give yes or no."),
    (("Which?", "--frob"), "Try 'handup ask --help'"),
    (("Which?", "--kind", "riddle"), "--kind must be a kind of question, got 'riddle'"),
    (("Which?", "--kind", "box"), "has no image"),
    (("Which?", "--kind", "number", "--guess", "far"), "--guess must be JSON, got 'far'"),
    (("Which?", "--kind", "number", "--low", "2", "--high", "1"), "low must be at most high (1), got 2"),
    ((*BOWL, "--guess", "up"), "guess is wrong"),
    ((*BOWL, "--sure", "2"), "sure of a question must lie between 0 and 1, got 2"),
    ((*BOWL, "--effect", "one"), "1 effects for 2 choices"),
    ((*BOWL, "--timeout", "-1"), "--timeout must be at least 0 and finite, got -1"),
    ((*BOWL, "--people", "nobody.yaml"), "nobody.yaml: there is no such file"),
    ((*BOWL, "--step", "a/b"), "must have no slash"),
    ((*BOWL, "--attempt", "0"), "attempt"),
    (("left", "right", "up"), "unexpected extra argument"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda each: each if isinstance(each, str) else "")
def test_bad_input_is_one_line_and_code_2(arguments: tuple[str, ...], words: str, folder: Path) -> None:
    called = here("ask", "--timeout", "0", *arguments, "--elsewhere")
    assert called.code == 2
    assert words.lower() in called.err.lower()
    assert (called.out, len(called.err.splitlines())) == ("", 1)


STORES: dict[str, tuple[str, str]] = {
    "no folder": ("nowhere/handup.db", "there is no folder"),
    "a folder": (".", "a folder"),
    "a text": ("notes.txt", "no journal"),
    "unreachable": ("postgresql://ada:secret@127.0.0.1:1/none", "127.0.0.1"),
    "another database": ("mysql://ada@host/none", "mysql"),
}


@pytest.mark.parametrize(
    "command", [("ask", *BOWL, "--timeout", "0", "--elsewhere"), ("answer", "--once"), ("answer", "--list")]
)
@pytest.mark.parametrize("name", STORES)
def test_a_store_that_cannot_be_used_is_one_line_and_code_2(name: str, command: tuple[str, ...], folder: Path) -> None:
    store, words = STORES[name]
    (folder / "notes.txt").write_text("milk, eggs\n" * 100)
    before = sorted(folder.iterdir())
    called = here(*command, "--store", store)
    reading = "nowhere" in store and command[0] == "answer"
    assert_one_line_error(called, "there is no" if reading else words)
    assert "secret" not in called.err
    assert sorted(each for each in folder.iterdir() if ".lock" not in each.name) == before
    assert (folder / "notes.txt").read_text().startswith("milk")


def test_the_store_of_the_environment_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDUP_STORE", str(folder / "other.db"))
    called = ask(*BOWL, "--timeout", "0")
    assert f"--store {folder / 'other.db'}" in called.err
    assert (folder / "other.db").exists()
    assert not (folder / "handup.db").exists()


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """The command as a process of its own, once its question is open."""
    environment = {**os.environ, "PYTHONPATH": str(SRC), "COLUMNS": "80"}
    command = [sys.executable, "-m", "handup", "ask", *arguments]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "To answer: handup answer --by Ada" in line, line
    return process


def test_an_answer_from_another_process_reaches_the_shell(folder: Path) -> None:
    process = start(folder, *BOWL)
    answer(open_question(), "left")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "left\n", "")


def test_ctrl_c_leaves_the_question_open(folder: Path) -> None:
    process = start(folder, *BOWL)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1].startswith("Left open"), "the line before may come twice, if the signal met its writing"
    assert "Traceback" not in err
    with Journal.open("handup.db", readonly=True) as journal:
        (record,) = Desk(journal).pending()
    assert record.status is Status.OPEN


def test_a_command_that_was_killed_is_run_again_and_finds_its_answer(folder: Path) -> None:
    process = start(folder, *BOWL)
    process.kill()
    process.communicate(timeout=60)
    answer(open_question(), "right")
    called = here("ask", *BOWL, "--timeout", "0", cwd=folder)
    assert (called.code, called.out, called.err) == (0, "right\n", "")


def test_the_next_attempt_is_found_with_few_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open(tmp_path / "asked.db") as journal:
        assert next_attempt(journal, "ask", "q") == 1
        for attempt in range(1, 101):
            journal.append(Delivered(), run="ask", key=f"ask/q/{attempt}")
            if attempt in (1, 2, 3, 7, 64, 99):
                assert next_attempt(journal, "ask", "q") == attempt + 1
        looks: list[str] = []
        read = journal.read

        def counted(*, key: str) -> Iterator[Entry]:
            looks.append(key)
            return read(key=key)

        monkeypatch.setattr(journal, "read", counted)
        assert next_attempt(journal, "ask", "q") == 101
        assert len(looks) < 20
