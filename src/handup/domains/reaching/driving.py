"""A hand that a real person drives: pushes come from outside, the robot helps or asks, and the measures are kept.

Pure: whoever calls `tick` forty times a second has the clock and the device, and says whether the person is heard.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from handup.core import Value
from handup.domains.reaching.gripper import CONTROL_S, Gripper
from handup.domains.reaching.people import Wish
from handup.domains.reaching.running import PAPER, PLAN_EVERY, PLAN_S, Rules
from handup.domains.reaching.scenes import Scene
from handup.domains.reaching.steering import Mode, velocity
from handup.domains.reaching.trial import SCHEMA, Ending, opposes
from handup.intent import Ask, Assistant, Command, Helper, Joystick, Pose
from handup.intent.pose import STILL, Vector

SURE = 0.7
"""What the paper takes for a prediction."""
GHOST_S = 1.5
"""Where the robot would have the hand is shown so far ahead, where it goes for no single goal."""
TO = "to "
"""How a command says which goal it goes for."""


@dataclass(frozen=True)
class Push:
    """What a person at a device commands now.

    Args:
        mode: Whether the stick moves the hand or turns it.
        pushed: Along three axes, from −1 to 1.
        close: Whether they press to close the hand.
    """

    mode: Mode = Mode.TRANSLATE
    pushed: Vector = STILL
    close: bool = False

    @property
    def stick(self) -> Joystick:
        """The velocity that this commands."""
        return Joystick(*velocity(self.mode, self.pushed))

    @property
    def idle(self) -> bool:
        """Whether nothing is pushed."""
        return self.pushed == STILL


@dataclass(frozen=True, kw_only=True)
class Driven:
    """What came of it, in the words of a `Trial`.

    Args:
        scene: Its name.
        task: Name of the goal; empty where the person took what they liked.
        method: What helped.
        ending: How it ended.
        held: Name of the goal whose grasp was made; empty where none was.
        time_s: In which the person was heard or asked.
        mode_changes: Between moving and turning.
        joystick_input: The sum of what was pushed along the axes, over all control steps.
        opposing: Share of the control steps in which robot and person worked against each other.
        predicted: Whether the robot was right about what was taken, and surer than 0.7.
        questions: How many were asked.
        misses: How often the hand was closed where nothing was.
        touching: Share of the control steps in which something stopped the hand.
    """

    scene: str
    task: str
    method: str
    ending: Ending
    held: str
    time_s: float
    mode_changes: int
    joystick_input: float
    opposing: float
    predicted: bool
    questions: int
    misses: int
    touching: float

    def to_json(self) -> dict[str, Any]:
        """One plain row, with the names that a simulated trial has."""
        return {
            "schema": SCHEMA,
            "scene": self.scene,
            "task": self.task,
            "strategy": "you",
            "method": self.method,
            "endings": [str(self.ending)],
            "success": self.ending is Ending.GRASPED,
            "held": self.held,
            **{
                name: getattr(self, name)
                for name in (
                    *("time_s", "mode_changes", "joystick_input", "opposing", "predicted", "questions", "misses"),
                    "touching",
                )
            },
        }


@dataclass(eq=False)
class Drive:
    """One attempt, from `tick` to `tick`.

    Args:
        scene: Where.
        task: Name of the goal that the person was given; empty: whatever they like.
        helper: What helps: a name of `handup.intent`, or a helper.
        rules: The terms. A question takes as long as it takes.

    Raises:
        BadGoals: The task is no goal of the scene.
        UnknownMethod: There is no such helper.
    """

    scene: Scene
    task: str = ""
    helper: str | Helper = "assist"
    rules: Rules = PAPER
    hand: Gripper = field(init=False)
    assistant: Assistant = field(init=False)
    mode: Mode = field(default=Mode.TRANSLATE, init=False)
    held: str = field(default="", init=False)
    misses: int = field(default=0, init=False)
    mode_changes: int = field(default=0, init=False)
    questions: int = field(default=0, init=False)
    time_s: float = field(default=0.0, init=False)
    _steps: int = field(default=0, init=False)
    _closing: bool = field(default=False, init=False)
    _pushed_in_all: float = field(default=0.0, init=False)
    _opposing: int = field(default=0, init=False)
    _touching: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.task:
            self.scene.goal(self.task)
        self.hand = Gripper(self.scene.start, self.scene.obstacles)
        self.assistant = Assistant(self.scene.goals, self.helper, alpha=self.rules.alpha)

    @property
    def command(self) -> Command:
        """What the robot adds now."""
        return self.assistant.command

    @property
    def question(self) -> Ask | None:
        """What it asks, while the hand stands still."""
        return self.assistant.question

    @property
    def over(self) -> bool:
        """Whether something is held, or the time is up."""
        return bool(self.held) or self.time_s >= self.rules.limit_s - 1e-9

    @property
    def ghost(self) -> Pose | None:
        """Where the robot would have the hand; None where it leaves that to the person."""
        command, here = self.command, self.hand.pose
        if command.still:
            return None
        name = command.why.removeprefix(TO)
        if name != command.why and name in self.scene.goals.names:
            return min(self.scene.goal(name).poses, key=lambda each: here.distance_m(each) + 0.1 * here.angle_rad(each))
        return here.moved(command.linear, command.angular, GHOST_S)

    def tick(self, push: Push | None) -> None:
        """One control step (1/40 s).

        Args:
            push: What the person commands; None: nothing was heard of them, and everything stands still.
        """
        if self.over:
            return
        if self.question is not None:
            self.time_s += CONTROL_S
            return
        if push is None:
            self.assistant.hold()
            self._closing = False
            return
        self.mode_changes += push.mode is not self.mode
        self.mode = push.mode
        stick = push.stick
        if self._steps % PLAN_EVERY == 0:
            self.questions += isinstance(self.assistant.step(self.hand.pose, stick, PLAN_S), Ask)
        if self.question is None:
            self._move(stick, push)
        self._steps += 1
        self.time_s += CONTROL_S
        if push.close and not self._closing:
            self._close()
        self._closing = push.close

    def answer(self, value: Value, by: str) -> None:
        """Tell the robot what was answered.

        Raises:
            IllegalCall: Nothing was asked.
            BadAnswer: The question does not allow this value.
        """
        self.assistant.answer(value, by)

    def unanswered(self) -> None:
        """Tell the robot that no answer comes.

        Raises:
            IllegalCall: Nothing was asked.
        """
        self.assistant.unanswered()

    def result(self) -> Driven:
        """The measures, once it is over; before, it counts as too late."""
        meant = not self.task or self.held == self.task
        ending = Ending.TOO_LATE if not self.held else Ending.GRASPED if meant else Ending.MISSED
        steps = max(1, self._steps)
        return Driven(
            scene=self.scene.name,
            task=self.task,
            method=self.assistant.helper.name,
            ending=ending,
            held=self.held,
            time_s=self.time_s,
            mode_changes=self.mode_changes,
            joystick_input=self._pushed_in_all,
            opposing=self._opposing / steps,
            predicted=self.assistant.belief.get(self.held, 0.0) > SURE,
            questions=self.questions,
            misses=self.misses,
            touching=self._touching / steps,
        )

    def _move(self, stick: Joystick, push: Push) -> None:
        alpha, command = self.rules.alpha, self.command
        (a, b, c), (d, e, f) = stick.linear, command.linear
        (g, h, i), (j, k, m) = stick.angular, command.angular
        self.hand.move((a + alpha * d, b + alpha * e, c + alpha * f), (g + alpha * j, h + alpha * k, i + alpha * m))
        self._opposing += opposes(stick.linear, command.linear) or opposes(stick.angular, command.angular)
        self._pushed_in_all += sum(map(abs, push.pushed))
        self._touching += self.hand.touched

    def _close(self) -> None:
        """The hand closes: what it holds then, or it opens again."""
        here = self.hand.pose
        found = [goal.name for goal in self.scene.goals if Wish(goal.name, here, goal.poses, True).is_reached(here)]
        if found:
            self.held = self.task if self.task in found else found[0]
        else:
            self.misses += 1
