"""The high level: whether to acquire or to push together next, by what the robot has seen. Here the plain policies.

`FairOracle` is none of them: it knows the simulator, and stands for what could be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.spatial import ConvexHull, QhullError

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.low_level import BLUR_PX, PIXELS, SIDE_M, aim_at
from handup.domains.plate.primitives import Aim, Floats, Mask, PlateFood, PlateOutcome, PlatePrimitive

ACQUIRE, GROUP = PlatePrimitive.ACQUIRE, PlatePrimitive.GROUP
LETTERS = {"a": ACQUIRE, "g": GROUP}
CHOICES = 3
"""Kind of chance of `RandomChoice`: that of a plate with the same seed is another one."""
PUSH_WIDTH_M, PUSH_SHORT_M = 0.03, 0.012
"""Width of a push, and the distance from the densest place at which it ends, as far as pixels go."""
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
        return self.primitive(len(sight.done))

    def primitive(self, number: int) -> PlatePrimitive:
        """Return the primitive with a number, counted from 0."""
        drawn = np.random.default_rng((self.seed, CHOICES, number)).random()
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


@dataclass(frozen=True)
class PushRule:
    """Groups where a push brings more food under the following acquisitions than it costs, counted on pixels.

    Args:
        least_cm2: Gain by `push_gain_cm2` from which on it groups.
        bite_m: Radius of the food that an acquisition takes on pixels.
        most: Most pushes.
    """

    least_cm2: float
    bite_m: float = 0.016
    most: int = 10

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return a push above the threshold. The last action is never one."""
        if sight.left < 2 or sum(done is GROUP for done in sight.done) >= self.most:
            return ACQUIRE
        return GROUP if push_gain_cm2(sight.mask, sight.left, self.bite_m) > self.least_cm2 else ACQUIRE


def push_gain_cm2(mask: Mask, left: int, bite_m: float) -> float:
    """Return how much more food acquisitions would take with a push before them than without, both in `left` actions.

    Food is pixels here: a push moves those in its way to its end, and an acquisition takes those within a radius of the
    densest place.
    """
    return _greedily_cm2(_pushed(mask), left - 1, bite_m) - _greedily_cm2(mask.astype(np.float64), left, bite_m)


def _pushed(mask: Mask) -> Floats:
    """Return how much food there is on each pixel after a push."""
    aim = aim_at(mask)
    rows, columns = np.nonzero(mask)
    food = np.zeros(mask.shape)
    if aim is None:
        return food
    pixel_m = SIDE_M / len(mask)
    places = np.stack([(columns + 0.5) * pixel_m - SIDE_M / 2.0, SIDE_M / 2.0 - (rows + 0.5) * pixel_m], axis=1)
    far, dense = np.array(aim.far_m), np.array(aim.dense_m)
    length = float(np.hypot(*(dense - far)))
    unit = (dense - far) / length if length > 0.0 else np.array([1.0, 0.0])
    along, aside = (places - far) @ unit, (places - far) @ np.array([-unit[1], unit[0]])
    end = length - PUSH_SHORT_M
    met = (np.abs(aside) <= PUSH_WIDTH_M / 2.0) & (along >= -PUSH_SHORT_M) & (along < end)
    places = np.where(met[:, None], places + (end - along)[:, None] * unit, places)
    columns = np.clip(((places[:, 0] + SIDE_M / 2.0) / pixel_m).astype(np.int64), 0, len(mask) - 1)
    rows = np.clip(((SIDE_M / 2.0 - places[:, 1]) / pixel_m).astype(np.int64), 0, len(mask) - 1)
    np.add.at(food, (rows, columns), 1.0)
    return food


def _greedily_cm2(food: Floats, actions: int, bite_m: float) -> float:
    """Return the food that acquisitions at the densest place take."""
    food, pixel_m = food.copy(), SIDE_M / len(food)
    lines = np.arange(len(food)) * pixel_m
    before = food.sum()
    for _ in range(actions):
        blurred = gaussian_filter(food, BLUR_PX * len(food) / PIXELS, mode="constant")
        row, column = np.unravel_index(int(np.argmax(blurred)), food.shape)
        food[(lines[:, None] - row * pixel_m) ** 2 + (lines - column * pixel_m) ** 2 <= bite_m**2] = 0.0
    return float(before - food.sum()) * (100.0 * pixel_m) ** 2


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


TUNED: Mapping[PlateFood, Mapping[str, PlatePolicy]] = {
    PlateFood.BEANS: {
        "best fixed sequence": FixedSequence("aaaag"),
        "hull threshold": HullThreshold(340.0),
        "peak threshold": PeakThreshold(0.4),
        "push rule": PushRule(1.5, bite_m=0.022),
    },
    PlateFood.NOODLES: {
        "best fixed sequence": FixedSequence("aag"),
        "hull threshold": HullThreshold(160.0),
        "peak threshold": PeakThreshold(0.8, most=2),
        "push rule": PushRule(1.5, bite_m=0.022, most=2),
    },
}
"""Best of each family on 32 tuning plates of each food, by `python -m benchmarks.plate tune`.

The best fixed sequence is the best that pushes at all. Beans: no hull threshold is better than never pushing.
"""
BEST_RULE = {PlateFood.BEANS: "peak threshold", PlateFood.NOODLES: "push rule"}
"""Name of the best of the tuned policies on tuning plates."""
