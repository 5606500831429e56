"""Truth about a bite, as only the simulation knows it: for scores, calibration sets and simulated people only.

A box is right when it covers a piece of the named food (intersection over union of a half or more), a skill when it
fits what is in the box, parameters when they are within the one table of tolerances. That table is written by
`python -m train.feeding.tolerance` from the published sweep (`docs/feeding/sweep.csv`): up to where three quarters of
the perfect success are left.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, Box, Point, UnknownName, Value
from handup.domains.feeding.camera import Item
from handup.domains.feeding.crops import overlap
from handup.domains.feeding.foods import food
from handup.domains.feeding.skills import Params, Skill
from handup.domains.feeding.world import PlateWorld

MODULES = ("food", "box", "skill", "params")
"""M1 to M4, in the order of the chain."""
SAME_BOX = 0.5
"""Intersection over union from which on two boxes show the same."""
SCHEMA = 1
KIND = "feeding-tolerances"
FILE = "data/tolerances.json"
"""The table of tolerances, beside the code."""
MAKE = "Make it: python -m train.feeding.tolerance."
Floats = NDArray[np.float64]


class LossCause(StrEnum):
    """Cause of a lost bite: the first module of the chain that was wrong at the first attempt, or what came after."""

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
class BiteJudgement:
    """Judgement of the four outputs. What follows a wrong one is judged on what it was given, where it can be.

    Args:
        food: True if the named food is on the plate.
        box: True if the box covers a piece of it.
        skill: True if the skill fits what is in the box.
        params: True if the parameters are near enough for that.
        item: Number of what was in the box, as in `PlateWorld.truth`; None for nothing.
    """

    food: bool
    box: bool
    skill: bool
    params: bool
    item: int | None = None

    @property
    def cause(self) -> LossCause:
        """Cause of an attempt that did not bring the meant food: the first module that was wrong, else physics."""
        return next((LossCause(name) for name in MODULES if not getattr(self, name)), LossCause.PHYSICS)


@dataclass(frozen=True)
class PoseError:
    """Error of two points, or what a food bears of it: in place and, whichever way they run, in angle, up to 90°."""

    place_mm: float
    angle_deg: float

    def bears(self, off: PoseError) -> bool:
        """Return whether parameters that are so far off are right all the same."""
        return off.place_mm <= self.place_mm and off.angle_deg <= self.angle_deg


def box_of(item: Item) -> Box:
    """Return an item's box as an answer has it."""
    left, top, right, bottom = item.box
    return Box(left=left, top=top, right=right, bottom=bottom)


def points_of(params: Params) -> tuple[Point, ...]:
    """Return a skill's parameters as an answer has them."""
    return (Point(params.x1, params.y1), Point(params.x2, params.y2))


def params_of(points: Value) -> Params:
    """Return the parameters that two points are."""
    assert isinstance(points, tuple)
    first, second = points
    return Params(first.x, first.y, second.x, second.y)


def item_at(items: Iterable[Item], box: Box) -> Item | None:
    """Return the item that a box shows most of; None if there is nothing in it."""
    best = max(items, key=lambda item: overlap(box_of(item), box), default=None)
    return best if best is not None and overlap(box_of(best), box) > 0.0 else None


def judge(world: PlateWorld, outputs: Mapping[str, Value]) -> BiteJudgement:
    """Judge the four outputs on the plate as it is now, before the robot acts."""
    label, box, skill = outputs["food"], outputs["box"], Skill(str(outputs["skill"]))
    assert isinstance(box, Box)
    items = world.truth()
    named = [item for item in items if item.food == label]
    meant = item_at(named, box)
    covered = meant is not None and overlap(box_of(meant), box) >= SAME_BOX
    item = meant if covered else item_at(items, box)
    fits = item is not None and skill in item.best
    near = item is not None and fits and aims_well(world, item, skill, params_of(outputs["params"]))
    number = None if item is None else item.number
    return BiteJudgement(food=bool(named), box=covered, skill=fits, params=near, item=number)


def aims_well(world: PlateWorld, item: Item, skill: Skill, params: Params) -> bool:
    """Return whether a skill's parameters are near enough to an item's best ones, by the table, to pick it."""
    actual, best = (1e3 * np.array(world.on_plate(skill, points)) for points in (params, item.best[skill]))
    return tolerance(item.food, skill).bears(off_by(actual, best))


