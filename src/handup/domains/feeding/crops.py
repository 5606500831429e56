"""Inputs of the networks: the whole plate at 160 × 120 px, or a square of 64 × 64 px around a box; and M2's boxes.

Every picture is first brought to 320 × 240 px, so a network sees the same whatever the camera's size. Training cuts its
squares by the same rule. M2 gives a map: boxes are at its peaks of heat, with the distances to the four sides there;
overlapping ones count once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import Box, WrongSize
from handup.domains.feeding.module_outputs import Found

Floats = NDArray[np.float32]
WIDTH, HEIGHT = 320, 240
CROP = 64
CONTEXT, MARGIN_PX = 1.4, 8.0
"""Width of a square: a multiple of the longer side of its box, and some pixels more."""
LEAST_HEAT = 0.1
MOST_BOXES = 16
OVERLAP = 0.5
"""Overlap (intersection over union) of two boxes above which only the better one stays."""
THINNEST = 1e-3


@dataclass(frozen=True)
class Square:
    """A square on a picture of 320 × 240 px: its middle and its side in px."""

    x: float
    y: float
    side: float

    @classmethod
    def around(cls, box: Box) -> Square:
        """Return the square that shows a box and something of what lies around it."""
        longer = max((box.right - box.left) * WIDTH, (box.bottom - box.top) * HEIGHT)
        x, y = (box.left + box.right) / 2 * WIDTH, (box.top + box.bottom) / 2 * HEIGHT
        return cls(x, y, CONTEXT * longer + MARGIN_PX)

    def fractions(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points, given in halves of the square from its middle, as fractions of the picture; last axis x, y."""
        places: NDArray[np.float64] = (np.array([self.x, self.y]) + points * self.side / 2) / np.array([WIDTH, HEIGHT])
        return places


def standard(rgb: NDArray[np.uint8]) -> Floats:
    """Return a picture of 320 × 240 px with colours from 0 to 1: by averages from a larger one, else between pixels.

    Raises:
        WrongSize: It is no picture of height × width × 3.
    """
    if rgb.ndim != 3 or rgb.shape[2] != 3 or min(rgb.shape) < 1:
        raise WrongSize.of("shape of a picture", rgb.shape, "be height × width × 3", hint="Give what World.view does.")
    height, width = rgb.shape[:2]
    if height % HEIGHT == 0 and width % WIDTH == 0:
        averages = _averaged(rgb, height // HEIGHT, width // WIDTH)
        averages /= 255.0
        return averages
    x = (np.arange(WIDTH) + 0.5) * width / WIDTH
    y = (np.arange(HEIGHT) + 0.5) * height / HEIGHT
    return _between(rgb.astype(np.float32) / np.float32(255.0), x.astype(np.float32), y.astype(np.float32))


def whole(picture: Floats) -> Floats:
    """Return a standard picture as the networks for whole plates take it: 1 × 3 × 120 × 160."""
    return np.ascontiguousarray(_averaged(picture, 2, 2).transpose(2, 0, 1)[None])


def cut(picture: Floats, square: Square) -> Floats:
    """Return a square of a standard picture as the networks for one item take it: 1 × 3 × 64 × 64."""
    steps = ((np.arange(CROP) + 0.5) / CROP - 0.5) * square.side
    pixels = _between(picture, (square.x + steps).astype(np.float32), (square.y + steps).astype(np.float32))
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


def _averaged(picture: NDArray[np.uint8] | Floats, down: int, across: int) -> Floats:
    """Return means of blocks of pixels; a sum of shifted pictures is many times faster than numpy's mean of blocks."""
    total = np.zeros((picture.shape[0] // down, picture.shape[1] // across, 3), np.float32)
    for row in range(down):
        for column in range(across):
            total += picture[row::down, column::across]
    total /= down * across
    return total


def _between(picture: Floats, x: Floats, y: Floats) -> Floats:
    """Return colours at a grid of points, between the nearest four pixels; beyond the edge, those of the edge."""
    height, width = picture.shape[:2]
    columns, rows = np.clip(x - 0.5, 0, width - 1), np.clip(y - 0.5, 0, height - 1)
    left, top = np.floor(columns).astype(np.int64), np.floor(rows).astype(np.int64)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    across = (columns - left).astype(np.float32)[None, :, None]
    down = (rows - top).astype(np.float32)[:, None, None]
    upper = picture[top[:, None], left] * (1 - across) + picture[top[:, None], right] * across
    lower = picture[bottom[:, None], left] * (1 - across) + picture[bottom[:, None], right] * across
    colours: Floats = upper * (1 - down) + lower * down
    return colours


def boxes_at_peaks(heat: Floats, sides: Floats) -> Found:
    """Return the boxes of one food.

    Args:
        heat: Heat of each cell, rows × columns, from 0 to 1.
        sides: 4 × rows × columns: from each cell's middle to left, top, right and bottom, in cells.
    """
    rows, columns = heat.shape
    padded = np.pad(heat, 1, constant_values=-1.0)
    # A peak is a cell that is as hot as the hottest of its neighbours.
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
            if all(overlap(box, better) <= OVERLAP for better, _ in kept):
                kept.append((box, float(heat[row, column])))
    kept = kept[:MOST_BOXES]
    return Found(tuple(box for box, _ in kept), tuple(score for _, score in kept))


def overlap(one: Box, two: Box) -> float:
    """Return the intersection over union of two boxes."""
    wide = min(one.right, two.right) - max(one.left, two.left)
    high = min(one.bottom, two.bottom) - max(one.top, two.top)
    if wide <= 0.0 or high <= 0.0:
        return 0.0
    areas = sum((box.right - box.left) * (box.bottom - box.top) for box in (one, two))
    return wide * high / (areas - wide * high)


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)
