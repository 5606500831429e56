"""Beliefs: they sum to one, never lose a goal, hear answers, and split likely goals by their poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting
from handup.intent import Belief, Directional, Joystick, MaxEnt, Metric, Pose
from handup.intent.asking import about_goal
from handup.intent.value import ROTATION, TRANSLATION
from tests.intent.places import CUP_TOP, START, TABLE, places, sticks, towards

evidence = st.lists(st.floats(-2000.0, 2000.0), min_size=5, max_size=5)


@given(st.lists(evidence, max_size=6), st.floats(1e-6, 0.05), st.sampled_from([0.0, 0.1]))
def test_whatever_is_seen_it_sums_to_one_and_no_goal_falls_below_the_floor(
    seen: list[list[float]], floor: float, unknown: float
) -> None:
    belief = Belief.uniform(TABLE, floor=floor, ceiling=0.9, unknown=unknown)
    for each in seen:
        belief = belief.updated(np.array(each))
        assert belief.weights.sum() == pytest.approx(1.0)
        assert np.isfinite(belief.weights).all()
        assert belief.by_goal.min() >= floor * (1.0 - 1e-9)
        assert belief.weights.max() <= 0.9 + 1e-9
        assert (belief.of_unknown > 0.0) == (unknown > 0.0)


@given(st.lists(st.tuples(places, sticks), min_size=1, max_size=8), st.sampled_from([MaxEnt(), Directional()]))
def test_pushes_of_any_kind_leave_a_belief(pushed: list[tuple[Pose, Joystick]], model: MaxEnt | Directional) -> None:
    belief = Belief.uniform(TABLE, unknown=0.05)
    for pose, stick in pushed:
        found = model.log_likelihood(belief, pose, stick, Metric())
        belief = belief if found is None else belief.updated(found)
        way, turn = TABLE.poses.ways_from(pose)
        belief = belief.resampled(np.linalg.norm(way, axis=1) + np.linalg.norm(turn, axis=1))
        assert belief.weights.sum() == pytest.approx(1.0)
        assert np.isfinite(belief.weights).all()
        assert sorted(row for each in belief.poses for row in each) == list(range(len(TABLE.poses.positions)))


@given(evidence, st.integers(0, 3), st.integers(0, 3), st.floats(0.5001, 0.9999))
def test_a_truthful_answer_never_lowers_the_true_goal(seen: list[float], true: int, about: int, right: float) -> None:
    belief = Belief.uniform(TABLE, floor=1e-6, unknown=0.05).updated(np.array(seen) / 200.0)
    asked = about_goal(TABLE, about)
    after = belief.answered(asked.likelihood(right)[asked.truth[true]])
    assert after.by_goal[true] >= belief.by_goal[true] - 1e-9


def test_the_published_values_bend_where_they_should() -> None:
    for huber, near, far in ((TRANSLATION, 0.03, 0.5), (ROTATION, 0.05, 1.0)):
        at = np.array([near, huber.switch, huber.switch * 1.000001, far])
        value, slope = huber.value(at), huber.steepness(at)
        assert value[1] == pytest.approx(value[2], rel=1e-5)
        assert slope[-1] == huber.slope
        step = 1e-7
        assert (huber.value(at + step) - value) / step == pytest.approx(slope, rel=1e-4)
    assert float(TRANSLATION.value(np.array([0.5]))[0]) == pytest.approx(2.45 * 0.5 - 2.25 * 0.07 / 2)


def test_pushing_at_a_goal_speaks_for_it() -> None:
    for model in (MaxEnt(), Directional()):
        belief = Belief.uniform(TABLE)
        for _ in range(20):
            found = model.log_likelihood(belief, START, towards(START, TABLE[2]), Metric())
            assert found is not None
            belief = belief.updated(found)
        assert int(belief.by_goal.argmax()) == 2


def test_a_stick_at_rest_says_nothing_to_ours_and_speaks_for_what_is_near_in_the_published_model() -> None:
    near = Pose(CUP_TOP.poses[0].position)
    belief = Belief.uniform(TABLE)
    assert Directional().log_likelihood(belief, near, Joystick(), Metric()) is None
    published = MaxEnt().log_likelihood(belief, near, Joystick(), Metric())
    assert published is not None
    assert int(published[:-1].argmax()) in (0, 1), "hovering over the cup counts as wanting it"


def test_likely_goals_are_split_by_their_poses_and_keep_their_chances() -> None:
    belief = Belief.uniform(TABLE).updated(np.log([0.9, 0.04, 0.03, 0.03, 1e-9]))
    values = np.array([0.5, 0.2, 0.1, 0.2, 0.3, 0.4])
    split = belief.resampled(values)
    assert split.target == (0, 0, 1, 2, 3)
    assert split.poses[:2] == ((1,), (0,)), "the nearest alone, the rest behind it"
    assert split.by_goal == pytest.approx(belief.by_goal)
    assert split.weights[0] == split.weights[1]
    assert split.resampled(values) is split, "the same again changes nothing"
    assert Belief.uniform(TABLE).resampled(values).target == (0, 1, 2, 3), "nothing is split while all are alike"


def test_the_clip_goes_to_all_others_in_equal_parts() -> None:
    belief = Belief.uniform(TABLE).updated(np.array([50.0, 0.0, 0.0, 0.0, 0.0]))
    assert belief.by_goal == pytest.approx([0.99, 0.01 / 3, 0.01 / 3, 0.01 / 3])


def test_a_belief_survives_json_and_refuses_damage() -> None:
    values = np.array([0.5, 0.2, 0.1, 0.2, 0.3, 0.4])
    belief = Belief.uniform(TABLE, unknown=0.1).updated(np.array([4.0, 1.0, 0.0, 0.0, -1.0])).resampled(values)
    record = belief.to_json()
    again = Belief.from_json(TABLE, record)
    assert (again.target, again.poses) == (belief.target, belief.poses)
    assert again.weights == pytest.approx(belief.weights)
    damaged: list[dict[str, Any]] = [
        {},
        {**record, "weights": [1.0]},
        {**record, "target": [0, 0]},
        {**record, "poses": [[0]]},
        {**record, "weights": [float("nan")] * len(record["weights"])},
        {**record, "floor": "low"},
    ]
    for each in damaged:
        with pytest.raises(BadRecord):
            Belief.from_json(TABLE, each)


def test_bounds_that_leave_no_room_are_refused() -> None:
    for wrong in ({"floor": 0.3}, {"floor": 0.0}, {"ceiling": 0.4}, {"unknown": 1.0}):
        with pytest.raises(BadSetting):
            Belief.uniform(TABLE, **wrong)
    with pytest.raises(BadSetting, match="not finite"):
        Belief.uniform(TABLE).updated(np.array([np.nan] * 5))
