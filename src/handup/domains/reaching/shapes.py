"""What stops the hand: boxes and upright rings on a table, and how far balls are from them, many at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting
from handup.intent.pose import Vector

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """A box that stands upright.

    Args:
        middle: x, y, z in metres.
        size: Along its own x, y, z in metres.
        yaw: By which it is turned, radians.

    Raises:
        BadSetting: A size that is not above 0.
    """

    middle: Vector
    size: Vector
    yaw: float = 0.0

    def __post_init__(self) -> None:
        if not min(self.size) > 0.0:
            raise BadSetting(f"a box has the sizes {self.size}", hint="Give three sizes above 0, in metres.")

    @property
    def top(self) -> float:
        """Height of its upper side."""
        return self.middle[2] + self.size[2] / 2.0


@dataclass(frozen=True)
class Ring:
    """An upright tube: the wall of a cup. A wall as thick as the radius makes it a full cylinder.

    Args:
        middle: x, y, z in metres.
        radius: Outside, metres.
        wall: Thickness, metres.
        height: Metres.

    Raises:
        BadSetting: A size that is not above 0, or a wall thicker than the radius.
    """

    middle: Vector
    radius: float
    wall: float
    height: float

    def __post_init__(self) -> None:
        if not (0.0 < self.wall <= self.radius and self.height > 0.0):
            raise BadSetting(
                f"a ring has radius {self.radius}, wall {self.wall} and height {self.height}",
                hint="Give numbers above 0 and a wall no thicker than the radius, in metres.",
            )

    @property
    def core(self) -> float:
        """Distance of the middle of the wall from the axis; 0 where it is full."""
        return 0.0 if self.wall == self.radius else self.radius - self.wall / 2.0

    @property
    def top(self) -> float:
        """Height of its upper end."""
        return self.middle[2] + self.height / 2.0


class Obstacles:
    """Everything that stands on the table at height 0, ready to be asked for distances.

    Args:
        boxes: The boxes.
        rings: The rings.
    """

    def __init__(self, boxes: Sequence[Box], rings: Sequence[Ring]) -> None:
        self._box_middle = np.array([each.middle for each in boxes]).reshape(-1, 3)
        self._box_half = np.array([each.size for each in boxes]).reshape(-1, 3) / 2.0
        self._cos = np.array([math.cos(each.yaw) for each in boxes])
        self._sin = np.array([math.sin(each.yaw) for each in boxes])
        self._ring_middle = np.array([each.middle for each in rings]).reshape(-1, 3)
        self._wall = np.array([each.core for each in rings])
        self._half = np.array([each.radius - each.core for each in rings])
        self._half_height = np.array([each.height / 2 for each in rings])

    def distances(self, points: Array) -> Array:
        """How far each point is from the nearest surface; below 0 inside of something.

        Args:
            points: Any shape that ends in x, y, z.
        """
        nearest = points[..., 2].copy()
        across = points[..., None, :]
        if len(self._box_half):
            way = across - self._box_middle
            x, y = way[..., 0], way[..., 1]
            out_x = np.abs(x * self._cos + y * self._sin) - self._box_half[:, 0]
            out_y = np.abs(y * self._cos - x * self._sin) - self._box_half[:, 1]
            out_z = np.abs(way[..., 2]) - self._box_half[:, 2]
            inside = np.minimum(np.maximum(np.maximum(out_x, out_y), out_z), 0.0)
            outside = np.maximum(out_x, 0.0) ** 2 + np.maximum(out_y, 0.0) ** 2 + np.maximum(out_z, 0.0) ** 2
            nearest = np.minimum(nearest, (np.sqrt(outside) + inside).min(axis=-1))
        if len(self._half):
            way = across - self._ring_middle
            out_r = np.abs(np.hypot(way[..., 0], way[..., 1]) - self._wall) - self._half
            out_z = np.abs(way[..., 2]) - self._half_height
            inside = np.minimum(np.maximum(out_r, out_z), 0.0)
            outside = np.maximum(out_r, 0.0) ** 2 + np.maximum(out_z, 0.0) ** 2
            nearest = np.minimum(nearest, (np.sqrt(outside) + inside).min(axis=-1))
        return np.asarray(nearest)
