"""The table: obstacles, the hand, and the scenes, read from `data/` and checked when read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadPose, OutOfRange, UnknownName
from handup.core.files import shipped_data
from handup.intent import Goal, Goals, Pose, PoseArray
from handup.intent.pose import STILL, Quaternion, Vector, exponential, product

Array = NDArray[np.float64]
CONTROL_HZ = 40
CONTROL_S = 1.0 / CONTROL_HZ
STICK_M_S, STICK_RAD_S = 0.06, 0.4
"""Velocity at a full push of one axis of the stick."""
MOST_M_S, MOST_RAD_S = 0.12, 0.8
"""Limits of the hand's velocity and turning, whoever commands it: twice a full push."""
OPENING_M = 0.085
"""Distance between the open fingers."""
LOW, HIGH = (-0.1, -0.7, 0.0), (0.95, 0.7, 0.6)
"""Corners of the room that the arm can reach, for the middle between the finger tips."""
_FINGER = 0.006
_ACROSS = OPENING_M / 2.0 + _FINGER
_BALLS = (
    *((-0.015 * back, side * _ACROSS, 0.0, _FINGER) for side in (-1, 1) for back in range(4)),
    *((-0.075, across, 0.0, 0.030) for across in (-0.035, 0.0, 0.035)),
    (-0.13, 0.0, 0.0, 0.040),
    (-0.18, 0.0, 0.0, 0.040),
)
BALLS = np.array(_BALLS)
"""Balls that make up the hand: x, y, z and radius, seen from the middle between the finger tips. x points
where the hand points, the fingers close along y: two fingers, the palm, the wrist."""
REACH_M = max(math.hypot(*ball[:3]) for ball in _BALLS)
"""Distance from the middle between the finger tips to the ball furthest from it: the lever of a turn."""


@dataclass(frozen=True)
class UprightBox:
    """A box that stands upright.

    Args:
        middle: x, y, z in metres.
        size: Lengths along its own x, y, z in metres.
        yaw: Turn about the upright axis, in radians.

    Raises:
        OutOfRange: A size that is not above 0.
    """

    middle: Vector
    size: Vector
    yaw: float = 0.0

    def __post_init__(self) -> None:
        if not min(self.size) > 0.0:
            raise OutOfRange.of("the sizes of a box", self.size, "be above 0", hint="Give three sizes, in metres.")

    @property
    def top(self) -> float:
        """Height of its upper side."""
        return self.middle[2] + self.size[2] / 2.0


