"""A plate of points without physics, to test what stands above the engines: one acquisition takes what is near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handup.domains.plate.clearing_world import Watcher
from handup.domains.plate.primitives import Aim, Floats, Moved, PlateFood, PlatePrimitive, PlateShapes

REACH_M = 0.02


@dataclass
class ToyEngine:
    """Points that are taken within 2 cm of the densest place, and pushed within 2 cm of the way between two places."""

    food: PlateFood = PlateFood.BEANS
    points: Floats = field(default_factory=lambda: np.empty((0, 2)))
    full: int = 30
    physics: str = "points"

    def lay(self, random: np.random.Generator) -> None:
        self.points = random.uniform(-0.09, 0.09, (self.full, 2))

    def footprint(self) -> Floats:
        return self.points

    def shapes(self) -> PlateShapes:
        corners = 0.003 * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
        flat = self.points[:, None] + corners
        return PlateShapes(pieces=np.concatenate((flat, np.full((*flat.shape[:2], 1), 0.003)), axis=2))

    def left(self) -> float:
        return len(self.points) / self.full

    def execute(self, primitive: PlatePrimitive, aim: Aim, watcher: Watcher | None = None) -> Moved:
        if watcher is not None:
            watcher(0.0)
        dense, far = np.array(aim.dense_m), np.array(aim.far_m)
        if primitive is PlatePrimitive.ACQUIRE:
            near = np.hypot(*(self.points - dense).T) <= REACH_M
            self.points = self.points[~near]
            return Moved(taken=int(near.sum()) / self.full)
        way = dense - far
        along = np.clip(((self.points - far) @ way) / max(float(way @ way), 1e-12), 0.0, 1.0)
        met = np.hypot(*(self.points - far - along[:, None] * way).T) <= REACH_M
        self.points = np.where(met[:, None], dense, self.points)
        return Moved()

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return {"points": self.points.copy()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.points = arrays["points"].copy()

    def twin(self) -> Self:
        return type(self)(self.food, full=self.full)
