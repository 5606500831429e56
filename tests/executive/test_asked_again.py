"""Questions over a kill: each is put once, and its answer is the answer to that question."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from handup.core import Question
from handup.desk import SkippingClock
from handup.desk.events import Asked as AtTheDesk
from handup.executive import PeopleAtDesk
from handup.executive.events import TaskAnswered, TaskAsked
from handup.executive.run import Run
from handup.journal import Journal
from tests.executive.asking import ANGLE, ASK, CAMERA, LAMP, MAIN, RULES, came_to, graph, live, main
from tests.executive.robot import Ground
from tests.forks import ended, started
from tests.recover.house import FragileJournal, Killed
from tests.soak import swept

WHOLE = {"ending": "done", "outputs": {"got": 90.0}, "said": {"camera": True, "lamp": False}}
PUT = [("failure:1:1", "camera"), ("failure:1:2", "lamp"), ("failure:2:3", "angle")]
DONE = [("grasp", 10), ("switch_on", None), ("grasp", 10), ("grasp", 90.0)]


@dataclass(frozen=True)
class Overheard(PeopleAtDesk):
    """People at a desk, and all that was put to them."""

    heard_of: list[Question] = field(default_factory=list)

    def ask(self, question: Question, step: str) -> str:
        self.heard_of.append(question)
        return super().ask(question, step)


def put(folder: Path) -> list[tuple[str, str]]:
    """The questions that the run wrote, in order."""
    with Journal.open(folder / "journal.db", readonly=True) as journal:
        assert journal.verify().ok
        found = [each.event for each in journal.read(run="r")]
    return [(each.question, each.module) for each in found if isinstance(each, TaskAsked)]


def put_at_the_desk(folder: Path) -> list[str]:
    with Journal.open(folder / "journal.db", readonly=True) as journal:
        found = [each.event for each in journal.read() if isinstance(each.event, AtTheDesk)]
    return [str((each.question or {})["prompt"]) for each in found]


def did(folder: Path) -> list[tuple[str, Any]]:
    return [(each["does"], each.get("angle")) for each in Ground(folder / "world.jsonl").effects()]


def lived(folder: Path, dies_at: tuple[int, bool] | None = None) -> tuple[dict[str, Any] | None, int]:
    """One program to its end, or None where it was killed; and how often it wrote."""
    clock = SkippingClock(100.0)
    journal = FragileJournal.open(folder / "journal.db", clock=clock)
    assert isinstance(journal, FragileJournal)
    journal.dies_at = dies_at
    with journal:
        try:
            return came_to(live(folder, journal, clock)), journal.writes
        except Killed:
            return None, journal.writes


@pytest.mark.parametrize("counts", swept((True, False), test=(True,)))
def test_killed_at_any_write_each_question_is_put_once_and_means_the_same(tmp_path: Path, counts: bool) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    end, writes = lived(whole)
    assert end == WHOLE
    assert (put(whole), put_at_the_desk(whole), did(whole)) == (PUT, [CAMERA, LAMP, ANGLE], DONE)
    for at in range(1, writes + 1):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        lived(folder, (at, counts))
        end, _ = lived(folder)
        assert end == WHOLE, at
        assert (put(folder), put_at_the_desk(folder), did(folder)) == (PUT, [CAMERA, LAMP, ANGLE], DONE), at


def test_an_open_question_keeps_its_meaning_where_the_robot_would_ask_another_one_now(tmp_path: Path) -> None:
    clock = SkippingClock(100.0)
    with Journal.open(tmp_path / "journal.db", clock=clock) as journal:
        turns = live(tmp_path, journal, clock, silent=[LAMP]).turns()
        next(turns)
        turns.close()
    assert put(tmp_path) == PUT[:2]
    others = graph(camera=0.99, lamp=0.99, angle=0.5)
    with Journal.open(tmp_path / "journal.db", clock=clock) as journal:
        assert came_to(live(tmp_path, journal, clock, modules=others)) == WHOLE
        answers = [each.event for each in journal.read(run="r") if isinstance(each.event, TaskAnswered)]
    assert [(each.module, each.sets, each.beliefs, each.right) for each in answers] == [
        ("camera", None, {"camera": True}, True),
        ("lamp", None, {"lamp": False}, False),
        ("angle", {"angle": 90.0}, None, False),
    ]
    assert put(tmp_path) == PUT


def test_a_question_that_was_put_is_made_again_word_for_word(tmp_path: Path) -> None:
    clock = SkippingClock(100.0)
    shown: list[Question] = []
    for _ in range(2):
        with Journal.open(tmp_path / "journal.db", clock=clock) as journal:
            executive = live(tmp_path, journal, clock, silent=[LAMP])
            people = executive.around.people
            assert isinstance(people, PeopleAtDesk)
            executive.around = replace(executive.around, people=Overheard(people.desk, people.run, heard_of=shown))
            turns = executive.turns()
            next(turns)
            turns.close()
    lamps = [each for each in shown if each.prompt == LAMP]
    assert len(lamps) == 2
    assert lamps[0] == lamps[1]
    assert "camera" not in lamps[0].support, "somebody said that it is clean"


def test_killed_while_the_second_question_is_open(tmp_path: Path) -> None:
    program = started(main, tmp_path, [LAMP])
    try:
        while not (tmp_path / "journal.db").exists() or put_at_the_desk(tmp_path) != [CAMERA, LAMP]:
            assert program.is_alive()
            time.sleep(0.01)
    finally:
        program.kill()
        ended(program)
    assert ended(started(main, tmp_path, [])) == 0
    assert json.loads((tmp_path / "end.json").read_text()) == WHOLE
    assert (put(tmp_path), did(tmp_path)) == (PUT, DONE)
    with Journal.open(tmp_path / "journal.db") as journal:
        said = Run(MAIN, RULES, settings=ASK, book=journal, run="r").machine.beliefs.values
    assert said == {"camera": True, "lamp": False}
