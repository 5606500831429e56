"""Attempt of a simulated person, step by step, and the result of a trial with the paper's measures.

Control runs at 40 Hz, plans at 10 Hz: between two plans the robot's velocity is held while the stick goes on moving.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from handup.core import BadSetting, OutOfRange, Value
from handup.core.checks import check_number
from handup.domains.reaching.drawn_person import SteeringPerson, Wish
from handup.domains.reaching.scenes import CONTROL_HZ, CONTROL_S, Gripper, Scene
from handup.domains.reaching.steering_habits import SteeringHabit
from handup.domains.reaching.stick_user import Steering, velocity
from handup.intent import Joystick, Pose
from handup.intent.command import ALPHA, yielding
from handup.intent.pose import STILL, Quaternion, Vector

SCHEMA = 1
OPPOSED = 0.01
"""Least velocities (m/s, rad/s) that count as opposing."""
PLAN_EVERY = 4
"""Control steps between two plans."""
PLAN_S = PLAN_EVERY * CONTROL_S


class AttemptEnding(StrEnum):
    """Endings of an attempt."""

    GRASPED = "grasped"
    """The hand was closed on the wanted grasp."""
    MISSED = "missed"
    """The hand was closed elsewhere."""
    TOO_LATE = "too late"
    """The hand was still open when the time was up."""


@dataclass(frozen=True)
class Moment:
    """State of an attempt when the robot planned, for strips like those of the paper.

    Args:
        at_s: Time since the attempt began, in seconds.
        position: Position of the hand.
        rotation: Rotation of the hand.
        linear: The stick's velocity.
        angular: The stick's turning speed.
        why: The robot's reason.
        belief: Probability of each goal, in the order of the scene's; empty without one.
        opposing: True if robot and person worked against each other.
    """

    at_s: float
    position: Vector
    rotation: Quaternion
    linear: Vector
    angular: Vector
    why: str
    belief: tuple[float, ...]
    opposing: bool


@dataclass(frozen=True, kw_only=True)
class ReachAttempt:
    """One attempt.

    Args:
        strategy: Habit of the person.
        ending: Ending of the attempt.
        time_s: Seconds from the start to the closing of the hand, questions included.
        mode_changes: Number of the person's changes between moving and turning.
        joystick_input: Sum of all pushes of the stick along its axes, over all control steps of 0.025 s.
        opposing: Share of the control steps in which robot and person worked against each other.
        predicted: True if the robot was right about the goal at the end, and surer than 0.7; None without a belief.
        questions: Number of questions asked.
        wrong_answers: Number of questions answered wrongly.
        touching: Share of the control steps in which something stopped the hand.
        moments: State at each plan, where it was recorded.
    """

    strategy: SteeringHabit
    ending: AttemptEnding
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
        """True when the attempt ended with the wanted grasp."""
        return self.ending is AttemptEnding.GRASPED


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A task done by one person with one method: one attempt, or two where the first failed.

    Args:
        scene: Name of the scene.
        task: Name of the goal.
        strategy: Habit with which the person began.
        method: Name of the method.
        seed: Seed of chance.
        listed: True if the robot knew the wanted pose.
        attempts: The attempts, one or two.
    """

    scene: str
    task: str
    strategy: SteeringHabit
    method: str
    seed: int
    listed: bool
    attempts: tuple[ReachAttempt, ...]

    @property
    def first(self) -> ReachAttempt:
        """The first attempt."""
        return self.attempts[0]

    @property
    def success(self) -> bool:
        """True when an attempt succeeded."""
        return self.attempts[-1].success

    @property
    def counted(self) -> ReachAttempt | None:
        """The attempt that the paper measures: the one that succeeded. None, and left out there, where both failed."""
        return self.attempts[-1] if self.success else None

    @property
    def total_s(self) -> float:
        """The time of all attempts: nothing is left out."""
        return sum(attempt.time_s for attempt in self.attempts)

    def to_json(self) -> dict[str, Any]:
        """Return one plain row: the measures of the last attempt, and of all together. Moments are left out."""
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
            "endings": [str(attempt.ending) for attempt in self.attempts],
            "strategies": [str(attempt.strategy) for attempt in self.attempts],
            "success": self.success,
            "first_success": self.first.success,
            "time_s": last.time_s,
            "total_s": self.total_s,
            "mode_changes": last.mode_changes,
            "joystick_input": last.joystick_input,
            "opposing": last.opposing,
            "predicted": last.predicted,
            "questions": last.questions,
            "questions_in_all": sum(attempt.questions for attempt in self.attempts),
            "wrong_answers": sum(attempt.wrong_answers for attempt in self.attempts),
            "touching": last.touching,
        }


