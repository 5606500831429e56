"""A program killed at any moment: the next one goes on, and nothing happens twice that may not."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handup.core import Person, Question, QuestionKind, Reply, ReplyKind, Value
from handup.desk import Desk, SkippingClock
from handup.executive import (
    Aborted,
    Around,
    Call,
    Done,
    Executive,
    Finished,
    NotStarted,
    Outcome,
    PeopleAtDesk,
    RobotAction,
    Run,
    RunSettings,
    Unseen,
)
from handup.executive.escalation import AGAIN
from handup.executive.events import Resumed, TaskAnswered, TaskAsked
from handup.journal import Journal
from handup.policy import Module, ModuleGraph
from tests.executive.making import action, recipe, recipes, rule
from tests.executive.program import main
from tests.executive.robot import Ground, acting, after, by_name
from tests.forks import ended, started
from tests.recover.house import FragileJournal, Killed
from tests.soak import swept

KILLS = 6
SEEDS = ((1, ""), (2, ""), (3, "close"), (4, "push"))


def firm(folder: Path) -> list[tuple[str, int, bool]]:
    """The effects of what may not be repeated, in their order."""
    effects = Ground(folder / "world.jsonl").effects()
    return [(each["does"], each["n"], each["ok"]) for each in effects if each["does"] != "look"]


def repeats(effects: list[dict[str, Any]]) -> Counter[tuple[str, int]]:
    """How often each thing was done once more without a mark."""
    return Counter((each["does"], each["n"]) for each in effects if not each["again"]) - Counter(
        {(each["does"], each["n"]): 1 for each in effects}
    )


@pytest.mark.parametrize(("seed", "behind"), swept(SEEDS, test=((1, ""), (4, "push"))))
def test_killed_again_and_again_a_run_comes_to_the_same_end(tmp_path: Path, seed: int, behind: str) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    assert ended(started(main, whole)) == 0
    chance = random.Random(seed)
    lives, log = 0, Ground(killed / "world.jsonl")
    while not (killed / "end.json").exists():
        program = started(main, killed)
        lives += 1
        if lives <= KILLS:
            until = len(log.effects()) + chance.randint(1, 6)
            while program.is_alive() and not _reached(log.effects(), until, behind):
                time.sleep(0.0005)
            time.sleep(chance.random() * 0.006)
            program.kill()
        ended(program)
    assert json.loads((killed / "end.json").read_text()) == json.loads((whole / "end.json").read_text())
    assert firm(killed) == firm(whole)
    effects = log.effects()
    numbers = [each["number"] for each in effects]
    assert len(set(numbers)) == len(numbers)
    assert not [each for each in effects if each["again"] and each["does"] != "look"]
    assert not repeats(effects) - repeats(Ground(whole / "world.jsonl").effects())
    with Journal.open(killed / "journal.db", readonly=True) as journal:
        assert journal.verify().ok
        resumed = [each for each in journal.read(run="kits") if isinstance(each.event, Resumed)]
    assert len(resumed) >= (1 if behind else 3)


def _reached(effects: list[dict[str, Any]], until: int, behind: str) -> bool:
    """So many things were done, or this one was, which is the last of the recipe or of the recovery behind it."""
    return any(each["does"] == behind for each in effects) if behind else len(effects) >= until


# -- with questions open -----------------------------------------------------------------------------------------------

WORD = Module("word", 0.5, question=Question("What shall I pick?", QuestionKind.TEXT))
LAMP = Module("lamp", 0.7, question=Question("Is the lamp broken?", QuestionKind.YES_NO))
TWICE = recipes(
    recipe(
        "main",
        action("pick", ["got"], word="box", n=1),
        action("pick", ["other"], word="bag", n=2),
        var=["got", "other"],
    )
)
MEND = [rule("mend", "**/pick", action("mend"), belief="beliefs.lamp")]


def shelf(ground: Ground) -> dict[str, type[RobotAction]]:
    """It must be told what to pick; then it is dark; then it slips once. What it did stands in a file."""

    def fate(call: Call) -> Outcome:
        n, word = call.goal["n"], call.goal["word"]
        lit = sum(each["does"] == "mend" for each in ground.effects()) >= n
        slipped = any(
            each["does"] == "pick" and each["n"] == n and each["told"] and each["lit"] for each in ground.effects()
        )
        told = word == f"cup {n}"
        ground.effect("pick", call, n=n, word=word, told=told, lit=lit, ok=told and lit and slipped)
        return outcome(ground.effects()[-1])

    def outcome(effect: Mapping[str, Any]) -> Outcome:
        if not effect["ok"]:
            return Aborted(code="nothing", fields={"word": effect["word"]})
        return Done(results={"got": effect["word"], "other": effect["word"]}, beliefs={"held": effect["word"]})

    def sense(call: Call) -> Outcome | NotStarted:
        found = ground.happened(call.number)
        return NotStarted() if found is None else outcome(found) if found["does"] == "pick" else Done()

    return by_name(
        acting(
            "pick",
            fate,
            takes=("word", "n"),
            gives=("got", "other"),
            codes=("nothing",),
            sense=sense,
            modules=lambda self, failure: ModuleGraph.chain([WORD, LAMP, Module("arm", 0.95)]),
        ),
        acting("mend", after(lambda call: ground.effect("mend", call)), sense=sense),
    )


def answered(folder: Path, journal: Journal) -> tuple[Finished, Run]:
    """One program: a person answers each question a while after it was put."""
    clock, ground = journal.clock, Ground(folder / "w")
    desk = Desk(journal, [Person(name="Maya")])
    run = Run(TWICE, MEND, book=journal, run="r", settings=RunSettings(unseen=Unseen.ASK, questions=4))
    turns = Executive(run, Around(actions=shelf(ground), clock=clock, people=PeopleAtDesk(desk, "r"))).turns()
    waited: Counter[str] = Counter()
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return end.value, run
        waited[run.waiting_for] += 1
        if run.waiting_for and waited[run.waiting_for] == 3:
            record = desk.record(run.waiting_for)
            assert record is not None
            picks = [each for each in ground.effects() if each["does"] == "pick"]
            said: dict[str, Value] = {QuestionKind.TEXT: f"cup {picks[-1]['n']}", QuestionKind.YES_NO: True}
            value = said.get(record.question.kind, AGAIN)
            reply = Reply(question=record.id, kind=ReplyKind.ANSWER, by="Maya", token=record.id, value=value)
            assert desk.reply(reply).accepted


def told(journal: Journal) -> list[Any]:
    """What people were asked and what they said, as the run was told."""
    found = [each.event for each in journal.read(run="r") if isinstance(each.event, TaskAsked | TaskAnswered)]
    return [replace(each, at_s=0.0) for each in found]


def put(journal: Journal) -> list[str]:
    """The questions at the desk."""
    return [each.key for each in journal.read(run="r") if each.kind == "desk.asked"]


def done(folder: Path) -> list[tuple[Any, ...]]:
    return [(each["does"], each.get("n"), each.get("word"), each["again"]) for each in Ground(folder / "w").effects()]


@pytest.mark.parametrize(("counts", "every"), swept(((True, 3), (True, 1), (False, 1)), test=((True, 3),)))
def test_killed_at_any_write_with_questions_open_a_run_comes_to_the_same_end(
    tmp_path: Path, counts: bool, every: int
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    with FragileJournal.open(whole / "j.db", clock=SkippingClock(100.0)) as journal:
        wanted, run = answered(whole, journal)
        asked, questions, beliefs = told(journal), put(journal), dict(run.machine.beliefs.values)
        assert isinstance(journal, FragileJournal)
        writes = journal.writes
    assert wanted.outputs == {"got": "cup 1", "other": "cup 2"}
    assert [each.module for each in asked if isinstance(each, TaskAsked)] == ["word", "lamp", ""] * 2
    for at in range(1, writes + 1, every):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        with FragileJournal.open(folder / "j.db", clock=SkippingClock(100.0)) as journal:
            assert isinstance(journal, FragileJournal)
            journal.dies_at = (at, counts)
            with suppress(Killed):
                answered(folder, journal)
        with Journal.open(folder / "j.db", clock=SkippingClock(500.0)) as journal:
            finished, run = answered(folder, journal)
            assert finished == replace(wanted, failure=finished.failure), at
            assert (told(journal), put(journal)) == (asked, questions), at
            assert dict(run.machine.beliefs.values) == beliefs, at
        assert done(folder) == done(whole), at
