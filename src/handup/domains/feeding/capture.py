"""The capture model: what holds a food on the fork. Pure arithmetic; the forces and places come from the simulation.

A piece is pierced where a tine presses hard enough, and then hangs on a weld that bears only so much: each mm of tine
in it adds to the hold, tines along the grain and a hold far from its middle take from it. Heaps are taken by what lies
in the fork's way (scoop), how strands lie to the tines (twirl) and how well the food hangs together (skewer). A heap is
a field of heights; what is taken leaves a groove.

The constants were fixed on the tuning seeds (`examples/feeding_sweep.py`) before any network was trained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

from handup.domains.feeding.foods import Food
from handup.domains.feeding.shapes import heap_relief

Floats = NDArray[np.float64]
SAMPLES = 36
CELLS = 48
SHOVED_M = 0.012
"""Radius of what a failed scoop leaves at its end, in m."""
ML = 1e6
"""ml in a cubic metre."""
RULES = 2
"""Version of the model's arithmetic, so that old measurements are not counted with new ones. Before 2 a piece
that had rolled held as if its own z axis were the fork's, and food that a failed scoop shoved off its heap was lost."""


@dataclass(frozen=True, kw_only=True)
class Capture:
    """Constants of the capture model; all *assumed*, chosen on tuning plates.

    Args:
        luck: Standard deviation of the logarithm of what one piece holds: no two are alike.
        jitter_mm: Standard deviation of the place that the arm comes to, in each direction.
        jitter_deg: Standard deviation of its turn.
        lever_mm: Distance beside a piece's middle at which a hold bears half; a leaf bends and does not mind.
        guard_n: Force at which skewering goes no further down.
        twirl_guard_n: Force at which twirling, which is meant for soft food, goes no further down.
        torn: Share of a hold that is left after twirling in a solid piece.
        enough: Score from which a heap stays on the fork.
        residue: Score from which at least a smear is seen.
        bite_ml: The smallest bite of a heap.
        blade_ml: Most that the fork carries of a heap.
        scoop_n: Pull that a piece on a fork held flat bears.
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


@dataclass
class Heap:
    """Heights above the plate on a square grid. The one mutable thing of the food world.

    Args:
        food: Food of the heap.
        x_m: X of its middle on the plate.
        y_m: Y of its middle on the plate.
        half_m: Half the side of the grid.
        grain_rad: Direction of its strands.
        heights_m: Heights in m, row by row from low y, each from low x.
        served_ml: Volume of the fresh heap.
    """

    food: Food
    x_m: float
    y_m: float
    half_m: float
    grain_rad: float
    heights_m: Floats
    served_ml: float = 0.0

    @classmethod
    def served(cls, food: Food, x_m: float, y_m: float, random: np.random.Generator) -> Heap:
        """Return a fresh heap."""
        length, width, height = (random.uniform(*limits) / 1000.0 for limits in food.size_mm)
        half = 0.54 * length
        axis = np.linspace(-half, half, CELLS)
        x, y = np.meshgrid(axis, axis)
        turn, grain = random.uniform(0.0, np.pi, 2)
        along, aside = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        angle, phases = np.arctan2(aside, along), random.uniform(0.0, 2 * np.pi, 2)
        edge = 1.0 + 0.05 * np.sin(3 * angle + phases[0]) + 0.03 * np.sin(5 * angle + phases[1])
        radius = np.hypot(2 * along / length, 2 * aside / width) / edge
        dome = np.clip(1.0 - radius**2.4, 0.0, 1.0) ** 0.65
        relief = heap_relief(food.shape, random, CELLS, grain_deg=float(np.degrees(grain)))
        rough = {"smooth": 0.0022, "grains": 0.0008, "pellets": 0.0034, "curds": 0.0030, "strands": 0.0011}[food.shape]
        heights = np.where(dome > 0.0, np.maximum(height * dome * 0.9 + rough * relief * np.sqrt(dome), 0.0), 0.0)
        heap = cls(food, x_m, y_m, float(half), float(grain), heights)
        heap.served_ml = heap.volume_ml
        return heap

    @property
    def cell_m(self) -> float:
        """Side of a cell."""
        return 2.0 * self.half_m / (CELLS - 1)

    @property
    def volume_ml(self) -> float:
        """Present volume."""
        return float(self.heights_m.sum() * self.cell_m**2 * ML)

    def height_at(self, points_m: Floats) -> Floats:
        """Return heights above the plate at n × 2 points; 0 outside."""
        rows = (points_m[:, 1] - self.y_m + self.half_m) / self.cell_m
        columns = (points_m[:, 0] - self.x_m + self.half_m) / self.cell_m
        heights: Floats = map_coordinates(self.heights_m, [rows, columns], order=1, mode="constant", cval=0.0)
        return heights

    def grid(self) -> tuple[Floats, Floats]:
        """Return x and y of each cell on the plate."""
        axis = np.linspace(-self.half_m, self.half_m, CELLS)
        x, y = np.meshgrid(axis + self.x_m, axis + self.y_m)
        return x, y

    def swept_ml(self, start_m: Floats, end_m: Floats, *, half_width_m: float, floor_m: float) -> tuple[float, Floats]:
        """Return what lies in the way of a fork: its volume, and how much of each cell's height.

        The fork goes in at the start, is at its lowest in the middle and comes up again towards the end.
        """
        x, y = self.grid()
        way = end_m - start_m
        length = float(np.hypot(*way))
        if length < 1e-6:
            return 0.0, np.zeros_like(self.heights_m)
        unit = way / length
        along = (x - start_m[0]) * unit[0] + (y - start_m[1]) * unit[1]
        aside = np.abs((y - start_m[1]) * unit[0] - (x - start_m[0]) * unit[1])
        t = along / length
        # The blade dips in, is low in the middle and rises at the end.
        blade = floor_m + 0.014 * np.clip(np.abs(2.0 * t - 1.0), 0.0, 1.0) ** 3
        soft = np.clip((half_width_m + 0.0015 - aside) / 0.003, 0.0, 1.0) * ((t >= 0.0) & (t <= 1.0))
        taken = np.clip(self.heights_m - blade, 0.0, None) * soft
        return float(taken.sum() * self.cell_m**2 * ML), taken

    def near(self, at_m: Floats, radius_m: float) -> Floats:
        """Return a soft disc of weights around a point, 1 in the middle."""
        x, y = self.grid()
        far = np.hypot(x - at_m[0], y - at_m[1])
        disc: Floats = np.clip((radius_m - far) / (0.3 * radius_m) + 0.5, 0.0, 1.0)
        return disc

    def mean_height_m(self, at_m: Floats, radius_m: float) -> float:
        """Return the mean height within a disc; cells outside the grid count as empty."""
        disc = self.near(at_m, radius_m)
        area = np.pi * radius_m**2 / self.cell_m**2
        return float((self.heights_m * disc).sum() / max(area, float(disc.sum())))

    def take(self, amounts_m: Floats, volume_ml: float) -> float:
        """Remove up to a volume, cell by cell in proportion; what is left slumps a little. Return the ml removed."""
        present = float(amounts_m.sum() * self.cell_m**2 * ML)
        if present <= 0.0 or volume_ml <= 0.0:
            return 0.0
        share = min(1.0, volume_ml / present)
        before = self.volume_ml
        lowered = np.clip(self.heights_m - share * amounts_m, 0.0, None)
        # Only the groove and its rim slump; the rest of the heap stays as it is.
        edge = gaussian_filter((amounts_m > 0.0005).astype(np.float64), 1.2)
        self.heights_m = np.where(edge > 0.02, 0.6 * lowered + 0.4 * gaussian_filter(lowered, 0.8), lowered)
        self.heights_m[self.heights_m < 0.0004] = 0.0
        return max(before - self.volume_ml, 0.0)

    def push(self, start_m: Floats, end_m: Floats, *, half_width_m: float, floor_m: float, share: float) -> None:
        """Shove part of what a failed fork met to the end of its way, or to the edge of the grid.

        Nothing is lost: what was shoved lies there, also where nothing lay before.
        """
        before = self.heights_m
        volume, amounts = self.swept_ml(start_m, end_m, half_width_m=half_width_m, floor_m=floor_m)
        self.take(amounts, share * volume)
        moved = float(before.sum() - self.heights_m.sum())
        if moved <= 0.0:  # what slumped into the groove is more than what was shoved out of it
            self.heights_m = before
            return
        middle, room = np.array([self.x_m, self.y_m]), self.half_m - SHOVED_M
        beyond = self.near(middle + np.clip(end_m - middle, -room, room), SHOVED_M)
        self.heights_m += beyond * (moved / beyond.sum())


def inside(shape: str, half_m: Floats, points_m: Floats) -> NDArray[np.bool_]:
    """Return which points, in a piece's own frame, lie in it."""
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
    """Return how much of each tine is in a piece, in mm.

    Args:
        shape: Shape of the piece.
        half_m: Half sizes of the piece.
        tips_m: Tips in its frame, n × 3.
        along: Direction from a tip towards the handle, in its frame.
        length_m: Length of a tine.
    """
    steps = (np.arange(SAMPLES) + 0.5) / SAMPLES * length_m
    points = tips_m[:, None, :] + steps[None, :, None] * along
    depths: Floats = inside(shape, half_m, points).sum(axis=1) * (1000.0 * length_m / SAMPLES)
    return depths


