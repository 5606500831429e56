"""Hand that a real person drives: pushes come from outside, the robot helps or asks, and measures are kept.

Pure: whoever calls `tick` forty times a second has the clock and the device, and says whether the person is heard.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from handup.core import BadRecord, HandupError, Value
from handup.core.checks import check_count, check_fields, check_number
from handup.domains.reaching.drawn_person import Wish
from handup.domains.reaching.scenes import CONTROL_S, Gripper, Scene
from handup.domains.reaching.stick_user import Mode, velocity
from handup.domains.reaching.trial import PAPER, SCHEMA, AttemptEnding, Rules, opposes
from handup.intent import Ask, Assistant, Command, Goal, Goals, Helper, Joystick, Pose
from handup.intent.pose import STILL, Vector
from handup.intent.value import Metric
from handup.people import Workload

SURE = 0.7
"""Probability from which the paper counts a guess as a prediction."""
RECORD_SCHEMA = 1
COUNTS = ("misses", "mode_changes", "questions", "_steps", "_opposing", "_touching")
SUMS = ("time_s", "_pushed_in_all")
"""Names of the counts and of the sums over an attempt, as a record keeps them."""


@dataclass(frozen=True)
class DevicePush:
    """Command of a person at a device, at one moment.

    Args:
        mode: Whether the stick moves the hand or turns it.
        pushed: Push along three axes, each from −1 to 1.
        close: Whether they press to close the hand.
    """

    mode: Mode = Mode.TRANSLATE
    pushed: Vector = STILL
    close: bool = False

    @property
    def stick(self) -> Joystick:
        """Velocity that this commands."""
        return Joystick(*velocity(self.mode, self.pushed))

    @property
    def idle(self) -> bool:
        """True when nothing is pushed."""
        return self.pushed == STILL


@dataclass(frozen=True, kw_only=True)
class Driven:
    """Result of an attempt, with the names of a `Trial`.

    Args:
        scene: Its name.
        task: Name of the goal; empty where the person took what they liked.
        method: Name of the helper.
        ending: How it ended.
        held: Name of the goal whose grasp was made; empty where none was.
        time_s: Time in which the person was heard or asked.
        mode_changes: Number of changes between moving and turning.
        joystick_input: Sum of all pushes along the axes, over all control steps.
        opposing: Share of the control steps in which robot and person worked against each other.
        predicted: Whether the robot was right about what was taken, and surer than 0.7.
        questions: How many were asked.
        misses: How often the hand was closed where nothing was.
        touching: Share of the control steps in which something stopped the hand.
    """

    scene: str
    task: str
    method: str
    ending: AttemptEnding
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
        """Return one plain row, with the names that a simulated trial has."""
        measures = asdict(self)
        ending = measures.pop("ending")
        success = ending is AttemptEnding.GRASPED
        return {"schema": SCHEMA, "strategy": "you", "endings": [str(ending)], "success": success, **measures}


@dataclass(eq=False)
class Drive:
    """One attempt, from `tick` to `tick`.

    Whatever the helper, the hand stands still while the stick rests: the robot adds to what a person does, and a hand
    beside a real person does not set off by itself.

    Args:
        scene: The scene.
        task: Name of the goal that the person was given; empty: whatever they like.
        helper: The helper: a name of `handup.intent`, or a helper.
        rules: The terms. A question takes as long as it takes.
        person: Person who drives, and bears the load of being asked: the name that answers come `by`.
        workload: Everybody's load by questions until now.
        now_s: The time at the beginning, by the clock of that workload.

    Raises:
        BadGoals: The task is no goal of the scene.
        UnknownMethod: There is no such helper.
    """

    scene: Scene
    task: str = ""
    helper: str | Helper = "assist"
    rules: Rules = PAPER
    person: str | None = None
    workload: Workload | None = None
    now_s: float = 0.0
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
    _resting: bool = field(default=True, init=False)
    _pushed_in_all: float = field(default=0.0, init=False)
    _opposing: int = field(default=0, init=False)
    _touching: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.task:
            self.scene.goal(self.task)
        self.hand = Gripper(self.scene.start, self.scene.obstacles)
        self.assistant = Assistant(
            self.scene.goals,
            self.helper,
            person=self.person,
            workload=self.workload,
            now_s=self.now_s,
            alpha=self.rules.alpha,
        )

    @property
    def command(self) -> Command:
        """Command of the robot now: nothing while the stick rests."""
        return Command() if self._resting else self.assistant.command

    @property
    def question(self) -> Ask | None:
        """Open question of the robot, while the hand stands still."""
        return self.assistant.question

    @property
    def load(self) -> float:
        """Cost of the open question to the person; 0 where none is open."""
        state = self.assistant.state
        costs = state.workload.query_costs(state.now_s)
        return 0.0 if state.open is None else costs[min(state.open.about.module, len(costs) - 1)]

    @property
    def over(self) -> bool:
        """True when something is held, or the time is up."""
        return bool(self.held) or self.time_s >= self.rules.limit_s - 1e-9

    @property
    def ghost(self) -> Pose | None:
        """Pose that the robot goes for or asks about; None where it leaves that to the person."""
        goals, here, metric = self.scene.goals, self.hand.pose, self.assistant.helper.metric
        if self.question is not None:
            return asked_about(self.question, self.assistant.belief, goals, here, metric)
        return ghost_of(self.command, goals, here, metric, self.rules.alpha)

    def going(self, stick: Joystick) -> tuple[Vector, Vector]:
        """Return the velocity of person and robot together: m/s and rad/s."""
        alpha, command = self.rules.alpha, self.command
        (a, b, c), (d, e, f) = stick.linear, command.linear
        (g, h, i), (j, k, m) = stick.angular, command.angular
        return (a + alpha * d, b + alpha * e, c + alpha * f), (g + alpha * j, h + alpha * k, i + alpha * m)

    def tick(self, push: DevicePush | None) -> None:
        """Do one control step (1/40 s).

        Args:
            push: Command of the person; None where they are not heard: then everything stands still.
        """
        if self.over:
            return
        if self.question is not None:
            self.time_s += CONTROL_S
            return
        if push is None:
            self.assistant.hold()
            self._closing, self._resting = False, True
            return
        self.mode_changes += push.mode is not self.mode
        self.mode = push.mode
        stick = push.stick
        self._resting = stick.idle
        self.questions += isinstance(self.assistant.step(self.hand.pose, stick, CONTROL_S), Ask)
        if self.question is None:
            self._move(stick, push)
        self._steps += 1
        self.time_s += CONTROL_S
        # Only the press closes the hand, not holding the button: one press is one try.
        if push.close and not self._closing:
            self._close()
        self._closing = push.close

    def answer(self, value: Value, by: str) -> None:
        """Tell the robot an answer.

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

    def to_json(self) -> dict[str, Any]:
        """Return a plain record of an attempt under way; `restore` goes on with it."""
        return {
            "schema": RECORD_SCHEMA,
            "scene": self.scene.name,
            "task": self.task,
            "hand": self.hand.pose.to_json(),
            "mode": str(self.mode),
            **{name.removeprefix("_"): getattr(self, name) for name in (*COUNTS, *SUMS)},
            "assistant": self.assistant.to_json(),
        }

    def restore(self, record: Mapping[str, Any]) -> None:
        """Go on where a record of an attempt ended. Nothing moves before the next push.

        Raises:
            BadRecord: The record is damaged, or of another scene, task or helper. Nothing has changed then.
        """
        kept = [name.removeprefix("_") for name in (*COUNTS, *SUMS)]
        names = ("scene", "task", "hand", "mode", *kept, "assistant")
        fields = check_fields("an attempt", record, names, needed=names, newest=RECORD_SCHEMA, error=BadRecord)
        if (fields["scene"], fields["task"]) != (self.scene.name, self.task):
            raise BadRecord("an attempt is of another scene or task", hint="Begin a new one.")
        helper = None if isinstance(self.helper, str) else self.helper
        assistant = Assistant.from_json(fields["assistant"], helper)
        if assistant.helper.name != self.assistant.helper.name or assistant.goals.names != self.scene.goals.names:
            raise BadRecord("an attempt was helped otherwise, or had other goals", hint="Begin a new one.")
        counts = {name: check_count(name, fields[name.removeprefix("_")], least=0, error=BadRecord) for name in COUNTS}
        sums = {name: check_number(name, fields[name.removeprefix("_")], error=BadRecord) for name in SUMS}
        try:
            pose, mode = Pose.from_json(fields["hand"]), Mode(fields["mode"])
        except (HandupError, ValueError) as error:
            raise BadRecord("an attempt is damaged", hint="Begin a new one.") from error
        # Everything is checked by now: from here on nothing fails, so a bad record leaves the attempt untouched.
        for name, value in {**counts, **sums}.items():
            setattr(self, name, value)
        state = assistant.state
        assistant.state = replace(state, now_s=max(state.now_s, self.now_s))
        self.assistant, self.mode = assistant, mode
        self.hand = Gripper(pose, self.scene.obstacles)

    def result(self) -> Driven:
        """Return the measures; before the end the attempt counts as too late."""
        meant = not self.task or self.held == self.task
        ending = AttemptEnding.TOO_LATE if not self.held else AttemptEnding.GRASPED if meant else AttemptEnding.MISSED
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

    def _move(self, stick: Joystick, push: DevicePush) -> None:
        command = self.command
        self.hand.move(*self.going(stick))
        self._opposing += opposes(stick.linear, command.linear) or opposes(stick.angular, command.angular)
        self._pushed_in_all += sum(map(abs, push.pushed))
        self._touching += self.hand.touched

    def _close(self) -> None:
        """Close the hand: it holds something then, or opens again and counts a miss."""
        here = self.hand.pose
        grasped = [goal.name for goal in self.scene.goals if Wish(goal.name, here, goal.poses, True).is_reached(here)]
        if grasped:
            self.held = self.task if self.task in grasped else grasped[0]
        else:
            self.misses += 1


# -- the pose where the robot would have the hand, to be shown beside it -----------------------------------------------


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
