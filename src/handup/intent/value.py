"""How far a pose is from done, after Javdani et al. (2018): Huber values, and velocities that lower them fastest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting
from handup.intent.goals import Goals
from handup.intent.pose import Pose, PoseArray, lengths

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Huber:
    """A value that grows with the square of a distance at first and in a straight line further off.

    Args:
        slope: Of the line, per metre or radian.
        sharp: The slope at the very goal, above zero so that the last millimetres count.
        switch: Where the line begins, in metres or radians.
    """

    slope: float
    sharp: float
    switch: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.sharp <= self.slope < np.inf and 0.0 < self.switch < np.inf):
            raise BadSetting(f"a Huber value is {self}", hint="Give 0 ≤ sharp ≤ slope and a switch above 0.")

    def value(self, distance: Array) -> Array:
        """What a distance is worth avoiding."""
        bend = self.slope - self.sharp
        near = bend / (2.0 * self.switch) * distance**2 + self.sharp * distance
        return np.asarray(np.where(distance <= self.switch, near, self.slope * distance - bend * self.switch / 2.0))

    def steepness(self, distance: Array) -> Array:
        """How fast the value grows there; times a duration, what staying there costs."""
        return self.sharp + (self.slope - self.sharp) * np.minimum(distance / self.switch, 1.0)


TRANSLATION = Huber(slope=2.45, sharp=0.2, switch=0.07)
ROTATION = Huber(slope=0.0147, sharp=0.0007, switch=np.pi / 32)
"""The published values: 2.25 + .2 per metre, (.20 + .01) · .07 per radian."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """How places and rotations are weighed, and how fast the robot goes.

    Args:
        translation: Value of a distance in metres.
        rotation: Value of an angle in radians.
        apply_s: For so long an action is taken to last.
        most_m_s: The robot's own share of speed.
        most_rad_s: Its share of turning.
    """

    translation: Huber = TRANSLATION
    rotation: Huber = ROTATION
    apply_s: float = 0.1
    most_m_s: float = 0.061
    most_rad_s: float = 0.294

    def value(self, metres: Array, radians: Array) -> Array:
        """Of poses so far away."""
        return self.translation.value(metres) + self.rotation.value(radians)

    def cost(self, metres: Array, radians: Array) -> Array:
        """Of being so far away for the time of one action."""
        return self.apply_s * (self.translation.steepness(metres) + self.rotation.steepness(radians))

    def velocities(self, way: Array, turn: Array) -> tuple[Array, Array]:
        """What lowers the value of each row fastest: full speed from afar, slower near, never past the goal."""
        linear = _speeds(way, self.translation, self.most_m_s, self.apply_s)
        return linear, _speeds(turn, self.rotation, self.most_rad_s, self.apply_s)


def _speeds(way: Array, huber: Huber, most: float, apply_s: float) -> Array:
    length = lengths(way)
    speed = np.minimum(huber.steepness(length) * (most / huber.slope), length / apply_s)
    return np.asarray(way * (speed / np.maximum(length, 1e-12))[:, None])


@dataclass(frozen=True, eq=False)
class View:
    """All goal poses as seen from where the gripper is: the ways there, and for a partition of them the nearest each.

    Args:
        way: To each pose, metres, one row per pose.
        turn: To each pose, a rotation vector.
        nearest: For each group, the row of its pose of least value.
    """

    way: Array
    turn: Array
    nearest: Index

    @cached_property
    def metres(self) -> Array:
        """To the nearest pose of each group."""
        return lengths(self.way[self.nearest])

    @cached_property
    def radians(self) -> Array:
        """To the nearest pose of each group."""
        return lengths(self.turn[self.nearest])


def look(goals: Goals, groups: Array | Index, pose: Pose, metric: Metric) -> View:
    """What the goals look like from a pose.

    Args:
        goals: All of them.
        groups: One row of pose numbers per group, filled up with the first of the row.
        pose: Of the gripper.
        metric: What near means.
    """
    way, turn, values = _seen(goals.poses, pose, metric)
    rows = np.arange(len(groups))
    best = values[groups].argmin(axis=1)
    return View(way, turn, np.asarray(groups[rows, best], dtype=np.intp))


def values_from(goals: Goals, pose: Pose, metric: Metric) -> Array:
    """The value of every pose of the goals, as seen from a pose."""
    return _seen(goals.poses, pose, metric)[2]


@lru_cache(maxsize=4)
def _seen(poses: PoseArray, pose: Pose, metric: Metric) -> tuple[Array, Array, Array]:
    """Ways, turns and values of all poses. Kept, since in one step evidence, doubt and decision look from one place."""
    way, turn = poses.ways_from(pose)
    values = metric.value(lengths(way), lengths(turn))
    for each in (way, turn, values):
        each.setflags(write=False)
    return way, turn, values
