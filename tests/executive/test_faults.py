"""Faults of monitors that hold for a while: told while they hold, and not while they are being repaired."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from handup.core import ManualClock, Question
from handup.executive import (
    Aborted,
    Around,
    Done,
    Ending,
    Executive,
    Fault,
    Run,
    RunSettings,
    SimulatedBystander,
    SimulatedSaying,
)
from handup.executive.action import Call, Outcome, RobotAction
from handup.executive.events import Failed
from handup.executive.machine import Finished
from handup.executive.recovery import Recovery
from handup.executive.run_settings import Unseen
from handup.journal import Journal
from tests.executive.making import action, branch, recipe, recipes, rule
from tests.executive.robot import acting, after, by_name
from tests.recover.house import Killed


class Alarm:
    """Raises its fault as long as it holds."""

    codes = ("alarm",)

    def __init__(self, name: str, *, on: bool = False) -> None:
        self.name = name
        self.on = on

    def look(self, now_s: float) -> list[Fault]:
        return [Fault(code="alarm", why=f"{self.name} at {now_s:g}.")] if self.on else []

    def off(self, call: Call) -> None:
        self.on = False


# -- while a person is asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize("mends", [True, False])
def test_after_a_question_only_what_still_holds_is_a_failure(tmp_path: Path, mends: bool, dies: bool) -> None:
    lamp, clock, grasped, asked = Alarm("lamp"), ManualClock(), [0], [0]

    def grasp(call: Call) -> Outcome:
        grasped[0] += 1
        if grasped[0] > 1:
            return Done()
        lamp.on = True
        return Aborted(code="slip")

    def says(question: Question) -> SimulatedSaying:
        asked[0] += 1
        if dies and asked[0] == 1:
            raise Killed
        lamp.on = lamp.on and not mends
        return SimulatedSaying(value="I put it right by hand: try again", latency_s=60.0, by="Maya")

    actions = by_name(acting("grasp", grasp, lasts_s=1.0), acting("light", after(lamp.off)))
    rules = [rule("dark", "**/lamp", action("light"))]

    def live() -> Finished:
        with Journal.open(tmp_path / "j.db") as journal:
            main = recipes(recipe("main", action("grasp")))
            run = Run(main, rules, settings=RunSettings(unseen=Unseen.ASK), book=journal, run="r")
            around = Around(actions=actions, clock=clock, monitors=[lamp], people=SimulatedBystander(says, clock))
            return Executive(run, around).to_the_end()

    if dies:
        with pytest.raises(Killed):
            live()
    assert live().ending is Ending.DONE
    with Journal.open(tmp_path / "j.db") as journal:
        failed = [each.event.failure for each in journal.read(run="r") if isinstance(each.event, Failed)]
    expected = [("main/grasp", "")] if mends else [("main/grasp", ""), ("main/lamp", "lamp at 61.")]
    assert [(each.path, each.why) for each in failed] == expected


# -- while it is repaired ----------------------------------------------------------------------------------------------


def runs(
    rules: Sequence[Recovery], *actions: type[RobotAction], monitors: Sequence[Alarm]
) -> tuple[Finished, list[str]]:
    run = Run(recipes(recipe("main", action("go"))), rules)
    around = Around(actions=by_name(acting("go"), *actions), clock=ManualClock(), monitors=monitors)
    over = Executive(run, around).to_the_end()
    return over, [each.failure.path for each in run.machine.notes() if isinstance(each, Failed)]


def test_a_fault_that_holds_does_not_interrupt_its_own_recovery() -> None:
    bell = Alarm("bell", on=True)
    quiet = rule("quiet", "**/bell", action("walk"), action("reset"))
    over, failed = runs(
        [quiet], acting("walk", lasts_s=5.0), acting("reset", after(bell.off), lasts_s=2.0), monitors=[bell]
    )
    assert (over.ending, failed) == (Ending.DONE, ["main/bell"])


def test_nor_its_immediate_steps_nor_what_is_done_when_the_recovery_fails() -> None:
    bell, tries = Alarm("bell", on=True), [0]

    def reset(call: Call) -> Outcome:
        tries[0] += 1
        if tries[0] == 1:
            return Aborted(code="stuck")
        bell.on = False
        return Done()

    rules = [
        rule("quiet", "**/bell", attempt=[action("walk")], branches=[branch("tried.ok", action("reset"))]),
        rule("loosen", "**/reset", action("walk"), codes=["stuck"]),
    ]
    walk = acting("walk", lasts_s=5.0)
    over, failed = runs(rules, walk, acting("reset", reset, codes=("stuck",)), monitors=[bell])
    assert (over.ending, failed) == (Ending.DONE, ["main/bell", "main/recovery:quiet/reset"])


def test_what_still_holds_after_its_recovery_is_a_new_failure() -> None:
    over, failed = runs([rule("quiet", "**/bell", action("walk"))], acting("walk"), monitors=[Alarm("bell", on=True)])
    assert (over.ending, failed) == (Ending.OUT_OF_RECOVERIES, ["main/bell", "main/bell"])


def test_another_monitors_fault_is_heard_behind_one_that_is_being_repaired() -> None:
    bell, lamp = Alarm("bell", on=True), Alarm("lamp")

    def walk(call: Call) -> Outcome:
        lamp.on = bell.on
        return Done()

    rules = [rule("quiet", "**/bell", action("walk"), action("reset")), rule("dark", "**/lamp", action("light"))]
    actions = (acting("walk", walk), acting("reset", after(bell.off)), acting("light", after(lamp.off)))
    over, failed = runs(rules, *actions, monitors=[bell, lamp])
    assert (over.ending, failed) == (Ending.DONE, ["main/bell", "main/recovery:quiet/lamp"])
