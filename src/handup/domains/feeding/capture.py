"""The capture model: what holds a food on the fork. Pure arithmetic; the forces and places come from the simulation.

A piece is pierced where a tine presses hard enough, and then hangs on a weld that bears only so much: each mm of tine
in it adds to the hold, tines along the grain and a hold far from its middle take from it. Heaps are taken by what lies
in the fork's way (scoop), how strands lie to the tines (twirl) and how well the food hangs together (skewer).

The constants were fixed on the tuning seeds (`sweep.TUNING_SEEDS`) before any network was trained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding.foods import Food
from handup.domains.feeding.heap import Heap

Floats = NDArray[np.float64]
SAMPLES = 36
RULES = 2
"""Raised when the model's arithmetic changes, so that old measurements are not counted with new ones. Before 2 a piece
that had rolled held as if its own z axis were the fork's, and food that a failed scoop shoved off its heap was lost."""


@dataclass(frozen=True, kw_only=True)
class Capture:
    """Constants of the capture model; all *assumed*, chosen on tuning plates.

    Args:
        luck: Standard deviation of the logarithm of what one piece holds: no two are alike.
        jitter_mm: Standard deviation of where the arm comes to, in each direction.
        jitter_deg: Standard deviation of how it turns.
        lever_mm: A hold so far beside a piece's middle bears half; a leaf bends and does not mind.
        guard_n: Skewering goes no further down than this force lets it.
        twirl_guard_n: So does twirling, which is meant for soft food.
        torn: Share of a hold that is left after twirling in a solid piece.
        enough: Score from which a heap stays on the fork.
        residue: Score from which at least a smear is seen.
        bite_ml: The smallest bite of a heap.
        blade_ml: What the fork carries at most.
        scoop_n: What a fork held flat bears.
    """

    luck: float = 0.40
    jitter_mm: float = 1.2
    jitter_deg: float = 3.0
    lever_mm: float = 12.0
    guard_n: float = 6.0
    twirl_guard_n: float = 0.5
    torn: float = 0.05
    enough: float = 0.5
    residue: float = 0.2
    bite_ml: float = 2.5
    blade_ml: float = 11.0
    scoop_n: float = 1.2


CAPTURE = Capture()


def inside(shape: str, half_m: Floats, points_m: Floats) -> NDArray[np.bool_]:
    """Which points, in a piece's own frame, lie in it."""
    scaled = points_m / half_m
    if shape in {"ball", "berry"}:
        return np.asarray((scaled**2).sum(axis=-1) <= 1.0)
    if shape == "disc":
        return np.asarray((np.hypot(scaled[..., 0], scaled[..., 1]) <= 1.0) & (np.abs(scaled[..., 2]) <= 1.0))
    if shape == "bean":
        beyond = np.maximum(np.abs(points_m[..., 0]) - (half_m[0] - half_m[1]), 0.0)
        return np.asarray(beyond**2 + points_m[..., 1] ** 2 + points_m[..., 2] ** 2 <= half_m[1] ** 2)
    return np.asarray((np.abs(scaled) <= 1.0).all(axis=-1))


def tine_depths_mm(shape: str, half_m: Floats, tips_m: Floats, along: Floats, *, length_m: float) -> Floats:
    """How much of each tine is in a piece.

    Args:
        shape: The piece's shape.
        half_m: Its half sizes.
        tips_m: The tips in its frame, n × 3.
        along: From a tip towards the handle, in its frame.
        length_m: Of a tine.
    """
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES * length_m
    points = tips_m[:, None, :] + steps[None, :, None] * along
    depths: Floats = inside(shape, half_m, points).sum(axis=1) * (1000.0 * length_m / SAMPLES)
    return depths


def hold_n(
    food: Food, depths_mm: Floats, tips_m: Floats, *, row: Floats, along: Floats, constants: Capture
) -> float:  # fmt: skip
    """What the tines in a piece bear before it slips off, however the piece has rolled.

    Args:
        food: What it is.
        depths_mm: Of each tine in it.
        tips_m: The tips in the piece's frame; its long side is along x.
        row: Direction of the row of tines, in its frame.
        along: From a tip towards the handle, in its frame, of length 1: the hold is so far beside the piece's middle
            as the tines pass beside it.
        constants: Of the model.
    """
    total = float(depths_mm.sum())
    if total <= 0.0:
        return 0.0
    middle = (tips_m * depths_mm[:, None]).sum(axis=0) / total
    off_mm = 1000.0 * float(np.linalg.norm(middle - (middle @ along) * along))
    lever = 1.0 if food.shape == "leaf" else 1.0 / (1.0 + (off_mm / constants.lever_mm) ** 2)
    split = 1.0 - food.grain * float(row[0]) ** 2
    return food.hold_n_mm * total * lever * split


def scooped_ml(heap: Heap, start_m: Floats, end_m: Floats, *, half_width_m: float) -> tuple[float, Floats]:
    """What a sweep gathers of a heap, before luck, and what lay in its way."""
    volume, amounts = heap.swept_ml(start_m, end_m, half_width_m=half_width_m, floor_m=0.002)
    return volume * heap.food.scoop, amounts


def wound(heap: Heap, at_m: Floats, angle_rad: float) -> float:
    """How well strands wind: 0.5 is enough. Best where they lie thick and the tines stand across them.

    Args:
        heap: Of food.
        at_m: Where the fork turns.
        angle_rad: Direction of the two points, which should be that of the strands.
    """
    dense = min(heap.mean_height_m(at_m, 0.013) / 0.011, 1.25)
    across = 0.25 + 0.75 * float(np.cos(angle_rad - heap.grain_rad)) ** 2
    return heap.food.strand * dense * across


def stuck(heap: Heap, tips_m: Floats) -> float:
    """How well a heap sticks to tines pushed into it: 0.5 is enough."""
    depth = float(np.clip(heap.height_at(tips_m[:, :2]) - 0.002, 0.0, None).mean())
    return heap.food.cohesion * min(depth / 0.009, 1.25)
