"""Features of a plate: the low level's own places, food that is neither made nor lost, and a push that unites."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from handup.domains.plate.low_level import BLUR_PX, PIXELS, aim_at, place_of
from handup.domains.plate.primitives import Mask, PlateFood
from handup.domains.plate.push_features import (
    NAMES,
    REACHES,
    _acquired,
    _blurred,
    _densest,
    _grouped,
    features_at,
    features_of,
)

BEANS = PlateFood.BEANS


def strewn(seed: int, count: int = 15) -> Mask:
    """Beans of 4 × 4 pixels all over the plate."""
    mask = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    for row, column in np.random.default_rng(seed).integers(4, PIXELS - 8, (count, 2)):
        mask[row : row + 4, column : column + 4] = True
    return mask


def feature(mask: Mask, left: int, name: str) -> float:
    return float(features_at(mask, left, BEANS)[NAMES.index(name)])


def test_places_are_those_of_the_low_level() -> None:
    masks = np.stack([strewn(seed) for seed in range(5)])
    blurred = _blurred(masks)
    for mask, picture, dense in zip(masks, blurred, _densest(blurred)[0].tolist(), strict=True):
        assert picture == pytest.approx(gaussian_filter(mask.astype(float), BLUR_PX, mode="constant"))
        aim = aim_at(mask)
        assert aim is not None
        assert place_of(divmod(dense, PIXELS)) == aim.dense_m


def test_a_push_on_pixels_keeps_all_food_and_an_acquisition_takes_what_it_says() -> None:
    masks = np.stack([strewn(seed) for seed in range(6)])
    reach = REACHES[BEANS]
    pushed, way, carried = _grouped(masks, reach)
    assert pushed.sum(axis=(1, 2)).tolist() == masks.sum(axis=(1, 2)).tolist()
    assert (way > 0.02).all() and (carried > 0.0).all()
    eaten, taken, _ = _acquired(masks, np.arange(6) > 0, reach)
    assert taken[0] == 0.0 and (eaten[0] == masks[0]).all()
    assert masks.sum(axis=(1, 2)) - eaten.sum(axis=(1, 2)) == pytest.approx(taken * reach.pixels)


def test_several_plates_have_the_features_of_each() -> None:
    masks, left = np.stack([strewn(seed, 4 + seed) for seed in range(4)]), np.array([8, 1, 3, 2])
    for row, mask in enumerate(masks):
        several, single = features_of(masks, left, BEANS)[row], features_at(mask, int(left[row]), BEANS)
        assert several == pytest.approx(single)
    assert features_of(masks, left, BEANS).shape == (4, len(NAMES))


def test_a_push_pays_where_it_unites_two_scoops_and_not_on_one_heap() -> None:
    apart, heap = np.zeros((2, PIXELS, PIXELS), dtype=np.bool_)
    apart[30:34, 10:13] = apart[30:34, 50:54] = True
    heap[30:34, 30:36] = True
    assert feature(apart, 2, "gain") == pytest.approx(0.0), "two scoops take both"
    apart[30:34, 30:33] = True
    assert feature(apart, 2, "gain") > 0.01, "three heaps, two actions"
    assert feature(heap, 2, "gain") <= 0.0


def test_an_empty_plate_has_features() -> None:
    empty = np.zeros((PIXELS, PIXELS), dtype=np.bool_)
    assert np.isfinite(features_at(empty, 4, BEANS)).all()
    assert feature(empty, 4, "clearance") == 0.0
