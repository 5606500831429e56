"""The fit of what pushes say: scored as the belief would judge, never worse than its start, times that add up."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from handup.domains.reaching import SteeringHabit, scene
from handup.intent import Directional, GoalBelief, Joystick
from handup.intent.push_models import Push
from train import intent


@cache
def some() -> tuple[intent.Trajectory, ...]:
    where = scene("S1")
    return tuple(intent.trajectory(where, "cup/top", each, 5000) for each in SteeringHabit)


def test_the_score_is_that_of_the_belief_the_robot_would_have() -> None:
    model, each = Directional(), some()[0]
    belief, seen = GoalBelief.uniform(scene("S1").goals, floor=1e-9, ceiling=1.0 - 1e-12, unknown=intent.UNLISTED), []
    odds = model.odds(each.push)
    for row in range(len(odds)):
        belief = belief.updated(np.append(intent.EVERY * odds[row], 0.0))
        seen.append(max(float(belief.by_goal[each.goal]), intent.FLOOR))
    assert intent.chances(model, each) == pytest.approx(seen, rel=1e-6)
    assert intent.chances(model, each, off_the_list=True)[0] < 2.0 * intent.UNLISTED


def test_a_fit_is_no_worse_than_its_start() -> None:
    found = intent.fit_pushes(some(), most=24)
    assert intent.score(found, some()) <= intent.score(intent.START, some()) + 1e-4
    assert intent.score({**intent.START, "lapse": 1.0}, some()) == np.inf


def test_times_that_add_up_are_given_back() -> None:
    chance = np.random.default_rng(1)
    metres, radians = chance.uniform(0.05, 0.7, (80, 1)), chance.uniform(0.0, 2.0, (80, 1))
    left = metres / 0.04 + radians / 0.2 + 2.0 * 0.9 * np.minimum(radians / intent.ALIGNED_RAD, 1.0) + 2.0
    none = np.zeros((80, 1))
    moving = np.repeat([[0.6], [0.0]], 40, axis=0)
    push = Push(metres=metres, radians=radians, along=none, around=none, moving=moving, turning=none)
    one = intent.Trajectory(goal=0, push=push, published=none, left_s=left[:, 0], changes_s=(0.8, 1.0))
    missed = intent.Trajectory(goal=0, push=push, published=none, left_s=np.full(80, np.nan))
    times = intent.fit_times([one, missed])
    expected = {"push_m_s": 0.04, "turn_rad_s": 0.2, "switch_s": 0.9, "closing_s": 2.0, "cruise": 0.6}
    assert times == pytest.approx(expected, rel=1e-2)
    assert intent.time_error(times, [one])["mean_size"] < 0.05


def test_a_change_of_mode_is_the_rest_between_moving_and_turning() -> None:
    move, turn, rest = Joystick((0.06, 0.0, 0.0)), Joystick(angular=(0.0, 0.4, 0.0)), Joystick()
    assert intent.changes([rest, move, rest, move, rest, rest, turn, rest, move]) == pytest.approx((0.2, 0.1))
    assert intent.changes([rest, move, move]) == ()


def test_people_take_as_long_as_their_trajectories_say() -> None:
    each = some()[1]
    assert (np.diff(each.left_s) < 0.0).all()
    assert each.push.metres.shape == (len(each.left_s), len(scene("S1").goals))


def test_a_goal_that_is_never_plain_settles_at_the_end() -> None:
    each = some()[0]
    blind = {**intent.START, "translation_slope": 0.0, "rotation_slope": 0.0, "mode": 0.0}
    never = intent.settling(blind, [each])
    assert never == {"objects": 1.0, "grasps": 1.0}, "all of the time that is left"
    found = intent.settling(intent.START, [each])
    assert 0.0 < found["objects"] < 1.0
    assert 0.0 < found["grasps"] < 1.0
    assert intent.plain_at_the_end(blind, [each]) == 0.0
    assert intent.plain_at_the_end(intent.START, [each]) == 1.0
    assert intent.published([each]) > 0.0
