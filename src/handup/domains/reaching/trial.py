"""What came of a trial: the paper's measures, attempt by attempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handup.domains.reaching.habits import Strategy
from handup.intent.pose import Quaternion, Vector

SCHEMA = 1
OPPOSED = 0.01
"""Velocities (m/s, rad/s) that are smaller do not count as opposing."""


class Ending(StrEnum):
    """How an attempt ended."""

    GRASPED = "grasped"
    """The hand was closed where it holds what was wanted."""
    MISSED = "missed"
    """It was closed elsewhere."""
    TOO_LATE = "too late"
    """It was still open when the time was up."""


@dataclass(frozen=True)
class Moment:
    """What was going on when the robot planned, for strips like those of the paper.

    Args:
        at_s: Since the attempt began.
        position: Of the hand.
        rotation: Of the hand.
        linear: The stick's velocity.
        angular: The stick's turning speed.
        robot_linear: The robot's own velocity.
        robot_angular: The robot's own turning speed.
        why: What the robot did, in its own words.
        belief: Probability of each goal, in the order of the scene's; empty without one.
        opposing: Whether robot and person worked against each other.
    """

    at_s: float
    position: Vector
    rotation: Quaternion
    linear: Vector
    angular: Vector
    robot_linear: Vector
    robot_angular: Vector
    why: str
    belief: tuple[float, ...]
    opposing: bool


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One attempt.

    Args:
        strategy: The person's.
        ending: How it ended.
        time_s: From the start to the closing of the hand, questions included.
        mode_changes: How often the person changed between moving and turning.
        joystick_input: The sum of what the stick was pushed along its axes, over all control steps of 0.025 s.
        opposing: Share of the control steps in which robot and person worked against each other.
        predicted: Whether the robot was right about the goal at the end, and surer than 0.7; None without a belief.
        questions: How many were asked.
        wrong_answers: How many of them were answered wrongly.
        touching: Share of the control steps in which something stopped the hand.
        moments: What happened, where it was recorded.
    """

    strategy: Strategy
    ending: Ending
    time_s: float
    mode_changes: int
    joystick_input: float
    opposing: float
    predicted: bool | None
    questions: int
    wrong_answers: int
    touching: float
    moments: tuple[Moment, ...] = field(default=(), repr=False)

    @property
    def success(self) -> bool:
        """Whether it ended with the wanted grasp."""
        return self.ending is Ending.GRASPED


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A task done by one person with one method: one attempt, or two where the first failed.

    Args:
        scene: Its name.
        task: Name of the goal.
        strategy: How the person began.
        method: Its name.
        seed: Of chance.
        listed: Whether the robot knew the wanted pose.
        attempts: One or two.
    """

    scene: str
    task: str
    strategy: Strategy
    method: str
    seed: int
    listed: bool
    attempts: tuple[Attempt, ...]

    @property
    def first(self) -> Attempt:
        """The first attempt."""
        return self.attempts[0]

    @property
    def success(self) -> bool:
        """Whether an attempt succeeded."""
        return self.attempts[-1].success

    @property
    def counted(self) -> Attempt | None:
        """The attempt that the paper measures: the one that succeeded. None, and left out there, where both failed."""
        return self.attempts[-1] if self.success else None

    @property
    def total_s(self) -> float:
        """The time of all attempts: nothing is left out."""
        return sum(each.time_s for each in self.attempts)

    def to_json(self) -> dict[str, Any]:
        """One plain row: the measures of the last attempt, and of all together. Moments are left out."""
        last = self.attempts[-1]
        return {
            "schema": SCHEMA,
            "scene": self.scene,
            "task": self.task,
            "strategy": str(self.strategy),
            "method": self.method,
            "seed": self.seed,
            "listed": self.listed,
            "attempts": len(self.attempts),
            "endings": [str(each.ending) for each in self.attempts],
            "strategies": [str(each.strategy) for each in self.attempts],
            "success": self.success,
            "first_success": self.first.success,
            "time_s": last.time_s,
            "total_s": self.total_s,
            "mode_changes": last.mode_changes,
            "joystick_input": last.joystick_input,
            "opposing": last.opposing,
            "predicted": last.predicted,
            "questions": last.questions,
            "questions_in_all": sum(each.questions for each in self.attempts),
            "wrong_answers": sum(each.wrong_answers for each in self.attempts),
            "touching": last.touching,
        }


def opposes(stick: Vector, robot: Vector) -> bool:
    """Whether a component of the robot's velocity works against the person's, by the paper's rule."""
    return any(a * b < 0.0 and abs(a) > OPPOSED and abs(b) > OPPOSED for a, b in zip(stick, robot, strict=True))
