"""A tiny study, and made-up runs: rows that say what a test wants them to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handup.lab.recoveries.claim import Claim
from handup.lab.recoveries.definition import USUAL, RecoveryStudy, Size
from handup.lab.recoveries.results import Results
from handup.lab.recoveries.rows import RunRow

FULL, NONE = "full", "none"
SEED = 700
"""Not one of the study's own."""
TINY = RecoveryStudy(
    name="tiny",
    title="Tiny <runs>",
    figure="none",
    question="Does it run?",
    ways=(NONE, FULL),
    ours=FULL,
    first_seed=SEED,
)
ONE_DAY = replace(TINY, days=(USUAL,))
ROW = RunRow(
    seed=0,
    kits=2,
    points=14,
    ending="done",
    broke_off=False,
    ended_s=2400.0,
    waited_s=0.0,
    lost_s=0.0,
    interventions=0,
    questions=0,
    faults=10,
    unresolved=0,
    starts=200,
    failures={"pick:no_plan": 3},
    recoveries={"fresh_map": 3},
)


def results(row: Callable[[str, int], RunRow], *, runs: int = 24, claims: tuple[Claim, ...] = ()) -> Results:
    """Runs that depend on the way of running and on their number, from 0."""
    study = replace(ONE_DAY, claims=claims)
    size = Size(runs=runs)
    done = {
        shift: tuple(
            replace(row(shift.way, seed - SEED), seed=seed)
            for seed in range(shift.first_seed, shift.first_seed + shift.expected)
        )
        for shift in study.shifts(size)
    }
    return Results(study, size, done)
