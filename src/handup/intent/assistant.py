"""`Assistant`: takes the pose and the stick of each moment and returns a command or a question. Entry of this room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handup.core import BadPose, BadRecord, BadStep, IllegalCall, OutOfRange, UnknownMethod, Value, check_value
from handup.core.checks import check_count, check_fields, check_number, check_share, shown
from handup.intent.assist import Assist
from handup.intent.belief import GoalBelief
from handup.intent.command import ALPHA, Command, Joystick
from handup.intent.goal_questions import FEATURES, About, Ask, ask, ask_from_json
from handup.intent.goals import Goal, Goals
from handup.intent.helper import Catalogue, Helper, HelperChoice, HelperSituation, opposing, settings_of, towards
from handup.intent.paper import VARIANTS
from handup.intent.pose import Pose
from handup.intent.push_models import Unwatched
from handup.intent.seconds import Pace
from handup.intent.value import look, seen_from
from handup.people import Workload
from handup.people.workload import refusing_damage

SCHEMA = 1
HOLD = "hold"
"""Reason of the command that adds nothing to the stick: before the first step and after bad input."""
TIMES = ("now_s", "seen_s", "against_s", "turned_s", "quiet_until_s")
COUNTS = ("unheard", "questions", "reopened")
LONGEST_STEP_S = 10.0
DOUBT = 0.5
"""Factor on the probability of goals that the person has opposed for `reopens_s`."""
FADES = 0.1
"""Seconds of turning that are forgotten in each second without turning."""
MOST_QUESTIONS = 8
"""Default limit of questions in one attempt."""
MOST_REOPENED = 1
"""Times that opposition may open questions again. If pushes contradict the answers once more, nothing more is asked."""
QUIET_S = 10.0
"""Seconds without a question after one that nobody answered. They double with each further unanswered question."""
MOST_DOUBLED = 6
"""Largest number of such doublings."""
OWN = ("helper", "settings", "alpha", "most_questions", "goals")
"""Keys of a record that are not part of the state."""
HELPERS: tuple[Helper, ...] = (Assist(), *VARIANTS)
PRESETS: Mapping[str, Helper] = {helper.name: helper for helper in HELPERS}


@dataclass(frozen=True, eq=False, kw_only=True)
class AssistantState:
    """Memory of an assistant from step to step.

    Args:
        belief: Probabilities of the goals.
        workload: Load of each person by questions.
        now_s: Time in seconds, by the clock of the workload.
        seen_s: Seconds of pushing that were not yet taken as evidence.
        against_s: Seconds for which the person has worked against the robot, counted from the last answer at most.
        turned_s: Seconds for which the person has turned the hand; it fades while they do not.
        quiet_until_s: Time before which nothing is asked, since the last question was not answered.
        unheard: Number of questions in a row that were not answered.
        questions: Number of questions asked.
        reopened: Number of times that opposition has opened questions again.
        pace: Measure of how hard the person pushes.
        stick: The last push.
        asked: Keys of questions that were asked and may not be asked again.
        confirmed: Indices of goals that answers pointed at.
        denied: Indices of goals that a no ruled out.
        open: The question that is not answered yet.
        command: The velocity added to the stick. It is not stored: an assistant that was read from a record adds
            nothing before its next plan.
    """

    belief: GoalBelief
    workload: Workload
    now_s: float = 0.0
    seen_s: float = 0.0
    against_s: float = 0.0
    turned_s: float = 0.0
    quiet_until_s: float = 0.0
    unheard: int = 0
    questions: int = 0
    reopened: int = 0
    pace: Pace = field(default_factory=Pace)
    stick: Joystick = field(default_factory=Joystick)
    asked: frozenset[str] = frozenset()
    confirmed: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()
    open: Ask | None = None
    command: Command = field(default_factory=lambda: Command(why=HOLD))

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "belief": self.belief.to_json(),
            "workload": self.workload.to_json(),
            **{name: getattr(self, name) for name in (*TIMES, *COUNTS)},
            "pace": [self.pace.pushed, self.pace.squared, self.pace.seconds],
            "stick": self.stick.to_json(),
            "asked": sorted(self.asked),
            "confirmed": sorted(self.confirmed),
            "denied": sorted(self.denied),
            "open": None if self.open is None else self.open.to_json(),
        }

    @classmethod
    def from_json(cls, goals: Goals, record: Mapping[str, Any]) -> AssistantState:
        """The state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or of other goals.
        """
        names = ("belief", "workload", *TIMES, *COUNTS, "pace", "stick", "asked", "confirmed", "denied", "open")
        stored = check_fields("an assistant", record, names, needed=names, newest=SCHEMA, error=BadRecord)
        numbers: dict[str, Any] = {name: check_number(name, stored[name], error=BadRecord) for name in TIMES}
        numbers |= {name: check_count(name, stored[name], least=0, error=BadRecord) for name in COUNTS}
        with refusing_damage("assistant"):
            return cls(
                belief=GoalBelief.from_json(goals, stored["belief"]),
                workload=Workload.from_json(stored["workload"]),
                **numbers,
                pace=Pace(*stored["pace"]),
                stick=Joystick.from_json(stored["stick"]),
                asked=frozenset(map(str, stored["asked"])),
                confirmed=frozenset(map(int, stored["confirmed"])) & frozenset(range(len(goals))),
                denied=frozenset(map(int, stored["denied"])) & frozenset(range(len(goals))),
                open=None if stored["open"] is None else ask_from_json(goals, stored["open"]),
            )


class Assistant:
    """Help for one person in reaching for one object.

    Make a new one for each grasp; `again` makes one for the next attempt after a grasp that failed.

    Args:
        goals: The goals that the person may have.
        helper: The rule that decides: the name of a preset, such as "assist" or "paper", or a helper of your own.
        person: Name of the person who drives and bears the load of questions, as answers give it in `by`.
        workload: Load of each person by questions until now; that of rested people where none is given.
        now_s: Time of the beginning in seconds, by the clock of that workload.
        most_questions: Largest number of questions; None sets no limit, for studies.
        alpha: Share of the command that you add to the stick, from 0 to 1.

    Raises:
        BadGoals: There are no goals, a goal has no poses, or two goals have one name.
        UnknownMethod: No preset has this name.
        OutOfRange: Alpha is outside 0 to 1, the time is not finite, or the limit of questions is negative.

    Example:
        >>> from handup.intent import Assistant, Command, Goal, Joystick, Pose
        >>> cup = Goal("cup", "top", (Pose((0.4, 0.0, 0.1)),))
        >>> bowl = Goal("bowl", "top", (Pose((0.0, 0.4, 0.1)),))
        >>> assistant = Assistant([cup, bowl], "ho")
        >>> command = assistant.step(Pose((0.0, 0.0, 0.1)), Joystick((0.06, 0.0, 0.0)), 0.1)
        >>> isinstance(command, Command) and command.why
        'hindsight'
        >>> assistant.belief["cup/top"] > assistant.belief["bowl/top"]
        True
    """

    def __init__(
        self,
        goals: Goals | Iterable[Goal],
        helper: str | Helper = "assist",
        *,
        person: str | None = None,
        workload: Workload | None = None,
        now_s: float = 0.0,
        most_questions: int | None = MOST_QUESTIONS,
        alpha: float = ALPHA,
    ) -> None:
        self.alpha = check_share("alpha", alpha, error=OutOfRange)
        self.goals = goals if isinstance(goals, Goals) else Goals.of(goals)
        self.helper = helper_of(helper) if isinstance(helper, str) else helper
        if most_questions is not None:
            most_questions = check_count("most_questions", most_questions, least=0, error=OutOfRange)
        self.most_questions = most_questions
        self._catalogue = Catalogue(self.goals)
        load = Workload.of(FEATURES) if workload is None else workload
        self.state = AssistantState(
            belief=self.helper.begin(self.goals),
            workload=load if person is None else load.asking(person),
            now_s=check_number("now_s", now_s, error=OutOfRange),
        )

    @property
    def belief(self) -> Mapping[str, float]:
        """Probability of each goal by name; the rest up to one is an unlisted goal's. Empty if nothing is observed."""
        return {} if isinstance(self.helper.observation, Unwatched) else self.state.belief.chances

    @property
    def command(self) -> Command:
        """Velocity that the robot adds to the stick now: zero while it asks and after bad input."""
        return self.state.command.beside(self.state.stick)

    @property
    def question(self) -> Ask | None:
        """Question that is asked and not answered yet."""
        return self.state.open

    def step(self, pose: Pose | Mapping[str, Any], joystick: Joystick | Mapping[str, Any], dt: float) -> Command | Ask:
        """Return the command or the question for the next moment.

        Call it at the rate of control; it plans once per `apply_s` of the helper's metric. Between two plans the
        command is that of the last plan; a helper that gives way keeps only the part that agrees with the stick now.
        While a question is open, the same question is returned again, and the command is zero. After any exception,
        from bad input or from a helper of your own, the command is zero, too.

        Args:
            pose: Pose of the gripper, or its JSON record.
            joystick: Velocity that the person commands, or its JSON record.
            dt: Seconds since the last step, above 0 and at most 10.

        Raises:
            BadPose: The pose or the stick is of another type, not finite, or too large.
            BadStep: The time is outside its range.
        """
        before = self.state
        self.hold()  # first, so that the command is zero whatever is raised below
        here, stick, seconds = _checked(pose, joystick, dt)
        state = replace(before, now_s=before.now_s + seconds)
        if state.open is not None:
            self.state = state
            return state.open
        turned_s = state.turned_s + seconds if stick.turns else max(state.turned_s - FADES * seconds, 0.0)
        pace = state.pace.after(stick, seconds)
        state = replace(state, seen_s=state.seen_s + seconds, turned_s=turned_s, stick=stick, pace=pace)
        if state.seen_s >= self.helper.metric.apply_s - 1e-9:
            state = self._observed(state, here)
            state = self._acted(state, self.helper.decide(self._situation(state, here)))
        self.state = state
        return self.command if state.open is None else state.open

    def answer(self, value: Value, by: str) -> None:
        """Take the person's answer to the open question.

        Args:
            value: A value that the question allows.
            by: Name of the person who answered.

        Raises:
            IllegalCall: Nothing was asked.
            BadAnswer: The question does not allow this value. It stays open.
        """
        asked = self._open_question()
        about = asked.about
        index = about.answers.index(check_value(asked.question, value))
        state = self.state
        confirmed, denied = self._narrowed(about, index)
        self.state = replace(
            state,
            belief=state.belief.answered(about.likelihood(self.helper.right, state.belief.by_goal)[index]),
            workload=state.workload.answered(self._module(about), now_s=state.now_s, by=by).asking(by),
            confirmed=confirmed,
            denied=denied,
            against_s=0.0,
            quiet_until_s=0.0,
            unheard=0,
            open=None,
        )

    def unanswered(self) -> None:
        """Close the open question without an answer: it was put off, withdrawn, or answered too late.

        Nothing is learnt about the goal. The question has cost the person all the same. Nothing is asked for a while,
        which is longer each time.

        Raises:
            IllegalCall: Nothing was asked.
        """
        about = self._open_question().about
        state = self.state
        self.state = replace(
            state,
            workload=state.workload.answered(self._module(about), now_s=state.now_s),
            quiet_until_s=state.now_s + QUIET_S * 2.0 ** min(state.unheard, MOST_DOUBLED),
            unheard=state.unheard + 1,
            open=None,
        )

    def again(self) -> Assistant:
        """Return a new assistant for the same person's next attempt.

        The goal is open again. The person's pace and load are kept, and so is the time without questions after one
        that was not answered.
        """
        successor = Assistant(self.goals, self.helper, most_questions=self.most_questions, alpha=self.alpha)
        before = self.state
        successor.state = replace(
            successor.state,
            workload=before.workload,
            now_s=before.now_s,
            quiet_until_s=before.quiet_until_s,
            unheard=before.unheard,
            pace=before.pace,
        )
        return successor

    def hold(self) -> None:
        """Set the command to zero until the next step, for a driver that lost the pose or the person."""
        self.state = replace(self.state, command=Command(why=HOLD))

    def to_json(self) -> dict[str, Any]:
        """A plain record of everything but the helper and the command; `from_json` reads it back."""
        return {
            "helper": self.helper.name,
            "settings": settings_of(self.helper),
            "alpha": self.alpha,
            "most_questions": self.most_questions,
            "goals": self.goals.to_json(),
            **self.state.to_json(),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any], helper: Helper | None = None) -> Assistant:
        """The assistant that `to_json` wrote; its next plan is the same, and until then its command is zero.

        Args:
            record: The record that `to_json` returned.
            helper: The rule, where it was not a preset.

        Raises:
            BadRecord: It is damaged, of a newer schema, of a helper with other settings, or something else.
        """
        if not isinstance(record, Mapping) or not set(OWN) <= set(record):
            raise BadRecord(f"a record must hold {', '.join(OWN)}, got {shown(record)}", hint="Give that of `to_json`.")
        with refusing_damage("assistant"):
            goals, rule = Goals.from_json(record["goals"]), helper or str(record["helper"])
            assistant = cls(goals, rule, most_questions=record["most_questions"], alpha=record["alpha"])
        if settings_of(assistant.helper) != record["settings"]:
            cause = f"the helper must have the settings of the record's '{record['helper']}', got others"
            raise BadRecord(cause, hint="Give the helper that it had, or begin a new assistant.")
        state = {key: value for key, value in record.items() if key not in OWN}
        assistant.state = AssistantState.from_json(assistant.goals, state)
        return assistant

    def _module(self, about: About) -> int:
        """Index of the question in the workload; a workload of a single kind of question treats all alike."""
        return min(about.module, len(self.state.workload.costs) - 1)

    def _open_question(self) -> Ask:
        if self.state.open is None:
            raise IllegalCall("a question must be open, and nothing was asked", hint="Call it after step gave an Ask.")
        return self.state.open

    def _observed(self, state: AssistantState, pose: Pose) -> AssistantState:
        """Return the state after the last `apply_s` of pushing as evidence."""
        apply_s = self.helper.metric.apply_s
        # The excess of the last step counts for the next time. After a gap of two periods or more it is dropped: a
        # single look cannot stand for all that was pushed meanwhile.
        over_s = max(state.seen_s - apply_s, 0.0)
        over_s = over_s if over_s < apply_s - 1e-9 else 0.0
        state = replace(state, seen_s=state.seen_s - over_s)
        evidence = self.helper.observation.log_likelihood(state.belief, pose, state.stick, self.helper.metric)
        belief = state.belief if evidence is None else state.belief.updated(evidence)
        if math.isfinite(self.helper.reopens_s) and not state.stick.idle:
            state = self._doubted(replace(state, belief=belief), pose)
            belief = state.belief
        if self.helper.resamples:
            belief = belief.resampled(seen_from(self.goals.poses, pose, self.helper.metric)[2])
        return replace(state, belief=belief, seen_s=over_s)

    def _doubted(self, state: AssistantState, pose: Pose) -> AssistantState:
        """Return the state after counting the person's opposition to all confirmed goals, or else to the likeliest.

        A moment of opposition is noise. Once it has lasted `reopens_s`, the goals that it is against become less
        likely, and answers are taken back, so that questions may be asked again.
        """
        belief = state.belief
        view = look(self.goals, belief.groups, pose, self.helper.metric)
        against = np.asarray(opposing(towards(view, self.helper.metric), state.stick).any(axis=1))
        meant = np.isin(belief.target, list(state.confirmed))
        opposed = against[meant].all() if meant.any() else against[belief.weights[:-1].argmax()]
        lasted = state.against_s + state.seen_s if opposed else max(state.against_s - state.seen_s, 0.0)
        if lasted < self.helper.reopens_s:
            return replace(state, against_s=lasted)
        doubted = belief.updated(np.append(np.where(against, math.log(DOUBT), 0.0), 0.0))
        state = replace(state, belief=doubted, against_s=0.0)
        if not state.confirmed | state.denied:
            return state
        # Where everything was only denied, nothing is asked again in the same words: a person who wants something
        # unlisted would hear all questions twice.
        asked = frozenset() if state.confirmed else state.asked
        none: frozenset[int] = frozenset()
        return replace(state, asked=asked, confirmed=none, denied=none, reopened=state.reopened + 1)

    def _situation(self, state: AssistantState, pose: Pose) -> HelperSituation:
        spent = self.most_questions is not None and state.questions >= self.most_questions
        return HelperSituation(
            belief=state.belief,
            pose=pose,
            stick=state.stick,
            catalogue=self._catalogue,
            asked=state.asked,
            confirmed=state.confirmed,
            denied=state.denied,
            alpha=self.alpha,
            turned_s=state.turned_s,
            loads=state.workload.query_costs(state.now_s),
            pace=state.pace,
            may_ask=not spent and state.reopened <= MOST_REOPENED and state.now_s >= state.quiet_until_s,
        )

    def _acted(self, state: AssistantState, choice: HelperChoice) -> AssistantState:
        """Return the state after a decision: with its command, or with its question open."""
        if choice.about is None:
            vx, vy, vz, wx, wy, wz = map(float, choice.velocity)
            gives_way = self.helper.gives_way
            return replace(state, command=Command((vx, vy, vz), (wx, wy, wz), choice.why, gives_way=gives_way))
        chances = np.append(state.belief.by_goal, state.belief.of_unknown)
        return replace(
            state,
            open=ask(choice.about, chances, why=choice.why),
            asked=state.asked | {choice.about.key},
            questions=state.questions + 1,
            command=Command(why="asking"),
        )

    def _narrowed(self, about: About, index: int) -> tuple[frozenset[int], frozenset[int]]:
        """Return the confirmed and the denied goals after the answer `index`; a contradiction begins anew."""
        before, denied = self.state.confirmed, self.state.denied
        meant = frozenset(goal for goal, true in enumerate(about.truth[:-1]) if true == index)
        # The answer of a person whose goal is not listed, such as no, confirms nothing: they give it to every question.
        if index == about.truth[-1]:
            return before & meant, denied | (frozenset(range(len(self.goals))) - meant)
        confirmed = (before & meant) or meant
        return confirmed, denied - confirmed if confirmed <= denied else denied


def _checked(pose: object, joystick: object, dt: object) -> tuple[Pose, Joystick, float]:
    here = Pose.from_json(pose) if isinstance(pose, Mapping) else pose
    stick = Joystick.from_json(joystick) if isinstance(joystick, Mapping) else joystick
    if not isinstance(here, Pose):
        raise BadPose(f"pose must be a Pose or its record, got {shown(pose)}", hint="Give a Pose.")
    if not isinstance(stick, Joystick):
        raise BadPose(f"joystick must be a Joystick or its record, got {shown(joystick)}", hint="Give a Joystick.")
    seconds = check_number("the time of a step", dt, error=BadStep)
    if not 0.0 < seconds <= LONGEST_STEP_S:
        must = f"dt must be above 0 and at most {LONGEST_STEP_S:g} seconds"
        raise BadStep(f"{must}, got {seconds:g}", hint="Give the time since the last step.")
    return here, stick, seconds


def helper_of(name: str) -> Helper:
    """The helper of this name.

    Raises:
        UnknownMethod: There is none.
    """
    if name not in PRESETS:
        raise UnknownMethod(f"helper must be the name of a preset, got '{name}'", hint=f"Known: {', '.join(PRESETS)}.")
    return PRESETS[name]
