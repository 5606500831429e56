"""The plate above its physics: noise by seed and number, copies, records, and what the low level aims at."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadRecord, OutOfRange
from handup.domains.plate.clearing_world import ClearingWorld, ExecutionNoise
from handup.domains.plate.low_level import PIXELS, SIDE_M, aim_at, pixels_of, place_of
from handup.domains.plate.primitives import ALPHA, PlatePrimitive
from tests.domains.plate.toy import ToyEngine

PRIMITIVES = st.lists(st.sampled_from(tuple(PlatePrimitive)), min_size=1, max_size=8)


def world(seed: int = 3) -> ClearingWorld:
    return ClearingWorld(ToyEngine(), seed=seed)


@given(st.integers(0, 10_000), PRIMITIVES)
def test_the_same_actions_give_the_same_plate_also_from_a_record(seed: int, actions: list[PlatePrimitive]) -> None:
    whole, parts = world(seed), world(seed)
    for number, action in enumerate(actions):
        record = json.loads(json.dumps(parts.save()))
        parts = world(seed)
        parts.load(record)
        assert whole.act(action) == parts.act(action), number
    assert np.array_equal(whole.mask(), parts.mask())


@given(st.integers(0, 10_000), PRIMITIVES)
def test_nothing_is_taken_twice(seed: int, actions: list[PlatePrimitive]) -> None:
    plate = world(seed)
    taken = 0.0
    for action in actions:
        outcome = plate.act(action)
        taken += outcome.moved.taken
        assert taken + outcome.left == pytest.approx(1.0)
        loss = outcome.covered - outcome.covers
        assert outcome.reward() == pytest.approx(ALPHA * outcome.moved.taken + (1.0 - ALPHA) * loss)


def test_a_copy_may_be_spoilt_and_has_noise_of_its_own_if_it_is_to() -> None:
    plate = world()
    before = plate.mask()
    same, other = plate.copy(), plate.copy(noise_seed=9)
    for twin in (same, other):
        twin.act(PlatePrimitive.GROUP)
    assert np.array_equal(plate.mask(), before)
    assert plate.actions == 0
    plate.act(PlatePrimitive.GROUP)
    assert np.array_equal(plate.engine.footprint(), same.engine.footprint())
    assert not np.array_equal(plate.engine.footprint(), other.engine.footprint())


def test_noise_has_the_size_that_was_given() -> None:
    noise = ExecutionNoise(place_m=0.004, turn_rad=0.1)
    plate = ClearingWorld(ToyEngine(), seed=1, noise=noise)
    aim = aim_at(plate.mask())
    assert aim is not None
    missed = []
    for number in range(2000):
        plate.actions = number
        done = plate._missed(aim)
        missed.append((done.dense_m[0] - aim.dense_m[0], done.far_m[1] - aim.far_m[1], done.grain_rad - aim.grain_rad))
    assert np.std(missed, axis=0) == pytest.approx([0.004, 0.004, 0.1], rel=0.1)
    assert np.mean(missed, axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=0.01)


@pytest.mark.parametrize(
    "damage",
    [
        {"schema": 2}, {"of": {"food": "beans", "seed": 4, "noise_seed": 4}}, {"actions": 99}, {"arrays": {}},
        {"arrays": {"points": {"type": "<f8", "shape": [3, 2], "data": "AAAA"}}}, {"arrays": {"points": 3}},
    ],
)  # fmt: skip
def test_a_damaged_record_is_refused_and_changes_nothing(damage: dict[str, Any]) -> None:
    plate = world()
    before = plate.engine.footprint()
    with pytest.raises(BadRecord):
        plate.load({**plate.save(), **damage})
    assert np.array_equal(plate.engine.footprint(), before)


def test_a_seed_below_0_is_refused() -> None:
    with pytest.raises(OutOfRange, match="seed must be a whole number from 0 on, got -1"):
        world(-1)


# -- the low level -----------------------------------------------------------------------------------------------------


def test_places_and_pixels_agree() -> None:
    for pixel in ((0, 0), (10, 50), (63, 63)):
        mask = pixels_of(np.array([place_of(pixel)]))
        assert np.argwhere(mask).tolist() == [list(pixel)]
    assert pixels_of(np.array([[SIDE_M, 0.0]])).sum() == 0


def test_it_aims_at_the_pile_and_pushes_from_the_loner() -> None:
    mask = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    mask[20:28, 40:48] = True
    mask[50, 10] = True
    aim = aim_at(mask)
    assert aim is not None
    assert math.dist(aim.dense_m, place_of((23, 43))) < 0.006
    assert aim.far_m == place_of((50, 10))
    assert aim_at(np.zeros((PIXELS, PIXELS), dtype=np.bool_)) is None


@pytest.mark.parametrize("degrees", range(0, 180, 15))
@pytest.mark.parametrize("pixels", [64, 256])
def test_the_grain_is_that_of_the_strands(degrees: int, pixels: int) -> None:
    turn = math.radians(degrees)
    along, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    points = [t * along + offset * across for offset in (-0.008, 0.0, 0.008) for t in np.linspace(-0.05, 0.05, 400)]
    aim = aim_at(pixels_of(np.array(points), pixels))
    assert aim is not None
    off = abs(aim.grain_rad - turn) % math.pi
    assert min(off, math.pi - off) < math.radians(8)
