"""A hand that somebody drives: pushes move it, silence and questions do not, and closing it tells what is held."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadGoals, BadRecord, IllegalCall, UnknownMethod
from handup.core.panels import Phase, RobotState, ScenePanel, plain
from handup.domains.reaching import AttemptEnding, Mode, Rules, scene
from handup.domains.reaching.driven_hand import GHOST_S, DevicePush, Drive, ghost_of, nearest
from handup.domains.reaching.page_drive import ending_of, panels_of, said_of, things_of
from handup.domains.reaching.scenes import CONTROL_S, STICK_M_S
from handup.intent import Command
from tests.fakes.panels import of_type

FORWARD = DevicePush(pushed=(1.0, 0.0, 0.0))


def driven(drive: Drive, push: Callable[[], DevicePush | None], steps: int) -> Drive:
    for _ in range(steps):
        drive.tick(push())
    return drive


def taken(task: str, goal: str) -> Drive:
    """After the hand was put into the first pose of a goal and closed."""
    drive = Drive(scene("S1"), task, "manual")
    pose = drive.scene.goal(goal).poses[0]
    drive.hand.position, drive.hand.rotation = pose.position, pose.rotation
    drive.tick(DevicePush(close=True))
    return drive


def test_a_push_moves_the_hand_at_the_sticks_speed_and_silence_does_not() -> None:
    drive = Drive(scene("S1"), helper="manual")
    driven(drive, lambda: FORWARD, 40)
    moved = math.dist(drive.hand.position, drive.scene.start.position)
    assert moved == pytest.approx(STICK_M_S)
    assert drive.time_s == pytest.approx(1.0)
    here = drive.hand.pose
    driven(drive, lambda: None, 40)
    assert drive.hand.pose == here
    assert drive.time_s == pytest.approx(1.0), "nobody's time"


def test_nothing_of_the_robots_moves_the_hand_while_nobody_is_heard() -> None:
    drive = driven(Drive(scene("S1"), helper="ho"), lambda: FORWARD, 8)
    here, before = drive.hand.pose, drive.ghost
    driven(drive, lambda: None, 40)
    after = drive.ghost
    assert before is not None, "it would have gone on by itself"
    assert after is None
    assert (drive.hand.pose, drive.command.still) == (here, True)


def test_the_mode_decides_whether_it_moves_or_turns_and_changes_are_counted() -> None:
    drive = Drive(scene("S1"), helper="manual")
    for mode in (Mode.ROTATE, Mode.ROTATE, Mode.TRANSLATE):
        drive.tick(DevicePush(mode, (0.0, 0.0, 1.0)))
    assert (drive.mode_changes, drive.mode) == (2, Mode.TRANSLATE)
    assert drive.hand.pose.angle_rad(drive.scene.start) == pytest.approx(2 * 0.4 * CONTROL_S)


def test_while_it_asks_the_hand_stands_still_and_time_goes_on() -> None:
    drive = driven(Drive(scene("S1"), helper="entropy"), lambda: FORWARD, 4)
    asked = drive.question
    assert asked is not None
    here, before_s = drive.hand.pose, drive.time_s
    driven(drive, lambda: FORWARD, 40)
    assert drive.hand.pose == here
    assert drive.time_s == pytest.approx(before_s + 1.0)
    assert drive.questions == 1
    drive.answer(asked.about.true_answer("cup/top"), by="you")
    assert drive.question is None
    with pytest.raises(IllegalCall):
        drive.unanswered()


def test_a_question_that_nobody_answers_is_over_and_the_hand_goes_on() -> None:
    drive = driven(Drive(scene("S1"), helper="entropy"), lambda: FORWARD, 4)
    drive.unanswered()
    here = drive.hand.pose
    drive.tick(FORWARD)
    assert drive.hand.pose != here or drive.question is not None


def test_closing_the_hand_tells_what_is_held() -> None:
    assert taken("", "cup/side").result().ending is AttemptEnding.GRASPED
    assert taken("cup/side", "cup/side").result().ending is AttemptEnding.GRASPED
    other = taken("cup/top", "cup/side")
    assert (other.result().ending, other.held, other.over) == (AttemptEnding.MISSED, "cup/side", True)
    assert ending_of(other).endswith("it was to be the cup (top grasp)")


def test_closing_it_on_nothing_is_a_miss_once_for_each_press() -> None:
    drive = Drive(scene("S1"), helper="manual")
    for close in (True, True, False, True):
        drive.tick(DevicePush(close=close))
    assert (drive.misses, drive.over) == (2, False)


def test_the_time_is_up_at_the_limit() -> None:
    drive = driven(Drive(scene("S1"), "cup/top", "manual", Rules(limit_s=1.0)), DevicePush, 60)
    found = drive.result()
    assert found.ending is AttemptEnding.TOO_LATE
    assert found.to_json()["success"] is False
    assert ending_of(drive) == "the time is up"


def test_what_cannot_be_is_refused_before_anything_moves() -> None:
    with pytest.raises(BadGoals):
        Drive(scene("S1"), "cup/bottom")
    with pytest.raises(UnknownMethod):
        Drive(scene("S1"), helper="magic")


@pytest.mark.parametrize("helper", ["assist", "paper", "ho", "entropy"])
def test_no_helper_moves_the_hand_while_the_stick_rests(helper: str) -> None:
    drive = driven(Drive(scene("S1"), helper=helper), lambda: FORWARD, 20)
    if drive.question is not None:
        drive.unanswered()
    here = drive.hand.pose
    driven(drive, lambda: DevicePush(pushed=(0.01, 0.0, 0.0)), 1)
    drifted = drive.hand.pose
    driven(drive, DevicePush, 40)
    assert (drive.hand.pose, drive.command.still, drive.ghost) == (drifted, True, None)
    assert here.distance_m(drifted) < 2e-5, "a stick that drifts is at rest"


def test_the_load_of_a_question_is_the_drivers() -> None:
    drive = driven(Drive(scene("S1"), helper="entropy", person="ana"), lambda: FORWARD, 4)
    before = drive.load
    assert drive.question is not None
    drive.answer(False, "ana")
    assert drive.load == 0.0, "nothing is asked"
    driven(drive, lambda: FORWARD, 8)
    assert drive.question is not None
    assert drive.load > before, "who was asked just now is asked at a higher price"
    borne = drive.assistant.state
    ana, ben = (
        driven(
            Drive(scene("S1"), helper="entropy", person=name, workload=borne.workload, now_s=borne.now_s),
            lambda: FORWARD,
            4,
        )
        for name in ("ana", "ben")
    )
    assert ana.load > ben.load > 0.0, "in the next attempt too"


def test_the_ghost_is_no_further_than_the_robot_goes() -> None:
    """On the way to a goal it is the goal's pose; what the robot leaves to the person stays as it is."""
    goals, here, metric = scene("S1").goals, scene("S1").start, Drive(scene("S1")).assistant.helper.metric
    goal = nearest(scene("S1").goal("cup/top"), here, metric)
    way, turn = here.twist_to(goal)
    found = ghost_of(Command(way, turn, "to cup/top"), goals, here, metric, 0.5)
    assert found is not None
    assert found.distance_m(goal) + found.angle_rad(goal) == pytest.approx(0.0, abs=1e-6)
    straight = ghost_of(Command(way, why="to cup/top"), goals, here, metric, 0.5)
    assert straight is not None
    assert straight.position == pytest.approx(goal.position)
    assert straight.rotation == here.rotation
    x, _, _ = way
    along = ghost_of(Command((0.06, 0.0, 0.0), why="to cup/top"), goals, here, metric, 0.5)
    assert along is not None
    assert along.position == pytest.approx((here.position[0] + x, *here.position[1:])), "on the person's own way"
    assert ghost_of(Command((-0.06, 0.0, 0.0), why="to cup/top"), goals, here, metric, 0.5) == here
    ahead = ghost_of(Command((0.06, 0.0, 0.0), why="carry"), goals, here, metric, 0.5)
    assert ahead is not None
    assert ahead.distance_m(here) == pytest.approx(0.5 * 0.06 * GHOST_S)


