"""The hand keeps its limits and goes through nothing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import BadPose
from handup.domains.reaching import scene
from handup.domains.reaching.scenes import (
    BALLS,
    CONTROL_S,
    HIGH,
    LOW,
    MOST_M_S,
    MOST_RAD_S,
    OPENING_M,
    Gripper,
    Obstacles,
    UprightBox,
    clearances,
)
from handup.intent import Pose, PoseArray
from handup.intent.pose import STILL, Vector, rotated

part = st.floats(-1.0, 1.0)
vectors = st.tuples(part, part, part)
EMPTY = Obstacles([], [])
ABOVE = Pose((0.3, 0.0, 0.3))


@given(st.lists(st.tuples(vectors, vectors), min_size=1, max_size=20))
def test_in_free_space_it_goes_where_it_is_told(told: list[tuple[tuple[float, ...], tuple[float, ...]]]) -> None:
    hand, pose = Gripper(ABOVE, EMPTY), ABOVE
    for linear, angular in told:
        (a, b, c), (d, e, f) = linear, angular
        slow, turning = (a * 0.05, b * 0.05, c * 0.05), (d * 0.4, e * 0.4, f * 0.4)
        hand.move(slow, turning)
        pose = pose.moved(slow, turning, CONTROL_S)
    assert hand.pose.distance_m(pose) < 1e-9 and hand.pose.angle_rad(pose) < 1e-6
    assert not hand.touched


@given(vectors, vectors)
def test_nobody_makes_it_faster_than_it_is(linear: tuple[float, ...], angular: tuple[float, ...]) -> None:
    hand = Gripper(ABOVE, EMPTY)
    (a, b, c), (d, e, f) = linear, angular
    hand.move((a * 9, b * 9, c * 9), (d * 9, e * 9, f * 9))
    assert hand.pose.distance_m(ABOVE) <= MOST_M_S * CONTROL_S + 1e-12
    assert hand.pose.angle_rad(ABOVE) <= MOST_RAD_S * CONTROL_S + 1e-6


@pytest.mark.parametrize(
    ("linear", "angular", "dt"),
    [
        ((math.nan, 0.0, 0.0), STILL, CONTROL_S),
        (STILL, (0.0, math.nan, 0.0), CONTROL_S),
        ((math.inf, 0.0, 0.0), STILL, CONTROL_S),
        ((math.inf, -math.inf, 0.0), STILL, CONTROL_S),
        ((0.01, 0.0, 0.0), STILL, math.nan),
    ],
)
def test_a_velocity_that_is_none_is_refused_and_moves_nothing(linear: Vector, angular: Vector, dt: float) -> None:
    hand = Gripper(ABOVE, EMPTY)
    with pytest.raises(BadPose, match="not finite"):
        hand.move(linear, angular, dt)
    assert hand.pose == ABOVE


@pytest.mark.parametrize("name", ["S1", "S2", "U6", "U22"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_it_is_never_inside_of_anything(name: str, data: st.DataObject) -> None:
    where = scene(name)
    chance = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    hand = Gripper(where.start, where.obstacles)
    touched = 0
    for _ in range(6):
        aim = where.goals[int(chance.integers(len(where.goals)))].poses[0]
        for _ in range(60):
            way, turn = hand.pose.twist_to(aim)
            shaken = chance.normal(0.0, 0.05, 6)
            a, b, c = (float(each + noise) for each, noise in zip(way, shaken[:3], strict=True))
            d, e, f = (float(each + noise) for each, noise in zip(turn, shaken[3:], strict=True))
            hand.move((a, b, c), (d, e, f), 0.1)
            touched += hand.touched
            assert hand.clearance_m >= 0.0
            assert all(low <= each <= high for low, each, high in zip(LOW, hand.position, HIGH, strict=True))
    assert touched


def test_what_is_far_from_everything_needs_no_look_and_what_is_near_is_seen() -> None:
    """The shortcut of the hand against a hand that looks at every step."""
    where = scene("S1")
    cup = where.goal("cup/side").poses[2]
    hand, looking = Gripper(where.start, where.obstacles), Gripper(where.start, where.obstacles)
    for step in range(800):
        way, turn = hand.pose.twist_to(cup)
        shift = 0.05 * math.sin(step / 40)
        command = ((way[0], way[1] + shift, way[2]), turn)
        looking._room = -1.0
        hand.move(*command)
        looking.move(*command)
        assert hand.pose == looking.pose


def test_a_wall_stops_one_axis_and_leaves_the_others() -> None:
    wall = Obstacles([UprightBox((0.40, 0.0, 0.3), (0.02, 1.0, 0.6))], [])
    hand = Gripper(ABOVE, wall)
    for _ in range(200):
        hand.move((0.06, 0.02, 0.0), STILL)
    assert hand.touched
    assert hand.position[0] == pytest.approx(0.39 - 0.006, abs=0.002)
    assert hand.position[1] == pytest.approx(0.02 * 200 * CONTROL_S)


def test_the_table_stops_it() -> None:
    hand = Gripper(ABOVE, EMPTY)
    for _ in range(400):
        hand.move((0.0, 0.0, -0.06), STILL)
    assert 0.0 <= hand.clearance_m < 0.002


def test_turning_into_the_table_is_stopped_too() -> None:
    hand = Gripper(Pose((0.3, 0.0, 0.05)), EMPTY)
    for _ in range(400):
        hand.move(STILL, (0.0, -0.4, 0.0))
        assert hand.clearance_m >= 0.0
    assert hand.touched


def test_many_poses_at_once_agree_with_one() -> None:
    where = scene("U22")
    poses = [pose for goal in where.goals for pose in goal.poses]
    rows = PoseArray.of(poses)
    many = clearances(rows.positions, rows.rotations, where.obstacles)
    assert many.tolist() == pytest.approx([Gripper(pose, where.obstacles).clearance_m for pose in poses])


def test_the_fingers_leave_the_opening_free() -> None:
    fingers = BALLS[:8]
    assert float((np.abs(fingers[:, 1]) - fingers[:, 3]).min()) == pytest.approx(OPENING_M / 2)
    assert rotated(ABOVE.rotation, (1.0, 0.0, 0.0)) == (1.0, 0.0, 0.0)
