"""The fit of what pushes say: scored as the belief would judge, never worse than its start, times that add up."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from handup.domains.reaching import Strategy, scene
from handup.intent import Belief, Directional
from handup.intent.observing import Push
from train import intent


@cache
def some() -> tuple[intent.Trajectory, ...]:
    where = scene("S1")
    return tuple(intent.trajectory(where, "cup/top", each, 5000) for each in Strategy)


def test_the_score_is_that_of_the_belief_the_robot_would_have() -> None:
    model, each = Directional(), some()[0]
    belief, seen = Belief.uniform(scene("S1").goals, floor=1e-9, ceiling=1.0 - 1e-12, unknown=intent.UNLISTED), []
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
    left = metres / 0.04 + radians / 0.2 + 1.5 * np.minimum(radians / intent.ALIGNED_RAD, 1.0) + 2.0
    none = np.zeros((80, 1))
    push = Push(metres=metres, radians=radians, along=none, around=none, moving=none, turning=none)
    one = intent.Trajectory(goal=0, push=push, published=none, left_s=left[:, 0])
    missed = intent.Trajectory(goal=0, push=push, published=none, left_s=np.full(80, np.nan))
    times = intent.fit_times([one, missed])
    assert times == pytest.approx({"push_m_s": 0.04, "turn_rad_s": 0.2, "switch_s": 1.5, "rest_s": 2.0}, rel=1e-2)
    assert intent.time_error(times, [one])["mean_size"] < 0.05


def test_people_take_as_long_as_their_trajectories_say() -> None:
    each = some()[1]
    assert (np.diff(each.left_s) < 0.0).all()
    assert each.push.metres.shape == (len(each.left_s), len(scene("S1").goals))


def test_a_goal_that_is_never_plain_settles_at_the_end() -> None:
    each = some()[0]
    blind = {**intent.START, "translation_slope": 0.0, "rotation_slope": 0.0, "mode": 0.0}
    rows = len(each.left_s)
    assert intent.settling(blind, [each]) == pytest.approx((rows + 1) / 2.0 * 0.3, abs=1e-3)
    assert intent.settling(intent.START, [each]) < intent.settling(blind, [each])
    assert intent.plain_at_the_end(blind, [each]) == 0.0
    assert intent.plain_at_the_end(intent.START, [each]) == 1.0
    assert intent.published([each]) > 0.0
