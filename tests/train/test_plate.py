"""What plates are learned from: pairs that part at one action, random episodes, files that are not made twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import engine_of
from handup.domains.plate.policies import FixedSequence
from handup.domains.plate.primitives import PlateFood, PlatePrimitive
from train.plate import episodes
from train.plate.episodes import BLOCK, SHARES, Episodes, branches, random_episodes, record

BEANS = PlateFood.BEANS
SEED = 949_000


@pytest.fixture(scope="module")
def pairs() -> Episodes:
    return branches(BEANS, range(SEED, SEED + 4))


def test_a_pair_parts_where_it_says_and_acquires_from_then_on(pairs: Episodes) -> None:
    for row in range(0, len(pairs.done), 2):
        at = int(pairs.branched[row])
        assert pairs.seeds[row] == pairs.seeds[row + 1] and at < BEANS.actions - 1
        assert (pairs.masks[row, : at + 1] == pairs.masks[row + 1, : at + 1]).all()
        assert (pairs.done[row, :at] == pairs.done[row + 1, :at]).all()
        assert (pairs.done[row, at], pairs.done[row + 1, at]) == (0, 1)
        assert set(pairs.done[row : row + 2, at + 1 :].ravel().tolist()) <= {0, -1}


def test_what_is_recorded_is_what_the_plate_does(pairs: Episodes) -> None:
    world = ClearingWorld(engine_of(BEANS), seed=int(pairs.seeds[0]))
    assert (pairs.mask(0, 0) == world.mask()).all()
    for action in range(int(pairs.branched[0])):
        moved = world.act((PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP)[pairs.done[0, action]]).moved
        assert pairs.taken[0, action] == pytest.approx(moved.taken)
        assert (pairs.mask(0, action + 1) == world.mask()).all()


def test_after_the_parting_a_policy_is_followed() -> None:
    played = branches(BEANS, [SEED], FixedSequence("g" * 7))
    at = int(played.branched[0])
    assert set(played.done[:, at + 1 : 7].ravel().tolist()) <= {1}


def test_random_episodes_push_with_a_probability_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(episodes, "SHARES", (1.0, 1.0))
    assert set(random_episodes(BEANS, [SEED]).done.ravel().tolist()) == {1}
    assert SHARES == (0.15, 0.75)


def test_a_block_that_is_there_is_not_played_again(tmp_path: Path, pairs: Episodes) -> None:
    played: list[range] = []

    def play(seeds: range) -> Episodes:
        played.append(seeds)
        return pairs

    paths = record(tmp_path, "branches", SEED, 2 * BLOCK, play)
    assert record(tmp_path, "branches", SEED, 3 * BLOCK, play)[:2] == paths
    assert [seeds[0] for seeds in played] == [SEED, SEED + BLOCK, SEED + 2 * BLOCK]
    both = Episodes.read(paths)
    assert both.taken == pytest.approx(np.concatenate([pairs.taken, pairs.taken]))
    assert (both.mask(0, 0) == pairs.mask(0, 0)).all()
