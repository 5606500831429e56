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
Corners = tuple[float, float, float, float]


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
    kept: list[tuple[Corners, float]] = []
    for row, column in peaks[order].tolist():
        left, top, right, bottom = sides[:, row, column].tolist()
        box = (
            _share((column + 0.5 - left) / columns),
            _share((row + 0.5 - top) / rows),
            _share((column + 0.5 + right) / columns),
            _share((row + 0.5 + bottom) / rows),
        )
        thick = box[2] - box[0] > THINNEST and box[3] - box[1] > THINNEST
        if thick and all(overlap(box, other) <= OVERLAP for other, _ in kept):
            kept.append((box, float(heat[row, column])))
    kept = kept[:MOST_BOXES]
    boxes = tuple(Box(left=box[0], top=box[1], right=box[2], bottom=box[3]) for box, _ in kept)
    return Found(boxes, tuple(score for _, score in kept))


def overlap(one: Corners, other: Corners) -> float:
    """Intersection over union of two boxes, each left, top, right, bottom."""
    across = max(min(one[2], other[2]) - max(one[0], other[0]), 0.0)
    down = max(min(one[3], other[3]) - max(one[1], other[1]), 0.0)
    both = (one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1])
    return across * down / max(both - across * down, 1e-12)


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)
