"""A hand that somebody drives: pushes move it, silence and questions do not, and closing it tells what is held."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadGoals, IllegalCall, UnknownMethod
from handup.domains.reaching import Ending, Mode, Rules, scene
from handup.domains.reaching.driving import Drive, Push
from handup.domains.reaching.gripper import CONTROL_S, STICK_M_S
from handup.domains.reaching.telling import ending_of, reach_of, said_of, things_of

FORWARD = Push(pushed=(1.0, 0.0, 0.0))


def driven(drive: Drive, push: Callable[[], Push | None], steps: int) -> Drive:
    for _ in range(steps):
        drive.tick(push())
    return drive


def taken(task: str, goal: str) -> Drive:
    """After the hand was put into the first pose of a goal and closed."""
    drive = Drive(scene("S1"), task, "manual")
    pose = drive.scene.goal(goal).poses[0]
    drive.hand.position, drive.hand.rotation = pose.position, pose.rotation
    drive.tick(Push(close=True))
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
        drive.tick(Push(mode, (0.0, 0.0, 1.0)))
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
    assert taken("", "cup/side").result().ending is Ending.GRASPED
    assert taken("cup/side", "cup/side").result().ending is Ending.GRASPED
    other = taken("cup/top", "cup/side")
    assert (other.result().ending, other.held, other.over) == (Ending.MISSED, "cup/side", True)
    assert ending_of(other).endswith("it was to be the cup (top grasp)")


def test_closing_it_on_nothing_is_a_miss_once_for_each_press() -> None:
    drive = Drive(scene("S1"), helper="manual")
    for close in (True, True, False, True):
        drive.tick(Push(close=close))
    assert (drive.misses, drive.over) == (2, False)


def test_the_time_is_up_at_the_limit() -> None:
    drive = driven(Drive(scene("S1"), "cup/top", "manual", Rules(limit_s=1.0)), Push, 60)
    found = drive.result()
    assert found.ending is Ending.TOO_LATE
    assert found.to_json()["success"] is False
    assert ending_of(drive) == "the time is up"


def test_what_cannot_be_is_refused_before_anything_moves() -> None:
    with pytest.raises(BadGoals):
        Drive(scene("S1"), "cup/bottom")
    with pytest.raises(UnknownMethod):
        Drive(scene("S1"), helper="magic")


@given(st.lists(st.tuples(*[st.floats(-1.0, 1.0)] * 3, st.sampled_from(Mode)), max_size=30))
def test_whatever_is_pushed_the_hand_is_in_nothing_and_what_is_told_is_sound(
    pushes: list[tuple[float, float, float, Mode]],
) -> None:
    drive = Drive(scene("U6"), helper="assist")
    for x, y, z, mode in pushes:
        for _ in range(8):
            drive.tick(Push(mode, (x, y, z)))
        if drive.question is not None:
            drive.unanswered()
    assert drive.hand.clearance_m >= -1e-9
    told = reach_of(drive, things_of(drive.scene), "you")
    assert sum(goal["chance"] for goal in told["goals"]) + told["other"] == pytest.approx(1.0, abs=0.01)
    assert len(told["hand"]) == 7


def test_what_it_does_is_said_in_words() -> None:
    assert said_of("to cup/top") == "helping towards the cup (top grasp)"
    assert said_of("no-assist") == "only following you"
    assert said_of("something new") == "something new"