@dataclass(frozen=True)
class Ring:
    """An upright tube: the wall of a cup. A wall as thick as the radius makes it a full cylinder.

    Args:
        middle: x, y, z in metres.
        radius: Outer radius, in metres.
        wall: Thickness, in metres.
        height: Height, in metres.

    Raises:
        OutOfRange: A size that is not above 0, or a wall thicker than the radius.
    """

    middle: Vector
    radius: float
    wall: float
    height: float

    def __post_init__(self) -> None:
        if not (0.0 < self.wall <= self.radius and self.height > 0.0):
            raise OutOfRange(
                f"a ring must have sizes above 0, got radius {self.radius}, wall {self.wall} and height {self.height}",
                hint="Give metres, and a wall no thicker than the radius.",
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
    """Objects on a table at height 0, ready to be asked for distances.

    Args:
        boxes: The boxes.
        rings: The rings.
    """

    def __init__(self, boxes: Sequence[UprightBox], rings: Sequence[Ring]) -> None:
        self._box_middle = np.array([box.middle for box in boxes]).reshape(-1, 3)
        self._box_half = np.array([box.size for box in boxes]).reshape(-1, 3) / 2.0
        self._cos = np.array([math.cos(box.yaw) for box in boxes])
        self._sin = np.array([math.sin(box.yaw) for box in boxes])
        self._ring_middle = np.array([ring.middle for ring in rings]).reshape(-1, 3)
        self._wall = np.array([ring.core for ring in rings])
        self._half = np.array([ring.radius - ring.core for ring in rings])
        self._half_height = np.array([ring.height / 2 for ring in rings])

    def distances(self, points: Array) -> Array:
        """Return the distance of each point from the nearest surface; below 0 inside of something.

        Args:
            points: Array of any shape that ends in x, y, z.
        """
        # The table itself is at height 0, so a point's height is its distance from it.
        nearest = points[..., 2].copy()
        across = points[..., None, :]
        if len(self._box_half):
            way = across - self._box_middle
            x, y = way[..., 0], way[..., 1]
            out_x = np.abs(x * self._cos + y * self._sin) - self._box_half[:, 0]
            out_y = np.abs(y * self._cos - x * self._sin) - self._box_half[:, 1]
            out_z = np.abs(way[..., 2]) - self._box_half[:, 2]
            nearest = np.minimum(nearest, _outside(out_x, out_y, out_z))
        if len(self._half):
            way = across - self._ring_middle
            out_r = np.abs(np.hypot(way[..., 0], way[..., 1]) - self._wall) - self._half
            out_z = np.abs(way[..., 2]) - self._half_height
            nearest = np.minimum(nearest, _outside(out_r, out_z))
        return np.asarray(nearest)


def _outside(*gaps: Array) -> Array:
    """Return the distance of points from the nearest of several things, from their gaps along its directions."""
    # Inside, the largest gap is the depth; outside, the positive gaps make up the way to the nearest edge.
    inside = np.minimum(reduce(np.maximum, gaps), 0.0)
    outside = sum(np.maximum(gap, 0.0) ** 2 for gap in gaps)
    return np.asarray((np.sqrt(outside) + inside).min(axis=-1))


def clearances(positions: Array, rotations: Array, obstacles: Obstacles) -> Array:
    """Return the distance of a hand from the table and all objects in many poses; below 0 inside of something.

    Args:
        positions: One row x, y, z per pose.
        rotations: One row w, x, y, z per pose.
        obstacles: Objects on the table.
    """
    w, axis = rotations[:, None, :1], rotations[:, None, 1:]
    balls = np.broadcast_to(BALLS[:, :3], (len(positions), *BALLS[:, :3].shape))
    # Rotation by quaternions without a matrix: v + 2w(a × v) + 2a × (a × v).
    twice = 2.0 * np.cross(axis, balls)
    points = balls + w * twice + np.cross(axis, twice) + positions[:, None, :]
    return np.asarray((obstacles.distances(points) - BALLS[:, 3]).min(axis=1))


class Gripper:
    """A hand in a scene, moved in small steps.

    A motion that would lead into the table or an object is not made: the free part of it (the turning, or single axes)
    is still made, so that the hand slides along a surface and never goes through one.

    Args:
        start: Pose in which it begins; must be free.
        obstacles: Objects on the table.
    """

    def __init__(self, start: Pose, obstacles: Obstacles) -> None:
        self.position: Vector = start.position
        self.rotation: Quaternion = start.rotation
        self._obstacles = obstacles
        self._room = self._clearance(self.position, self.rotation)
        """Way that any part of the hand can go before it may touch something: most steps need no look."""
        self.touched = False
        """True when something stopped the last motion, or a part of it."""

    @property
    def pose(self) -> Pose:
        """Present pose of the hand."""
        return Pose(self.position, self.rotation)

    @property
    def clearance_m(self) -> float:
        """Distance from the nearest thing, in metres."""
        return self._clearance(self.position, self.rotation)

    def move(self, linear: Vector, angular: Vector, dt: float = CONTROL_S) -> None:
        """Move for a moment at a velocity (m/s) and a turning speed (rad/s), within the limits.

        Raises:
            BadPose: A velocity or the time is not finite. The hand stays where it is.
        """
        self.touched = False
        if not math.isfinite(math.fsum((*map(abs, linear), *map(abs, angular), dt))):
            raise BadPose("velocity of a hand is not finite", hint="Give three finite numbers each, and a time.")
        linear, angular = within(linear, MOST_M_S), within(angular, MOST_RAD_S)
        if linear == STILL and angular == STILL:
            return
        if self._made(linear, angular, dt):
            return
        self.touched = True
        x, y, z = linear
        if angular == STILL or not self._made(linear, STILL, dt):
            for part in ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)):
                if part != STILL:
                    self._made(part, STILL, dt)
        if angular != STILL:
            self._made(STILL, angular, dt)

    def _made(self, linear: Vector, angular: Vector, dt: float) -> bool:
        """Make a motion if it is free, and return whether it was."""
        x, y, z = self.position
        place = (x + linear[0] * dt, y + linear[1] * dt, z + linear[2] * dt)
        if not all(low <= part <= high for low, part, high in zip(LOW, place, HIGH, strict=True)):
            return False
        turn = self.rotation
        if angular != STILL:
            w, a, b, c = product(exponential((angular[0] * dt, angular[1] * dt, angular[2] * dt)), turn)
            length = math.sqrt(w * w + a * a + b * b + c * c)
            turn = (w / length, a / length, b / length, c / length)
        # No part of the hand moves further than this; the exact distance is only worked out once it is used up.
        room = self._room - (math.hypot(*linear) + REACH_M * math.hypot(*angular)) * dt
        if room < 0.0:
            room = self._clearance(place, turn)
            if room < 0.0:
                return False
        self.position, self.rotation, self._room = place, turn, room
        return True

    def _clearance(self, position: Vector, rotation: Quaternion) -> float:
        w, a, b, c = rotation
        turn = np.array(
            (
                (1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)),
                (2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)),
                (2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)),
            )
        )
        points = BALLS[:, :3] @ turn.T + np.array(position)
        return float((self._obstacles.distances(points) - BALLS[:, 3]).min())


