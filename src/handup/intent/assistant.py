"""`Assistant`: told the pose and the stick, it says how to help or what to ask. The door to this room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handup.core import (
    BadPose,
    BadRecord,
    BadSetting,
    BadStep,
    IllegalCall,
    UnknownMethod,
    Value,
    check_value,
)
from handup.core.checks import check_count, check_fields, check_number, check_share
from handup.intent.asking import FEATURES, About, Ask, ask, ask_from_json
from handup.intent.assist import Assist
from handup.intent.belief import Belief
from handup.intent.command import ALPHA, Command, Joystick
from handup.intent.goals import Goal, Goals
from handup.intent.helper import Catalogue, Choice, Helper, Situation, opposing, settings_of, towards
from handup.intent.observing import Unwatched
from handup.intent.paper import VARIANTS
from handup.intent.pose import Pose
from handup.intent.seconds import Pace
from handup.intent.value import look, values_from
from handup.people import Workload
from handup.people.workload import refusing_damage

SCHEMA = 1
HOLD = "hold"
"""Why nothing is added to the stick before the first step, and after bad input."""
TIMES = ("now_s", "seen_s", "against_s", "turned_s", "quiet_until_s")
COUNTS = ("unheard", "questions", "reopened")
LONGEST_STEP_S = 10.0
DOUBT = 0.5
"""What opposition that lasts leaves of the chance of goals that it is against."""
FADES = 0.1
"""A second without turning takes so much away from how long the person has turned the hand."""
MOST_QUESTIONS = 8
"""In one attempt, where nobody says otherwise."""
MOST_REOPENED = 1
"""So often opposition opens questions again. Whose pushes then contradict their answers once more is not asked on."""
QUIET_S = 10.0
"""Nothing is asked for so long after a question that nobody answered; twice as long after each further one …"""
MOST_DOUBLED = 6
"""… but no more often than this."""
OWN = ("helper", "settings", "alpha", "most_questions", "goals")
"""What a record has beside the state."""
HELPERS: tuple[Helper, ...] = (Assist(), *VARIANTS)
PRESETS: Mapping[str, Helper] = {each.name: each for each in HELPERS}


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """What an assistant remembers from step to step.

    Args:
        belief: What the person may want.
        workload: Everybody's load by questions.
        now_s: Since the beginning.
        seen_s: Time of pushing that is not evidence yet.
        against_s: For how long the person has worked against what the robot would do; since the last answer at most.
        turned_s: For how long the person has turned the hand; it fades while they do not.
        quiet_until_s: Nothing is asked before this, since the last question was not answered.
        unheard: How many questions in a row were not answered.
        questions: How many were asked.
        reopened: How often opposition has opened questions again.
        pace: How hard the person pushes.
        stick: The last push.
        asked: Keys of questions that were asked and are not open again.
        confirmed: Goals that answers pointed at.
        denied: Goals that a no ruled out.
        open: The question that is not answered yet.
        command: What is added to the stick. A record does not keep it: who comes back from one moves nothing before the
            next plan.
    """

    belief: Belief
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
    def from_json(cls, goals: Goals, record: Mapping[str, Any]) -> State:
        """The state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or of other goals.
        """
        names = ("belief", "workload", *TIMES, *COUNTS, "pace", "stick", "asked", "confirmed", "denied", "open")
        found = check_fields("an assistant", record, names, needed=names, newest=SCHEMA, error=BadRecord)
        numbers: dict[str, Any] = {name: check_number(name, found[name], error=BadRecord) for name in TIMES}
        numbers |= {name: check_count(name, found[name], least=0, error=BadRecord) for name in COUNTS}
        with refusing_damage("assistant"):
            return cls(
                belief=Belief.from_json(goals, found["belief"]),
                workload=Workload.from_json(found["workload"]),
                **numbers,
                pace=Pace(*found["pace"]),
                stick=Joystick.from_json(found["stick"]),
                asked=frozenset(map(str, found["asked"])),
                confirmed=frozenset(map(int, found["confirmed"])) & frozenset(range(len(goals))),
                denied=frozenset(map(int, found["denied"])) & frozenset(range(len(goals))),
                open=None if found["open"] is None else ask_from_json(goals, found["open"]),
            )


class Assistant:
    """Helps one person to reach for one thing. Begin a new one for each grasp; `again` is for one that failed.

    Args:
        goals: What the person may want.
        helper: Which rule decides: a preset's name such as "assist" or "paper", or a helper of your own.
        person: Who drives, and bears the load of being asked. Give the name that answers come `by`.
        workload: Everybody's load by questions until now; that of rested people where none is given.
        now_s: The time at the beginning, by the clock of that workload.
        most_questions: So many may be asked; None: no limit, for a study.
        alpha: How much of its velocity you add to the stick, from 0 to 1.

    Raises:
        BadGoals: There are no goals, one has no poses, or two have one name.
        UnknownMethod: No preset has this name.
        BadSetting: Alpha is no share, a time is not finite, or a count is none.

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
        person: str | None = None,
        workload: Workload | None = None,
        now_s: float = 0.0,
        most_questions: int | None = MOST_QUESTIONS,
        alpha: float = ALPHA,
    ) -> None:
        self.alpha = check_share("alpha", alpha, error=BadSetting)
        self.goals = goals if isinstance(goals, Goals) else Goals.of(goals)
        self.helper = helper_of(helper) if isinstance(helper, str) else helper
        if most_questions is not None:
            most_questions = check_count("most_questions", most_questions, least=0, error=BadSetting)
        self.most_questions = most_questions
        self._catalogue = Catalogue(self.goals)
        borne = Workload.of(FEATURES) if workload is None else workload
        self.state = State(
            belief=self.helper.begin(self.goals),
            workload=borne if person is None else borne.asking(person),
            now_s=check_number("now_s", now_s, error=BadSetting),
        )

    @property
    def belief(self) -> Mapping[str, float]:
        """The chance of each goal by name; what is missing to one is that of none of them. Empty if nobody watches."""
        return {} if isinstance(self.helper.observation, Unwatched) else self.state.belief.chances

    @property
    def command(self) -> Command:
        """What the robot adds to the stick now: nothing while it asks, and nothing after bad input."""
        return self.state.command.beside(self.state.stick)

    @property
    def question(self) -> Ask | None:
        """What is asked and not answered yet."""
        return self.state.open

    def step(self, pose: Pose | Mapping[str, Any], joystick: Joystick | Mapping[str, Any], dt: float) -> Command | Ask:
        """Say what to do for the next moment. Call it at the rate of control; it plans once per `apply_s`.

        While a question is open it gives the same question again, and the command stays at zero. Between two plans the
        command is that of the last one; of a helper that gives way, only what goes with the stick as it is now.
        Whatever is raised, by bad input or by a helper of your own, the command is zero after it.

        Args:
            pose: Where the gripper is, or the JSON of it.
            joystick: What the person commands, or the JSON of it.
            dt: Seconds since the last step.

        Raises:
            BadPose: The pose or the stick is none, not finite, or out of all reason.
            BadStep: The time is not above zero, or too long to say anything about now.
        """
        before = self.state
        self.hold()
        here, stick, seconds = _checked(pose, joystick, dt)
        state = replace(before, now_s=before.now_s + seconds)
        if state.open is not None:
            self.state = state
            return state.open
        turned_s = state.turned_s + seconds if stick.turns else max(state.turned_s - FADES * seconds, 0.0)
        pace = state.pace.after(stick, seconds)
        state = replace(state, seen_s=state.seen_s + seconds, turned_s=turned_s, stick=stick, pace=pace)
        if state.seen_s >= self.helper.metric.apply_s - 1e-9:
            state = self._watched(state, here)
            state = self._done(state, self.helper.decide(self._situation(state, here)))
        self.state = state
        return self.command if state.open is None else state.open

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
        state = self.state
        confirmed, denied = self._told(about, index)
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
        """Tell it that no answer will come: the question was put off, withdrawn, or too late.

        Nothing is learnt about the goal. It cost the person all the same, and nothing is asked for a while, longer each
        time.

        Raises:
            IllegalCall: Nothing was asked.
        """
        about = self._asked().about
        state = self.state
        self.state = replace(
            state,
            workload=state.workload.answered(self._module(about), now_s=state.now_s),
            quiet_until_s=state.now_s + QUIET_S * 2.0 ** min(state.unheard, MOST_DOUBLED),
            unheard=state.unheard + 1,
            open=None,
        )

    def again(self) -> Assistant:
        """One for the next attempt of the same person.

        What they want is open; their pace, their load and whether they would rather not be asked are known.
        """
        made = Assistant(self.goals, self.helper, most_questions=self.most_questions, alpha=self.alpha)
        before = self.state
        made.state = replace(
            made.state,
            workload=before.workload,
            now_s=before.now_s,
            quiet_until_s=before.quiet_until_s,
            unheard=before.unheard,
            pace=before.pace,
        )
        return made

    def hold(self) -> None:
        """Add nothing to the stick before the next step: for a driver that lost its pose or its person."""
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
        """The assistant that `to_json` wrote, with the same next plan; before that it adds nothing to the stick.

        Args:
            record: What `to_json` gave.
            helper: The rule, where it was not a preset.

        Raises:
            BadRecord: It is damaged, of a newer schema, of a helper with other settings, or something else.
        """
        if not isinstance(record, Mapping) or not set(OWN) <= set(record):
            raise BadRecord("this is no record of an assistant", hint="Give what `to_json` wrote.")
        with refusing_damage("assistant"):
            goals, rule = Goals.from_json(record["goals"]), helper or str(record["helper"])
            made = cls(goals, rule, most_questions=record["most_questions"], alpha=record["alpha"])
        if settings_of(made.helper) != record["settings"]:
            raise BadRecord(
                f"an assistant was helped by '{record['helper']}' with other settings",
                hint="Give the helper that it had, or begin a new one.",
            )
        made.state = State.from_json(made.goals, {key: value for key, value in record.items() if key not in OWN})
        return made

    def _module(self, about: About) -> int:
        """Which question of the workload it is; one that knows of a single kind takes all for that."""
        return min(about.module, len(self.state.workload.costs) - 1)

    def _asked(self) -> Ask:
        if self.state.open is None:
            raise IllegalCall("nothing was asked", hint="Answer only after step gave an Ask.")
        return self.state.open

    def _watched(self, state: State, pose: Pose) -> State:
        """After what the person pushed is taken as evidence: once, and what is over counts for the next time."""
        apply_s = self.helper.metric.apply_s
        over_s = max(state.seen_s - apply_s, 0.0)
        over_s = over_s if over_s < apply_s - 1e-9 else 0.0
        state = replace(state, seen_s=state.seen_s - over_s)
        found = self.helper.observation.log_likelihood(state.belief, pose, state.stick, self.helper.metric)
        belief = state.belief if found is None else state.belief.updated(found)
        if math.isfinite(self.helper.reopens_s) and not state.stick.idle:
            state = self._doubted(replace(state, belief=belief), pose)
            belief = state.belief
        if self.helper.resamples:
            belief = belief.resampled(values_from(self.goals, pose, self.helper.metric))
        return replace(state, belief=belief, seen_s=over_s)

    def _doubted(self, state: State, pose: Pose) -> State:
        """Opposition is judged over several steps: a moment of it is noise, more of it is a wrong goal.

        It is to all that was confirmed, or else to the likeliest goal. What was answered is open again after it; but
        what was only denied is not asked in the same words again: who wants something unlisted would hear it all twice.
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
        asked = frozenset() if state.confirmed else state.asked
        none: frozenset[int] = frozenset()
        return replace(state, asked=asked, confirmed=none, denied=none, reopened=state.reopened + 1)

    def _situation(self, state: State, pose: Pose) -> Situation:
        spent = self.most_questions is not None and state.questions >= self.most_questions
        return Situation(
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

    def _done(self, state: State, choice: Choice) -> State:
        """After what was decided."""
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

    def _told(self, about: About, index: int) -> tuple[frozenset[int], frozenset[int]]:
        """What answers point at and what they rule out: narrowed by each, begun anew where two contradict each other.

        Somebody whose goal is not listed says no to everything. So a no points at nothing; it only takes away.
        """
        before, denied = self.state.confirmed, self.state.denied
        meant = frozenset(goal for goal, true in enumerate(about.truth[:-1]) if true == index)
        if index == about.truth[-1]:
            return before & meant, denied | (frozenset(range(len(self.goals))) - meant)
        confirmed = (before & meant) or meant
        return confirmed, denied - confirmed if confirmed <= denied else denied


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


def helper_of(name: str) -> Helper:
    """The helper of this name.

    Raises:
        UnknownMethod: There is none.
    """
    if name not in PRESETS:
        raise UnknownMethod(f"no helper is called '{name}'", hint=f"Known: {', '.join(PRESETS)}.")
    return PRESETS[name]
