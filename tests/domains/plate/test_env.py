"""The Gymnasium environment of the plate keeps Gymnasium's contract, also several at once."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from handup.domains.plate.env import ID, PlateEnv
from handup.domains.plate.low_level import PIXELS


def test_gymnasiums_checker_finds_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, food="beans", render_mode="rgb_array").unwrapped)


def test_an_episode_is_as_long_as_the_paper_s_and_counts_all_food() -> None:
    env = PlateEnv("beans")
    seen, _ = env.reset(seed=4)
    again, _ = PlateEnv("beans").reset(seed=4)
    assert np.array_equal(seen, again)
    gone, steps, over = 0.0, 0, False
    while not over:
        _, reward, empty, cut, told = env.step(np.int64(steps % 2))
        gone, steps, over = gone + told["taken"] + told["lost"], steps + 1, empty or cut
        assert -1.0 < reward < 1.0
    assert steps == 8 or told["left"] == 0.0
    assert abs(gone + told["left"] - 1.0) < 1e-9


def test_several_plates_at_once() -> None:
    envs = gymnasium.make_vec(ID, num_envs=2, food="beans")
    seen, _ = envs.reset(seed=7)
    assert seen.shape == (2, PIXELS, PIXELS)
    assert not np.array_equal(seen[0], seen[1])
    _, rewards, *_ = envs.step(np.array([0, 1]))
    assert rewards.shape == (2,)
    envs.close()
