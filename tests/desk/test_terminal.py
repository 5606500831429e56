"""The terminal: what it shows, what it understands, and that nothing is lost by a wrong key."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from handup.core import (
    BadAnswer,
    Box,
    Person,
    Point,
    Question,
    QuestionKind,
    Reply,
    ReplyKind,
    Resolution,
    ResumeHint,
    StoreUnavailable,
    Value,
)
from handup.desk import Desk, Receipt, Record, Status
from handup.desk.screen import Keyboard
from handup.desk.terminal import How, Terminal
from handup.journal import Journal
from tests.core.asked import FULL

SRC = Path(__file__).parents[2] / "src"
ADA, TOM = Person(name="Ada"), Person(name="Tom")
LEAVE = "<end>"
INTERRUPT = "<interrupt>"


class Script(Keyboard):
    """Somebody who types these lines, and then leaves."""

    live = False

    def __init__(self, *lines: str | Callable[[], None]) -> None:
        super().__init__()
        self._lines = iter(lines)
        self.dropped = 0

    def line(self, gone: Callable[[], bool]) -> str | None:
        line = next(self._lines, LEAVE)
        if callable(line):
            line()
            assert gone()
            return None
        if line == LEAVE:
            raise EOFError
        if line == INTERRUPT:
            raise KeyboardInterrupt
        return line

    def drop(self) -> None:
        self.dropped += 1


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Journal.open(tmp_path / "store.db") as journal, Desk(journal, [ADA, TOM]) as made:
        yield made


def screen(width: int = 80, *, terminal: bool = False) -> tuple[Console, io.StringIO]:
    text = io.StringIO()
    return Console(file=text, width=width, force_terminal=terminal, color_system=None, highlight=False), text


def bare(kind: QuestionKind) -> Question:
    """The full question of a kind, for anybody and without a deadline."""
    return Question.from_json({**FULL[kind].to_json(), "to": [], "deadline_s": None})


def talk(desk: Desk, question: Question, *lines: str | Callable[[], None], width: int = 80) -> tuple[How, Record, str]:
    console, text = screen(width)
    record = desk.ask(question, run="meal", step="food")
    how = Terminal(console=console, typing=Script(*lines)).put(record, desk)
    now = desk.record(record.id)
    assert now is not None
    return how, now, text.getvalue()


def value_of(record: Record) -> Value | None:
    assert record.status is Status.ANSWERED
    assert record.answer is not None
    return record.answer.value


def test_a_question_says_all_that_it_has_to_and_the_stop_comes_first(desk: Desk) -> None:
    _, _, text = talk(desk, bare(QuestionKind.CHOICE))
    for words in (
        "Question for Ada, from meal",
        "I was doing: Looking at the plate",
        "I ask because: I failed to pick it up twice",
        "Which food is this?",
        "I think: cherry tomato (fairly sure)",
        "What helps: It is red and round",
        "Picture: plate.png",
        "1  cherry tomato  (my guess)\n       then: I skewer it\n       picture: tomato.png",
        "2  grape\n       then: I scoop it",
        "Type the number of your choice. Press Enter for: cherry tomato.",
    ):
        assert words in text
    keys = re.findall(r"^  (\S)  ", text, re.MULTILINE)
    assert keys == ["s", "1", "2", "n", "o", "t", "?"]


@pytest.mark.parametrize("kind", QuestionKind)
@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_is_wider_than_a_narrow_terminal(desk: Desk, kind: QuestionKind, terminal: bool) -> None:
    console, text = screen(40, terminal=terminal)
    record = desk.ask(bare(kind), run="meal", step="food")
    Terminal(console=console, typing=Script("?", "nonsense " * 20)).put(record, desk)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text.getvalue()).splitlines()
    lines = [line for line in lines if not line.startswith("  handup answer ")]  # in one piece, to be copied
    assert max(cell_len(line) for line in lines) <= 40
    assert not [line for line in lines if line != line.rstrip() and not line.endswith(": ")]


@pytest.mark.parametrize(
    ("kind", "lines", "value"),
    [
        ("choice", ("2",), "grape"),
        ("choice", ("GRAPE",), "grape"),
        ("choice", ("",), "cherry tomato"),
        ("choice", ("7", "grap", "x" * 500, "2"), "grape"),
        ("text", ("1",), "bowl"),
        ("text", ("a soup plate",), "a soup plate"),
        ("text", ("=1",), "1"),
        ("text", ("=stop",), "stop"),
        ("text", ("",), "mug"),
        ("yes-no", ("1",), True),
        ("yes-no", ("y",), True),
        ("yes-no", ("no",), False),
        ("yes-no", ("",), False),
        ("yes-no", ("n", "2"), False),
        ("permission", ("", "yes"), True),
        ("physical", ("done",), True),
        ("physical", ("2",), False),
        ("number", ("far", "41", "1 2", "", "7"), 12.5),
        ("number", ("2,5",), 2.5),
        ("number", ("nan", "1e1"), 10.0),
        ("box", ("10 20 50% 75%",), Box(left=0.1, top=0.2, right=0.5, bottom=0.75)),
        ("box", ("50, 75, 10, 20",), Box(left=0.1, top=0.2, right=0.5, bottom=0.75)),
        ("box", ("0.1 0.2 0.5 0.75", "10 20", "0 0 101 50", "9"), Box(left=2 / 3, top=2 / 3, right=1, bottom=1)),
        ("box", ("5 1",), Box(left=0, top=0, right=2 / 3, bottom=2 / 3)),
        ("box", ("",), Box(left=0.1, top=0.2, right=0.5, bottom=0.75)),
        ("points", ("30 60", "10 20 30", "", "5"), (Point(0.3, 0.6), Point(0.5, 0.5))),
        ("points", ("",), (Point(0.25, 0.5), Point(0.75, 0.5))),
        ("diagnosis", ("2",), "it is stuck"),
        ("diagnosis", ("the fork is bent",), "the fork is bent"),
        ("action", ("2", "9", "4"), Resolution(action="leave it", resume=ResumeHint.NEXT)),
        ("action", ("2", ""), Resolution(action="leave it")),
        ("action", ("1", ""), Resolution(action="try again", resume=ResumeHint.RETRY)),
        ("action", ("leave it", "previous"), Resolution(action="leave it", resume=ResumeHint.PREVIOUS)),
        ("action", ("",), Resolution(action="try again", resume=ResumeHint.RETRY)),
    ],
)
def test_every_kind_can_be_answered_and_a_wrong_key_costs_nothing(
    desk: Desk, kind: str, lines: tuple[str, ...], value: Value
) -> None:
    how, record, text = talk(desk, bare(QuestionKind(kind)), *lines)
    assert how is How.REPLIED
    assert value_of(record) == value
    assert (record.by, record.device) == ("Ada", "terminal")
    assert "Thank you" in text


@pytest.mark.parametrize(
    ("line", "status"),
    [("n", "deferred"), ("o", "open"), ("t", "delegated"), ("s", "withdrawn"), ("STOP", "withdrawn")],
)
@pytest.mark.parametrize("kind", QuestionKind)
def test_the_other_replies_are_always_there(desk: Desk, kind: QuestionKind, line: str, status: str) -> None:
    if line == "t" and bare(kind).rule.only_people:
        return  # below
    how, record, _ = talk(desk, bare(kind), *([line, line] if line == "n" else [line]))
    assert how is How.REPLIED
    assert record.status == status
    assert desk.stopped == (status == "withdrawn")
    assert record.turn == ("Tom" if line == "o" else "Ada")


def test_they_are_there_in_the_middle_of_an_answer_too(desk: Desk) -> None:
    how, record, _ = talk(desk, bare(QuestionKind.POINTS), "30 60", "s")
    assert (how, record.status, desk.stopped) == (How.REPLIED, Status.WITHDRAWN, True)


@pytest.mark.parametrize("kind", [QuestionKind.YES_NO, QuestionKind.PERMISSION])
def test_n_is_not_taken_for_no(desk: Desk, kind: QuestionKind) -> None:
    how, record, text = talk(desk, bare(kind), "n", "n")
    assert (how, record.status) == (How.REPLIED, Status.DEFERRED)
    assert "n is 'not now'" in text


def test_enter_gives_no_permission(desk: Desk) -> None:
    question = Question("May I come closer?", QuestionKind.PERMISSION, guess=True, sure=0.99)
    how, record, text = talk(desk, question, "", "")
    assert (how, record.status) == (How.LEFT, Status.OPEN)
    assert "Enter gives no permission" in text


@pytest.mark.parametrize(("kind", "why"), [("permission", "gives permission"), ("physical", "a person's hands")])
def test_what_only_people_can_settle_is_not_offered_to_the_robot(desk: Desk, kind: str, why: str) -> None:
    how, record, text = talk(desk, bare(QuestionKind(kind)), "?", "t", "let the robot try", width=200)
    assert (how, record.status) == (How.LEFT, Status.OPEN)
    assert "t" not in re.findall(r"^  (\S)  ", text, re.MULTILINE)
    assert "t  lets the robot try" not in text
    assert why in text
    assert text.count("the robot cannot try instead") == 3, "in the help, and each time it is typed"


def test_the_help_says_what_not_now_and_someone_else_lead_to(desk: Desk) -> None:
    _, _, text = talk(desk, bare(QuestionKind.CHOICE), "?", width=200)
    assert "I may go on without your answer; otherwise I ask you again." in text
    assert "where nobody is left, it ends without an answer." in text
    assert "t  lets me try by myself." in text


@pytest.mark.parametrize(("line", "how"), [(LEAVE, How.LEFT), (INTERRUPT, How.INTERRUPTED)])
def test_who_leaves_leaves_the_question_open_and_hears_how_to_stop_the_robot(desk: Desk, line: str, how: How) -> None:
    ended, record, text = talk(desk, bare(QuestionKind.CHOICE), line)
    assert (ended, record.status, desk.stopped) == (how, Status.OPEN, False)
    assert "Left open; nothing is lost." in text
    assert "handup answer --stop" in text


def test_help_explains_every_key(desk: Desk) -> None:
    _, record, text = talk(desk, bare(QuestionKind.CHOICE), "?", "2")
    assert value_of(record) == "grape"
    for words in ("s  stops the robot at once", "n  puts the question off", "=n", "Ctrl-D"):
        assert words in text


def test_what_is_settled_elsewhere_meanwhile_is_said_and_what_was_typed_is_dropped(desk: Desk) -> None:
    def tom_answers() -> None:
        reply = Reply(question="meal/food/1", kind=ReplyKind.ANSWER, by="Tom", token="t", value="grape")
        assert desk.reply(reply).accepted

    console, text = screen()
    record = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="food")
    script = Script(tom_answers)
    how = Terminal("Ada", console=console, typing=script).put(record, desk)
    assert how is How.GONE
    assert "needs no answer from you any more. Tom's answer counts: grape." in " ".join(text.getvalue().split())
    assert script.dropped == 2


def test_an_answer_that_comes_too_late_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    console, text = screen()
    record = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="food")
    desk.withdraw(record.id, "found it")
    how = Terminal("Ada", console=console, typing=Script("2")).put(record, desk)
    assert how is How.GONE
    assert "taken back: found it" in text.getvalue()


def test_who_loses_a_race_hears_what_counts(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = desk.reply

    def overtaken(reply: Reply) -> Receipt:
        real(Reply(question=reply.question, kind=ReplyKind.ANSWER, by="Tom", token="t", value="grape"))
        return real(reply)

    monkeypatch.setattr(desk, "reply", overtaken)
    how, _, text = talk(desk, bare(QuestionKind.CHOICE), "1")
    assert how is How.GONE
    assert "Tom's answer counts: grape. Yours changed nothing." in text
    assert "Your answer: " not in text


def test_someone_else_where_nobody_is_left_says_so(desk: Desk) -> None:
    _, _, text = talk(desk, bare(QuestionKind.CHOICE), "o")
    assert "All right, I ask somebody else." in text
    record = desk.record("meal/food/1")
    assert record is not None
    console, written = screen()
    Terminal("Tom", console=console, typing=Script("o")).put(record, desk)
    assert "I can ask nobody else, so the question ends without an answer." in written.getvalue()


def test_a_stop_that_fails_says_first_that_the_robot_was_not_stopped(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Reply) -> Receipt:
        raise StoreUnavailable("the disk is full", hint="Free some space.")

    monkeypatch.setattr(desk, "reply", full)
    with pytest.raises(StoreUnavailable) as error:
        talk(desk, bare(QuestionKind.CHOICE), "s")
    assert str(error.value).startswith("The robot was NOT stopped: use its own stop button. the disk is full.")


def test_a_stop_is_taken_while_a_question_is_held(desk: Desk) -> None:
    class Live(Script):
        live = True

    desk.ask(bare(QuestionKind.CHOICE), run="meal", step="first")
    held = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="second")
    assert held.status is Status.HELD
    console, text = screen()
    how = Terminal(console=console, typing=Live("2", "s")).stand_by(held, desk, lambda now: now.settled)
    assert (how, desk.stopped) == (How.REPLIED, True)
    assert "It is not before you yet." in text.getvalue()
    how = Terminal(console=console, typing=Live()).stand_by(held, desk, lambda now: now.settled)
    assert how is How.LEFT


def test_standing_by_without_a_person_waits_for_what_comes(desk: Desk) -> None:
    first = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="first")
    held = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="second")
    terminal = Terminal(console=screen()[0], typing=Script("s"))
    assert terminal.stand_by(held, desk, lambda now: now.settled, timeout_s=0.05) is None
    desk.reply(Reply(question=first.id, kind=ReplyKind.ANSWER, by="Ada", token="t", value="grape"))
    assert terminal.stand_by(held, desk, lambda now: now.status is Status.OPEN) is None
    assert not desk.stopped


def test_a_store_that_is_away_for_a_moment_costs_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tokens = desk.reply, list[str]()

    def shaky(reply: Reply) -> Receipt:
        tokens.append(reply.token)
        if len(tokens) < 3:
            raise StoreUnavailable("the disk is full", hint="Free some space.")
        return real(reply)

    monkeypatch.setattr(desk, "reply", shaky)
    how, record, text = talk(desk, bare(QuestionKind.CHOICE), "2")
    assert how is How.REPLIED
    assert value_of(record) == "grape"
    assert len(set(tokens)) == 1, "one reply, sent again"
    assert "Not recorded yet (the disk is full)" in text


def test_nothing_that_a_question_says_can_play_tricks_with_the_terminal(desk: Desk) -> None:
    evil = "\x1b[2J\x07\u202e[red]gone[/red]\r"
    question = Question(f"Which{evil}?", QuestionKind.CHOICE, (f"a{evil}", "b"), doing=evil, why=evil, support=evil)
    _, record, text = talk(desk, question, "1")
    assert not [each for each in text if not each.isprintable() and each != "\n"]
    assert "[red]" in text
    assert value_of(record) == f"a{evil}"


def test_no_colour_where_none_is_wanted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = io.StringIO()
    record = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="food")
    console = Console(file=text, force_terminal=True, width=80)
    Terminal(console=console, typing=Script("2")).put(record, desk)
    codes = {code for each in re.findall(r"\x1b\[([0-9;]*)m", text.getvalue()) for code in each.split(";")}
    assert codes <= {"0", "1", ""}, "bold at most"


def test_a_dumb_terminal_gets_no_frames(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    console, text = screen(terminal=True)
    record = desk.ask(bare(QuestionKind.BOX), run="meal", step="food")
    Terminal(console=console, typing=Script("5")).put(record, desk)
    assert "─" not in text.getvalue()
    assert "+--" not in text.getvalue()
    assert "The picture has fields: 1 2 3 in the upper row" in text.getvalue()


def test_as_a_channel_it_asks_in_a_thread_of_its_own(tmp_path: Path) -> None:
    console, _ = screen()
    terminal = Terminal("Ada", console=console, typing=Script("2", "1"))
    with Journal.open(tmp_path / "store.db") as journal, Desk(journal, [ADA, TOM], channels=[terminal]) as desk:
        first = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="one")
        told = desk.wait(first.id, 20.0)
        assert told is not None
        assert value_of(told) == "grape"
        second = desk.ask(bare(QuestionKind.CHOICE), run="meal", step="two")
        told = desk.wait(second.id, 20.0)
        assert told is not None
        assert value_of(told) == "cherry tomato"
    terminal.close()
    assert not [each for each in threading.enumerate() if each.name == "handup terminal"]


def test_what_was_taken_is_not_kept_for_ever(tmp_path: Path) -> None:
    terminal = Terminal("Tom", console=screen()[0], typing=Script())
    with Journal.open(tmp_path / "many.db") as journal, Desk(journal, [ADA, TOM], channels=[terminal]) as desk:
        for step in range(5):
            record = desk.ask(bare(QuestionKind.TEXT), run="meal", step=str(step))
            desk.reply(Reply(question=record.id, kind=ReplyKind.ANSWER, by="Ada", token="t", value="grape"))
        assert not terminal._before


def test_a_question_for_somebody_else_is_not_shown(tmp_path: Path) -> None:
    console, text = screen()
    terminal = Terminal("Tom", console=console, typing=Script("2"))
    with Journal.open(tmp_path / "store.db") as journal, Desk(journal, [ADA, TOM], channels=[terminal]) as desk:
        desk.ask(bare(QuestionKind.CHOICE), run="meal", step="one")
    assert text.getvalue() == ""


def test_lines_come_from_a_pipe_until_it_ends() -> None:
    read, write = os.pipe()
    os.write(write, "one\r\nzwei ü\nrest".encode())
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as stream:
        keyboard = Keyboard(stream)
        assert not keyboard.live
        keyboard.drop()
        assert [keyboard.line(lambda: False) for _ in range(3)] == ["one", "zwei ü", "rest"]
        with pytest.raises(EOFError):
            keyboard.line(lambda: False)


def test_lines_come_from_a_stream_without_a_descriptor_too() -> None:
    keyboard = Keyboard(io.StringIO("one\n"))
    keyboard.drop()
    assert keyboard.line(lambda: False) == "one"
    with pytest.raises(EOFError):
        keyboard.line(lambda: False)


def test_a_question_that_goes_away_ends_the_waiting_for_a_line() -> None:
    read, write = os.pipe()
    with os.fdopen(read, encoding="utf-8") as stream:
        assert Keyboard(stream).line(lambda: True) is None
    os.close(write)


REAL = """
import sys
from pathlib import Path
from handup.core import Person, Question, QuestionKind
from handup.desk import Desk
from handup.desk.terminal import Terminal
from handup.journal import Journal
with Journal.open(Path(sys.argv[1])) as journal, Desk(journal, [Person(name="Ada"), Person(name="Tom")]) as desk:
    question = Question("Which food?", QuestionKind.CHOICE, ("grape", "melon"))
    for step in ("one", "two"):
        record = desk.ask(question, run="meal", step=step)
        print(f"<{Terminal().put(record, desk)}>", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_at_a_real_terminal_a_question_settled_elsewhere_goes_at_once_with_what_was_typed(tmp_path: Path) -> None:
    import pty

    master, slave = pty.openpty()
    store = tmp_path / "store.db"
    environment = {**os.environ, "PYTHONPATH": str(SRC), "TERM": "xterm", "COLUMNS": "60"}
    process = subprocess.Popen(
        [sys.executable, "-c", REAL, str(store)], stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    seen = ""

    def until(words: str) -> None:
        nonlocal seen
        while words not in seen:
            seen += os.read(master, 4096).decode()
        seen = seen.split(words, 1)[1]

    try:
        until("Your answer, Ada: ")
        os.write(master, b"1")  # half an answer, not sent yet
        with Journal.open(store) as journal, Desk(journal, [ADA, TOM]) as desk:
            answer = Reply(question="meal/one/1", kind=ReplyKind.ANSWER, by="Tom", token="t", value="melon")
            assert desk.reply(answer).accepted
            until("needs no answer from you any more. Tom")
            until("<gone>")
            until("Your answer, Ada: ")
            os.write(master, b"2\n")
            until("<replied>")
            process.wait(timeout=30)
            record = desk.record("meal/two/1")
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert record is not None
    assert value_of(record) == "melon", "the half answer to the first question is not part of the second"


def test_an_answer_is_checked_as_everywhere() -> None:
    with pytest.raises(BadAnswer):
        Reply(question="meal/food/1", kind=ReplyKind.ANSWER, by="Ada", token="t")
