"""Distances to boxes and rings agree with plain geometry."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handup.core import BadSetting
from handup.domains.reaching.scenes import Obstacles, Ring, UprightBox

coordinate = st.floats(-0.4, 0.4)
points = st.tuples(coordinate, coordinate, st.floats(0.0, 0.5))


def in_rectangle(u: float, v: float, half_u: float, half_v: float) -> float:
    """Distance of a point to a rectangle around 0, 0, the slow way: outside to its nearest point, inside to a side."""
    nearest = (min(max(u, -half_u), half_u), min(max(v, -half_v), half_v))
    if nearest != (u, v):
        return math.dist((u, v), nearest)
    return -min(half_u - abs(u), half_v - abs(v))


def to_box(point: tuple[float, float, float], box: UprightBox) -> float:
    x, y = point[0] - box.middle[0], point[1] - box.middle[1]
    turned = complex(x, y) * complex(math.cos(box.yaw), -math.sin(box.yaw))
    own = (turned.real, turned.imag, point[2] - box.middle[2])
    nearest = tuple(min(max(each, -size / 2), size / 2) for each, size in zip(own, box.size, strict=True))
    if nearest != own:
        return math.dist(own, nearest)
    return -min(size / 2 - abs(each) for each, size in zip(own, box.size, strict=True))


def to_ring(point: tuple[float, float, float], ring: Ring) -> float:
    away = math.hypot(point[0] - ring.middle[0], point[1] - ring.middle[1])
    height = point[2] - ring.middle[2]
    if ring.wall == ring.radius:
        return in_rectangle(away, height, ring.radius, ring.height / 2)
    return in_rectangle(away - (ring.radius - ring.wall / 2), height, ring.wall / 2, ring.height / 2)


@given(st.lists(points, min_size=1, max_size=5), st.floats(-3.2, 3.2))
def test_the_nearest_of_all_things_and_the_table_counts(where: list[tuple[float, float, float]], yaw: float) -> None:
    boxes = [UprightBox((0.1, 0.0, 0.1), (0.2, 0.1, 0.2), yaw), UprightBox((-0.2, 0.1, 0.05), (0.05, 0.3, 0.1), -yaw)]
    rings = [Ring((0.0, -0.2, 0.05), 0.08, 0.01, 0.1), Ring((-0.1, 0.2, 0.1), 0.04, 0.04, 0.2)]
    found = Obstacles(boxes, rings).distances(np.array(where))
    for point, distance in zip(where, found, strict=True):
        each = [point[2], *(to_box(point, box) for box in boxes), *(to_ring(point, ring) for ring in rings)]
        assert distance == pytest.approx(min(each), abs=1e-9)


def test_the_inside_of_a_cup_is_free_and_its_wall_is_not() -> None:
    cup = Obstacles([], [Ring((0.0, 0.0, 0.05), 0.04, 0.004, 0.1)])
    middle, wall = cup.distances(np.array([[0.0, 0.0, 0.05], [0.038, 0.0, 0.05]]))
    assert middle == pytest.approx(0.036) and wall == pytest.approx(-0.002)


def test_an_empty_table_is_the_only_thing_that_stops() -> None:
    assert Obstacles([], []).distances(np.array([[0.0, 0.0, 0.25]])).tolist() == [0.25]


def test_sizes_that_cannot_be_are_refused() -> None:
    with pytest.raises(BadSetting):
        UprightBox((0.0, 0.0, 0.0), (0.1, 0.0, 0.1))
    with pytest.raises(BadSetting):
        Ring((0.0, 0.0, 0.0), 0.04, 0.05, 0.1)
    with pytest.raises(BadSetting):
        Ring((0.0, 0.0, 0.0), math.nan, 0.05, 0.1)
