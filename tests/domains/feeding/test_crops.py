"""What the networks see: squares and reduced pictures are where they should be."""

import numpy as np
import pytest
from numpy.typing import NDArray

from handup.core import BadSetting, Box
from handup.domains.feeding.crops import CONTEXT, MARGIN_PX, Square, boxes_at_peaks, cut, standard, whole
from handup.domains.feeding.modules import two_points


def slope() -> NDArray[np.float32]:
    """A standard picture whose red is x and whose green is y, in px of 1,000."""
    x, y = np.meshgrid(np.arange(320) + 0.5, np.arange(240) + 0.5)
    return (np.stack([x, y, x * 0], axis=2) / 1000).astype(np.float32)


def test_a_square_shows_the_middle_of_its_box_in_the_middle() -> None:
    square = Square.around(Box(left=0.25, top=0.5, right=0.35, bottom=0.6))
    assert (square.x, square.y) == pytest.approx((96.0, 132.0))
    assert square.side == pytest.approx(CONTEXT * 32.0 + MARGIN_PX)
    seen = cut(slope(), square)
    assert seen.shape == (1, 3, 64, 64)
    assert seen[0, :2].mean(axis=(1, 2)) * 1000 == pytest.approx([96.0, 132.0], abs=1e-2)
    assert (seen[0, 0, 0, 63] - seen[0, 0, 0, 0]) * 1000 == pytest.approx(square.side * 63 / 64, rel=1e-3)


def test_points_of_a_square_lie_on_the_picture_where_they_were_seen() -> None:
    square = Square(96.0, 132.0, 64.0)
    assert square.fractions(np.array([[0.0, 0.0], [1.0, -1.0]])) == pytest.approx(
        np.array([[96 / 320, 132 / 240], [128 / 320, 100 / 240]])
    )


def test_beyond_the_edge_a_square_goes_on_with_the_edge() -> None:
    seen = cut(slope(), Square(0.0, 0.0, 40.0))
    assert seen[0, :2, 0, 0] * 1000 == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("size", [(480, 640), (240, 320), (360, 480)])
def test_pictures_of_any_size_become_standard_ones(size: tuple[int, int]) -> None:
    height, width = size
    x = np.repeat(np.linspace(0, 255, width)[None], height, axis=0)
    found = standard(np.repeat(x[..., None], 3, axis=2).astype(np.uint8))
    assert found.shape == (240, 320, 3)
    assert found[100, 160, 0] == pytest.approx(0.5, abs=0.01)
    assert whole(found).shape == (1, 3, 120, 160)


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(BadSetting, match="shape"):
        standard(np.zeros((240, 320), np.uint8))


def test_passes_on_both_sides_of_the_turn_are_averaged_as_one_line() -> None:
    angles = np.radians([178.0, -178.0])
    said = np.stack([np.zeros(2), np.zeros(2), np.zeros(2), np.cos(angles), np.sin(angles)], axis=1)
    points = two_points(said, directed=False)
    ways = points[:, 1] - points[:, 0]
    assert float(ways[0] @ ways[1]) > 0.0
    assert np.hypot(*ways.mean(axis=0)) == pytest.approx(2.0, rel=1e-3)


def test_a_scoop_keeps_its_start_and_end() -> None:
    points = two_points(np.array([[0.0, 0.0, np.log(0.5), -1.0, 0.0]]), directed=True)
    assert points[0] == pytest.approx(np.array([[0.5, 0.0], [-0.5, 0.0]]), abs=1e-12)


def test_peaks_become_boxes_best_first_and_overlapping_ones_once() -> None:
    heat = np.zeros((30, 40), np.float32)
    heat[10, 20], heat[10, 22], heat[25, 5] = 0.9, 0.6, 0.7
    found = boxes_at_peaks(heat, np.full((4, 30, 40), 4.0, np.float32))
    assert found.scores == pytest.approx((0.9, 0.7))
    best = found.boxes[0]
    assert (best.left, best.top, best.right, best.bottom) == pytest.approx((16.5 / 40, 6.5 / 30, 24.5 / 40, 14.5 / 30))


def test_a_cold_map_has_no_boxes() -> None:
    found = boxes_at_peaks(np.full((30, 40), 0.01, np.float32), np.ones((4, 30, 40), np.float32))
    assert found.boxes == () and found.score == 0.0
