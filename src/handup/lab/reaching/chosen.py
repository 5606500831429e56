"""Trials that are looked at closely, as in the paper's Figs 4, 6, 14 and Table II: chosen by rule, and done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from handup.core import Value
from handup.domains.reaching import Method, Rules, Strategy, Trial, User, episode, helped_by, scene
from handup.domains.reaching.methods import Robot
from handup.domains.reaching.running import PLAN_S
from handup.intent import Ask, Command, Goals, Joystick, Pose
from handup.lab.reaching.definition import MIXED, helper, of_look_ahead
from handup.lab.reaching.results import Results, Where
from handup.lab.reaching.rows import TrialRow
from handup.lab.reaching.studies import (
    ALL,
    ALWAYS_HELPS,
    COMPLEX,
    HO,
    HO_YIELDS,
    LOOK_AHEAD,
    NO_HO,
    NO_QUESTIONS,
    OURS,
    PAPER,
)

MOST_REPLAYED = 40
"""So many trials are looked at before the next best rule is taken."""
STEPS = 10
"""Of Table II."""
ASKS = "asks: "
CUP, DRILL = ("S1", "cup/top"), (COMPLEX, "drill/side vertical")
FIG_4 = (HO, HO_YIELDS, NO_QUESTIONS, ALWAYS_HELPS, NO_HO, PAPER, OURS)
LONGER = tuple(map(of_look_ahead, (1.0, 2.0)))
"""The policy with a longer look-ahead, which asks more: looked at where the preset asks nobody so."""
POLICIES = ((ALL, PAPER), *((LOOK_AHEAD, each) for each in LONGER))
"""Where trials are looked for, by part and method, in this order."""
EACH, ASKS_ONCE, NO, YES, TWICE = (
    "each method",
    "the policy asks once and the answer is right",
    "asked once, and the answer is no",
    "asked once, and the answer is yes",
    "asked twice, and both answers are no",
)
Close: TypeAlias = Mapping[str, "tuple[Replay, ...]"]
"""What was looked for, and the trials that are like that; empty where none is."""


@dataclass(frozen=True)
class Heard:
    """A question and what was answered."""

    prompt: str
    value: Value


@dataclass(frozen=True, eq=False)
class Replay:
    """A trial done again, with all that happened.

    Args:
        trial: With its moments.
        heard: Questions of the last attempt.
    """

    trial: Trial
    heard: tuple[Heard, ...]

    @property
    def answers(self) -> tuple[Value, ...]:
        """Of the last attempt."""
        return tuple(each.value for each in self.heard)

    @property
    def label(self) -> str:
        """In words; a look-ahead that is not the preset's is named."""
        trial = self.trial
        other = f", '{trial.method}'" if trial.method in LONGER else ""
        return f"{trial.scene} {trial.task}, {trial.strategy}, seed {trial.seed}{other}"


class _Listening:
    """A robot whose questions and answers are written down."""

    def __init__(self, robot: Robot, heard: list[Heard]) -> None:
        self._robot, self._heard, self._prompt = robot, heard, ""

    @property
    def belief(self) -> Mapping[str, float]:
        return self._robot.belief

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        said = self._robot.step(pose, joystick, dt)
        self._prompt = said.question.prompt if isinstance(said, Ask) else ""
        return said

    def answer(self, value: Value, by: str) -> None:
        self._heard.append(Heard(self._prompt, value))
        self._robot.answer(value, by)

    def again(self) -> Robot:
        self._heard.clear()
        return _Listening(self._robot.again(), self._heard)


def replay(name: str, task: str, strategy: str, method: str, seed: int) -> Replay:
    """A trial of the study again: the same arguments give the same trial."""
    heard: list[Heard] = []
    helped = helped_by(helper(method))

    def begin(goals: Goals, alpha: float) -> Robot:
        return _Listening(helped.begin(goals, alpha), heard)

    user = User(strategy=Strategy(strategy))
    trial = episode(scene(name), task, user, Method(method, begin), seed, rules=Rules(), record=True)
    return Replay(trial, tuple(heard))


def fig_4(results: Results) -> Close:
    """A cup from the top by somebody who stops beside it, with each method; a seed for which the policy asks once.

    Where the preset asks nobody once, a policy with a longer look-ahead that does is put beside the others.
    """
    user = str(Strategy.STOP_BESIDE)
    for part, method in POLICIES:
        for row in _asked_rightly(results, part, method, CUP, 1, user):
            methods = dict.fromkeys((*FIG_4, method))
            return {EACH: tuple(replay(*CUP, user, each, row.seed) for each in methods)}
    row = _rows(results, ALL, PAPER, CUP, user)[0]
    return {EACH: tuple(replay(*CUP, user, each, row.seed) for each in FIG_4), ASKS_ONCE: ()}


def fig_6(results: Results) -> Close:
    """The same task with a question that is rightly answered with no, and none after it."""
    return {NO: _first(results, CUP, (False,))}


def fig_14(results: Results) -> Close:
    """The drill among 22 goals: one question answered with yes, and two answered with no."""
    return {YES: _first(results, DRILL, (True,)), TWICE: _first(results, DRILL, (False, False))}


def all_of(close: Close) -> tuple[Replay, ...]:
    """The trials of a figure."""
    return tuple(each for some in close.values() for each in some)


def table_2(replays: tuple[Replay, ...]) -> dict[str, list[str]]:
    """What the policy without HO and the whole ones did up to the first question, each action with its seconds."""
    found = {}
    for each in replays:
        if each.trial.method in (NO_HO, PAPER, *LONGER):
            prompts = {one.prompt for one in each.heard}
            steps: list[tuple[str, float]] = []
            for moment in each.trial.attempts[-1].moments:
                if moment.why in prompts:
                    steps.append((moment.why, 0.0))
                    break
                before, seconds = steps[-1] if steps else ("", 0.0)
                if moment.why == before:
                    steps[-1] = (before, seconds + PLAN_S)
                else:
                    steps.append((moment.why, PLAN_S))
            found[each.trial.method] = [f"{why}, {s:.1f} s" if s else f"{ASKS}{why}" for why, s in steps[:STEPS]]
    return found


def _rows(results: Results, part: str, method: str, place: tuple[str, str], user: str = MIXED) -> tuple[TrialRow, ...]:
    name, task = place
    return results.rows(method, Where(part=part, scene=name, task=task, user=user))


def _asked_rightly(
    results: Results, part: str, method: str, place: tuple[str, str], questions: int, user: str = MIXED
) -> list[TrialRow]:
    """Trials whose last attempt succeeds after so many questions, none of them answered wrongly."""
    rows = _rows(results, part, method, place, user)
    last = ((row, row.attempts[-1]) for row in rows)
    return [row for row, each in last if row.success and each.questions == questions and not each.wrong_answers]


def _first(results: Results, place: tuple[str, str], answers: tuple[Value, ...]) -> tuple[Replay, ...]:
    """The first trial that has these answers, of the first policy that has one; none where none has."""
    for part, method in POLICIES:
        rows = _asked_rightly(results, part, method, place, len(answers))[:MOST_REPLAYED]
        for each in (replay(*place, row.strategy, method, row.seed) for row in rows):
            if each.answers == answers:
                return (each,)
    return ()
