"""Actions of the robot on a plate, their places, and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
"""Picture from above, rows from far to near: true where there is food."""
ALPHA = 0.66
"""Weight of what was picked up against the loss of coverage in a reward, as in the paper."""


class PlateFood(StrEnum):
    """Food on the plate."""

    NOODLES = "noodles"
    BEANS = "beans"

    @property
    def actions(self) -> int:
        """Number of actions in which a plate is to be cleared, as in the paper."""
        return 10 if self is PlateFood.NOODLES else 8


class PlatePrimitive(StrEnum):
    """Kinds of actions of the robot."""

    ACQUIRE = "acquire"
    """Twirl noodles onto the fork, or scoop beans between spoon and pusher, where the food is densest."""
    GROUP = "group"
    """Push food from where it lies furthest from the rest to where it is densest."""


@dataclass(frozen=True, kw_only=True)
class Aim:
    """Places at which a primitive is done, on the table in metres, with the middle of the plate at 0, 0.

    Args:
        dense_m: Where the food is densest: x and y.
        far_m: Food that lies furthest from the rest: x and y.
        grain_rad: Direction of the strands at the densest place, from 0 to π.
    """

    dense_m: tuple[float, float]
    far_m: tuple[float, float]
    grain_rad: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class PlateShapes:
    """Food and tools as they are now, in the middle of a motion, too: to be drawn. All places are x, y, z in metres.

    Args:
        pieces: Outlines of pieces of food seen from above, pieces × points × 3.
        strands: Middles of strands, strands × points × 3.
        beds: Outlines of parts of tools on which food lies, each points × 3.
        tools: Outlines of the other parts of tools.
    """

    pieces: Floats = field(default_factory=lambda: np.zeros((0, 1, 3)))
    strands: Floats = field(default_factory=lambda: np.zeros((0, 1, 3)))
    beds: tuple[Floats, ...] = ()
    tools: tuple[Floats, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Moved:
    """Result of one motion, in shares of the full plate.

    Args:
        taken: Picked up, and so gone from the plate.
        lost: Fell off the plate.
        dropped: Was lifted and fell back onto the plate.
        unstable: True if the physics went wrong; the engine has rolled it back, and nothing moved.
    """

    taken: float = 0.0
    lost: float = 0.0
    dropped: float = 0.0
    unstable: bool = False


@dataclass(frozen=True, kw_only=True)
class PlateOutcome:
    """Outcome of one action.

    Args:
        primitive: What was done.
        aim: Where it was meant to be done.
        moved: What the motion brought.
        covered: Share of the plate that food covered before.
        covers: Share of the plate that food covers now.
        left: Share of the full plate that is left.
    """

    primitive: PlatePrimitive
    aim: Aim
    moved: Moved
    covered: float
    covers: float
    left: float

    def reward(self, alpha: float = ALPHA) -> float:
        """Return α times what was picked up, plus 1 − α times the loss of coverage."""
        return alpha * self.moved.taken + (1.0 - alpha) * (self.covered - self.covers)
