"""Reaching: a gripper that a person steers with a stick, four tables of objects, and simulated people.

`episode` runs a trial of a `User` with a `Method` in a `Scene` and gives a `Trial`. Nothing here needs an extra but
`reaching.env`.
"""

from handup.domains.reaching.episode import episode
from handup.domains.reaching.gripper import Gripper
from handup.domains.reaching.habits import Strategy
from handup.domains.reaching.methods import Method, Robot, helped_by, method, methods
from handup.domains.reaching.people import User
from handup.domains.reaching.running import Rules, Run
from handup.domains.reaching.scenes import Scene, Thing, scene, scenes
from handup.domains.reaching.steering import Mode
from handup.domains.reaching.trial import Attempt, Ending, Moment, Trial

__all__ = [
    "Attempt",
    "Ending",
    "Gripper",
    "Method",
    "Mode",
    "Moment",
    "Robot",
    "Rules",
    "Run",
    "Scene",
    "Strategy",
    "Thing",
    "Trial",
    "User",
    "episode",
    "helped_by",
    "method",
    "methods",
    "scene",
    "scenes",
]
