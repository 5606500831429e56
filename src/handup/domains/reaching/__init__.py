"""Reaching: a gripper that a person steers with a stick, four tables of objects, and simulated people.

`episode` runs a trial of a `User` with a `Method` in a `Scene` and gives a `Trial`. Nothing here needs an extra but
`reaching.env`.
"""

from typing import TYPE_CHECKING

from handup.core.moved import moved_names
from handup.domains.reaching.drawn_person import User
from handup.domains.reaching.episode import Method, Robot, episode, helped_by, method, methods
from handup.domains.reaching.scenes import Scene, scene, scenes
from handup.domains.reaching.steering_habits import SteeringHabit
from handup.domains.reaching.stick_user import Mode
from handup.domains.reaching.trial import AttemptEnding, Moment, ReachAttempt, ReachRun, Rules, Trial

__all__ = [
    "AttemptEnding",
    "Method",
    "Mode",
    "Moment",
    "ReachAttempt",
    "ReachRun",
    "Robot",
    "Rules",
    "Scene",
    "SteeringHabit",
    "Trial",
    "User",
    "episode",
    "helped_by",
    "method",
    "methods",
    "scene",
    "scenes",
]

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)
