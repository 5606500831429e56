"""The capture model's arithmetic, without physics."""

import numpy as np
import pytest

from handup.domains.feeding.capture import CAPTURE, hold_n, inside, scooped_ml, stuck, tine_depths_mm, wound
from handup.domains.feeding.foods import food
from handup.domains.feeding.heap import Heap

BEAN = np.array([0.030, 0.0045, 0.0045])
UP = np.array([0.0, 0.0, 1.0])


def bean_hold(aside_m: float, *, across: bool) -> float:
    """What a bean bears with the fork this far beside its axis."""
    row = np.array([0.0, 1.0, 0.0]) if across else np.array([1.0, 0.0, 0.0])
    tips = (np.arange(4) - 1.5)[:, None] * 0.005 * row + np.array([0.0, aside_m, -0.003])
    depths = tine_depths_mm("bean", BEAN, tips, UP, length_m=0.036)
    return hold_n(food("green beans"), depths, tips, row, CAPTURE)


@pytest.fixture
def noodles() -> Heap:
    return Heap.served(food("noodles"), 0.0, 0.0, np.random.default_rng(1))


def test_a_sideways_error_loses_a_bean_with_tines_along_it_but_not_across_it() -> None:
    assert bean_hold(0.006, across=True) > 0.0
    assert bean_hold(0.006, across=False) == 0.0


def test_a_hold_far_from_the_middle_bears_less() -> None:
    half, row = np.array([0.015, 0.012, 0.009]), np.array([0.0, 1.0, 0.0])
    tips = (np.arange(4) - 1.5)[:, None] * 0.005 * row
    depths = np.full(4, 10.0)
    shifts = [np.array([off, 0.0, 0.0]) for off in (0.0, 0.004, 0.008, 0.012)]
    holds = [hold_n(food("chicken"), depths, tips + shift, row, CAPTURE) for shift in shifts]
    assert holds == sorted(holds, reverse=True)
    assert inside("chunk", half, np.array([[0.0, 0.0, 0.0], [0.02, 0.0, 0.0]])).tolist() == [True, False]


def test_strands_wind_best_across_them_and_where_they_lie_thick(noodles: Heap) -> None:
    turned = [wound(noodles, np.zeros(2), noodles.grain_rad + np.radians(each)) for each in (0, 30, 60, 90)]
    assert turned == sorted(turned, reverse=True)
    assert wound(noodles, np.array([0.2, 0.0]), noodles.grain_rad) == 0.0


def test_nothing_winds_that_has_no_strands() -> None:
    peas = Heap.served(food("peas"), 0.0, 0.0, np.random.default_rng(1))
    assert wound(peas, np.zeros(2), 0.0) == 0.0


def test_egg_sticks_to_tines_and_mash_does_not() -> None:
    tips = (np.arange(4) - 1.5)[:, None] * np.array([0.005, 0.0, 0.0])
    egg, mash = (
        Heap.served(food(name), 0.0, 0.0, np.random.default_rng(2)) for name in ("scrambled egg", "mashed potatoes")
    )
    assert stuck(egg, tips) > CAPTURE.enough > stuck(mash, tips)


def test_a_sweep_takes_what_lay_in_its_way_and_leaves_a_groove(noodles: Heap) -> None:
    start, end = np.array([-0.025, 0.0]), np.array([0.025, 0.0])
    before = noodles.volume_ml
    volume, amounts = scooped_ml(noodles, start, end, half_width_m=0.012)
    taken = noodles.take(amounts, 6.0)
    assert taken == pytest.approx(before - noodles.volume_ml)
    assert 3.0 < taken < 7.5
    assert scooped_ml(noodles, start, end, half_width_m=0.012)[0] < volume
    assert noodles.heights_m.min() >= 0.0


def test_a_heap_can_be_eaten_up(noodles: Heap) -> None:
    for _ in range(200):
        noodles.take(noodles.heights_m.copy(), 5.0)
    assert noodles.volume_ml < 1.0
    assert scooped_ml(noodles, np.array([-0.02, 0.0]), np.array([0.02, 0.0]), half_width_m=0.012)[0] < 0.5
