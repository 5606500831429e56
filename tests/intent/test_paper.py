"""The paper's policy: its constants as published, its order of candidates, hindsight, and who yields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handup.intent import Goal, GoalBelief, Goals, Joystick, Metric, Paper, Points, Pose
from handup.intent.assist import Assist, with_person
from handup.intent.assistant import helper_of
from handup.intent.helper import OPPOSES, Catalogue, HelperSituation, likeliest, opposing, towards
from handup.intent.value import look
from tests.intent.places import START

LEFT = Goal("cup", "top", (Pose((0.3, 0.3, 0.3)),))
RIGHT = Goal("bowl", "top", (Pose((0.3, -0.3, 0.3)),))
BOTH = Goals((LEFT, RIGHT))


def situation(weights: list[float], stick: Joystick, goals: Goals = BOTH) -> HelperSituation:
    belief = replace(GoalBelief.uniform(goals), weights=np.array(weights))
    return HelperSituation(belief=belief, pose=START, stick=stick, catalogue=Catalogue(goals))


def test_the_constants_are_the_published_ones() -> None:
    paper, points, metric = Paper(), Points(), Metric()
    assert (paper.most_candidates, paper.right, paper.ceiling, paper.resamples) == (10, 0.999, 0.99, True)
    assert (points.look_ahead_s, points.beta, points.close_m, points.discount) == (0.3, 8.0, 0.1, 0.95)
    assert (points.opposing, points.question, points.reached) == (-5.0, -5.0, 100.0)
    assert (points.reached_m, points.reached_rad) == (0.015, 0.15)
    assert (metric.apply_s, metric.most_m_s, metric.most_rad_s) == (0.1, 0.061, 0.294)
    assert (metric.translation.slope, metric.translation.switch) == (2.45, 0.07)
    assert (metric.rotation.slope, metric.rotation.switch) == (0.0147, np.pi / 32)
    assert OPPOSES == 0.01


def test_hindsight_is_the_mean_of_all_goals() -> None:
    mixed = helper_of("ho").decide(situation([0.5, 0.5, 0.0], Joystick((0.06, 0.0, 0.0)))).velocity
    assert mixed[0] > 0.02
    assert mixed[1] == pytest.approx(0.0), "neither to the left nor to the right"
    torn = helper_of("ho").decide(situation([0.75, 0.25, 0.0], Joystick((0.06, 0.0, 0.0)))).velocity
    assert torn[1] == pytest.approx(0.5 * torn[0]), "and by their chances"


def test_of_two_that_are_as_likely_the_nearer_comes_first() -> None:
    far = Goal("can", "top", (Pose((0.6, 0.6, 0.3)),))
    goals = Goals((far, LEFT))
    belief = GoalBelief.uniform(goals)
    view = look(goals, belief.groups, START, Metric())
    assert likeliest(belief, view, Metric(), 2) == [1, 0]
    surer = replace(belief, weights=np.array([0.6, 0.4, 0.0]))
    assert likeliest(surer, view, Metric(), 2) == [0, 1]


@pytest.mark.parametrize(
    ("push", "robot", "against"), [(0.02, -0.02, True), (0.009, -0.02, False), (0.02, -0.009, False)]
)
def test_opposition_counts_only_where_both_are_over_a_hundredth(push: float, robot: float, against: bool) -> None:
    assert opposing(np.array([robot, 0, 0, 0, 0, 0]), Joystick((push, 0.0, 0.0))).any() == against


def test_hindsight_that_yields_lets_go_where_it_works_against_the_stick() -> None:
    away = situation([0.5, 0.5, 0.0], Joystick((-0.06, 0.0, 0.0)))
    assert helper_of("ho").decide(away).velocity[0] > 0.01
    assert not helper_of("ho+no-assist").decide(away).velocity.any()


def test_closely_only_the_persons_own_way_is_made_faster() -> None:
    view = look(BOTH, GoalBelief.uniform(BOTH).groups, START, Assist().metric)
    known, stick = towards(view, Assist().metric), Joystick((0.06, 0.0, 0.0))
    afar = with_person(known, stick, closely=False, theirs=False)
    near = with_person(known, stick, closely=True, theirs=False)
    assert (np.abs(afar[:, 1]) > 0.01).all()
    assert near[:, 1:3] == pytest.approx(0.0)
    assert near[:, 0] == pytest.approx(afar[:, 0])
