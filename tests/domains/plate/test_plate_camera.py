"""Pictures of plates: food is seen where it lies, squares are straight from above, and looks are kept apart."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from handup.domains.plate.beans import BeanEngine
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import plate_of
from handup.domains.plate.low_level import place_of
from handup.domains.plate.plate_camera import COLOURS, EASY, HARD, PlateCamera, difference, true_grain
from handup.domains.plate.primitives import Mask, PlateFood, PlatePrimitive

SEED = 950_000


def pooled(labels: Mask, camera: PlateCamera) -> Mask:
    """Labels as a mask of 64 × 64 px: true where there is any food."""
    shares = camera.square(255 * labels.astype(np.uint8), 128)[..., 0]
    covered: Mask = shares.reshape(64, 2, 64, 2).max(axis=(1, 3)) > 12
    return covered


def overlap(first: Mask, second: Mask) -> float:
    return float((first & second).sum() / (first | second).sum())


@pytest.mark.parametrize("food", PlateFood)
def test_what_is_seen_is_the_true_mask(food: PlateFood) -> None:
    world = plate_of(food, SEED)
    world.act(PlatePrimitive.GROUP)
    with PlateCamera(world.engine, seed=3) as camera:
        assert overlap(pooled(camera.labels(world.engine), camera), world.mask()) > 0.85


def test_a_square_shows_a_bean_where_it_lies() -> None:
    engine = BeanEngine()
    poses = engine.arrays()["poses"]
    poses[0] = [0.07, -0.05, 0.0055, 1.0, 0.0, 0.0, 0.0]
    engine.restore({"poses": poses, "on": np.arange(len(poses)) == 0})
    with PlateCamera(engine, seed=7, looks=HARD) as camera:
        seen = camera.square(255 * camera.labels(engine).astype(np.uint8), 128)[..., 0] > 127
    rows, columns = np.nonzero(seen)
    place = np.mean([place_of(pixel, 128) for pixel in zip(rows.tolist(), columns.tolist(), strict=True)], axis=0)
    assert math.dist(place, (0.07, -0.05)) < 0.002


def test_a_picture_differs_from_the_empty_plate_where_there_is_food() -> None:
    world = plate_of("beans", SEED)
    with PlateCamera(world.engine, seed=0) as camera:
        empty, full = camera.picture(None, shot=1), camera.picture(world.engine, shot=2)
        assert overlap(difference(full, empty), camera.labels(world.engine)) > 0.7
        assert difference(camera.picture(None, shot=3), empty).mean() < 0.001


def test_a_shot_is_the_same_again_and_another_has_other_noise() -> None:
    world = plate_of("beans", SEED)
    with PlateCamera(world.engine, seed=1) as camera, PlateCamera(world.engine, seed=1) as again:
        first = camera.picture(world.engine, shot=4)
        assert (first == again.picture(world.engine, shot=4)).all()
        assert (first != camera.picture(world.engine, shot=5)).any()


def test_food_that_was_picked_up_is_not_seen() -> None:
    world: ClearingWorld = plate_of("beans", SEED)
    with PlateCamera(world.engine, seed=2) as camera:
        before = camera.labels(world.engine).sum()
        while not world.over and world.engine.left() > 0.7:
            world.act(PlatePrimitive.ACQUIRE)
        after = camera.labels(world.engine).sum()
    assert after / before == pytest.approx(world.engine.left(), abs=0.15)


def test_the_grain_is_the_direction_of_the_strands() -> None:
    along = np.linspace(-0.03, 0.03, 20)
    for angle in (0.0, 0.6, 1.5, 2.8):
        lines = [[along * math.cos(angle) + 0.003 * aside, along * math.sin(angle), 0.0 * along] for aside in range(3)]
        strands = np.array(lines).transpose(0, 2, 1)
        grain, agree = true_grain(strands, (0.0, 0.0))
        assert abs(math.sin(grain - angle)) < 1e-6
        assert agree == pytest.approx(1.0)
    assert true_grain(strands, (0.1, 0.1)) == (0.0, 0.0)


def test_nothing_of_the_hard_looks_is_among_the_easy_ones() -> None:
    def apart(first: tuple[tuple[float, float], ...], second: tuple[tuple[float, float], ...]) -> bool:
        return any(a[1] < b[0] or b[1] < a[0] for a, b in zip(first, second, strict=True))

    for easy, hard in itertools.product(EASY.plates, HARD.plates):
        assert apart(easy, hard)
    for easy, hard in itertools.product(EASY.tables, HARD.tables):
        assert apart(easy, hard)
    for food in PlateFood:
        for easy, hard in itertools.product(COLOURS[food, "easy"], COLOURS[food, "hard"]):
            assert apart(easy, hard)
