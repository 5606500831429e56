"""From M2's map to boxes: peaks of the heat, each with the distances to the four sides, overlapping ones once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handup.core import Box
from handup.domains.feeding.seeing import Found

LEAST_HEAT = 0.1
MOST_BOXES = 16
OVERLAP = 0.5
"""Of two boxes that share more than this (intersection over union) the better one stays."""
THINNEST = 1e-3
Floats = NDArray[np.float32]


def boxes_at_peaks(heat: Floats, sides: Floats) -> Found:
    """The boxes of one food.

    Args:
        heat: Rows × columns, from 0 to 1.
        sides: 4 × rows × columns: from each cell's middle to left, top, right and bottom, in cells.
    """
    rows, columns = heat.shape
    padded = np.pad(heat, 1, constant_values=-1.0)
    around = [padded[down : down + rows, across : across + columns] for down in range(3) for across in range(3)]
    peaks = np.argwhere((heat >= LEAST_HEAT) & (heat >= np.max(around, axis=0)))
    order = np.argsort(-heat[peaks[:, 0], peaks[:, 1]], kind="stable")[: 2 * MOST_BOXES]
    kept: list[tuple[Box, float]] = []
    for row, column in peaks[order].tolist():
        to_left, to_top, to_right, to_bottom = sides[:, row, column].tolist()
        left, right = _share((column + 0.5 - to_left) / columns), _share((column + 0.5 + to_right) / columns)
        top, bottom = _share((row + 0.5 - to_top) / rows), _share((row + 0.5 + to_bottom) / rows)
        if right - left > THINNEST and bottom - top > THINNEST:
            box = Box(left=left, top=top, right=right, bottom=bottom)
            if all(overlap(box, other) <= OVERLAP for other, _ in kept):
                kept.append((box, float(heat[row, column])))
    kept = kept[:MOST_BOXES]
    return Found(tuple(box for box, _ in kept), tuple(score for _, score in kept))


def overlap(one: Box, two: Box) -> float:
    """Intersection over union of two boxes."""
    wide = min(one.right, two.right) - max(one.left, two.left)
    high = min(one.bottom, two.bottom) - max(one.top, two.top)
    if wide <= 0.0 or high <= 0.0:
        return 0.0
    areas = sum((each.right - each.left) * (each.bottom - each.top) for each in (one, two))
    return wide * high / (areas - wide * high)


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)
