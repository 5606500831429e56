"""One attempt while it lasts: the hand, the person at the stick, the time, the measures. Methods come from outside.

Control runs at 40 Hz, plans at 10 Hz: between two plans the robot's velocity is held and the stick goes on living.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handup.core import BadSetting, Value
from handup.core.checks import check_number
from handup.domains.reaching.gripper import CONTROL_HZ, CONTROL_S, Gripper
from handup.domains.reaching.people import Person, Wish
from handup.domains.reaching.scenes import Scene
from handup.domains.reaching.steering import Steering, velocity
from handup.domains.reaching.trial import Attempt, Ending, Moment, opposes
from handup.intent import Joystick, Pose
from handup.intent.command import ALPHA, yielding
from handup.intent.pose import STILL, Vector

PLAN_EVERY = 4
"""Control steps between two plans."""
PLAN_S = PLAN_EVERY * CONTROL_S


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The terms of a trial.

    Args:
        limit_s: When an attempt is over.
        question_s: How long a question takes, from its first word to the answer.
        alpha: How much of the robot's velocity is added to the person's.

    Raises:
        BadSetting: A number outside of its range.
    """

    limit_s: float = 100.0
    question_s: float = 2.8
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        for name, least, most in (("limit_s", 1.0, 3600.0), ("question_s", 0.1, 600.0), ("alpha", 0.0, 1.0)):
            if not least <= check_number(name, getattr(self, name), error=BadSetting) <= most:
                raise BadSetting(f"{name} is {getattr(self, name)}", hint=f"Give a number from {least:g} to {most:g}.")

    @property
    def steps(self) -> int:
        """Most control steps that an attempt has."""
        return int(self.limit_s * CONTROL_HZ) + PLAN_EVERY

    @property
    def questions(self) -> int:
        """Most questions that fit into an attempt."""
        return int(self.limit_s / self.question_s) + 1


PAPER = Rules()


class Run:
    """An attempt that goes on from plan to plan.

    Args:
        scene: Where.
        wish: What the person wants.
        person: Who they are.
        rules: The terms.
    """

    def __init__(self, scene: Scene, wish: Wish, person: Person, rules: Rules = PAPER) -> None:
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
        """Where the hand is."""
        return self.hand.pose

    @property
    def stick(self) -> Joystick:
        """What the person commands now."""
        return Joystick(*self._commanded)

    @property
    def at_s(self) -> float:
        """Since the attempt began."""
        return self._step * CONTROL_S + self._waited_s

    @property
    def over(self) -> bool:
        """Whether the hand is closed or the time is up."""
        return self._steering.closed or self.at_s >= self._rules.limit_s - 1e-9

    @property
    def ending(self) -> Ending:
        """How it ended."""
        if not self._steering.closed:
            return Ending.TOO_LATE
        return Ending.GRASPED if self._wish.is_reached(self.pose) else Ending.MISSED

    def go(self, linear: Vector = STILL, angular: Vector = STILL, *, gives_way: bool = False) -> None:
        """Go on to the next plan with a velocity of the robot's own (m/s, rad/s), added to the person's.

        Args:
            linear: Of the robot.
            angular: Of the robot.
            gives_way: Whether only what goes with the stick is added at each control step, as `Command` says.

        Raises:
            BadPose: A velocity is not finite. The hand stays where it is.
        """
        alpha, planned = self._rules.alpha, (linear, angular)
        for _ in range(PLAN_EVERY):
            if self.over:
                return
            wanted, turned = self._commanded
            linear, angular = yielding(*planned, wanted, turned) if gives_way else planned
            (d, e, f), (j, k, m) = linear, angular
            (a, b, c), (g, h, i) = wanted, turned
            self.hand.move((a + alpha * d, b + alpha * e, c + alpha * f), (g + alpha * j, h + alpha * k, i + alpha * m))
            self._opposing += opposes(wanted, linear) or opposes(turned, angular)
            self._pushed_in_all += sum(map(abs, self._pushed))
            self._touching += self.hand.touched
            self._step += 1
            self._look()

    def asked(self, answers: Sequence[Value], right: Value) -> Value:
        """What the person answers, now and then wrongly; it takes its time, while the hand stands still.

        Args:
            answers: What can be answered.
            right: What somebody truthful says.
        """
        slip = self._person.answering[self.questions]
        others = [each for each in answers if each != right]
        wrong = slip is not None and bool(others)
        self.questions += 1
        self._wrong += wrong
        self._waited_s += self._rules.question_s
        self._steering.waited(self.hand.position, self.hand.rotation)
        return others[int(slip * len(others))] if slip is not None and others else right

    def moment(self, linear: Vector, angular: Vector, why: str, belief: tuple[float, ...]) -> Moment:
        """What goes on now, to be kept."""
        wanted, turned = self._commanded
        against = opposes(wanted, linear) or opposes(turned, angular)
        place = (self.at_s, self.hand.position, self.hand.rotation)
        return Moment(*place, wanted, turned, linear, angular, why, belief, against)

    def result(self, predicted: bool | None, moments: tuple[Moment, ...] = ()) -> Attempt:
        """The measures, once it is over."""
        return Attempt(
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
