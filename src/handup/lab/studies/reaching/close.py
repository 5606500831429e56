"""Trials shown in detail, as in the paper's Figs 4, 6, 14 and Table II: chosen by rule, and repeated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from handup.core import Value
from handup.domains.reaching import Method, Rules, SteeringHabit, Trial, User, episode, helped_by, scene
from handup.domains.reaching.episode import Robot
from handup.domains.reaching.trial import PLAN_S
from handup.intent import Ask, Command, Goals, Joystick, Pose
from handup.lab.engine.claims import Row
from handup.lab.engine.results import Results
from handup.lab.studies.reaching import trials
from handup.lab.studies.reaching.trials import HO, HO_YIELDS, MIXED, NO_HO, OURS, PAPER, at, of_look_ahead, succeeded

MOST_REPLAYED = 40
"""Number of trials that are repeated before the next policy is tried."""
STEPS = 10
"""Number of steps in Table II."""
ASKS = "asks: "
CUP, DRILL = ("S1", "cup/top"), (trials.COMPLEX, "drill/side vertical")
FIG_4 = (HO, HO_YIELDS, trials.NO_QUESTIONS, trials.ALWAYS_HELPS, NO_HO, PAPER, OURS)
LONGER = (of_look_ahead(1.0), of_look_ahead(2.0))
"""Policies with a longer look-ahead, which ask more: used if the preset has no such trial."""
POLICIES = ((trials.ALL, PAPER), *((trials.LOOK_AHEAD, policy) for policy in LONGER))
"""Parts and methods that are searched for trials, in this order."""
EACH, ASKS_ONCE, NO, YES, TWICE = (
    "each method",
    "the policy asks once and the answer is right",
    "asked once, and the answer is no",
    "asked once, and the answer is yes",
    "asked twice, and both answers are no",
)
Close: TypeAlias = Mapping[str, "tuple[Replay, ...]"]
"""Trials by the rule that chose them; empty if no trial meets the rule."""


@dataclass(frozen=True, eq=False)
class Replay:
    """Repeated trial, with its moments, and the questions of its last attempt, each with its answer."""

    trial: Trial
    heard: tuple[tuple[str, Value], ...]

    @property
    def label(self) -> str:
        """Description of the trial, with the look-ahead if it is not the preset."""
        trial = self.trial
        policy = f", '{trial.method}'" if trial.method in LONGER else ""
        return f"{trial.scene} {trial.task}, {trial.strategy}, seed {trial.seed}{policy}"


class _Listener:
    """Robot that records its questions and their answers."""

    def __init__(self, robot: Robot, heard: list[tuple[str, Value]]) -> None:
        self._robot, self._heard, self._prompt = robot, heard, ""

    @property
    def belief(self) -> Mapping[str, float]:
        return self._robot.belief

    def step(self, pose: Pose, joystick: Joystick, dt: float) -> Command | Ask:
        action = self._robot.step(pose, joystick, dt)
        self._prompt = action.question.prompt if isinstance(action, Ask) else ""
        return action

    def answer(self, value: Value, by: str) -> None:
        self._heard.append((self._prompt, value))
        self._robot.answer(value, by)

    def again(self) -> Robot:
        self._heard.clear()
        return _Listener(self._robot.again(), self._heard)


def replay(name: str, task: str, strategy: str, method: str, seed: int) -> Replay:
    """Repeat a trial of the study: the same arguments give the same trial."""
    heard: list[tuple[str, Value]] = []
    helped = helped_by(trials.helper(method))

    def begin(goals: Goals, alpha: float) -> Robot:
        return _Listener(helped.begin(goals, alpha), heard)

    user = User(strategy=SteeringHabit(strategy))
    trial = episode(scene(name), task, user, Method(method, begin), seed, rules=Rules(), record=True)
    return Replay(trial, tuple(heard))


def choose(results: Results[Any]) -> dict[str, Close]:
    """Choose the trials of each figure, by rule: the first of its task with the questions and answers it is about."""
    return {
        "fig-4": _fig_4(results),
        "fig-6": {NO: _first(results, CUP, (False,))},
        "fig-14": {YES: _first(results, DRILL, (True,)), TWICE: _first(results, DRILL, (False, False))},
    }


def _fig_4(results: Results[Any]) -> Close:
    """Choose a cup from the top by somebody who stops beside it, with each method; the policy asks them once.

    Where the preset asks nobody once, a policy with a longer look-ahead that does is put beside the others.
    """
    user = str(SteeringHabit.STOP_BESIDE)
    for part, policy in POLICIES:
        for row in _asked_rightly(results, part, policy, CUP, 1, user):
            return {EACH: tuple(replay(*CUP, user, arm, row["seed"]) for arm in dict.fromkeys((*FIG_4, policy)))}
    seed = results.rows(PAPER, at(user, *CUP))[0]["seed"]
    return {EACH: tuple(replay(*CUP, user, arm, seed) for arm in FIG_4), ASKS_ONCE: ()}


def all_of(close: Close) -> tuple[Replay, ...]:
    """Return the trials of a figure."""
    return tuple(done for replays in close.values() for done in replays)


def table_2(replays: tuple[Replay, ...]) -> dict[str, list[str]]:
    """Return the actions of the policies with and without HO up to the first question, with seconds."""
    found = {}
    for done in replays:
        if done.trial.method in (NO_HO, PAPER, *LONGER):
            steps = []
            for why, moments in groupby(done.trial.attempts[-1].moments, key=lambda moment: moment.why):
                if why in dict(done.heard):
                    steps.append(f"{ASKS}{why}")
                    break
                steps.append(f"{why}, {PLAN_S * len(list(moments)):.1f} s")
            found[done.trial.method] = steps[:STEPS]
    return found


def _asked_rightly(
    results: Results[Any], part: str, arm: str, place: tuple[str, str], questions: int, user: str = MIXED
) -> list[Row]:
    """Return trials whose last attempt succeeds after this number of questions, all answered rightly."""
    last = ((row, row["attempts"][-1]) for row in results.rows(arm, at(user, *place, part=part)))
    return [
        row
        for row, attempt in last
        if succeeded(attempt) and attempt["questions"] == questions and not attempt["wrong_answers"]
    ]


def _first(results: Results[Any], place: tuple[str, str], answers: tuple[Value, ...]) -> tuple[Replay, ...]:
    """Return the first trial with these answers, of the first policy that has such a trial; empty if there is none."""
    for part, policy in POLICIES:
        for row in _asked_rightly(results, part, policy, place, len(answers))[:MOST_REPLAYED]:
            done = replay(*place, row["strategy"], policy, row["seed"])
            if tuple(value for _, value in done.heard) == answers:
                return (done,)
    return ()
