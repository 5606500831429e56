"""A picture on a network's input and back: nothing is lost; overlapping boxes go as in the plainest way."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from handup.domains.feeding.adapters.fitting import Fit, without_overlaps

SIDES = st.integers(1, 900)


@given(SIDES, SIDES, SIDES, SIDES, st.booleans(), st.booleans(), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_boxes_come_back_as_they_were(
    wide: int, high: int, width: int, height: int, letterbox: bool, centred: bool, shares: list[float]
) -> None:
    fit = Fit.of((wide, high), (width, height), letterbox=letterbox, centred=centred)
    assert 0 <= fit.left <= fit.left + fit.wide <= width
    assert 0 <= fit.top <= fit.top + fit.high <= height
    assert fit.wide == width or fit.high == height, "one side is filled"
    sizes, begin = np.array([fit.wide, fit.high] * 2), np.array([fit.left, fit.top] * 2)
    on_input = np.array([shares]) * sizes + begin
    assert np.allclose(fit.back(on_input), [shares], rtol=0, atol=1e-12 * max(width, height))


def test_the_bars_are_where_they_are_said_to_be() -> None:
    red = np.full((30, 60, 3), (250, 10, 10), np.uint8)
    centred = Fit.of((60, 30), (64, 64), letterbox=True).onto(red, bars=114)
    assert (centred[16:48] == (250, 10, 10)).all()
    assert (centred[:16] == 114).all()
    assert (centred[48:] == 114).all()
    below = Fit.of((60, 30), (64, 64), letterbox=True, centred=False).onto(red, bars=0)
    assert (below[:32] == (250, 10, 10)).all()
    assert (below[32:] == 0).all()
    stretched = Fit.of((60, 30), (64, 64), letterbox=False).onto(red, bars=0)
    assert (stretched == (250, 10, 10)).all()


def plainly(corners: NDArray[np.float64], scores: NDArray[np.float64], most_overlap: float) -> list[int]:
    """The oracle: take the best of what is left, throw out whatever overlaps it, begin again."""
    left, kept = set(range(len(scores))), []
    while left:
        best = min(left, key=lambda each: (-scores[each], each))
        kept.append(best)
        left = {each for each in left - {best} if shared(corners[best], corners[each]) <= most_overlap}
    return kept


def shared(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    wide, high = min(one[2], two[2]) - max(one[0], two[0]), min(one[3], two[3]) - max(one[1], two[1])
    inside = max(wide, 0.0) * max(high, 0.0)
    whole = sum((each[2] - each[0]) * (each[3] - each[1]) for each in (one, two))
    return float(inside / (whole - inside))


BOX = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 8), st.integers(1, 8), st.integers(0, 5))


@given(st.lists(BOX, max_size=24), st.sampled_from([0.0, 0.25, 0.4, 0.55, 1.0]))
def test_overlapping_boxes_go_as_in_the_plainest_way(drawn: list[tuple[int, ...]], most_overlap: float) -> None:
    """Small whole numbers: many boxes are alike, many scores are equal."""
    corners = np.array([(x, y, x + wide, y + high) for x, y, wide, high, _ in drawn], float).reshape(-1, 4)
    scores = np.array([each[4] / 5 for each in drawn], float)
    kept = plainly(corners, scores, most_overlap)
    assert without_overlaps(corners, scores, most_overlap, 100) == kept
    assert without_overlaps(corners, scores, most_overlap, 3) == kept[:3]