def within(velocity: Vector, most: float) -> Vector:
    """Return a velocity, shortened where it exceeds a limit."""
    speed = math.hypot(*velocity)
    if speed <= most:
        return velocity
    share = most / speed
    return (velocity[0] * share, velocity[1] * share, velocity[2] * share)


@dataclass(frozen=True)
class Thing:
    """An object on the table.

    Args:
        name: Name, as a person says it.
        boxes: Its parts that are boxes, in the room.
        rings: Its parts that are round.
    """

    name: str
    boxes: tuple[UprightBox, ...]
    rings: tuple[Ring, ...]

    @property
    def top(self) -> float:
        """Height of its highest part."""
        parts: tuple[UprightBox | Ring, ...] = (*self.boxes, *self.rings)
        return max(part.top for part in parts)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A table with objects, the ways to grasp them and what a person is asked to do there.

    Args:
        name: `S1`, `S2`, `U6` or `U22` for those of the paper.
        about: One line on it.
        start: Pose in which the hand begins.
        things: The objects.
        goals: Objects and the ways to grasp them; every pose is one that the hand can be in.
        tasks: Names of the goals that the paper's people were given, in order.

    Raises:
        UnknownName: A task is no goal.
        OutOfRange: The hand touches something at the start.
    """

    name: str
    about: str
    start: Pose
    things: tuple[Thing, ...]
    goals: Goals
    tasks: tuple[str, ...]

    def __post_init__(self) -> None:
        if missing := next((task for task in self.tasks if task not in self.goals.names), None):
            raise UnknownName(
                f"task '{missing}' is no goal of {self.name}", hint="Name an object and one of its grasps."
            )
        if not self.is_free(self.start):
            raise OutOfRange(f"the hand starts inside of something in {self.name}", hint="Start it somewhere free.")

    @cached_property
    def obstacles(self) -> Obstacles:
        """Obstacles for the hand."""
        return _standing(self.things)

    def thing(self, name: str) -> Thing:
        """Return the object of this name.

        Raises:
            UnknownName: There is none.
        """
        thing = next((candidate for candidate in self.things if candidate.name == name), None)
        if thing is None:
            names = ", ".join(thing.name for thing in self.things)
            raise UnknownName(f"there is no '{name}' in {self.name}", hint=f"Choose among: {names}.")
        return thing

    def goal(self, name: str) -> Goal:
        """Return the goal of this name, such as `cup/top`.

        Raises:
            BadGoals: There is none.
        """
        return self.goals[self.goals.index(name)]

    def is_free(self, pose: Pose) -> bool:
        """Return whether the hand can be in a pose."""
        rows = PoseArray.of([pose])
        return bool(clearances(rows.positions, rows.rotations, self.obstacles)[0] >= 0.0)


def scene(name: str) -> Scene:
    """Return the scene of this name.

    Raises:
        UnknownName: There is none.
    """
    if name not in scenes():
        raise UnknownName(f"there is no scene '{name}'", hint=f"Choose among: {', '.join(scenes())}.")
    return scenes()[name]


@cache
def scenes() -> Mapping[str, Scene]:
    """Return all scenes by name, in the table's order."""
    shapes, table = (shipped_data(__file__, f"data/{name}.yaml") for name in ("objects", "scenes"))
    return MappingProxyType({name: _scene(name, entry, shapes) for name, entry in table.items()})


