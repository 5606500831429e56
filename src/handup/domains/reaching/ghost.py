"""Pose where the robot would have the hand, to be shown beside it. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from handup.intent import Ask, Command, Goal, Goals, Pose
from handup.intent.pose import Vector
from handup.intent.value import Metric

GHOST_S = 1.5
"""Time ahead at which the ghost is shown where the robot goes for no single goal, in seconds."""
TO = "to "
"""Beginning of a command's reason, before the name of its goal."""


def ghost_of(command: Command, goals: Goals, here: Pose, metric: Metric, alpha: float) -> Pose | None:
    """Return the pose that a command leads to; None where it adds nothing.

    For a goal this is the goal's nearest pose by the robot's own measure, as far as the command really goes there: the
    turn of the hand is left as it is where the robot leaves that to the person, and where it only goes along with the
    person's own way, the ghost is on that way.
    """
    if command.still:
        return None
    name = command.why.removeprefix(TO)
    if name == command.why or name not in goals.names:
        return here.moved(command.linear, command.angular, alpha * GHOST_S)
    way, turn = here.twist_to(nearest(goals[goals.names.index(name)], here, metric))
    return here.moved(_along(way, command.linear), _along(turn, command.angular), 1.0)


def asked_about(asked: Ask, chances: Mapping[str, float], goals: Goals, here: Pose, metric: Metric) -> Pose:
    """Return the pose that a question is about: of the likeliest goal for which the answer would not be a no."""
    about = asked.about
    meant = [goal for goal, true in zip(goals, about.truth, strict=False) if true != about.truth[-1]] or list(goals)
    return nearest(max(meant, key=lambda goal: chances.get(goal.name, 0.0)), here, metric)


def nearest(goal: Goal, here: Pose, metric: Metric) -> Pose:
    """Return the pose of a goal that the robot would go for."""
    metres = np.array([here.distance_m(pose) for pose in goal.poses])
    radians = np.array([here.angle_rad(pose) for pose in goal.poses])
    return goal.poses[int(np.argmin(metric.value(metres, radians)))]


def _along(whole: Vector, velocity: Vector) -> Vector:
    """Return the part of a way that lies along a velocity; nothing where that is zero, or leads away."""
    speed = math.hypot(*velocity)
    if speed == 0.0:
        return (0.0, 0.0, 0.0)
    x, y, z = (part / speed for part in velocity)  # divided first: the square of a tiny speed would be 0
    length = max(0.0, sum(a * b for a, b in zip(whole, (x, y, z), strict=True)))
    return (length * x, length * y, length * z)
