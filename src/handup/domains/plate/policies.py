"""The high level: whether to acquire or to push together next, by what the robot has seen. Here the plain policies.

`FairOracle` is none of them: it knows the simulator, and stands for what could be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.spatial import ConvexHull, QhullError

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.low_level import BLUR_PX, PIXELS, SIDE_M, aim_at
from handup.domains.plate.primitives import Aim, Mask, PlateOutcome, PlatePrimitive

ACQUIRE, GROUP = PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP
LETTERS = {"a": ACQUIRE, "g": GROUP}
UNSEEN = Aim(dense_m=(0.0, 0.0), far_m=(0.0, 0.0))
"""Aim of a robot that sees no food: the middle of the plate."""


@dataclass(frozen=True, kw_only=True)
class PlateSight:
    """Knowledge of a policy: everything that the robot has seen and done on this plate.

    Args:
        masks: Masks from the first to the present one.
        done: Primitives that were done; one fewer than masks.
        left: Number of actions that are left, at least 1.
    """

    masks: tuple[Mask, ...]
    done: tuple[PlatePrimitive, ...]
    left: int

    @property
    def mask(self) -> Mask:
        """The present mask."""
        return self.masks[-1]


@dataclass(frozen=True, kw_only=True)
class PlateLook:
    """One look at a plate.

    Args:
        mask: The food.
        aim: Places that follow from it; None where no food is seen.
    """

    mask: Mask
    aim: Aim | None


def true_look(world: ClearingWorld) -> PlateLook:
    """Look at the true mask. `handup.domains.plate.vision.PlateEye` looks at a picture instead."""
    mask = world.mask()
    return PlateLook(mask=mask, aim=aim_at(mask))


class PlatePolicy(Protocol):
    """Chooses between acquiring and grouping."""

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return what to do next."""
        ...


@dataclass(frozen=True)
class FixedSequence:
    """Always the same primitives, whatever is on the plate; after the last one it acquires.

    Args:
        letters: `a` for each acquisition and `g` for each push, such as `gaga`.
    """

    letters: str = ""

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return the next one of the sequence."""
        at = len(sight.done)
        return LETTERS[self.letters[at]] if at < len(self.letters) else ACQUIRE


@dataclass(frozen=True)
class RandomChoice:
    """Groups by chance.

    Args:
        seed: Source of the chance, for each plate another one.
        share: Probability of a push.
    """

    seed: int
    share: float = 0.5

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return a primitive drawn by chance."""
        drawn = np.random.default_rng((self.seed, len(sight.done))).random()
        return GROUP if drawn < self.share else ACQUIRE


@dataclass(frozen=True)
class HullThreshold:
    """Groups as long as the food covers a wide area: the heuristic that the paper compares with.

    Args:
        most_cm2: Area of the convex hull of the food from which on it groups, in cm².
    """

    most_cm2: float

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return a push above the threshold. The last action is never one."""
        return GROUP if sight.left > 1 and hull_cm2(sight.mask) > self.most_cm2 else ACQUIRE


@dataclass(frozen=True)
class PeakThreshold:
    """Groups where even the densest place is sparse.

    Args:
        least: Peak of the blurred mask below which it groups, from 0 to 1.
        most: Most pushes.
    """

    least: float
    most: int = 10

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return a push below the threshold. The last action is never one."""
        pushed = sum(done is GROUP for done in sight.done)
        sparse = peak(sight.mask) < self.least
        return GROUP if sight.left > 1 and pushed < self.most and sparse else ACQUIRE


def hull_cm2(mask: Mask) -> float:
    """Return the area of the convex hull of the food, in cm²; 0 where it has none."""
    rows, columns = np.nonzero(mask)
    try:
        hull = ConvexHull(np.stack([rows, columns], axis=1).astype(np.float64))
    except (QhullError, ValueError):
        return 0.0
    return float(hull.volume) * (100.0 * SIDE_M / len(mask)) ** 2


def peak(mask: Mask) -> float:
    """Return the maximum of the blurred mask."""
    blurred = gaussian_filter(mask.astype(np.float64), BLUR_PX * len(mask) / PIXELS, mode="constant")
    return float(blurred.max())


def clear(
    world: ClearingWorld, policy: PlatePolicy, look: Callable[[ClearingWorld], PlateLook] = true_look
) -> tuple[PlateOutcome, ...]:
    """Let a policy clear a plate until it is over; return what came of each action.

    Args:
        world: The plate.
        policy: The policy.
        look: Eyes of the robot, whose masks the policy gets and whose aims are executed.
    """
    masks, outcomes = list[Mask](), list[PlateOutcome]()
    while not world.over:
        seen = look(world)
        masks.append(seen.mask)
        sight = PlateSight(
            masks=tuple(masks),
            done=tuple(outcome.primitive for outcome in outcomes),
            left=world.food.actions - world.actions,
        )
        outcomes.append(world.act(policy.choose(sight), seen.aim or UNSEEN))
    return tuple(outcomes)


def cleared(outcomes: Sequence[PlateOutcome]) -> float:
    """Return the share of the full plate that was picked up."""
    return sum(outcome.moved.taken for outcome in outcomes)