def opposes(stick: Vector, robot: Vector) -> bool:
    """Return whether a component of the robot's velocity works against the person's, by the paper's rule."""
    return any(a * b < 0.0 and abs(a) > OPPOSED and abs(b) > OPPOSED for a, b in zip(stick, robot, strict=True))


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The terms of a trial.

    Args:
        limit_s: Time after which an attempt is over, in seconds.
        question_s: Time of a question, from its first word to the answer, in seconds.
        alpha: Share of the robot's velocity that is added to the person's.

    Raises:
        OutOfRange: A number outside of its range.
    """

    limit_s: float = 100.0
    question_s: float = 2.8
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        for name, least, most in (("limit_s", 1.0, 3600.0), ("question_s", 0.1, 600.0), ("alpha", 0.0, 1.0)):
            if not least <= check_number(name, getattr(self, name), error=BadSetting) <= most:
                must = f"lie between {least:g} and {most:g}"
                raise OutOfRange.of(name, getattr(self, name), must, hint="Give another number.")

    @property
    def steps(self) -> int:
        """Most control steps that an attempt has."""
        return int(self.limit_s * CONTROL_HZ) + PLAN_EVERY

    @property
    def questions(self) -> int:
        """Most questions that fit into an attempt."""
        return int(self.limit_s / self.question_s) + 1


PAPER = Rules()


class ReachRun:
    """An attempt that is run from one plan of the robot to the next.

    Args:
        scene: The scene.
        wish: The grasp that the person wants.
        person: The person.
        rules: The terms.
    """

    def __init__(self, scene: Scene, wish: Wish, person: SteeringPerson, rules: Rules = PAPER) -> None:
        self._wish, self._person, self._rules = wish, person, rules
        self.hand = Gripper(scene.start, scene.obstacles)
        self._steering = Steering(person, wish, scene)
        self._step = 0
        self._waited_s = 0.0
        self._pushed_in_all = 0.0
        self._opposing = self._touching = 0
        self.questions = 0
        self._wrong = 0
        self._look()

    @property
    def pose(self) -> Pose:
        """Pose of the hand."""
        return self.hand.pose

    @property
    def stick(self) -> Joystick:
        """Present command of the person."""
        return Joystick(*self._commanded)

    @property
    def at_s(self) -> float:
        """Time since the attempt began, in seconds."""
        return self._step * CONTROL_S + self._waited_s

    @property
    def over(self) -> bool:
        """True when the hand is closed or the time is up."""
        return self._steering.closed or self.at_s >= self._rules.limit_s - 1e-9

    @property
    def ending(self) -> AttemptEnding:
        """Ending of the attempt."""
        if not self._steering.closed:
            return AttemptEnding.TOO_LATE
        return AttemptEnding.GRASPED if self._wish.is_reached(self.pose) else AttemptEnding.MISSED

    def go(self, linear: Vector = STILL, angular: Vector = STILL, *, gives_way: bool = False) -> None:
        """Go on to the next plan with a velocity of the robot's own (m/s, rad/s), added to the person's.

        Args:
            linear: Velocity of the robot.
            angular: Turning speed of the robot.
            gives_way: True to add, at each control step, only the part that agrees with the stick (see `Command`).

        Raises:
            BadPose: A velocity is not finite. The hand stays where it is.
        """
        alpha, planned = self._rules.alpha, (linear, angular)
        for _ in range(PLAN_EVERY):
            if self.over:
                return
            pushed, turned = self._commanded
            linear, angular = yielding(*planned, pushed, turned) if gives_way else planned
            (d, e, f), (j, k, m) = linear, angular
            (a, b, c), (g, h, i) = pushed, turned
            self.hand.move((a + alpha * d, b + alpha * e, c + alpha * f), (g + alpha * j, h + alpha * k, i + alpha * m))
            self._opposing += opposes(pushed, linear) or opposes(turned, angular)
            self._pushed_in_all += sum(map(abs, self._pushed))
            self._touching += self.hand.touched
            self._step += 1
            self._look()

    def asked(self, answers: Sequence[Value], right: Value) -> Value:
        """Return the person's answer, now and then a wrong one; it takes time, while the hand stands still.

        Args:
            answers: Possible answers.
            right: The true answer.
        """
        slip = self._person.answering[self.questions]
        others = [answer for answer in answers if answer != right]
        wrong = slip is not None and bool(others)
        self.questions += 1
        self._wrong += wrong
        self._waited_s += self._rules.question_s
        self._steering.waited(self.hand.position, self.hand.rotation)
        return others[int(slip * len(others))] if slip is not None and others else right

    def moment(self, linear: Vector, angular: Vector, why: str, belief: tuple[float, ...]) -> Moment:
        """Return the present state, to be kept."""
        pushed, turned = self._commanded
        against = opposes(pushed, linear) or opposes(turned, angular)
        place = (self.at_s, self.hand.position, self.hand.rotation)
        return Moment(*place, pushed, turned, why, belief, against)

    def result(self, predicted: bool | None, moments: tuple[Moment, ...] = ()) -> ReachAttempt:
        """Return the measures of the attempt."""
        return ReachAttempt(
            strategy=self._person.strategy,
            ending=self.ending,
            time_s=self.at_s,
            mode_changes=self._steering.mode_changes,
            joystick_input=self._pushed_in_all,
            opposing=self._opposing / max(1, self._step),
            predicted=predicted,
            questions=self.questions,
            wrong_answers=self._wrong,
            touching=self._touching / max(1, self._step),
            moments=moments,
        )

    def _look(self) -> None:
        """Let the person see the hand and move the stick."""
        self._pushed = self._steering.stick(self._step, self.hand.position, self.hand.rotation)
        self._commanded = velocity(self._steering.mode, self._pushed)