def hold_n(food: Food, depths_mm: Floats, tips_m: Floats, *, row: Floats, along: Floats) -> float:
    """Return what the tines in a piece bear before it slips off, in N, however the piece has rolled.

    Args:
        food: Food of the piece.
        depths_mm: Depth of each tine in it.
        tips_m: The tips in the piece's frame; its long side is along x.
        row: Direction of the row of tines, in its frame.
        along: Direction from a tip towards the handle, in its frame, of length 1: the hold is so far beside the
            piece's middle as the tines pass beside it.
    """
    total = float(depths_mm.sum())
    if total <= 0.0:
        return 0.0
    # The hold acts at the mean of the tines, by their depth; beside the middle of the piece it has a lever.
    middle = (tips_m * depths_mm[:, None]).sum(axis=0) / total
    off_mm = 1000.0 * float(np.linalg.norm(middle - (middle @ along) * along))
    lever = 1.0 if food.shape == "leaf" else 1.0 / (1.0 + (off_mm / CAPTURE.lever_mm) ** 2)
    split = 1.0 - food.grain * float(row[0]) ** 2
    return food.hold_n_mm * total * lever * split


def scooped_ml(heap: Heap, start_m: Floats, end_m: Floats, *, half_width_m: float) -> tuple[float, Floats]:
    """Return what a sweep gathers of a heap, before luck, and what lay in its way."""
    volume, amounts = heap.swept_ml(start_m, end_m, half_width_m=half_width_m, floor_m=0.002)
    return volume * heap.food.scoop, amounts


def wound(heap: Heap, at_m: Floats, angle_rad: float) -> float:
    """Return how well strands wind: 0.5 is enough. Best where they lie thick and the tines stand across them.

    Args:
        heap: Heap of food.
        at_m: Place at which the fork turns.
        angle_rad: Direction of the two points, which should be that of the strands.
    """
    dense = min(heap.mean_height_m(at_m, 0.013) / 0.011, 1.25)
    across = 0.25 + 0.75 * float(np.cos(angle_rad - heap.grain_rad)) ** 2
    return heap.food.strand * dense * across


def stuck(heap: Heap, tips_m: Floats) -> float:
    """Return how well a heap sticks to tines pushed into it: 0.5 is enough."""
    depth = float(np.clip(heap.height_at(tips_m[:, :2]) - 0.002, 0.0, None).mean())
    return heap.food.cohesion * min(depth / 0.009, 1.25)
