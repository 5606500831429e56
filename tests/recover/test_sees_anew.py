"""A world that changes by acting: the policy looks again after an attempt, and answers about places are gone."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from handup.core import Outcome, Value
from handup.recover import Look, Pass, Settings
from handup.recover.events import Forwarded, ModuleAnswered
from handup.recover.run_record import RunStarted, RunTold
from tests.recover.house import House, Killed
from tests.recover.robot import RIGHT, WRONG, SensingRobot, effects
from tests.soak import swept

METHOD = "topo+query-for-all"


class Moving(SensingRobot):
    """It fails at its first try and moves things by it: what was said of `m1` held for the picture before."""

    outdated_by_acting = ("m1",)

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        self.given = [*getattr(self, "given", []), dict(answers)]
        return super().forward(answers)

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        return super().act(outputs if effects(self.log) else {**outputs, "m0": WRONG}, action_id)


def told(house: House) -> list[object]:
    return [entry.read() for entry in house.written(RunTold)]


def test_the_policy_looks_again_and_outdated_answers_are_gone(tmp_path: Path) -> None:
    house = House(tmp_path, method=METHOD)
    robot = Moving(house.log, certainty=0.9)
    episode = house.live(policy=robot)
    answered = [event.module for event in told(house) if isinstance(event, ModuleAnswered)]
    assert answered == ["m0", "m1", "m2", "m1"], "about m1 again, since the picture is another"
    assert robot.given[4:] == [{"m0": RIGHT, "m2": RIGHT}, {"m0": RIGHT, "m1": RIGHT, "m2": RIGHT}]
    renewed = [event.renewed for event in told(house) if isinstance(event, Forwarded)]
    assert renewed == [(), (), (), (), ("m1",), ()]
    assert (episode.outcome, episode.tally.executions) == (Outcome.RECOVERED, 2)
    assert house.live(policy=Moving(house.log)) == episode, "and it reads back the same"


@pytest.mark.parametrize("every", swept((1, 3), test=(3,)))
def test_a_program_that_is_killed_anywhere_looks_again_all_the_same(tmp_path: Path, every: int) -> None:
    for write in range(2, 30, every):
        folder = tmp_path / str(write)
        folder.mkdir()
        house = House(folder, method=METHOD, robot=lambda log: Moving(log, certainty=0.9))
        with contextlib.suppress(Killed):
            house.live(dies_at=(write, True))
        assert house.live().outcome is Outcome.RECOVERED
        assert [event.renewed for event in told(house) if isinstance(event, Forwarded)].count(("m1",)) == 1
        assert len(house.done) == len(set(house.done)) == 2


def test_the_plan_knows_what_acting_outdates(tmp_path: Path) -> None:
    house = House(tmp_path, method="troubleshoot", settings=Settings(ask_again=False, max_executions=3))
    house.live(policy=Moving(house.log, certainty=0.9))
    (started,) = house.written(RunStarted)
    assert tuple(started.record["settings"]["outdated_by_acting"]) == ("m1",)
    assert house.live(policy=Moving(house.log)).outcome is not None, "and it reads back the same"


def test_other_policies_do_not_look_again(tmp_path: Path) -> None:
    house = House(tmp_path, method="never+query-then-execute", settings=Settings(max_executions=3))
    robot = SensingRobot(house.log)
    assert house.live(policy=robot).tally.failures == 3
    assert robot.passes == 1


class Choosy(SensingRobot):
    """What was said of `m1` says nothing once `m0` was answered for."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        made = super().forward({name: said for name, said in answers.items() if name != "m1" or "m0" not in answers})
        return replace(made, outdated=("m1",) if {"m0", "m1"} <= set(answers) else ())


def test_a_policy_may_leave_an_answer_aside_and_is_asked_about_it_again(tmp_path: Path) -> None:
    house = House(tmp_path, method="confidence+query-for-all")
    episode = house.live(policy=Choosy(house.log, wrong=(), confidences=(0.5, 0.2, 0.9)))
    assert episode.asked[:3] == ("m1", "m0", "m1")
    assert ("m1",) in [event.renewed for event in told(house) if isinstance(event, Forwarded)]


def test_a_robot_tries_no_more_often_than_it_may(tmp_path: Path) -> None:
    house = House(tmp_path, method="never+query-then-execute", settings=Settings(max_executions=3))
    episode = house.live()
    assert (episode.outcome, episode.tally.executions) == (Outcome.YIELDED, 3)
    assert episode.reason == "All 3 tries that it may make have failed."