def test_while_it_asks_the_ghost_is_what_it_asks_about() -> None:
    drive = driven(Drive(scene("S1"), helper="entropy"), lambda: FORWARD, 4)
    asked = drive.question
    assert asked is not None
    [name] = asked.about.names
    assert drive.ghost in drive.scene.goal(name).poses


def test_an_attempt_goes_on_from_its_record_with_its_question() -> None:
    drive = driven(Drive(scene("S1"), "cup/top", "entropy", person="ana"), lambda: FORWARD, 4)
    record = json.loads(json.dumps(drive.to_json()))
    again = Drive(scene("S1"), "cup/top", "entropy", person="ana")
    again.restore(record)
    assert drive.question is not None
    assert again.question == drive.question
    for each in (drive, again):
        each.answer(True, "ana")
        driven(each, lambda: DevicePush(Mode.ROTATE, (0.0, 1.0, 0.0)), 10)
    assert json.loads(json.dumps(again.to_json())) == json.loads(json.dumps(drive.to_json()))
    assert again.result() == drive.result()


@pytest.mark.parametrize(
    "other",
    [("U6", "", "entropy"), ("S1", "cup/side", "entropy"), ("S1", "cup/top", "assist")],
    ids=["scene", "task", "helper"],
)
def test_a_record_of_something_else_changes_nothing(other: tuple[str, str, str]) -> None:
    record = driven(Drive(scene("S1"), "cup/top", "entropy"), lambda: FORWARD, 4).to_json()
    where, task, helper = other
    drive = Drive(scene(where), task, helper)
    before = drive.to_json()
    for damaged in (record, {**before, "time_s": "long"}, {**before, "mode": "fly"}, {**before, "hand": {}}):
        with pytest.raises(BadRecord):
            drive.restore(damaged)
        assert drive.to_json() == before


def test_of_a_helper_that_thinks_nothing_no_chances_are_told() -> None:
    drive = Drive(scene("S1"), helper="manual")
    told = of_type(panels_of(drive, things_of(drive.scene), "you"), ScenePanel)
    assert (told.goals, told.other) == ([], 0.0)


@given(st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 3, st.sampled_from(Mode)), max_size=30))
def test_whatever_is_pushed_the_hand_is_in_nothing_and_what_is_told_is_sound(
    pushes: list[tuple[float, float, float, Mode]],
) -> None:
    drive = Drive(scene("U6"), helper="assist")
    for x, y, z, mode in pushes:
        for _ in range(8):
            drive.tick(DevicePush(mode, (x, y, z)))
        if drive.question is not None:
            drive.unanswered()
    assert drive.hand.clearance_m >= -1e-9
    panels = panels_of(drive, things_of(drive.scene), "you")
    told = of_type(panels, ScenePanel)
    assert sum(goal.chance for goal in told.goals) + told.other == pytest.approx(1.0, abs=0.01)
    sent = json.loads(json.dumps(plain({"phase": Phase.MOVING, "panels": panels}), allow_nan=False))
    assert RobotState.model_validate({"robot": "hand", "at_s": 0.0, **sent}).panels == panels


def test_what_it_does_is_said_in_words() -> None:
    assert said_of("to cup/top") == "helping towards the cup (top grasp)"
    assert said_of("to cup/top", turns=False) == "helping towards the cup", "the grasp is the person's"
    assert said_of("no-assist") == "only following you"
    assert said_of("something new") == "something new"
