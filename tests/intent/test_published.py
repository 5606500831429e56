"""What is published stays as published: the constants of the paper and of Javdani et al., and what they mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handup.domains.reaching.trial import PAPER as RULES
from handup.intent import GoalBelief, Joystick, MaxEnt, Metric, Paper, Points, Pose
from handup.intent.assistant import PRESETS
from handup.intent.command import ALPHA
from handup.intent.helper import OPPOSES, MoveKind, hindsight, likeliest, opposing, towards
from handup.intent.value import ROTATION, TRANSLATION, look
from tests.intent.places import START, TABLE


def test_the_papers_policy_has_its_numbers() -> None:
    paper = PRESETS["paper"]
    assert paper == Paper()
    assert isinstance(paper, Paper)
    assert (paper.most_candidates, paper.right, paper.ceiling, paper.resamples) == (10, 0.999, 0.99, True)
    assert isinstance(paper.observation, MaxEnt)
    assert not paper.gives_way, "what was planned is held until the next plan"
    assert math.isinf(paper.reopens_s), "no question is asked twice"
    assert ALPHA == 0.5
    assert (RULES.limit_s, RULES.question_s, RULES.alpha) == (100.0, 2.8, 0.5)


def test_the_papers_reward_has_its_numbers() -> None:
    points = Points()
    found = (points.look_ahead_s, points.question, points.discount, points.reached_m, points.reached_rad)
    assert found == (0.3, -5.0, 0.95, 0.015, 0.15)


def test_the_published_metric_has_its_numbers() -> None:
    metric = Metric()
    assert (metric.translation, metric.rotation) == (TRANSLATION, ROTATION)
    assert (metric.apply_s, metric.most_m_s, metric.most_rad_s) == (0.1, 0.061, 0.294)
    assert (TRANSLATION.slope, TRANSLATION.switch) == (2.45, 0.07)
    assert (ROTATION.slope, ROTATION.switch) == (0.0147, math.pi / 32)
    far, turned = Pose((9.0, 0.0, 0.0)), Pose.turned((0.0, 0.0, 0.0), (0.0, 0.0, 3.0))
    way, _ = metric.velocities(*(np.array([each]) for each in START.twist_to(far)))
    _, turn = metric.velocities(*(np.array([each]) for each in START.twist_to(turned)))
    assert np.linalg.norm(way) == pytest.approx(0.061)
    assert np.linalg.norm(turn) == pytest.approx(0.294)


def test_of_two_goals_that_are_as_likely_the_nearer_comes_first() -> None:
    belief, metric = GoalBelief.uniform(TABLE), Metric()
    for goal in range(len(TABLE)):
        view = look(TABLE, belief.groups, TABLE[goal].poses[0], metric)
        assert likeliest(belief, view, metric, 4)[0] == goal
    assert len(likeliest(belief, view, metric, 2)) == 2


def test_opposition_counts_from_a_hundredth_on_in_any_axis() -> None:
    assert OPPOSES == 0.01
    for robot, hand, against in (
        (-0.02, 0.02, True),
        (-0.009, 0.06, False),
        (-0.06, 0.009, False),
        (0.02, 0.02, False),
    ):
        for axis in range(6):
            velocity, push = np.zeros(6), [0.0] * 6
            velocity[axis], push[axis] = robot, hand
            stick = Joystick((push[0], push[1], push[2]), (push[3], push[4], push[5]))
            assert bool(opposing(velocity, stick).any()) is against


def test_hindsight_is_the_mean_by_chance_of_what_each_goal_wants() -> None:
    belief, metric = GoalBelief.uniform(TABLE).updated(np.log([0.4, 0.3, 0.2, 0.1, 1.0])), Metric()
    wanted = towards(look(TABLE, belief.groups, START, metric), metric)
    assert hindsight(belief, wanted) == pytest.approx(np.array([0.4, 0.3, 0.2, 0.1]) @ wanted)
    assert not np.allclose(hindsight(belief, wanted), wanted[0])


def test_the_ablations_differ_in_what_their_names_say() -> None:
    def of(name: str) -> Paper:
        found = PRESETS[name]
        assert isinstance(found, Paper)
        return found

    assert of("paper+no-ho").kinds == (MoveKind.GOAL, MoveKind.NONE)
    assert of("paper+without-no-assist").kinds == (MoveKind.GOAL, MoveKind.MIX)
    assert of("ho").kinds == of("ho+no-assist").kinds == (MoveKind.MIX,)
    assert (of("ho").yields, of("ho+no-assist").yields) == (False, True)
    assert of("manual").kinds == (MoveKind.NONE,)
