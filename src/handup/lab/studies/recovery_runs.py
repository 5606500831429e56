"""Rows of the study `recoveries`: a run of 45 simulated minutes for each seed, way of running and day."""

from __future__ import annotations

from handup.domains.kitting.kitting_run import Result, run_once
from handup.domains.kitting.rates import Rates, rates
from handup.executive.events import Ending
from handup.lab.engine import Batch, Columns, columns_of
from handup.lab.engine.claims import Row

FACTORS = {"usual": 1.0, "hard": 3.0}
"""Factors on the world's own rates of failure, by kind of day."""


def make(batch: Batch) -> Columns:
    """Run the task once for each seed of a batch."""
    terms = rates_on(batch.place["day"])
    seeds = range(batch.first, batch.first + batch.count)
    return columns_of(_row(run_once(seed, batch.arm, rates=terms)) for seed in seeds)


def rates_on(day: str) -> Rates:
    """Return the world's numbers on a day."""
    return rates() if FACTORS[day] == 1.0 else rates().times(FACTORS[day])


def _row(result: Result) -> Row:
    """Return the row of a run.

    `broke_off`: it ended before its time, with nobody to help; `lost_s` is what was then left of its time. `faults` are
    failures of the recipe's own steps, `unresolved` those that the rules alone did not get over. `failures` counts by
    `action:code`, `recoveries` by rule.
    """
    measures = result.measures
    return {
        "seed": result.seed,
        "kits": result.kits,
        "points": result.points,
        "ending": str(result.ending),
        "broke_off": result.ending is not Ending.DONE,
        "ended_s": round(result.ended_s, 3),
        "waited_s": round(measures.help_s, 3),
        "lost_s": round(measures.lost_s, 3),
        "interventions": measures.interventions,
        "questions": measures.questions,
        "faults": measures.failures,
        "unresolved": measures.unresolved,
        "starts": measures.starts,
        "failures": dict(result.failures),
        "recoveries": dict(result.recoveries),
    }
