"""Poses: distances, composition, motion, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadPose
from handup.intent import Joystick, Pose, PoseArray
from handup.intent.command import FULL_M_S, FULL_RAD_S, REST
from handup.intent.pose import conjugate, rotated

numbers = st.floats(-2.0, 2.0)
vectors = st.tuples(numbers, numbers, numbers)
turns = st.tuples(*[st.floats(-1.7, 1.7)] * 3)
poses = st.builds(Pose.turned, vectors, turns)


@given(poses, poses)
def test_going_the_way_to_a_pose_gets_there(a: Pose, b: Pose) -> None:
    there = a.moved(*a.twist_to(b), 1.0)
    assert there.distance_m(b) < 1e-9
    assert there.angle_rad(b) < 1e-6


@given(poses, poses)
def test_many_at_once_agree_with_one_by_one(a: Pose, b: Pose) -> None:
    linear, angular = PoseArray.of([b, a]).ways_from(a)
    expected = a.twist_to(b)
    assert np.allclose(linear[0], expected[0])
    if math.hypot(*expected[1]) < math.pi - 1e-3:  # half a turn may go either way
        assert np.allclose(angular[0], expected[1], atol=1e-9)
    assert np.allclose(linear[1], 0.0)
    assert np.allclose(angular[1], 0.0, atol=1e-6)


@given(poses, poses)
def test_a_pose_within_its_own_inverse_is_no_motion(a: Pose, b: Pose) -> None:
    back = conjugate(a.rotation)
    x, y, z = rotated(back, a.position)
    inverse = Pose((-x, -y, -z), back)
    home = a.after(inverse)
    assert home.distance_m(Pose((0.0, 0.0, 0.0))) < 1e-9
    assert home.angle_rad(Pose((0.0, 0.0, 0.0))) < 1e-6
    assert b.after(a).after(inverse).distance_m(b) < 1e-9


def test_turning_is_about_the_axes_of_the_room() -> None:
    lying = Pose.turned((0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))
    turned = lying.moved((0.1, 0.0, 0.0), (0.0, 0.0, 1.0), 0.5)
    assert turned.position == pytest.approx((0.05, 0.0, 0.0))
    assert lying.twist_to(turned)[1] == pytest.approx((0.0, 0.0, 0.5))


@pytest.mark.parametrize(
    "position",
    [
        (math.nan, 0.0, 0.0),
        (0.0, math.inf, 0.0),
        (0.0, 0.0),
        "abc",
        None,
        (0.0, 0.0, "x"),
        (1e200, 0.0, 0.0),
        (0, 0, -101),
    ],
)
def test_a_place_that_is_none_is_refused(position: object) -> None:
    with pytest.raises(BadPose, match=r"position of a pose.*HU112"):
        Pose(position)  # type: ignore[arg-type]


@pytest.mark.parametrize("rotation", [(0.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 1.0)])
def test_a_rotation_that_is_none_is_refused(rotation: tuple[float, float, float, float]) -> None:
    with pytest.raises(BadPose, match="rotation of a pose"):
        Pose((0.0, 0.0, 0.0), rotation)


def test_a_stick_is_finite_and_knows_when_it_is_idle() -> None:
    assert Joystick().idle
    assert not Joystick((0.0, 0.0, 0.01)).idle
    assert Joystick((0.03, 0.0, 0.04), (0.0, 0.2, 0.0)).speed == pytest.approx(0.05)
    with pytest.raises(BadPose, match="angular velocity of a stick must be 3 finite numbers"):
        Joystick((0.0, 0.0, 0.0), (0.0, math.nan, 0.0))
    for absurd in ({"linear": (1e200, 0.0, 0.0)}, {"linear": (0.0, -11.0, 0.0)}, {"angular": (0.0, 0.0, 101.0)}):
        with pytest.raises(BadPose, match="velocity of a stick must lie between -"):
            Joystick(**absurd)


def test_a_stick_that_drifts_is_at_rest() -> None:
    assert REST < 0.1, "less than the dead band of common sticks"
    for share, pushed in ((0.99, False), (1.01, True)):
        moved = Joystick((0.0, share * REST * FULL_M_S, 0.0))
        turned = Joystick(angular=(0.0, 0.0, -share * REST * FULL_RAD_S))
        assert (moved.moves, moved.turns, moved.idle) == (pushed, False, not pushed)
        assert (turned.moves, turned.turns, turned.idle) == (False, pushed, not pushed)


@given(poses)
def test_poses_and_sticks_survive_json(pose: Pose) -> None:
    again = Pose.from_json(pose.to_json())
    assert again.distance_m(pose) == 0.0
    assert again.angle_rad(pose) < 1e-6
    stick = Joystick(pose.position, pose.position)
    assert Joystick.from_json(stick.to_json()) == stick
    damaged: tuple[object, ...] = ({}, 3, [1.0])
    for wrong in damaged:
        with pytest.raises(BadPose):
            Pose.from_json(wrong)  # type: ignore[arg-type]
    with pytest.raises(BadPose):
        Joystick.from_json(3)  # type: ignore[arg-type]
