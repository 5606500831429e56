"""Distance of a pose from a goal, after Javdani et al. (2018): Huber values, and velocities that lower them fastest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from handup.core import OutOfRange
from handup.intent.goals import Goals
from handup.intent.pose import Pose, PoseArray, lengths

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class Huber:
    """Value that grows with the square of a distance at first, and in a straight line further off.

    Args:
        slope: Slope of the line, per metre or radian.
        sharp: Slope at the goal, above zero so that the last millimetres count, and at most `slope`.
        switch: Distance at which the line begins, in metres or radians, above 0.
    """

    slope: float
    sharp: float
    switch: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.sharp <= self.slope < np.inf and 0.0 < self.switch < np.inf):
            raise OutOfRange.of("a Huber value", self, "have 0 ≤ sharp ≤ slope and switch > 0", hint="Change these.")

    def value(self, distance: Array) -> Array:
        """Return the value of a distance in metres or radians."""
        bend = self.slope - self.sharp
        near = bend / (2.0 * self.switch) * distance**2 + self.sharp * distance
        return np.asarray(np.where(distance <= self.switch, near, self.slope * distance - bend * self.switch / 2.0))

    def steepness(self, distance: Array) -> Array:
        """Return the slope of the value at a distance; times seconds, it is the cost of staying there."""
        return self.sharp + (self.slope - self.sharp) * np.minimum(distance / self.switch, 1.0)


TRANSLATION = Huber(slope=2.45, sharp=0.2, switch=0.07)
ROTATION = Huber(slope=0.0147, sharp=0.0007, switch=np.pi / 32)
"""The published values: 2.25 + .2 per metre, (.20 + .01) · .07 per radian."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """Weights of distance and rotation, and limits of the robot's speed.

    Args:
        translation: Value of a distance in metres.
        rotation: Value of an angle in radians.
        apply_s: Seconds for which an action lasts.
        most_m_s: Largest speed of the robot in m/s.
        most_rad_s: Largest turning speed of the robot in rad/s.
    """

    translation: Huber = TRANSLATION
    rotation: Huber = ROTATION
    apply_s: float = 0.1
    most_m_s: float = 0.061
    most_rad_s: float = 0.294

    def value(self, metres: Array, radians: Array) -> Array:
        """Return the value of poses at these distances and angles."""
        return self.translation.value(metres) + self.rotation.value(radians)

    def cost(self, metres: Array, radians: Array) -> Array:
        """Return the cost of staying at these distances and angles for the time of one action."""
        return self.apply_s * (self.translation.steepness(metres) + self.rotation.steepness(radians))

    def velocities(self, way: Array, turn: Array) -> tuple[Array, Array]:
        """Return the velocities that lower the value fastest: full speed afar, slower near, never past the goal."""
        linear = _speeds(way, self.translation, self.most_m_s, self.apply_s)
        return linear, _speeds(turn, self.rotation, self.most_rad_s, self.apply_s)


def _speeds(way: Array, huber: Huber, most: float, apply_s: float) -> Array:
    length = lengths(way)
    speed = np.minimum(huber.steepness(length) * (most / huber.slope), length / apply_s)
    return np.asarray(way * (speed / np.maximum(length, 1e-12))[:, None])


@dataclass(frozen=True, eq=False)
class GoalView:
    """Goal poses as seen from the gripper: the ways to them, and the nearest pose of each group.

    Args:
        way: Way to each pose in metres, one row per pose.
        turn: Rotation vector to each pose in radians, one row per pose.
        nearest: For each group, the row of its pose with the least value.
    """

    way: Array
    turn: Array
    nearest: Index

    @cached_property
    def metres(self) -> Array:
        """Distance to the nearest pose of each group."""
        return lengths(self.way[self.nearest])

    @cached_property
    def radians(self) -> Array:
        """Angle to the nearest pose of each group."""
        return lengths(self.turn[self.nearest])


def look(goals: Goals, groups: Array | Index, pose: Pose, metric: Metric) -> GoalView:
    """Return the view of the goals from a pose.

    Args:
        goals: The goals of the scene.
        groups: One row of pose indices per group, filled up with the first index of the row.
        pose: Pose of the gripper.
        metric: Measure by which a pose is nearest.
    """
    way, turn, values = seen_from(goals.poses, pose, metric)
    rows = np.arange(len(groups))
    best = values[groups].argmin(axis=1)
    return GoalView(way, turn, np.asarray(groups[rows, best], dtype=np.intp))


@lru_cache(maxsize=4)
def seen_from(poses: PoseArray, pose: Pose, metric: Metric) -> tuple[Array, Array, Array]:
    """Ways, turns and values of all poses, cached, since evidence, doubt and decision of a step look from one place."""
    way, turn = poses.ways_from(pose)
    values = metric.value(lengths(way), lengths(turn))
    for array in (way, turn, values):
        array.setflags(write=False)
    return way, turn, values
