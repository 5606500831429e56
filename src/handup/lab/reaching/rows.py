"""What is kept of a trial, and how a sitting of trials is done, without anything that judges or draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from handup import __version__
from handup.core import BadRecord
from handup.domains.reaching import Attempt, Ending, Trial, episode, scene
from handup.domains.reaching.episode import SURE
from handup.lab.reaching.definition import SCHEMA, Sitting
from handup.lab.study.keeping import Kept, digest

ROOMS = ("core", "intent", "domains/reaching/data")
WORLD = ("episode", "gripper", "habits", "methods", "people", "running", "scenes", "shapes", "steering", "trial")
"""What of the world makes rows; the rest lets real people and learners drive."""
OWN = ("definition", "rows")
"""What of this folder makes rows; the rest judges and draws them."""
DIGITS = 5
HINT = "Remove the file, and the trials are made again."


@dataclass(frozen=True, kw_only=True)
class AttemptRow:
    """One attempt of a trial: the paper's measures, and what the robot believed.

    Args:
        strategy: The person's.
        ending: How it ended.
        time_s: Questions included.
        mode_changes: Between moving and turning.
        joystick_input: The sum of what the stick was pushed, over all control steps.
        opposing: Share of the control steps in which robot and person worked against each other.
        predicted: Whether the robot was surer than .7 of the goal at the end; None without a belief.
        sure_of: The goal that it was surer than .7 of at the end; empty where none.
        wrongly_sure: Share of the plans at which it was surer than .7 of another goal.
        questions: How many.
        wrong_answers: How many of them were answered wrongly.
        touching: Share of the control steps in which something stopped the hand.
    """

    strategy: str
    ending: str
    time_s: float
    mode_changes: int
    joystick_input: float
    opposing: float
    predicted: bool | None
    sure_of: str
    wrongly_sure: float
    questions: int
    wrong_answers: int
    touching: float

    @classmethod
    def of(cls, attempt: Attempt, names: tuple[str, ...], task: str) -> AttemptRow:
        """The row of a recorded attempt.

        Args:
            attempt: With its moments.
            names: The scene's goals.
            task: The one that was wanted.
        """
        beliefs = np.array([each.belief for each in attempt.moments if each.belief])
        watched = attempt.predicted is not None and len(beliefs) > 0
        sure_of = names[int(beliefs[-1].argmax())] if watched and beliefs[-1].max() > SURE else ""
        others = np.delete(beliefs, names.index(task), axis=1) if watched else np.zeros((1, 1))
        return cls(
            strategy=str(attempt.strategy),
            ending=str(attempt.ending),
            time_s=round(attempt.time_s, 3),
            mode_changes=attempt.mode_changes,
            joystick_input=round(attempt.joystick_input, 3),
            opposing=round(attempt.opposing, DIGITS),
            predicted=attempt.predicted,
            sure_of=sure_of,
            wrongly_sure=round(float((others.max(axis=1, initial=0.0) > SURE).mean()), DIGITS),
            questions=attempt.questions,
            wrong_answers=attempt.wrong_answers,
            touching=round(attempt.touching, DIGITS),
        )

    @property
    def success(self) -> bool:
        """Whether it ended with the wanted grasp."""
        return self.ending == Ending.GRASPED


@dataclass(frozen=True, kw_only=True)
class TrialRow:
    """One trial.

    Args:
        task: Name of the goal.
        strategy: How the person began.
        seed: Of chance.
        listed: Whether the robot knew the wanted pose.
        attempts: One, or two where the first failed.
    """

    task: str
    strategy: str
    seed: int
    listed: bool
    attempts: tuple[AttemptRow, ...]

    @classmethod
    def of(cls, trial: Trial, names: tuple[str, ...]) -> TrialRow:
        """The row of a recorded trial."""
        return cls(
            task=trial.task,
            strategy=str(trial.strategy),
            seed=trial.seed,
            listed=trial.listed,
            attempts=tuple(AttemptRow.of(each, names, trial.task) for each in trial.attempts),
        )

    @property
    def success(self) -> bool:
        """Whether an attempt succeeded."""
        return self.attempts[-1].success

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TrialRow:
        """The row that `to_json` wrote.

        Raises:
            BadRecord: It is damaged.
        """
        attempts = record.get("attempts")
        known = {each.name for each in fields(AttemptRow)}
        if set(record) != {each.name for each in fields(cls)} or not attempts or any(set(a) != known for a in attempts):
            raise BadRecord("a trial's row has other fields", hint=HINT)
        return cls(**{**record, "attempts": tuple(AttemptRow(**each) for each in attempts)})


@cache
def code_digest() -> str:
    """A hash of everything in the package that decides what the rows of a trial are."""
    package = Path(__file__).parents[2]
    world = [package / "domains" / "reaching" / f"{name}.py" for name in WORLD]
    return digest(package, ROOMS, [*world, *(Path(__file__).with_name(f"{name}.py") for name in OWN)])


def kept_trials(folder: Path) -> Kept[TrialRow]:
    """The trials of a folder for the code as it is now.

    Versions of Python and numpy are no part of it: rows may have been made on another machine.
    """
    stamp = {"handup": __version__, "code": code_digest()}
    return Kept(folder=folder, kind="trials", schema=SCHEMA, read=TrialRow.from_json, stamp=stamp)


def do(sitting: Sitting) -> tuple[TrialRow, ...]:
    """The trials of a sitting, task by task in the order of their seeds."""
    where, method, rules = scene(sitting.scene), sitting.helped, sitting.rules
    names = where.goals.names
    return tuple(
        TrialRow.of(
            episode(where, task, sitting.user_of(seed), method, seed, rules=rules, record=True),
            names,
        )
        for task in sitting.tasks
        for seed in range(sitting.first_seed, sitting.first_seed + sitting.seeds)
    )
