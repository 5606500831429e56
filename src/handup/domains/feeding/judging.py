"""What was right, as only the simulation knows: for scoring, calibration sets and simulated people. No robot uses it.

A box is right when it covers a piece of the named food (intersection over union of a half or more), a skill when it
fits what is in the box, parameters when they are as near as the published sweep asks for (`docs/feeding/world.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from handup.core import Box, Point, Value
from handup.domains.feeding.camera import Item
from handup.domains.feeding.foods import food
from handup.domains.feeding.skills import Execution, Params, Skill
from handup.domains.feeding.world import World

MODULES = ("food", "box", "skill", "params")
"""M1 to M4, in the order of the chain."""
SAME_BOX = 0.5
NEAR_M, NEAR_LARGE_M = 0.009, 0.018
"""How far the middle of the two points may be off: on a piece, and on what is large (a heap, a leaf)."""
NEAR_RAD = math.radians(45.0)
"""How far the direction may be off where it matters: along a grain, along strands."""
GRAINY = 0.5
"""From this grain on tines along it lose the food."""


class Cause(StrEnum):
    """Why a bite was lost: the first module of the chain that was wrong, or what came after all four."""

    FOOD = "food"
    BOX = "box"
    SKILL = "skill"
    PARAMS = "params"
    DETECTOR = "detector"
    """All four were right; the detector took a bite for none, or none for a bite."""
    PHYSICS = "physics"
    """All four were right, and the food was not picked all the same."""
    UNTRIED = "untried"
    """The robot gave up before it tried."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Which of the four were right. What follows a wrong one is judged on what it was given, where it can be.

    Args:
        food: The named food is on the plate.
        box: The box covers a piece of it.
        skill: The skill fits what is in the box.
        params: The parameters are near enough for that.
        item: The number of what was in the box, as in `World.truth`; None: nothing.
    """

    food: bool
    box: bool
    skill: bool
    params: bool
    item: int | None = None

    @property
    def all_right(self) -> bool:
        """Whether all four were right."""
        return all(getattr(self, name) for name in MODULES)

    def cause(self, done: Execution, *, seen: bool) -> Cause:
        """Why an attempt was lost; the first module that was wrong."""
        for name in MODULES:
            if not getattr(self, name):
                return Cause(name)
        return Cause.PHYSICS if (done.picked is not None) == seen else Cause.DETECTOR


def box_of(item: Item) -> Box:
    """An item's box as an answer has it."""
    left, top, right, bottom = item.box
    return Box(left=left, top=top, right=right, bottom=bottom)


def points_of(params: Params) -> tuple[Point, ...]:
    """A skill's parameters as an answer has them."""
    return (Point(params.x1, params.y1), Point(params.x2, params.y2))


def params_of(points: Value) -> Params:
    """The parameters that two points are."""
    assert isinstance(points, tuple)
    first, second = points
    return Params(first.x, first.y, second.x, second.y)


def overlap(one: Box, two: Box) -> float:
    """Intersection over union of two boxes."""
    wide = min(one.right, two.right) - max(one.left, two.left)
    high = min(one.bottom, two.bottom) - max(one.top, two.top)
    if wide <= 0.0 or high <= 0.0:
        return 0.0
    areas = sum((each.right - each.left) * (each.bottom - each.top) for each in (one, two))
    return wide * high / (areas - wide * high)


def item_at(items: Iterable[Item], box: Box) -> Item | None:
    """What a box shows most of; None where there is nothing in it."""
    best = max(items, key=lambda each: overlap(box_of(each), box), default=None)
    return best if best is not None and overlap(box_of(best), box) > 0.0 else None


def judge(world: World, outputs: Mapping[str, Value]) -> Judged:
    """Which of the four are right about the plate as it is now, before the robot acts."""
    label, box, skill = outputs["food"], outputs["box"], Skill(str(outputs["skill"]))
    assert isinstance(box, Box)
    items = world.truth()
    named = [each for each in items if each.food == label]
    meant = item_at(named, box)
    found = meant is not None and overlap(box_of(meant), box) >= SAME_BOX
    item = meant if found else item_at(items, box)
    fits = item is not None and skill in item.best
    near = item is not None and fits and aims_well(world, item, skill, params_of(outputs["params"]))
    number = None if item is None else item.number
    return Judged(food=bool(named), box=found, skill=fits, params=near, item=number)


def aims_well(world: World, item: Item, skill: Skill, params: Params) -> bool:
    """Whether a skill's parameters are near enough to an item's best ones to pick it."""
    kind = food(item.food)
    large = kind.heap or kind.shape == "leaf"
    (one, two), (first, second) = (world.on_plate(skill, each) for each in (params, item.best[skill]))
    away_m = float(np.hypot(*((one + two) / 2 - (first + second) / 2)))
    if away_m > (NEAR_LARGE_M if large else NEAR_M):
        return False
    minds_angle = skill is not Skill.SCOOP and (kind.strand > 0.0 or kind.grain >= GRAINY)
    return not minds_angle or _between(two - one, second - first) <= NEAR_RAD


def _between(one: np.typing.NDArray[np.float64], two: np.typing.NDArray[np.float64]) -> float:
    """The angle between two lines, whichever way they run."""
    cross, dot = float(one[0] * two[1] - one[1] * two[0]), float(one @ two)
    return math.atan2(abs(cross), abs(dot))
