"""Made-up trials: rows that say what a test wants them to say, for the whole study without running it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handup.lab.reaching.definition import FIRST_TRYING, ReachingStudy, Sitting, Size
from handup.lab.reaching.results import Results
from handup.lab.reaching.rows import AttemptRow, TrialRow
from handup.lab.reaching.studies import REACHING

ATTEMPT = AttemptRow(
    strategy="stop-beside",
    ending="grasped",
    time_s=20.0,
    mode_changes=2,
    joystick_input=500.0,
    opposing=0.0,
    predicted=True,
    sure_of="",
    wrongly_sure=0.0,
    questions=0,
    wrong_answers=0,
    touching=0.0,
)
FAILED = replace(ATTEMPT, ending="too late", time_s=100.0)
SIZE = Size(seed=FIRST_TRYING)
"""Trials are made up, but some are done again for figures: never with the study's own seeds."""
Make = Callable[[Sitting, str, int], tuple[AttemptRow, ...]]
"""The attempts of a trial, from its sitting, task and seed."""


def small(seeds: int) -> ReachingStudy:
    """The study with few seeds in every part."""
    return replace(REACHING, parts=tuple(replace(each, seeds=seeds) for each in REACHING.parts))


def trial(sitting: Sitting, task: str, seed: int, attempts: tuple[AttemptRow, ...], *, listed: bool = True) -> TrialRow:
    """A row of a sitting."""
    strategy = str(sitting.user_of(seed).strategy)
    return TrialRow(task=task, strategy=strategy, seed=seed, listed=listed, attempts=attempts)


def results(make: Make, *, seeds: int = 12) -> Results:
    """Trials of all parts."""
    study, size = small(seeds), SIZE
    done = {
        sitting: tuple(
            trial(sitting, task, seed, make(sitting, task, seed))
            for task in sitting.tasks
            for seed in range(sitting.first_seed, sitting.first_seed + sitting.seeds)
        )
        for sitting in study.sittings(size)
    }
    return Results(study, size, done)
