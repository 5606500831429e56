"""What help is worth: seconds to the grasp, what a move saves of them, and the pace of a person."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting
from handup.intent import Assist, GoalBelief, Goals, Joystick, Pose, Seconds
from handup.intent.assist import if_wanted
from handup.intent.helper import MoveKind, moves, towards
from handup.intent.seconds import EXPECTED_S, Ahead, Pace
from handup.intent.value import Array, look
from tests.intent.places import CUP_TOP, DOWN, START, TABLE, places

ASSIST = Assist()
SECONDS = Seconds()
ROUND = Seconds(push_m_s=0.05, turn_rad_s=0.5, switch_s=0.5, closing_s=2.0, objects=0.2, grasps=0.6)
"""Numbers to count with."""


def ahead(pose: Pose = START, settles_s: float = math.inf, *, goals: Goals = TABLE, closely: bool = False) -> Ahead:
    """A move to each goal, and no help."""
    belief = GoalBelief.uniform(goals)
    view = look(goals, belief.groups, pose, ASSIST.metric)
    known = towards(view, ASSIST.metric)
    found = moves(belief, known, range(len(goals)), (MoveKind.GOAL, MoveKind.NONE))
    made = if_wanted(found.velocities, view, closely=closely, theirs=False)
    shape = len(goals) + 1, len(goals)
    return Ahead(view=view, made=made, known=known, alpha=0.5, settles_s=np.full(shape, settles_s))


def own(table: Array) -> Array:
    """Of each goal, with the move that is for it."""
    return np.diag(table[: len(TABLE), : len(TABLE)])


def test_a_person_alone_by_hand() -> None:
    found = ROUND.alone(np.array([0.5, 0.5, 0.5]), np.array([0.0, 1.0, 0.075]))
    assert found == pytest.approx([10.0, 10.0 + 2.0 + 2 * 0.5, 10.0 + 0.15 + 2 * 0.25])
    for wrong in ({"push_m_s": 0.0}, {"harm": 0.0}, {"closing_s": -1.0}, {"wrong_m": math.inf}):
        with pytest.raises(BadSetting):
            Seconds(**wrong)


def test_one_goal_straight_ahead_by_hand() -> None:
    """Half a metre over a cup, turned as wanted: 5 cm/s, with the robot half of 6.1 cm/s more."""
    cup = Goals((CUP_TOP,))
    x, y, z = CUP_TOP.poses[0].position
    found = ROUND.to_grasp(ahead(Pose.turned((x, y, z + 0.5), DOWN), goals=cup))
    assert found[:, 0] == pytest.approx([0.5 / (0.05 + 0.0305), 10.0])


def test_help_shortens_the_time_to_the_goal_it_is_for_and_not_to_others() -> None:
    never = ahead()
    alone = SECONDS.to_grasp(replace(never, known=0.0 * never.known))
    assert alone[-1] == pytest.approx(SECONDS.alone(never.view.metres, never.view.radians))
    times = SECONDS.to_grasp(never)
    assert (times.argmin(axis=0) == [0, 1, 2, 3]).all()
    at_once = SECONDS.to_grasp(ahead(settles_s=0.0))
    assert at_once == pytest.approx(np.tile(at_once[0], (5, 1))), "a goal that is plain at once is known"
    assert (at_once[0] <= own(times) + 1e-9).all()


@given(places, st.floats(0.0, 30.0), st.floats(0.0, 30.0))
def test_the_sooner_the_goal_is_plain_the_sooner_it_is_reached_without_help(pose: Pose, one: float, two: float) -> None:
    soon, late = (SECONDS.to_grasp(ahead(pose, each))[-1] for each in sorted((one, two)))
    assert (soon <= late + 1e-9).all()
    assert (late <= SECONDS.alone(ahead(pose).view.metres, ahead(pose).view.radians) + 1e-9).all()


def test_people_turn_the_hand_near_the_object_so_only_what_is_turned_before_is_saved() -> None:
    cup = Goals((CUP_TOP,))
    for metres, saves in ((0.5, True), (0.08, False)):
        pose = Pose((CUP_TOP.poses[0].position[0], 0.0, CUP_TOP.poses[0].position[2] + metres))
        turning = replace(ahead(pose, goals=cup), settles_s=np.zeros((2, 1)) + 2.0)
        carrying = replace(turning, made=turning.made * np.repeat((1.0, 0.0), 3))
        gap = SECONDS.to_grasp(carrying)[0, 0] - SECONDS.to_grasp(turning)[0, 0]
        assert (gap > 0.3) == saves


def test_a_hand_that_is_turned_on_the_spot_is_turned_faster_with_help_also_before_the_goal_is_plain() -> None:
    cup = Goals((CUP_TOP,))
    x, y, z = CUP_TOP.poses[0].position
    found = ROUND.to_grasp(ahead(Pose((x, y, z + 0.05)), goals=cup))
    turn = math.pi / 2
    saved = turn / 0.5 - turn / (0.5 + 0.5 * 0.294)
    assert found[1, 0] - found[0, 0] == pytest.approx(saved, abs=0.7)
    assert found[1, 0] - found[0, 0] > 0.6 * saved


def test_another_object_and_another_grasp_have_their_own_time_to_show() -> None:
    belief = replace(ASSIST.begin(TABLE), weights=np.array([0.5, 0.3, 0.1, 0.05, 0.05]))
    view = look(TABLE, belief.groups, START, ASSIST.metric)
    rows = ROUND.settling(belief, view, [0, 2, -1]) / ROUND.left_s(view)
    assert rows[0] == pytest.approx([0.0, 0.6, 0.2, 0.2]), "going for the cup's top"
    assert rows[1] == pytest.approx([0.2, 0.2, 0.0, 0.2])
    assert rows[2, 2] == pytest.approx(0.2), "the bowl has one grasp"
    assert rows[2, 0] == pytest.approx((0.3 * 0.6 + 0.2 * 0.2) / 0.5), "by what it may be instead, or something else"
    assert ROUND.left_s(view) == pytest.approx(ROUND.alone(view.metres, view.radians) + 2.0)


def test_a_lone_goal_may_still_be_another_thing_so_help_pays() -> None:
    cup = Goals((CUP_TOP,))
    belief = ASSIST.begin(cup)
    view = look(cup, belief.groups, START, ASSIST.metric)
    settles = SECONDS.settling(belief, view, [0, -1])
    assert settles[0, 0] == 0.0 and settles[1, 0] > 1.0
    assert SECONDS.saved(replace(ahead(goals=cup), settles_s=settles))[0, 0] > 0.5


@given(places, st.floats(0.0, 30.0), st.booleans())
def test_no_help_saves_nothing_and_what_is_lost_counts_twice(pose: Pose, settles_s: float, closely: bool) -> None:
    now = ahead(pose, settles_s, closely=closely)
    fair, careful = Seconds(harm=1.0).saved(now), Seconds(harm=2.0).saved(now)
    assert fair.shape == (len(TABLE) + 1, len(TABLE) + 1)
    assert (fair[-1] == 0.0).all()
    assert careful == pytest.approx(np.where(fair < 0.0, 2.0 * fair, fair))
    assert fair[:, :-1] == pytest.approx(SECONDS.to_grasp(now)[-1] - SECONDS.to_grasp(now)), "in seconds to the grasp"
    assert (fair[:, -1] <= 0.0).all(), "for an unlisted goal every motion is in the way"


def test_what_turns_the_hand_for_one_grasp_costs_another_one_time() -> None:
    whole = ahead()
    assert (own(SECONDS.saved(whole)) > 1.0).all()
    turning = SECONDS.saved(replace(whole, made=whole.made * np.repeat((0.0, 1.0), 3)))
    assert turning[0, 0] > 0.5, "from the top"
    assert turning[0, 1] < -0.5, "from the side the hand was right before"
    assert turning[0, -1] < -0.5, "and for what is not listed, too"


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_the_more_of_a_move_is_made_the_more_it_saves_and_the_more_it_harms(share: float) -> None:
    whole = ahead()
    some, more = (SECONDS.saved(replace(whole, made=each * whole.made)) for each in (share, share + 0.25))
    assert (own(more) >= own(some)).all() and (own(some) > 0.0).all()
    assert (more[:4, -1] <= some[:4, -1]).all() and (some[:4, -1] < 0.0).all()


def test_faster_than_the_robot_would_go_near_a_goal_is_past_it() -> None:
    x, y, z = CUP_TOP.poses[0].position
    near = ahead(Pose.turned((x, y, z + 0.03), DOWN), goals=Goals((CUP_TOP,)))
    right = SECONDS.saved(near)[0, 0]
    fast = SECONDS.saved(replace(near, made=3.0 * near.made))[0, 0]
    assert right > 0.0 and fast < right


def test_a_pace_is_what_is_usual_for_this_person() -> None:
    usual = SECONDS.cruise
    assert Pace().usual(usual) == pytest.approx(usual)
    assert Pace().after(Joystick((0.001, 0.0, 0.0)), 10.0) == Pace(), "a stick at rest says nothing"
    slow = Pace().after(Joystick((0.02, 0.0, 0.0)), 20.0)
    assert slow.seconds == 20.0
    assert 1.0 / 3.0 < slow.usual(usual) < 0.4
    bold_then_careful = Pace().after(Joystick((0.06, 0.0, 0.0)), 5.0).after(Joystick((0.006, 0.0, 0.0)), 10.0)
    assert bold_then_careful.usual(usual) > 0.8, "the last centimetres do not make anybody slow"
    turned = Pace().after(Joystick(angular=(0.0, 0.2, 0.0)), 20.0)
    assert turned.usual(usual) == pytest.approx(0.5, abs=0.02)
    metres, radians = np.array([0.4]), np.array([1.0])
    unhurried, average = SECONDS.at(slow), SECONDS.at(Pace())
    assert unhurried.alone(metres, radians) > 1.8 * average.alone(metres, radians)
    assert average == SECONDS
    for wrong in ((-1.0, 0.0, 0.0), (0.0, math.inf, 0.0), (0.0, 0.0, math.nan)):
        with pytest.raises(BadSetting):
            Pace(*wrong)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
def test_a_pace_is_learnt_by_time_however_softly_somebody_pushes(share: float) -> None:
    seen = Pace().after(Joystick((0.06 * share, 0.0, 0.0)), EXPECTED_S)
    assert seen.usual(0.8) == pytest.approx((0.8 + share) / 2.0), "half a second of it weighs half"
