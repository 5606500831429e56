"""Journals with a history for the tests of `handup journal`: two meals, a stop, and questions that still wait."""

from __future__ import annotations

import shutil
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from handup.core import ManualClock, Person, Question, QuestionKind, Reply, ReplyKind, Value
from handup.desk import Desk, Terms
from handup.journal import Journal
from handup.recover import run
from tests.recover.robot import Robot

START_S = 1_794_744_003.25  # 2026-11-15 12:00:03 UTC
PEOPLE = (Person(name="Ana"), Person(name="Ben"))
FOOD = Question("Which food should I pick up first?", QuestionKind.CHOICE, ("carrot", "cherry tomato"))
ODD = Question("Is [bold]this[/bold] :smile: \x1b[31mred?\x1b[0m", QuestionKind.YES_NO)
_TOKENS = count()


def reply(desk: Desk, question: str, kind: str, by: str, value: Value | None = None) -> None:
    """What a person says, on a tablet."""
    said = Reply(
        question=question, kind=ReplyKind(kind), by=by, token=f"t{next(_TOKENS)}", value=value, device="tablet"
    )
    assert desk.reply(said).accepted


def write_history(store: str | Path) -> None:
    """Two meals, from noon to the evening."""
    clock = ManualClock(START_S)
    with Journal.open(store, clock=clock) as journal:
        with Desk(journal, PEOPLE) as desk:
            food = desk.ask(FOOD, run="lunch-1", step="food").id
            clock.advance(9.0)
            reply(desk, food, "answer", "Ana", "cherry tomato")
            depth = desk.ask(
                Question("How deep?", QuestionKind.NUMBER, low=0.0, high=40.0, unit="mm"), run="lunch-1", step="depth"
            ).id
            clock.advance(5.0)
            desk.claim(depth, "Ana")
            reply(desk, depth, "someone-else", "Ana")
            clock.advance(5.0)
            reply(desk, depth, "answer", "Ben", 12.5)
            reply(desk, desk.ask(ODD, run="lunch-1", step="odd").id, "let-robot-try", "Ana")
            desk.ask(Question("Shall I go on?", QuestionKind.YES_NO), run="lunch-1", step="go")
            clock.advance(5.0)
            desk.stop("Ben", "the spoon is too close")
            clock.advance(60.0)
            desk.enable("Ben")
        clock.advance(24 * 3600.0)
        with Desk(journal, PEOPLE, terms=Terms(snapshot_every=10_000)) as desk:
            bowl = Question("Which bowl?", QuestionKind.CHOICE, ("left", "right"), deadline_s=clock.now_s() + 900.0)
            put_off = desk.ask(bowl, run="dinner", step="bowl").id
            clock.advance(4.0)
            reply(desk, put_off, "not-now", "Ana")
            wipe = desk.ask(Question("May I wipe?", QuestionKind.PERMISSION, to=("Ben",)), run="dinner", step="wipe").id
            desk.claim(wipe, "Ben")
            desk.ask(Question("What is it?", to=("Ana",)), run="tea", step="what")
            desk.terms = Terms()


@cache
def _history() -> Path:
    path = Path(mkdtemp(prefix="handup-history-")) / "handup.db"
    write_history(path)
    return path


def history(folder: Path, name: str = "handup.db") -> Path:
    """A copy of the history in a folder."""
    for each in _history().parent.iterdir():
        shutil.copyfile(each, folder / each.name.replace("handup.db", name))
    return folder / name


def recovered(folder: Path, store: Path, name: str) -> None:
    """One more run: a robot that recovers by itself at its first try."""
    with Journal.open(store, clock=ManualClock(START_S + 48 * 3600.0)) as journal, Desk(journal, PEOPLE) as desk:
        run(Robot(folder / "log", wrong=(), confidences=(0.99, 0.99)), "troubleshoot", desk, run=name)


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir()) if each.is_file()}
