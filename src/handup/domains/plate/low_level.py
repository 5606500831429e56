"""The low level: where to put the tool, from a mask of the food seen from above.

The densest place is the maximum of the blurred mask, the furthest food its minimum over food. The grain, the direction
in which the strands run, is that of the structure tensor around the densest place.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.ndimage import gaussian_filter, sobel

from handup.domains.plate.primitives import Aim, Floats, Mask

SIDE_M = 0.24
"""Side of the square that a mask shows, in metres: a plate from rim to rim."""
PIXELS = 64
BLUR_PX = 3.0
"""Standard deviation of the blur: 11 mm, about half a bite."""
GRAIN_M = 0.02
"""Half the side of the square in which the grain is looked for."""


def aim_at(mask: Mask, *, blur_px: float = BLUR_PX) -> Aim | None:
    """Return where to acquire and where to push from; None where there is no food.

    Args:
        mask: The food, as square as the plate and of any size.
        blur_px: Standard deviation of the blur at 64 × 64 pixels.
    """
    if not mask.any():
        return None
    scale = len(mask) / PIXELS
    food = mask.astype(np.float64)
    blurred = gaussian_filter(food, blur_px * scale, mode="constant")
    dense = _first_of(blurred)
    far = _first_of(np.where(mask, -blurred, -np.inf))
    return Aim(dense_m=place_of(dense, len(mask)), far_m=place_of(far, len(mask)), grain_rad=_grain(food, dense, scale))


def place_of(pixel: tuple[int, int], pixels: int = PIXELS) -> tuple[float, float]:
    """Return the place of the middle of a pixel, given as row and column: x to the right, y away from the robot."""
    row, column = pixel
    return ((column + 0.5) / pixels - 0.5) * SIDE_M, (0.5 - (row + 0.5) / pixels) * SIDE_M


def pixels_of(points_m: Floats, pixels: int = PIXELS) -> Mask:
    """Return the mask of points on the table, n × 2; those beyond the picture are left out."""
    mask = np.zeros((pixels, pixels), dtype=np.bool_)
    columns = np.floor((points_m[:, 0] / SIDE_M + 0.5) * pixels).astype(np.int64)
    rows = np.floor((0.5 - points_m[:, 1] / SIDE_M) * pixels).astype(np.int64)
    inside = (columns >= 0) & (columns < pixels) & (rows >= 0) & (rows < pixels)
    mask[rows[inside], columns[inside]] = True
    return mask


def _first_of(values: Floats) -> tuple[int, int]:
    row, column = np.unravel_index(int(np.argmax(np.round(values, 9))), values.shape)
    return int(row), int(column)


def _grain(food: Floats, at: tuple[int, int], scale: float) -> float:
    """Return the direction across which the picture changes least around a pixel, from 0 to π."""
    half = max(2, round(GRAIN_M / SIDE_M * len(food)))
    smooth = gaussian_filter(food, scale)
    across, down = sobel(smooth, axis=1), sobel(smooth, axis=0)
    window = tuple(slice(max(0, middle - half), middle + half + 1) for middle in at)
    x, y = across[window], -down[window]
    # The strongest change runs at half the angle of the summed squares; strands run at right angles to it.
    strongest = 0.5 * math.atan2(2.0 * float((x * y).sum()), float((x * x - y * y).sum()))
    return (strongest + math.pi / 2.0) % math.pi
