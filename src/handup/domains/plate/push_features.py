"""Features of a plate that say whether a push pays: the next actions played on the pixels of the mask.

On pixels, an acquisition takes what lies in a box around the densest place, and a push carries what lies in its way to
the densest place, where it is heaped up. That is no physics, and blind to noise; how much of it is true is learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from handup.domains.plate.low_level import BLUR_PX, PIXELS, SIDE_M
from handup.domains.plate.primitives import Floats, Mask, PlateFood

Masks = NDArray[np.bool_]
"""Masks of several plates, n × 64 × 64."""
NAMES = (
    "left", "clearance", "gain", "gain of two", "gain after the next", "gain of waiting", "in the way", "way", "food",
    "first", "second", "first once pushed", "peak", "last", "gain of narrow tools", "gain of wide tools",
)  # fmt: skip
"""Names of the features, in their order."""


@dataclass(frozen=True, kw_only=True)
class ToolReach:
    """ToolReach of the tools on the pixels of a mask, in metres.

    Args:
        box_m: Half the sides of the box that an acquisition takes from, along x and along y.
        way_m: Half the width of the way that a push clears.
        back_m: Distance behind the furthest food at which it begins.
        stop_m: Distance before the densest place at which it ends.
        pixels: Pixels that the food of a full plate covers.
    """

    box_m: tuple[float, float]
    way_m: float
    back_m: float
    stop_m: float
    pixels: float

    def scaled(self, scale: float) -> ToolReach:
        """Return the reach of tools that are wider or narrower."""
        return replace(self, box_m=(scale * self.box_m[0], scale * self.box_m[1]))


SCALES = (0.8, 1.3)
"""Widths of the tools, against the usual ones, with which the gain of a push is looked at again: pixels err."""
REACHES = {
    PlateFood.BEANS: ToolReach(box_m=(0.020, 0.015), way_m=0.014, back_m=0.014, stop_m=0.012, pixels=308.0),
    PlateFood.NOODLES: ToolReach(box_m=(0.014, 0.014), way_m=0.020, back_m=0.0, stop_m=0.0, pixels=800.0),
}


def features_of(masks: Masks, left: NDArray[np.int64], food: PlateFood) -> Floats:
    """Return the features of several plates, n × 16, in shares of a full plate and metres.

    Args:
        masks: Their masks, 64 × 64.
        left: Number of actions that are left on each.
        food: The food.
    """
    reach = REACHES[food]
    most = max(2, int(left.max(initial=0)))
    alone, peaks, later = np.zeros((len(masks), most)), np.zeros((len(masks), most)), np.zeros((len(masks), most))
    rest = masks
    for action in range(most):
        if action and action < most - 1:
            pushed, _, _ = _grouped(rest, reach)
            later[:, action] = alone.sum(axis=1) + _cleared(pushed, left - action - 1, reach).sum(axis=1)
        rest, alone[:, action], peaks[:, action] = _acquired(rest, action < left, reach)
    before = alone.sum(axis=1)
    pushed, way, carried = _grouped(masks, reach)
    after = _cleared(pushed, left - 1, reach)
    twice = _cleared(_grouped(pushed, reach)[0], left - 2, reach)
    columns = [
        left.astype(np.float64), before, after.sum(axis=1) - before, twice.sum(axis=1) - before,
        np.where(left > 2, later[:, 1] - before, 0.0), np.maximum(later.max(axis=1) - before, 0.0), carried, way,
        masks.sum(axis=(1, 2)) / reach.pixels, alone[:, 0], alone[:, 1], after[:, 0], peaks[:, 0],
        alone[np.arange(len(left)), left - 1],
        *(_gain(masks, pushed, left, reach.scaled(scale)) for scale in SCALES),
    ]  # fmt: skip
    return np.stack(columns, axis=1)


def _gain(masks: Masks, pushed: Masks, left: NDArray[np.int64], reach: ToolReach) -> Floats:
    """Return by how much more acquisitions take after a push than without it."""
    gain: Floats = _cleared(pushed, left - 1, reach).sum(axis=1) - _cleared(masks, left, reach).sum(axis=1)
    return gain


def _cleared(masks: Masks, left: NDArray[np.int64], reach: ToolReach) -> Floats:
    """Return the shares that acquisitions take on pixels, n × most that are left."""
    most = max(1, int(left.max(initial=0)))
    taken = np.zeros((len(masks), most))
    for action in range(most):
        masks, taken[:, action], _ = _acquired(masks, action < left, reach)
    return taken


def _acquired(masks: Masks, live: NDArray[np.bool_], reach: ToolReach) -> tuple[Masks, Floats, Floats]:
    """Return the masks after an acquisition on those that are live, what it took, and the peaks before."""
    x_m, y_m = _places()
    dense, peaks = _densest(_blurred(masks))
    near = np.abs(x_m - x_m.flat[dense][:, None, None]) <= reach.box_m[0]
    near &= np.abs(y_m - y_m.flat[dense][:, None, None]) <= reach.box_m[1]
    near &= masks & live[:, None, None]
    return masks & ~near, near.sum(axis=(1, 2)) / reach.pixels, peaks


def _grouped(masks: Masks, reach: ToolReach) -> tuple[Masks, Floats, Floats]:
    """Return the masks after a push on pixels, the length of its way, and the share of a full plate that it carried."""
    blurred = _blurred(masks)
    dense, _ = _densest(blurred)
    far, _ = _densest(np.where(masks, -blurred, -np.inf))
    places = np.stack([place.ravel() for place in _places()], axis=1)
    start, end = places[far], places[dense]
    way = np.hypot(*(end - start).T)
    unit = (end - start) / np.maximum(way, 1e-9)[:, None]
    along = (places[None] - start[:, None]) @ unit[:, :, None]
    across = (places[None] - start[:, None]) @ np.stack([-unit[:, 1], unit[:, 0]], axis=1)[:, :, None]
    stop = (way - reach.stop_m)[:, None]
    flat = masks.reshape(len(masks), -1)
    met = flat & (along[..., 0] >= -reach.back_m) & (along[..., 0] <= stop) & (np.abs(across[..., 0]) <= reach.way_m)
    pushed = flat & ~met
    # What is carried is heaped up before the pusher, on the free pixels next to the densest place.
    off = np.hypot(*(places[None] - end[:, None]).transpose(2, 0, 1)) + 1.0 * pushed + 1.0 * (along[..., 0] < stop)
    counts = met.sum(axis=1)
    nearest = np.argsort(off, axis=1, kind="stable")
    for row, count in enumerate(counts.tolist()):
        pushed[row, nearest[row, :count]] = True
    return pushed.reshape(masks.shape), way, counts / reach.pixels


def _densest(blurred: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the pixel of the maximum, as the low level finds it, and the maximum."""
    flat = np.round(blurred.reshape(len(blurred), -1), 9)
    best = flat.argmax(axis=1)
    return best, flat[np.arange(len(flat)), best]


def _blurred(masks: Masks) -> Floats:
    blur = _blur()
    blurred: Floats = blur @ masks.astype(np.float64) @ blur.T
    return blurred


@cache
def _blur() -> Floats:
    """Return the low level's blur along one axis, as a matrix."""
    blur: Floats = gaussian_filter1d(np.eye(PIXELS), BLUR_PX, axis=0, mode="constant")
    return blur


@cache
def _places() -> tuple[Floats, Floats]:
    """Return x and y of the middles of all pixels."""
    at = ((np.arange(PIXELS) + 0.5) / PIXELS - 0.5) * SIDE_M
    x_m, y_m = np.meshgrid(at, -at)
    return x_m, y_m


def features_at(mask: Mask, left: int, food: PlateFood) -> Floats:
    """Return the features of one plate."""
    features: Floats = features_of(mask[None], np.array([left]), food)[0]
    return features
