"""Beliefs: they sum to one, never lose a goal, hear answers, and split likely goals by their poses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handup.core import BadRecord, BadSetting
from handup.intent import About, AskKind, Directional, Goal, GoalBelief, Goals, Joystick, MaxEnt, Metric, Pose
from handup.intent.goal_questions import about_choice, about_exactly, about_goal, about_grasp, about_object
from handup.intent.value import ROTATION, TRANSLATION
from tests.intent.places import CUP_TOP, START, TABLE, places, sticks, towards

evidence = st.lists(st.floats(-2000.0, 2000.0), min_size=5, max_size=5)


@given(st.lists(evidence, max_size=6), st.floats(1e-6, 0.05), st.sampled_from([0.0, 0.1]))
def test_whatever_is_seen_it_sums_to_one_and_no_goal_falls_below_the_floor(
    seen: list[list[float]], floor: float, unknown: float
) -> None:
    belief = GoalBelief.uniform(TABLE, floor=floor, ceiling=0.9, unknown=unknown)
    for each in seen:
        belief = belief.updated(np.array(each))
        assert belief.weights.sum() == pytest.approx(1.0)
        assert np.isfinite(belief.weights).all()
        assert belief.by_goal.min() >= floor * (1.0 - 1e-9)
        assert belief.weights.max() <= 0.9 + 1e-9
        assert (belief.of_unknown > 0.0) == (unknown > 0.0)


@given(st.lists(st.tuples(places, sticks), min_size=1, max_size=8), st.sampled_from([MaxEnt(), Directional()]))
def test_pushes_of_any_kind_leave_a_belief(pushed: list[tuple[Pose, Joystick]], model: MaxEnt | Directional) -> None:
    belief = GoalBelief.uniform(TABLE, unknown=0.05)
    for pose, stick in pushed:
        found = model.log_likelihood(belief, pose, stick, Metric())
        belief = belief if found is None else belief.updated(found)
        way, turn = TABLE.poses.ways_from(pose)
        belief = belief.resampled(np.linalg.norm(way, axis=1) + np.linalg.norm(turn, axis=1))
        assert belief.weights.sum() == pytest.approx(1.0)
        assert np.isfinite(belief.weights).all()
        assert sorted(row for each in belief.poses for row in each) == list(range(len(TABLE.poses.positions)))


MANY = Goals(
    tuple(
        Goal(thing, grasp, tuple(Pose((0.1 * row, 0.1 * column, 0.01 * each)) for each in range(3)))
        for row, thing in enumerate(("cup", "bowl", "can", "spoon", "box"))
        for column, grasp in enumerate(("top", "side", "handle"))
        if (row + column) % 4 or not row
    )
)
"""A dozen goals of five objects."""
kinds = st.sampled_from(AskKind)
BOUNDS = st.sampled_from([(0.002, 0.98), (0.0087, 0.98), (1e-12, 0.99), (0.03, 0.9)])
"""Of `assist`, of assist among few goals, of the paper, and tight ones."""


def question(goals: Goals, kind: AskKind, which: int) -> About:
    """One of a kind."""
    if kind is AskKind.OBJECT:
        return about_object(goals, goals.objects[which % len(goals.objects)])
    if kind is AskKind.GRASP:
        return about_grasp(goals, goals.grasps[which % len(goals.grasps)])
    if kind is AskKind.CHOICE:
        return about_choice(goals, [(which + each) % len(goals) for each in range(4)])
    return {AskKind.GOAL: about_goal, AskKind.EXACTLY: about_exactly}[kind](goals, which % len(goals))


@settings(max_examples=400)
@given(
    st.sampled_from([TABLE, MANY]),
    st.lists(st.integers(0, 1 << 30), min_size=1, max_size=4),
    st.floats(0.1, 8.0),
    st.lists(st.tuples(kinds, st.integers(0, 11)), min_size=1, max_size=3),
    st.integers(0, 11),
    st.sampled_from([0.51, 0.95, 0.999]),
    BOUNDS,
    st.sampled_from([0.0, 0.05]),
    st.booleans(),
)
def test_a_truthful_answer_never_lowers_the_true_goal(
    goals: Goals, seeds: list[int], sharp: float, asked: list[tuple[AskKind, int]], true: int, right: float,
    bounds: tuple[float, float], unknown: float, split: bool,
) -> None:  # fmt: skip
    """Whatever was seen before, whatever is asked, within any bounds, with goals split by their poses or not."""
    belief = GoalBelief.uniform(goals, floor=bounds[0], ceiling=bounds[1], unknown=unknown)
    for seed in seeds:
        chance = np.random.default_rng(seed)
        belief = belief.updated(chance.normal(0.0, sharp, len(belief.weights)))
        belief = belief.resampled(chance.random(goals.first_pose[-1])) if split else belief
    true %= len(goals)
    for kind, which in asked:
        about = question(goals, kind, which)
        after = belief.answered(about.likelihood(right, belief.by_goal)[about.truth[true]])
        assert after.by_goal[true] >= belief.by_goal[true] - 1e-12, about.key
        assert after.weights.sum() == pytest.approx(1.0)
        assert after.by_goal.min() >= bounds[0] * (1.0 - 1e-9)
        assert after.weights.max() <= bounds[1] + 1e-9
        belief = after


def test_a_yes_does_not_lift_others_out_of_what_it_speaks_for() -> None:
    """The very case that was found: two grasps of the cup, one of them at the floor."""
    weights = np.array([0.9739, 0.0087, 0.0087, 0.0087])
    belief = replace(GoalBelief.uniform(TABLE, floor=0.0087, ceiling=0.98), weights=np.append(weights, 0.0))
    about = about_object(TABLE, "cup")
    assert belief.answered(about.likelihood(0.95)[0]).by_goal[0] >= 0.9739 - 1e-12


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
        belief = GoalBelief.uniform(TABLE)
        for _ in range(20):
            found = model.log_likelihood(belief, START, towards(START, TABLE[2]), Metric())
            assert found is not None
            belief = belief.updated(found)
        assert int(belief.by_goal.argmax()) == 2


def test_a_stick_at_rest_says_nothing_to_ours_and_speaks_for_what_is_near_in_the_published_model() -> None:
    near = Pose(CUP_TOP.poses[0].position)
    belief = GoalBelief.uniform(TABLE)
    assert Directional().log_likelihood(belief, near, Joystick(), Metric()) is None
    published = MaxEnt().log_likelihood(belief, near, Joystick(), Metric())
    assert published is not None
    assert int(published[:-1].argmax()) in (0, 1), "hovering over the cup counts as wanting it"


def test_likely_goals_are_split_by_their_poses_and_keep_their_chances() -> None:
    belief = GoalBelief.uniform(TABLE).updated(np.log([0.9, 0.04, 0.03, 0.03, 1e-9]))
    values = np.array([0.5, 0.2, 0.1, 0.2, 0.3, 0.4])
    split = belief.resampled(values)
    assert split.target == (0, 0, 1, 2, 3)
    assert split.poses[:2] == ((1,), (0,)), "the nearest alone, the rest behind it"
    assert split.by_goal == pytest.approx(belief.by_goal)
    assert split.weights[0] == split.weights[1]
    assert split.resampled(values) is split, "the same again changes nothing"
    assert GoalBelief.uniform(TABLE).resampled(values).target == (0, 1, 2, 3), "nothing is split while all are alike"


def test_poses_are_sorted_anew_as_the_hand_moves_and_keep_what_was_learnt() -> None:
    belief = GoalBelief.uniform(TABLE).updated(np.array([4.0, 1.0, 0.0, 0.0, 0.0]))
    there, here = np.arange(6.0)[::-1], np.arange(6.0)
    split = belief.resampled(there)
    assert split.poses[:2] == ((1,), (0,))
    told = split.updated(np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0]))
    again = told.resampled(here)
    assert again.poses[:2] == ((0,), (1,)), "nearest is nearest now"
    assert again.weights[:2] == pytest.approx(told.weights[1::-1]), "what speaks for a pose goes with it"
    alike = again.updated(-np.log(np.maximum(again.weights, 1e-9)))
    assert alike.resampled(here).target == (0, 1, 2, 3), "one candidate each, where nothing is likelier any more"
    assert alike.resampled(here).by_goal == pytest.approx(alike.by_goal)


def test_the_clip_goes_to_all_others_in_equal_parts() -> None:
    belief = GoalBelief.uniform(TABLE).updated(np.array([50.0, 0.0, 0.0, 0.0, 0.0]))
    assert belief.by_goal == pytest.approx([0.99, 0.01 / 3, 0.01 / 3, 0.01 / 3])


def test_a_belief_survives_json_and_refuses_damage() -> None:
    values = np.array([0.5, 0.2, 0.1, 0.2, 0.3, 0.4])
    belief = GoalBelief.uniform(TABLE, unknown=0.1).updated(np.array([4.0, 1.0, 0.0, 0.0, -1.0])).resampled(values)
    record = belief.to_json()
    again = GoalBelief.from_json(TABLE, record)
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
            GoalBelief.from_json(TABLE, each)


def test_bounds_that_leave_no_room_are_refused() -> None:
    for wrong in ({"floor": 0.3}, {"floor": 0.0}, {"ceiling": 0.4}, {"unknown": 1.0}):
        with pytest.raises(BadSetting):
            GoalBelief.uniform(TABLE, **wrong)
    with pytest.raises(BadSetting, match="must be finite"):
        GoalBelief.uniform(TABLE).updated(np.array([np.nan] * 5))
