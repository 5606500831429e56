"""What was right, as only the simulation knows: for scoring, calibration sets and simulated people. No robot uses it.

A box is right when it covers a piece of the named food (intersection over union of a half or more), a skill when it
fits what is in the box, parameters when they are within the one table that comes from the published sweep
(`tolerance.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from handup.core import Box, Point, Value
from handup.domains.feeding.camera import Item
from handup.domains.feeding.peaks import overlap
from handup.domains.feeding.skills import Params, Skill
from handup.domains.feeding.tolerance import off_by, tolerance
from handup.domains.feeding.world import World

MODULES = ("food", "box", "skill", "params")
"""M1 to M4, in the order of the chain."""
SAME_BOX = 0.5
"""From this intersection over union on two boxes show the same."""


class Cause(StrEnum):
    """Why a bite was lost: the first module of the chain that was wrong at the first attempt, or what came after."""

    FOOD = "food"
    BOX = "box"
    SKILL = "skill"
    PARAMS = "params"
    DETECTOR = "detector"
    """The food that was meant was on the fork, and the detector took it for none."""
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

    @property
    def cause(self) -> Cause:
        """Why an attempt that did not bring the meant food failed: the first module that was wrong, else physics."""
        return next((Cause(name) for name in MODULES if not getattr(self, name)), Cause.PHYSICS)


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
    """Whether a skill's parameters are near enough to an item's best ones, by the table, to pick it."""
    said, best = (1e3 * np.array(world.on_plate(skill, each)) for each in (params, item.best[skill]))
    return tolerance(item.food, skill).bears(off_by(said, best))
