"""The scenes: read from `data/`, checked when read. Objects, goals, tasks and what stands in the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

from handup.core import BadSetting
from handup.core.files import shipped_data
from handup.domains.reaching.gripper import clearances
from handup.domains.reaching.shapes import Box, Obstacles, Ring
from handup.intent import Goal, Goals, Pose, PoseArray
from handup.intent.pose import exponential, product


@dataclass(frozen=True)
class Thing:
    """An object on the table.

    Args:
        name: As a person says it.
        boxes: Its parts that are boxes, in the room.
        rings: Its parts that are round.
    """

    name: str
    boxes: tuple[Box, ...]
    rings: tuple[Ring, ...]

    @property
    def top(self) -> float:
        """Height of its highest part."""
        return max([*(each.top for each in self.boxes), *(each.top for each in self.rings)])


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A table with objects, the ways to grasp them and what a person is asked to do there.

    Args:
        name: `S1`, `S2`, `U6` or `U22` for those of the paper.
        about: One line on it.
        start: Where the hand begins.
        things: The objects.
        goals: What may be grasped and how; every pose is one that the hand can be in.
        tasks: Names of the goals that the paper's people were given, in order.

    Raises:
        BadSetting: A task that is no goal, or a start in which the hand touches something.
    """

    name: str
    about: str
    start: Pose
    things: tuple[Thing, ...]
    goals: Goals
    tasks: tuple[str, ...]

    def __post_init__(self) -> None:
        if missing := next((task for task in self.tasks if task not in self.goals.names), None):
            raise BadSetting(
                f"task '{missing}' is no goal of {self.name}", hint="Name an object and one of its grasps."
            )
        if not self.is_free(self.start):
            raise BadSetting(f"the hand starts inside of something in {self.name}", hint="Start it somewhere free.")

    @cached_property
    def obstacles(self) -> Obstacles:
        """What stops the hand."""
        return Obstacles(
            [each for thing in self.things for each in thing.boxes],
            [each for thing in self.things for each in thing.rings],
        )

    def thing(self, name: str) -> Thing:
        """The object of this name.

        Raises:
            BadSetting: There is none.
        """
        found = next((each for each in self.things if each.name == name), None)
        if found is None:
            names = ", ".join(each.name for each in self.things)
            raise BadSetting(f"there is no '{name}' in {self.name}", hint=f"Choose among: {names}.")
        return found

    def goal(self, name: str) -> Goal:
        """The goal of this name, such as `cup/top`.

        Raises:
            BadGoals: There is none.
        """
        return self.goals[self.goals.index(name)]

    def is_free(self, pose: Pose) -> bool:
        """Whether the hand can be there."""
        rows = PoseArray.of([pose])
        return bool(clearances(rows.positions, rows.rotations, self.obstacles)[0] >= 0.0)


def scene(name: str) -> Scene:
    """The scene of this name.

    Raises:
        BadSetting: There is none.
    """
    found = scenes().get(name)
    if found is None:
        raise BadSetting(f"there is no scene '{name}'", hint=f"Choose among: {', '.join(scenes())}.")
    return found


@cache
def scenes() -> Mapping[str, Scene]:
    """All scenes by name, in the table's order."""
    shapes, table = _table("objects"), _table("scenes")
    return MappingProxyType({name: _scene(name, entry, shapes) for name, entry in table.items()})


def upright(yaw: float, pitch: float, roll: float) -> tuple[float, float, float, float]:
    """The rotation of three angles in degrees: roll about the hand's own x first, then pitch about y, then yaw."""
    turn = exponential((math.radians(roll), 0.0, 0.0))
    turn = product(exponential((0.0, math.radians(pitch), 0.0)), turn)
    return product(exponential((0.0, 0.0, math.radians(yaw))), turn)


def _table(name: str) -> dict[str, Any]:
    table: dict[str, Any] = shipped_data(__file__, f"data/{name}.yaml")
    return table


def _scene(name: str, entry: Mapping[str, Any], shapes: Mapping[str, Any]) -> Scene:
    things = tuple(_thing(each, shapes[each], told["at"]) for each, told in entry["objects"].items())
    listed = {
        (each, grasp): tuple(_placed(pose, told["at"]) for kind in kinds for pose in shapes[each]["grasps"][kind])
        for each, told in entry["objects"].items()
        for grasp, kinds in told["grasps"].items()
    }
    standing = Obstacles(
        [each for thing in things for each in thing.boxes], [each for thing in things for each in thing.rings]
    )
    goals = [Goal(each, grasp, _free(poses, standing)) for (each, grasp), poses in listed.items()]
    return Scene(
        name=name,
        about=entry["about"],
        start=Pose(tuple(entry["start"])),
        things=things,
        goals=Goals.of(goals),
        tasks=tuple(f"{each}/{grasp}" for each, grasp in entry["tasks"]),
    )


def _free(poses: tuple[Pose, ...], obstacles: Obstacles) -> tuple[Pose, ...]:
    """Those that the hand can be in: like a detector of grasps, the list leaves out what neighbours forbid."""
    rows = PoseArray.of(poses)
    room = clearances(rows.positions, rows.rotations, obstacles)
    return tuple(pose for pose, left in zip(poses, room, strict=True) if left >= 0.0)


def _thing(name: str, entry: Mapping[str, Any], at: list[float]) -> Thing:
    boxes = tuple(
        Box(_placed([x, y, z, 0, 0, 0], at).position, (a, b, c), math.radians(at[2]))
        for x, y, z, a, b, c in entry.get("boxes", ())
    )
    rings = tuple(
        Ring(_placed([x, y, z, 0, 0, 0], at).position, radius, wall, height)
        for x, y, z, radius, wall, height in entry.get("rings", ())
    )
    return Thing(name, boxes, rings)


def _placed(pose: list[float], at: list[float]) -> Pose:
    """A pose of an object's own table, in the room."""
    x, y, z, yaw, pitch, roll = pose
    base = Pose((at[0], at[1], 0.0), upright(at[2], 0, 0))
    return Pose((x, y, z), upright(yaw, pitch, roll)).after(base)
