"""The end of a run is as durable as the rest: killed behind the last action, a run comes to the same end."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handup.core import ManualClock, Question, ResumeHint, event_of
from handup.executive import (
    Around,
    Done,
    Ending,
    Executive,
    Fault,
    Finished,
    Run,
    RunSettings,
    Sees,
    SimulatedBystander,
    SimulatedSaying,
    Sources,
    Unseen,
)
from handup.executive.action import Call, NotStarted, Outcome
from handup.executive.escalation import FIXED
from handup.executive.events import Begun, Failed, Over, Recovered, Recovering, Started, TaskAsked
from handup.executive.reader import parse_recoveries
from handup.executive.rehearsal import rehearse
from handup.journal import Journal
from tests.executive.make_golden import GOLDEN
from tests.executive.robot import Ground, acting, by_name
from tests.recover.house import FragileJournal, Killed
from tests.soak import swept

RECIPE = """
format: 1
fetch:
  var: [n]
  steps:
  - {op: assign, params: {value: 3}, var: [n]}
  - action: pick
  - action: place
"""
RULES = """
format: 1
recoveries:
- {name: push_it, when: {path: fetch/contradiction, contradiction: placed}, do: [{action: push}], resume: continue}
"""
SOURCES = Sources(recipes={"r.yaml": RECIPE}, recoveries={"rules.yaml": RULES})


class Shop:
    """The part is placed once it was pushed, and then a bell rings until somebody comes. What was done is in a file."""

    name = "bell"
    codes = ("rings",)

    def __init__(self, folder: Path, dies_at: int = 0) -> None:
        self.ground = Ground(folder / "world.jsonl")
        self.looks, self.dies_at = 0, dies_at

    def did(self, name: str) -> bool:
        return any(each["does"] == name for each in self.ground.effects())

    def look(self, now_s: float) -> list[Sees | Fault]:
        self.looks += 1
        if self.looks == self.dies_at:
            raise Killed
        seen: list[Sees | Fault] = [Sees(key="placed", value=self.did("push"))]
        rings = self.did("push") and not self.did("came")
        return [*seen, Fault(code="rings")] if rings else seen

    def says(self, question: Question) -> SimulatedSaying:
        self.ground.effect("came", Call(goal={}, attempt=1, number=-1))
        return SimulatedSaying(value=FIXED, by="Maya")

    def acts(self, name: str) -> Any:
        def outcome() -> Outcome:
            return Done(beliefs={"placed": True} if name == "place" else {})

        def does(call: Call) -> Outcome:
            self.ground.effect(name, call)
            return outcome()

        def sense(call: Call) -> Outcome | NotStarted:
            return outcome() if self.ground.happened(call.number) else NotStarted()

        return acting(name, does, sense=sense)

    def lives(self, journal: Journal) -> Finished:
        """One program, to the end of the run."""
        clock = ManualClock()
        run = Run.of(SOURCES, settings=RunSettings(unseen=Unseen.ASK), book=journal, run="r")
        around = Around(
            actions=by_name(*map(self.acts, ("pick", "place", "push"))),
            clock=clock,
            monitors=[self],
            people=SimulatedBystander(self.says, clock),
        )
        return Executive(run, around).to_the_end()

    @property
    def effects(self) -> list[tuple[str, bool]]:
        return [(each["does"], each["again"]) for each in self.ground.effects()]


WHOLE = [("pick", False), ("place", False), ("push", False), ("came", False)]


def failed(journal: Journal) -> list[str]:
    return [each.event.failure.path for each in journal.read(run="r") if isinstance(each.event, Failed)]


def whole(folder: Path) -> tuple[int, int]:
    """A run that nobody kills. Gives its writes and its looks."""
    shop = Shop(folder)
    with FragileJournal.open(folder / "j.db") as journal:
        over = shop.lives(journal)
        assert (over.ending, over.outputs) == (Ending.DONE, {"n": 3})
        assert (shop.effects, failed(journal)) == (WHOLE, ["fetch/contradiction", "fetch/bell"])
        assert isinstance(journal, FragileJournal)
        return journal.writes, shop.looks


def same_end(folder: Path, die: Callable[[], object]) -> None:
    """Let a program die; the next one comes to the end that there is without that, and nothing is done twice."""
    with suppress(Killed):
        die()
    shop = Shop(folder)
    with Journal.open(folder / "j.db") as journal:
        over = shop.lives(journal)
        assert (over.ending, over.reason, over.outputs) == (Ending.DONE, "The task is done.", {"n": 3})
        assert failed(journal) == ["fetch/contradiction", "fetch/bell"]
        assert [type(each.event) for each in journal.read(run="r")].count(Over) == 1
        questions = {each.event.question for each in journal.read(run="r") if isinstance(each.event, TaskAsked)}
        assert questions == {"failure:2:1"}
    assert [each for each in shop.effects if each[0] != "came"] == WHOLE[:-1]


@pytest.mark.parametrize("counts", swept((True, False), test=(True,)))
def test_killed_at_any_write_it_comes_to_the_same_end(tmp_path: Path, counts: bool) -> None:
    (tmp_path / "whole").mkdir()
    writes, _ = whole(tmp_path / "whole")
    for at in range(1, writes + 1):
        folder = tmp_path / f"{at}"
        folder.mkdir()

        def die(folder: Path = folder, at: int = at) -> None:
            with FragileJournal.open(folder / "j.db") as journal:
                assert isinstance(journal, FragileJournal)
                journal.dies_at = (at, counts)
                Shop(folder).lives(journal)

        same_end(folder, die)


def test_killed_at_any_look_and_at_the_next_one_it_comes_to_the_same_end(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    _, looks = whole(tmp_path / "whole")
    for at in range(1, looks + 1):
        folder = tmp_path / f"{at}"
        folder.mkdir()

        def die(folder: Path = folder, at: int = at) -> None:
            for look in (at, 1):
                with suppress(Killed), Journal.open(folder / "j.db") as journal:
                    Shop(folder, dies_at=look).lives(journal)

        same_end(folder, die)


def test_a_run_that_is_over_is_not_looked_at_again(tmp_path: Path) -> None:
    whole(tmp_path)
    shop = Shop(tmp_path, dies_at=1)
    with Journal.open(tmp_path / "j.db") as journal:
        before = len(list(journal.read(run="r")))
        over = shop.lives(journal)
        assert (over.ending, over.outputs, len(list(journal.read(run="r")))) == (Ending.DONE, {"n": 3}, before)


def test_the_journal_holds_of_a_last_look_what_it_saw_and_nothing_else(tmp_path: Path) -> None:
    whole(tmp_path)
    with Journal.open(tmp_path / "j.db") as journal:
        kinds = [type(each.event).__name__ for each in journal.read(run="r") if each.kind.startswith("task.")]
    place = kinds.index("Begun", kinds.index("Begun") + 1)
    assert kinds[place:] == [
        *("Begun", "ActionEnded", "Raised", "Failed", "Recovering"),
        *("Begun", "Believed", "ActionEnded", "Recovered"),
        *("Raised", "Failed", "TaskAsked", "TaskAnswered", "Recovered", "Over"),
    ]


def test_a_run_of_an_earlier_program_is_over_as_it_was(tmp_path: Path) -> None:
    told = [json.loads(line) for line in (GOLDEN / "task-v1.jsonl").read_text(encoding="utf-8").splitlines()]
    events = [event_of(each["kind"], each["version"], each["body"]) for each in told]
    with Journal.open(tmp_path / "j.db") as journal:
        with journal.writing() as writer:
            for event in events:
                writer.append(event, run="kits")
        assert isinstance(events[0], Started)
        run = Run.of(Sources.from_json(events[0].sources), params={"count": 2}, book=journal, run="kits")
        finished = run.machine.finished
        assert finished is not None
        assert (finished.ending, finished.outputs, run.machine.notes()) == (Ending.DONE, {"done": 2}, [])


def test_a_rule_can_be_tried_on_what_failed_at_the_end(tmp_path: Path) -> None:
    whole(tmp_path)
    (mine,) = parse_recoveries({"m.yaml": RULES.replace("push_it", "mine").replace("continue", "previous")})
    with Journal.open(tmp_path / "j.db") as journal:
        tried = rehearse(journal, "r", mine, failure=1)
    assert (tried.chosen, [each.action for each in tried.steps]) == (True, ["push"])
    assert (tried.hint, tried.level) == (ResumeHint.PREVIOUS, "fetch")


def test_a_rule_that_is_written_while_the_last_action_works_holds_at_the_end(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    noted: list[object] = []
    run = Run.of(Sources(recipes=SOURCES.recipes))
    run.follow(noted.append)
    made: list[Executive] = []

    def place(call: Call) -> Outcome:
        made[0].reload(SOURCES)
        return Done(beliefs={"placed": True})

    actions = by_name(shop.acts("pick"), acting("place", place), shop.acts("push"))
    made.append(Executive(run, Around(actions=actions, clock=ManualClock(), monitors=[shop])))
    over = made[0].to_the_end()
    assert [each.recovery for each in noted if isinstance(each, Recovering)] == ["push_it"]
    assert [each.hint for each in noted if isinstance(each, Recovered)] == [ResumeHint.CONTINUE]
    assert sum(isinstance(each, Begun) for each in noted) == 3
    assert over.reason == "fetch/bell failed (rings), and no recovery is for that."
