"""The capture model's arithmetic, without physics."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handup.domains.feeding.capture import (
    CAPTURE,
    CELLS,
    Floats,
    Heap,
    hold_n,
    inside,
    scooped_ml,
    stuck,
    tine_depths_mm,
    wound,
)
from handup.domains.feeding.foods import food, foods

BEAN = np.array([0.030, 0.0045, 0.0045])
UP, ACROSS = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
ANGLES = st.floats(-np.pi, np.pi)
ASIDE = st.tuples(st.floats(-0.009, 0.009), st.floats(-0.009, 0.009))


def bean_hold(aside_m: float, *, across: bool) -> float:
    """What a bean bears with the fork this far beside its axis."""
    row = np.array([0.0, 1.0, 0.0]) if across else np.array([1.0, 0.0, 0.0])
    tips = (np.arange(4) - 1.5)[:, None] * 0.005 * row + np.array([0.0, aside_m, -0.003])
    depths = tine_depths_mm("bean", BEAN, tips, UP, length_m=0.036)
    return hold_n(food("green beans"), depths, tips, row=row, along=UP)


def turned_hold(name: str, half: Floats, turn: Rotation, aside_m: tuple[float, float]) -> float:
    """What a piece bears that has been turned under a fork that comes from straight above."""
    axes = turn.as_matrix()
    tips = ((np.arange(4) - 1.5)[:, None] * 0.005 * ACROSS + np.array([*aside_m, -0.004])) @ axes
    along = UP @ axes
    depths = tine_depths_mm(food(name).shape, half, tips, along, length_m=0.036)
    return hold_n(food(name), depths, tips, row=ACROSS @ axes, along=along)


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
    holds = [hold_n(food("chicken"), depths, tips + shift, row=row, along=UP) for shift in shifts]
    assert holds == sorted(holds, reverse=True)
    assert inside("chunk", half, np.array([[0.0, 0.0, 0.0], [0.02, 0.0, 0.0]])).tolist() == [True, False]


@given(ANGLES, ANGLES, ANGLES, ASIDE)
def test_a_ball_that_has_rolled_holds_as_before(a: float, b: float, c: float, aside_m: tuple[float, float]) -> None:
    half = np.full(3, 0.0135)
    still = turned_hold("cherry tomatoes", half, Rotation.identity(), aside_m)
    rolled = turned_hold("cherry tomatoes", half, Rotation.from_euler("xyz", [a, b, c]), aside_m)
    assert rolled == pytest.approx(still, rel=0.02, abs=0.02)  # tines are felt along in steps of 1 mm


@given(ANGLES, ASIDE)
def test_a_bean_that_has_rolled_about_its_long_side_holds_as_before(a: float, aside_m: tuple[float, float]) -> None:
    still = turned_hold("green beans", BEAN, Rotation.identity(), aside_m)
    rolled = turned_hold("green beans", BEAN, Rotation.from_euler("x", a), aside_m)
    assert rolled == pytest.approx(still, rel=0.02, abs=0.02)


def test_a_tilted_fork_far_down_a_piece_is_not_beside_it() -> None:
    along = np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    tips = (np.arange(4) - 1.5)[:, None] * 0.005 * ACROSS - 0.02 * along
    deep, shallow = (
        hold_n(food("chicken"), np.full(4, 10.0), each, row=ACROSS, along=along) for each in (tips, tips + 0.02 * along)
    )
    assert deep == pytest.approx(shallow)


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


POINTS = st.tuples(st.floats(-0.12, 0.12), st.floats(-0.12, 0.12))


@given(st.sampled_from([name for name, each in foods().items() if each.heap]), st.lists(POINTS, min_size=2, max_size=7))
def test_what_a_failed_scoop_shoves_is_not_lost_wherever_it_ends(name: str, points: list[tuple[float, float]]) -> None:
    heap = Heap.served(food(name), 0.01, -0.02, np.random.default_rng(3))
    before = heap.volume_ml
    for start, end in itertools.pairwise(points):
        heap.push(np.array(start), np.array(end), half_width_m=0.012, floor_m=0.002, share=0.4)
        assert heap.volume_ml == pytest.approx(before, rel=1e-9)
        assert heap.heights_m.min() >= 0.0


def test_what_is_shoved_off_a_heap_lies_beyond_it(noodles: Heap) -> None:
    edge = np.array([[noodles.half_m - 0.012, 0.0]])
    noodles.heights_m[:, CELLS * 3 // 4 :] = 0.0
    noodles.push(np.zeros(2), np.array([0.09, 0.0]), half_width_m=0.012, floor_m=0.002, share=0.4)
    assert noodles.height_at(edge)[0] > 0.0005
