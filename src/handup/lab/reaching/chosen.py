"""Trials that are looked at closely, as in the paper's Figs 4, 6, 14 and Table II: chosen by rule, and done again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from handup.core import Value
from handup.domains.reaching import Method, Rules, Strategy, Trial, User, episode, helped_by, scene
from handup.domains.reaching.methods import Robot
from handup.domains.reaching.running import PLAN_S
from handup.intent import Ask, Command, Goals, Joystick, Pose
from handup.lab.reaching.definition import helper
from handup.lab.reaching.results import Results, Where
from handup.lab.reaching.rows import TrialRow
from handup.lab.reaching.studies import (
    ALL,
    ALWAYS_HELPS,
    COMPLEX,
    HO,
    HO_YIELDS,
    NO_HO,
    NO_QUESTIONS,
    OURS,
    PAPER,
)

MOST_REPLAYED = 40
"""So many trials are looked at before the next best rule is taken."""
STEPS = 10
"""Of Table II."""
CUP, DRILL = ("S1", "cup/top"), (COMPLEX, "drill/side vertical")
FIG_4 = (HO, HO_YIELDS, NO_QUESTIONS, ALWAYS_HELPS, NO_HO, PAPER, OURS)


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
        """In words."""
        trial = self.trial
        return f"{trial.scene} {trial.task}, {trial.strategy}, seed {trial.seed}"


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


def fig_4(results: Results) -> tuple[Replay, ...]:
    """A cup from the top by somebody who stops beside it, with each method; a seed for which the policy asks once."""
    rows = _rows(results, CUP, str(Strategy.STOP_BESIDE))
    fitting = [row for row in rows if row.success and _asked(row) == 1 and not _wrong(row)]
    row = (fitting or rows)[0]
    return tuple(replay(*CUP, row.strategy, method, row.seed) for method in FIG_4)


def fig_6(results: Results) -> tuple[Replay, ...]:
    """The same task with a question that is rightly answered with no, and none after it."""
    return _first(results, CUP, ((False,),))


def fig_14(results: Results) -> tuple[Replay, ...]:
    """The drill among 22 goals: one question answered with yes, and two answered with no."""
    return _first(results, DRILL, ((True,), (False, False)))


def table_2(replays: tuple[Replay, ...]) -> dict[str, list[str]]:
    """What the policy without HO and the whole one did up to the first question, each action with its seconds."""
    found = {}
    for each in replays:
        if each.trial.method in (NO_HO, PAPER):
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
            found[each.trial.method] = [f"{why}, {s:.1f} s" if s else f"asks: {why}" for why, s in steps[:STEPS]]
    return found


def _rows(results: Results, place: tuple[str, str], user: str = "") -> tuple[TrialRow, ...]:
    name, task = place
    where = Where(part=ALL, scene=name, task=task, user=user) if user else Where(part=ALL, scene=name, task=task)
    return results.rows(PAPER, where)


def _asked(row: TrialRow) -> int:
    return row.attempts[-1].questions


def _wrong(row: TrialRow) -> int:
    return row.attempts[-1].wrong_answers


def _first(results: Results, place: tuple[str, str], wanted: tuple[tuple[Value, ...], ...]) -> tuple[Replay, ...]:
    """For each wanted row of answers the first trial that has it; where none has, none."""

    def found() -> Iterator[Replay]:
        for answers in wanted:
            fitting = [
                row for row in _rows(results, place) if row.success and _asked(row) == len(answers) and not _wrong(row)
            ]
            replays = (replay(*place, row.strategy, PAPER, row.seed) for row in fitting[:MOST_REPLAYED])
            fits = next((each for each in replays if each.answers == answers), None)
            if fits is not None:
                yield fits

    return tuple(found())