def upright(yaw: float, pitch: float, roll: float) -> tuple[float, float, float, float]:
    """Return the rotation of three angles in degrees: roll about the hand's own x first, then pitch, then yaw."""
    turn = exponential((math.radians(roll), 0.0, 0.0))
    turn = product(exponential((0.0, math.radians(pitch), 0.0)), turn)
    return product(exponential((0.0, 0.0, math.radians(yaw))), turn)


def _scene(name: str, entry: Mapping[str, Any], shapes: Mapping[str, Any]) -> Scene:
    things = tuple(_thing(thing, shapes[thing], placing["at"]) for thing, placing in entry["objects"].items())
    listed = {
        (thing, grasp): tuple(_placed(pose, placing["at"]) for kind in kinds for pose in shapes[thing]["grasps"][kind])
        for thing, placing in entry["objects"].items()
        for grasp, kinds in placing["grasps"].items()
    }
    standing = _standing(things)
    goals = [Goal(thing, grasp, _free(poses, standing)) for (thing, grasp), poses in listed.items()]
    return Scene(
        name=name,
        about=entry["about"],
        start=Pose(tuple(entry["start"])),
        things=things,
        goals=Goals.of(goals),
        tasks=tuple(f"{thing}/{grasp}" for thing, grasp in entry["tasks"]),
    )


def _standing(things: Sequence[Thing]) -> Obstacles:
    return Obstacles(
        [box for thing in things for box in thing.boxes], [ring for thing in things for ring in thing.rings]
    )


def _free(poses: tuple[Pose, ...], obstacles: Obstacles) -> tuple[Pose, ...]:
    """Return the poses that the hand can be in: like a detector of grasps, without those that neighbours forbid."""
    rows = PoseArray.of(poses)
    room = clearances(rows.positions, rows.rotations, obstacles)
    return tuple(pose for pose, left in zip(poses, room, strict=True) if left >= 0.0)


def _thing(name: str, entry: Mapping[str, Any], at: list[float]) -> Thing:
    boxes = tuple(
        UprightBox(_placed([x, y, z, 0, 0, 0], at).position, (a, b, c), math.radians(at[2]))
        for x, y, z, a, b, c in entry.get("boxes", ())
    )
    rings = tuple(
        Ring(_placed([x, y, z, 0, 0, 0], at).position, radius, wall, height)
        for x, y, z, radius, wall, height in entry.get("rings", ())
    )
    return Thing(name, boxes, rings)


def _placed(pose: list[float], at: list[float]) -> Pose:
    """Return a pose of an object's own table, in the room."""
    x, y, z, yaw, pitch, roll = pose
    base = Pose((at[0], at[1], 0.0), upright(at[2], 0, 0))
    return Pose((x, y, z), upright(yaw, pitch, roll)).after(base)