def off_by(said: Floats, best: Floats) -> PoseError:
    """Return how far a line is from the best one, each given as its two points in mm."""
    way, ideal = said[1] - said[0], best[1] - best[0]
    cross, dot = float(way[0] * ideal[1] - way[1] * ideal[0]), float(way @ ideal)
    place_mm = float(np.hypot(*(said.mean(axis=0) - best.mean(axis=0))))
    return PoseError(place_mm, math.degrees(math.atan2(abs(cross), abs(dot))))


@cache
def tolerances() -> Mapping[tuple[str, Skill], PoseError]:
    """Return the tolerance of every food under each skill that fits it.

    Raises:
        BadRecord: The table is missing or damaged.
    """
    try:
        record = json.loads((files("handup.domains.feeding") / FILE).read_text(encoding="utf-8"))
        if (record["kind"], record["schema"]) != (KIND, SCHEMA):
            raise BadRecord("the table of tolerances is of another version", hint=MAKE)
        table = {
            (name, Skill(skill)): PoseError(float(entry["place_mm"]), float(entry["angle_deg"]))
            for name, by_skill in record["tolerances"].items()
            for skill, entry in by_skill.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRecord(f"the table of tolerances cannot be read ({error})", hint=MAKE) from error
    return MappingProxyType(table)


def tolerance(food: str, skill: Skill) -> PoseError:
    """Return what a food bears under a skill that fits it.

    Raises:
        UnknownName: The sweep has no such pair.
    """
    if (food, skill) not in tolerances():
        raise UnknownName(f"there is no tolerance for {food} with the skill {skill}", hint=MAKE)
    return tolerances()[food, skill]


def right_answer(
    world: PlateWorld, module: str, said: Mapping[str, Value], tried: Collection[int | None] = frozenset()
) -> Value:
    """Return a right answer to the question about a module; the robot's own, if its food, box or skill is right.

    Args:
        world: World with the plate as it is.
        module: `food`, `box`, `skill` or `params`.
        said: Outputs of the robot's modules, earlier answers among them.
        tried: Items that were tried in vain: a sensible person points at another piece, or names another food.
    """
    items = world.truth()
    fresh = tuple(item for item in items if item.number not in tried or food(item.food).heap) or items
    match module:
        case "food":
            return _food(world, fresh, said.get("food"))
        case "box":
            return _box(fresh, said.get("food"), said.get("box"))
        case "skill":
            item = _meant(items, said)
            return said["skill"] if item is None or Skill(str(said["skill"])) in item.best else str(item.skill)
        case _:
            item = _meant(items, said)
            if item is None:
                return said["params"]
            return points_of(item.best.get(Skill(str(said["skill"])), item.best[item.skill]))


def nothing_left(world: PlateWorld) -> bool:
    """Return whether no skill could pick anything any more: no piece is seen, and no heap holds a bite."""
    left = world.left()
    return not any(not food(item.food).heap or left[item.food] >= 1.0 for item in world.truth())


def _food(world: PlateWorld, items: tuple[Item, ...], guess: Value | None) -> Value:
    """Return a food that is seen, and of which there is a bite: the robot's, or the one there is most of."""
    left, seen = world.left(), {item.food for item in items}
    foods = [name for name in left if name in seen and left[name] >= 1.0] or sorted(seen) or list(left)
    return guess if guess in foods else max(foods, key=lambda name: left[name])


def _box(items: tuple[Item, ...], label: Value | None, guess: Value | None) -> Value:
    """Return the box of the named food that the robot means, or that is seen best; of any food, if none is seen."""
    named = [item for item in items if item.food == label] or list(items)
    if isinstance(guess, Box):
        meant = item_at(named, guess)
        if meant is not None and overlap(box_of(meant), guess) >= SAME_BOX:
            return guess
    if not named:
        return guess if guess is not None else Box(left=0.4, top=0.4, right=0.6, bottom=0.6)
    return box_of(max(named, key=lambda item: item.pixels))


def _meant(items: tuple[Item, ...], said: Mapping[str, Value]) -> Item | None:
    """Return what is in the robot's box, of the named food if possible."""
    box = said["box"]
    assert isinstance(box, Box)
    return item_at([item for item in items if item.food == said.get("food")], box) or item_at(items, box)
