"""The Gymnasium environment keeps Gymnasium's contract."""

import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from handup.domains.feeding.env import ID, SKILLS, FeedingEnv


def test_gymnasiums_checker_finds_nothing() -> None:
    env = gymnasium.make(ID, plate="savory salad", size=(64, 48), render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


def test_a_meal_ends_after_its_bites_and_pays_for_the_wanted_food() -> None:
    env = FeedingEnv("mixed salad", size=(64, 48))
    _, told = env.reset(seed=1)
    assert sum(told["left"].values()) > 10
    paid, steps, ended = 0.0, 0, False
    while not ended:
        wanted = FeedingEnv.FOODS[int(env._observed()["wanted"])]
        item = next(each for each in env._open().truth() if each.food == wanted)
        action = {"skill": SKILLS.index(item.skill), "params": np.array(item.best[item.skill].numbers, np.float32)}
        _, reward, ended, _, told = env.step(action)
        paid, steps = paid + reward, steps + 1
    assert steps <= 15 and paid >= 3.0
    env.close()
