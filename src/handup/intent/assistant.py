"""`Assistant`: told the pose and the stick, it says how to help or what to ask. The door to this room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from handup.core import BadPose, BadRecord, BadSetting, BadStep, HandupError, IllegalCall, Value, check_value
from handup.core.checks import check_number, check_share
from handup.intent.asking import Ask, ask
from handup.intent.command import ALPHA, Command
from handup.intent.goals import Goal, Goals
from handup.intent.helper import Catalogue, Choice, Helper, Situation
from handup.intent.motion import opposing, towards
from handup.intent.observing import Unwatched
from handup.intent.pose import Pose
from handup.intent.presets import helper_of
from handup.intent.state import HOLD, State
from handup.intent.stick import IDLE, Joystick
from handup.intent.value import look
from handup.people import Features, Workload

ONE_QUESTION = 0
"""All questions about goals are one kind of question to a workload: a short choice."""
LONGEST_STEP_S = 10.0
DOUBT = 0.5
"""What opposition that lasts leaves of the chance of goals that it is against."""


class Assistant:
    """Helps one person to reach for one thing. Begin a new one for each grasp.

    Args:
        goals: What the person may want.
        helper: Which rule decides: a preset's name such as "assist" or "paper", or a helper of your own.
        workload: What questions cost the person now; a rested person's where none is given.
        alpha: How much of its velocity you add to the stick, from 0 to 1.

    Raises:
        BadGoals: There are no goals, one has no poses, or two have one name.
        UnknownMethod: No preset has this name.
        BadSetting: Alpha is no share.

    Example:
        >>> from handup.intent import Assistant, Command, Goal, Joystick, Pose
        >>> cup = Goal("cup", "top", (Pose((0.4, 0.0, 0.1)),))
        >>> bowl = Goal("bowl", "top", (Pose((0.0, 0.4, 0.1)),))
        >>> assistant = Assistant([cup, bowl], "ho")
        >>> said = assistant.step(Pose((0.0, 0.0, 0.1)), Joystick((0.06, 0.0, 0.0)), 0.1)
        >>> isinstance(said, Command) and said.why
        'hindsight'
        >>> assistant.belief["cup/top"] > assistant.belief["bowl/top"]
        True
    """

    def __init__(
        self,
        goals: Goals | Iterable[Goal],
        helper: str | Helper = "assist",
        *,
        workload: Workload | None = None,
        alpha: float = ALPHA,
    ) -> None:
        self.alpha = check_share("alpha", alpha, error=BadSetting)
        self.goals = goals if isinstance(goals, Goals) else Goals.of(goals)
        self.helper = helper_of(helper) if isinstance(helper, str) else helper
        self._catalogue = Catalogue(self.goals)
        self.state = State(
            belief=self.helper.begin(self.goals),
            workload=Workload.of([Features()]) if workload is None else workload,
        )

    @property
    def belief(self) -> Mapping[str, float]:
        """The chance of each goal by name; what is missing to one is that of none of them. Empty if nobody watches."""
        return {} if isinstance(self.helper.observation, Unwatched) else self.state.belief.chances

    @property
    def command(self) -> Command:
        """What the robot adds to the stick now: nothing while it asks, and nothing after bad input."""
        return self.state.command

    @property
    def question(self) -> Ask | None:
        """What is asked and not answered yet."""
        return self.state.open

    def step(self, pose: Pose | Mapping[str, Any], joystick: Joystick | Mapping[str, Any], dt: float) -> Command | Ask:
        """Say what to do for the next moment. Call it at the rate of control; it plans once per `apply_s`.

        While a question is open it gives the same question again, and the command stays at zero.

        Args:
            pose: Where the gripper is, or the JSON of it.
            joystick: What the person commands, or the JSON of it.
            dt: Seconds since the last step.

        Raises:
            BadPose: The pose or the stick is none, or not finite.
            BadStep: The time is not above zero, or too long to say anything about now.
        """
        try:
            here, stick, seconds = _checked(pose, joystick, dt)
        except HandupError:
            self.hold()
            raise
        state = replace(self.state, now_s=self.state.now_s + seconds)
        if state.open is not None:
            self.state = state
            return state.open
        state = replace(state, seen_s=state.seen_s + seconds, stick=stick)
        if state.seen_s < self.helper.metric.apply_s - 1e-9:
            self.state = state
            return state.command
        self.state = self._watched(state, here)
        choice = self.helper.decide(self._situation(here))
        return self._done(choice)

    def answer(self, value: Value, by: str) -> None:
        """Tell it what the person answered.

        Args:
            value: One that the question allows.
            by: Who answered.

        Raises:
            IllegalCall: Nothing was asked.
            BadAnswer: The question does not allow this value. It stays open.
        """
        asked = self._asked()
        about = asked.about
        index = about.answers.index(check_value(asked.question, value))
        meant = frozenset(goal for goal, true in enumerate(about.truth[:-1]) if true == index)
        state = self.state
        self.state = replace(
            state,
            belief=state.belief.answered(about.likelihood(self.helper.right, state.belief.by_goal)[index]),
            workload=state.workload.answered(ONE_QUESTION, now_s=state.now_s, by=by),
            confirmed=self._confirmed(meant),
            open=None,
        )

    def unanswered(self) -> None:
        """Tell it that no answer will come: the question was withdrawn, or too late. Nothing is learnt.

        Raises:
            IllegalCall: Nothing was asked.
        """
        self._asked()
        self.state = replace(self.state, open=None)

    def hold(self) -> None:
        """Add nothing to the stick before the next step: for a driver that lost its pose or its person."""
        self.state = replace(self.state, command=Command(why=HOLD))

    def to_json(self) -> dict[str, Any]:
        """A plain record of everything but the helper's settings; `from_json` reads it back."""
        record = {"helper": self.helper.name, "alpha": self.alpha, "goals": self.goals.to_json()}
        return {**record, **self.state.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any], helper: Helper | None = None) -> Assistant:
        """The assistant that `to_json` wrote, with the same next step.

        Args:
            record: What `to_json` gave.
            helper: The rule, where it was not a preset.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        if not isinstance(record, Mapping) or not {"helper", "alpha", "goals"} <= set(record):
            raise BadRecord("this is no record of an assistant", hint="Give what `to_json` wrote.")
        try:
            goals = Goals.from_json(record["goals"])
            made = cls(goals, helper or str(record["helper"]), alpha=record["alpha"])
        except HandupError as error:
            raise BadRecord(f"an assistant is damaged ({error.cause})", hint="Begin a new one.") from error
        rest = {key: value for key, value in record.items() if key not in ("helper", "alpha", "goals")}
        made.state = State.from_json(made.goals, rest)
        return made

    def _asked(self) -> Ask:
        if self.state.open is None:
            raise IllegalCall("nothing was asked", hint="Answer only after step gave an Ask.")
        return self.state.open

    def _watched(self, state: State, pose: Pose) -> State:
        """After what the person pushed is taken as evidence."""
        if state.stick.turning > 0.0:
            state = replace(state, turned_s=state.turned_s + state.seen_s)
        found = self.helper.observation.log_likelihood(state.belief, pose, state.stick, self.helper.metric)
        belief = state.belief if found is None else state.belief.updated(found)
        if math.isfinite(self.helper.reopens_s) and state.stick != IDLE:
            state = self._doubted(replace(state, belief=belief), pose)
            belief = state.belief
        if self.helper.resamples:
            way, turn = self.goals.poses.ways_from(pose)
            values = self.helper.metric.value(np.linalg.norm(way, axis=1), np.linalg.norm(turn, axis=1))
            belief = belief.resampled(values)
        return replace(state, belief=belief, seen_s=0.0)

    def _doubted(self, state: State, pose: Pose) -> State:
        """Opposition is judged over several steps: a moment of it is noise, more of it is a wrong goal."""
        belief = state.belief
        view = look(self.goals, belief.groups, pose, self.helper.metric)
        against = np.asarray(opposing(towards(view, self.helper.metric), state.stick).any(axis=1))
        top = int(belief.weights[:-1].argmax())
        lasted = state.against_s + state.seen_s if against[top] else max(state.against_s - state.seen_s, 0.0)
        if lasted < self.helper.reopens_s:
            return replace(state, against_s=lasted)
        doubted = belief.updated(np.append(np.where(against, math.log(DOUBT), 0.0), 0.0))
        return replace(state, belief=doubted, against_s=0.0, asked=frozenset(), confirmed=frozenset())

    def _situation(self, pose: Pose) -> Situation:
        state = self.state
        return Situation(
            belief=state.belief,
            pose=pose,
            stick=state.stick,
            catalogue=self._catalogue,
            asked=state.asked,
            confirmed=state.confirmed,
            alpha=self.alpha,
            turned_s=state.turned_s,
            load=state.workload.query_costs(state.now_s)[ONE_QUESTION],
        )

    def _done(self, choice: Choice) -> Command | Ask:
        if choice.about is None:
            vx, vy, vz, wx, wy, wz = map(float, choice.velocity)
            command = Command((vx, vy, vz), (wx, wy, wz), choice.why)
            self.state = replace(self.state, command=command)
            return command
        chances = np.append(self.state.belief.by_goal, self.state.belief.of_unknown)
        question = ask(choice.about, chances, why=choice.why)
        self.state = replace(
            self.state,
            open=question,
            asked=self.state.asked | {choice.about.key},
            command=Command(why="asking"),
        )
        return question

    def _confirmed(self, meant: frozenset[int]) -> frozenset[int]:
        """What answers point at: narrowed by each further answer, begun anew where two contradict each other."""
        before = self.state.confirmed
        return (before & meant) or meant if before else meant


def _checked(pose: object, joystick: object, dt: object) -> tuple[Pose, Joystick, float]:
    here = Pose.from_json(pose) if isinstance(pose, Mapping) else pose
    stick = Joystick.from_json(joystick) if isinstance(joystick, Mapping) else joystick
    if not isinstance(here, Pose):
        raise BadPose(f"a pose is {type(pose).__name__}", hint="Give a Pose.")
    if not isinstance(stick, Joystick):
        raise BadPose(f"a stick is {type(joystick).__name__}", hint="Give a Joystick.")
    seconds = check_number("the time of a step", dt, error=BadStep)
    if not 0.0 < seconds <= LONGEST_STEP_S:
        raise BadStep(f"a step takes {seconds:g} s", hint=f"Give a time above 0, at most {LONGEST_STEP_S:g} s.")
    return here, stick, seconds
