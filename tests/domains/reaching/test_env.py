"""The Gymnasium environment keeps Gymnasium's contract."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from handup.core import BadSetting
from handup.domains.reaching import Rules, SteeringHabit, scene
from handup.domains.reaching.env import GRASPED, ID, ReachingEnv

NOTHING = {"velocity": np.zeros(6), "ask": 0}


@pytest.mark.parametrize("name", ["S1", "U22"])
def test_gymnasiums_checker_finds_nothing(name: str) -> None:
    env = gymnasium.make(ID, scene_name=name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


def test_a_robot_that_does_nothing_lets_the_person_do_it() -> None:
    env = ReachingEnv("S1", strategy=SteeringHabit.STOP_BESIDE)
    _, told = env.reset(seed=5001)
    assert told["goal"] in scene("S1").tasks and told["strategy"] == "stop-beside"
    paid, steps, ended, late = 0.0, 0, False, False
    while not (ended or late):
        _, reward, ended, late, told = env.step(NOTHING)
        paid, steps = paid + reward, steps + 1
    assert ended and told["ending"] == "grasped"
    assert paid == pytest.approx(GRASPED - steps * 0.1, abs=0.11)


def test_a_question_costs_its_time_and_is_answered_once_seen() -> None:
    env = ReachingEnv("S1", strategy=SteeringHabit.STOP_OVER)
    right = 0
    for seed in range(5000, 5020):
        seen, told = env.reset(seed=seed)
        assert not seen["answers"].any()
        index = scene("S1").goals.index(told["goal"])
        seen, reward, *_ = env.step({"velocity": np.zeros(6), "ask": index + 1})
        assert reward == pytest.approx(-2.9)
        right += int(seen["answers"][index] == 1)
    assert right >= 16


def test_the_same_question_is_not_asked_twice() -> None:
    env = ReachingEnv("S1", strategy=SteeringHabit.STOP_OVER)
    env.reset(seed=5003)
    first, reward, _, _, told = env.step({"velocity": np.zeros(6), "ask": 2})
    assert reward == pytest.approx(-2.9) and told["refused"] is False
    again, reward, _, _, told = env.step({"velocity": np.zeros(6), "ask": 2})
    assert reward == pytest.approx(-0.1) and told["refused"] is True
    assert (again["answers"] == first["answers"]).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"velocity": np.array([np.nan, 0, 0, 0, 0, 0]), "ask": 0},
        {"velocity": np.array([0, 0, 0, 0, np.inf, 0]), "ask": 0},
        {"velocity": np.zeros(5), "ask": 0},
        {"velocity": np.zeros(6), "ask": 99},
        {"velocity": np.zeros(6), "ask": 5},
        {"velocity": np.zeros(6), "ask": -1},
        {"velocity": np.zeros(6), "ask": 0.5},
    ],
)
def test_an_action_that_is_none_is_refused_and_changes_nothing(wrong: dict[str, object]) -> None:
    env, other = ReachingEnv("S1"), ReachingEnv("S1")
    env.reset(seed=5001)
    other.reset(seed=5001)
    with pytest.raises(BadSetting):
        env.step(wrong)
    for _ in range(3):
        seen, *_ = env.step(NOTHING)
        expected, *_ = other.step(NOTHING)
    assert all((seen[name] == expected[name]).all() for name in expected)
    assert env.observation_space.contains(seen)


def test_a_step_before_the_first_reset_or_after_the_end_is_refused() -> None:
    env = ReachingEnv("S1", rules=Rules(limit_s=1.0))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(NOTHING)
    env.reset(seed=5000)
    late = [env.step(NOTHING)[3] for _ in range(10)]
    assert late == [False] * 9 + [True]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(NOTHING)
