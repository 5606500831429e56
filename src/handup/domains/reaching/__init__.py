"""Reaching: a gripper that a person steers with a stick, four tables of objects, and simulated people.

`episode` runs a trial of a `User` with a `Method` in a `Scene` and gives a `Trial`. Nothing here needs an extra but
`reaching.env`.
"""

from handup.domains.reaching.episode import Method, Robot, episode, helped_by, method, methods
from handup.domains.reaching.habits import Strategy
from handup.domains.reaching.people import User
from handup.domains.reaching.scenes import Scene, scene, scenes
from handup.domains.reaching.steering import Mode
from handup.domains.reaching.trial import Attempt, Ending, Moment, Rules, Run, Trial

__all__ = [
    "Attempt",
    "Ending",
    "Method",
    "Mode",
    "Moment",
    "Robot",
    "Rules",
    "Run",
    "Scene",
    "Strategy",
    "Trial",
    "User",
    "episode",
    "helped_by",
    "method",
    "methods",
    "scene",
    "scenes",
]
