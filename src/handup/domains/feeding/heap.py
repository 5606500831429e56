"""A heap of soft food as a field of heights: what a fork sweeps up, digs out or winds, and the groove it leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

from handup.domains.feeding.foods import Food
from handup.domains.feeding.textures import heap_relief

CELLS = 48
SHOVED_M = 0.012
"""Radius of what a failed scoop leaves at its end."""
ML = 1e6
"""ml in a cubic metre."""

Floats = NDArray[np.float64]


@dataclass
class Heap:
    """Heights above the plate on a square grid. The one mutable thing of the food world.

    Args:
        food: What it is.
        x_m: Its middle on the plate.
        y_m: Its middle on the plate.
        half_m: Half the side of the grid.
        grain_rad: Direction of its strands.
        heights_m: Row by row from low y, each from low x.
        served_ml: How much there was at first.
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
        """A fresh heap."""
        length, width, height = (random.uniform(*each) / 1000.0 for each in food.size_mm)
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
        """How much there is."""
        return float(self.heights_m.sum() * self.cell_m**2 * ML)

    def height_at(self, points_m: Floats) -> Floats:
        """Heights above the plate at n × 2 points; 0 outside."""
        rows = (points_m[:, 1] - self.y_m + self.half_m) / self.cell_m
        columns = (points_m[:, 0] - self.x_m + self.half_m) / self.cell_m
        found: Floats = map_coordinates(self.heights_m, [rows, columns], order=1, mode="constant", cval=0.0)
        return found

    def grid(self) -> tuple[Floats, Floats]:
        """X and y of each cell on the plate."""
        axis = np.linspace(-self.half_m, self.half_m, CELLS)
        x, y = np.meshgrid(axis + self.x_m, axis + self.y_m)
        return x, y

    def swept_ml(self, start_m: Floats, end_m: Floats, *, half_width_m: float, floor_m: float) -> tuple[float, Floats]:
        """What lies in the way of a fork: its volume, and how much of each cell's height.

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
        blade = floor_m + 0.014 * np.clip(np.abs(2.0 * t - 1.0), 0.0, 1.0) ** 3
        soft = np.clip((half_width_m + 0.0015 - aside) / 0.003, 0.0, 1.0) * ((t >= 0.0) & (t <= 1.0))
        taken = np.clip(self.heights_m - blade, 0.0, None) * soft
        return float(taken.sum() * self.cell_m**2 * ML), taken

    def near(self, at_m: Floats, radius_m: float) -> Floats:
        """A soft disc of weights around a point, 1 in the middle."""
        x, y = self.grid()
        far = np.hypot(x - at_m[0], y - at_m[1])
        disc: Floats = np.clip((radius_m - far) / (0.3 * radius_m) + 0.5, 0.0, 1.0)
        return disc

    def mean_height_m(self, at_m: Floats, radius_m: float) -> float:
        """Mean height within a disc; cells outside the grid count as empty."""
        disc = self.near(at_m, radius_m)
        area = np.pi * radius_m**2 / self.cell_m**2
        return float((self.heights_m * disc).sum() / max(area, float(disc.sum())))

    def take(self, amounts_m: Floats, volume_ml: float) -> float:
        """Remove up to a volume, cell by cell in proportion; what is left slumps a little. Returns ml removed."""
        there = float(amounts_m.sum() * self.cell_m**2 * ML)
        if there <= 0.0 or volume_ml <= 0.0:
            return 0.0
        share = min(1.0, volume_ml / there)
        before = self.volume_ml
        lowered = np.clip(self.heights_m - share * amounts_m, 0.0, None)
        edge = gaussian_filter((amounts_m > 0.0005).astype(np.float64), 1.2)
        self.heights_m = np.where(edge > 0.02, 0.6 * lowered + 0.4 * gaussian_filter(lowered, 0.8), lowered)
        self.heights_m[self.heights_m < 0.0004] = 0.0
        return max(before - self.volume_ml, 0.0)

    def push(self, start_m: Floats, end_m: Floats, *, half_width_m: float, floor_m: float, share: float) -> None:
        """A fork that failed to take shoves part of what it met to the end of its way, or to the edge of the grid.

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
