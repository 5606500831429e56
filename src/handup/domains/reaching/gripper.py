"""The hand: a gripper of six degrees of freedom that keeps its limits and does not go through things."""

from __future__ import annotations

import math

import numpy as np

from handup.core import BadPose
from handup.domains.reaching.shapes import Array, Obstacles
from handup.intent.pose import STILL, Pose, Quaternion, Vector, exponential, product

CONTROL_HZ = 40
CONTROL_S = 1.0 / CONTROL_HZ
STICK_M_S, STICK_RAD_S = 0.06, 0.4
"""The velocity at a full push of one axis of the stick."""
MOST_M_S, MOST_RAD_S = 0.12, 0.8
"""The fastest that the hand goes and turns, whoever commands it: twice a full push."""
OPENING_M = 0.085
"""Between the open fingers."""
LOW, HIGH = (-0.1, -0.7, 0.0), (0.95, 0.7, 0.6)
"""The corners of the room that the arm can reach, for the middle between the finger tips."""

_FINGER = 0.006
_ACROSS = OPENING_M / 2.0 + _FINGER
_BALLS = (
    *((-0.015 * back, side * _ACROSS, 0.0, _FINGER) for side in (-1, 1) for back in range(4)),
    *((-0.075, across, 0.0, 0.030) for across in (-0.035, 0.0, 0.035)),
    (-0.13, 0.0, 0.0, 0.040),
    (-0.18, 0.0, 0.0, 0.040),
)
BALLS = np.array(_BALLS)
"""The hand as balls: x, y, z and radius, seen from the middle between the finger tips. x points where the hand points,
the fingers close along y: two fingers, the palm, the wrist."""
REACH_M = max(math.hypot(*ball[:3]) for ball in _BALLS)
"""From the middle between the finger tips to the ball furthest from it: how fast turning moves the hand."""


def clearances(positions: Array, rotations: Array, obstacles: Obstacles) -> Array:
    """How far a hand is from the table and all objects in many poses; below 0 where it would be inside of something.

    Args:
        positions: One row x, y, z per pose.
        rotations: One row w, x, y, z per pose.
        obstacles: What stands on the table.
    """
    w, axis = rotations[:, None, :1], rotations[:, None, 1:]
    balls = np.broadcast_to(BALLS[:, :3], (len(positions), *BALLS[:, :3].shape))
    twice = 2.0 * np.cross(axis, balls)
    points = balls + w * twice + np.cross(axis, twice) + positions[:, None, :]
    return np.asarray((obstacles.distances(points) - BALLS[:, 3]).min(axis=1))


class Gripper:
    """A hand in a scene, moved in small steps.

    A motion that would lead into the table or an object is not made: what of it is free (the turning, or single axes)
    is still made, so that the hand slides along a surface and never goes through one.

    Args:
        start: Where it begins; must be free.
        obstacles: What stands on the table.
    """

    def __init__(self, start: Pose, obstacles: Obstacles) -> None:
        self.position: Vector = start.position
        self.rotation: Quaternion = start.rotation
        self._obstacles = obstacles
        self._room = self._clearance(self.position, self.rotation)
        """How far any part of the hand may still go before it can touch something: most steps need no look."""
        self.touched = False
        """Whether something stopped the last motion, or a part of it."""

    @property
    def pose(self) -> Pose:
        """Where it is."""
        return Pose(self.position, self.rotation)

    @property
    def clearance_m(self) -> float:
        """How far it is from the nearest thing."""
        return self._clearance(self.position, self.rotation)

    def move(self, linear: Vector, angular: Vector, dt: float = CONTROL_S) -> None:
        """Go on for a moment at a velocity (m/s) and a turning speed (rad/s), within the limits.

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
        """Make a motion if it is free."""
        x, y, z = self.position
        place = (x + linear[0] * dt, y + linear[1] * dt, z + linear[2] * dt)
        if not all(low <= each <= high for low, each, high in zip(LOW, place, HIGH, strict=True)):
            return False
        turn = self.rotation
        if angular != STILL:
            w, a, b, c = product(exponential((angular[0] * dt, angular[1] * dt, angular[2] * dt)), turn)
            length = math.sqrt(w * w + a * a + b * b + c * c)
            turn = (w / length, a / length, b / length, c / length)
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
    """A velocity, shortened where it is more than may be."""
    speed = math.hypot(*velocity)
    if speed <= most:
        return velocity
    share = most / speed
    return (velocity[0] * share, velocity[1] * share, velocity[2] * share)
