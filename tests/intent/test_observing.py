"""What pushes say: the shipped numbers are the fitted ones, and moving or turning counts besides the direction."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given

from handup.intent import Directional, GoalBelief, Huber, Joystick, Metric, Pose, Seconds
from handup.intent.push_models import Push, Unwatched
from tests.intent.places import CUP_SIDE, CUP_TOP, START, TABLE, places, sticks

FLAT = Huber(slope=0.0, sharp=0.0, switch=1.0)
"""Directions say nothing."""
ONLY_MODE = Directional(translation=FLAT, rotation=FLAT, mode=1.0, lapse=0.1, aimless=0.0)


def test_the_shipped_numbers_are_those_of_the_file() -> None:
    record = json.loads(files("handup.intent").joinpath("data/fitted.json").read_text(encoding="utf-8"))
    pushes, times = record["pushes"], record["times"]
    shipped, seconds = Directional(), Seconds()
    assert shipped.translation == Huber(
        slope=pushes["translation_slope"], sharp=0.0, switch=pushes["translation_switch"]
    )
    assert shipped.rotation == Huber(slope=pushes["rotation_slope"], sharp=0.0, switch=pushes["rotation_switch"])
    assert (shipped.mode, shipped.lapse, shipped.aimless) == (pushes["mode"], pushes["lapse"], pushes["aimless"])
    for name in ("push_m_s", "turn_rad_s", "switch_s", "closing_s", "cruise", "objects", "grasps"):
        assert getattr(seconds, name) == times[name]


def test_the_file_says_where_its_numbers_come_from() -> None:
    record = json.loads(files("handup.intent").joinpath("data/fitted.json").read_text(encoding="utf-8"))
    told = record["provenance"]
    assert record["evidence"] == "simulated"
    assert told["script"].startswith("python -m train.intent")
    assert min(*told["seeds"], *told["held_out_seeds"]) >= 5000, "never those of a study"
    assert told["held_out_seeds"][0] > told["seeds"][1]
    assert date.fromisoformat(told["date"])
    scores = record["scores"]["log_score"]
    assert scores["fitted"] < scores["published"]
    assert scores["fitted_held_out"] < scores["published_held_out"], "also for people that it was not fitted to"


@given(places, sticks)
def test_moving_or_turning_is_judged_against_the_mean_of_the_goals(pose: Pose, stick: Joystick) -> None:
    found = ONLY_MODE.log_likelihood(GoalBelief.uniform(TABLE), pose, stick, Metric())
    if found is not None:
        assert np.exp(found[:-1]).mean() == pytest.approx(1.0)
        assert found[-1] == 0.0, "an unlisted goal is neither for nor against"


def test_closing_in_without_turning_speaks_against_a_grasp_that_needs_it() -> None:
    near = Pose((0.33, 0.0, 0.08))
    ahead = Joystick((0.06, 0.0, 0.0))
    found = Directional().log_likelihood(GoalBelief.uniform(TABLE), near, ahead, Metric())
    assert found is not None
    top, side = TABLE.index(CUP_TOP.name), TABLE.index(CUP_SIDE.name)
    assert found[side] > found[top]
    unmoved = replace(Directional(), mode=0.0).log_likelihood(GoalBelief.uniform(TABLE), near, ahead, Metric())
    assert unmoved is not None
    assert found[side] - found[top] > unmoved[side] - unmoved[top]


def test_turning_speaks_against_grasps_that_need_none() -> None:
    found = ONLY_MODE.log_likelihood(GoalBelief.uniform(TABLE), START, Joystick(angular=(0.0, 0.4, 0.0)), Metric())
    assert found is not None
    assert found[TABLE.index(CUP_TOP.name)] > 0.0 > found[TABLE.index(CUP_SIDE.name)]


@given(places, sticks)
def test_a_device_of_six_axes_says_nothing_by_its_mode(pose: Pose, stick: Joystick) -> None:
    both = Joystick((0.06, 0.0, 0.0), (0.4, 0.0, 0.0))
    found = ONLY_MODE.log_likelihood(GoalBelief.uniform(TABLE), pose, both, Metric())
    assert found == pytest.approx(np.zeros(len(TABLE) + 1), abs=1e-6)
    assert Unwatched().log_likelihood(GoalBelief.uniform(TABLE), pose, stick, Metric()) is None


def test_many_pushes_at_once_are_those_one_by_one() -> None:
    chance = np.random.default_rng(3)
    shape = (6, 4)
    push = Push(
        metres=chance.uniform(0.01, 0.6, shape),
        radians=chance.uniform(0.0, 3.0, shape),
        along=chance.uniform(-1.0, 1.0, shape),
        around=chance.uniform(-1.0, 1.0, shape),
        moving=chance.choice([0.0, 0.7], (6, 1)),
        turning=chance.choice([0.0, 1.0], (6, 1)),
    )
    together = Directional().odds(push)
    for row in range(6):
        fields = {name: getattr(push, name)[row] for name in Push.__dataclass_fields__}
        assert Directional().odds(Push(**fields)) == pytest.approx(together[row])
