"""What is kept of a run, and how a shift of runs is done."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from handup import __version__
from handup.core import BadRecord
from handup.domains.kitting.rates import rates_digest
from handup.domains.kitting.running import Result, run_once
from handup.executive.events import Ending
from handup.lab.recoveries.definition import SCHEMA, Shift
from handup.lab.study.keeping import Kept, digest

ROOMS = ("core", "policy", "people", "what", "when", "recover", "desk", "journal", "executive", "domains/kitting")
OWN = ("definition", "rows")
"""What of this folder makes rows; the rest judges and draws them."""
GIVING_UP = ("begin_another_kit", "begin_the_kit_anew")
"""Rules that put a kit away unfinished."""


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One run of 45 simulated minutes.

    Args:
        seed: Of the world.
        kits: Complete ones, delivered in time.
        points: What they count.
        ending: How it ended.
        broke_off: Whether it ended before its time, with nobody to help.
        ended_s: When.
        waited_s: How long the robot waited for people or was helped by them.
        lost_s: What was left of its time when it broke off; 0 where it did not.
        interventions: Failures that people were asked about, and one for a run that broke off.
        questions: What people were asked.
        faults: Failures of the recipe's own steps.
        unresolved: Those of them that the rules alone did not get over.
        starts: Actions that were started.
        failures: How often each action gave up with each code, as `action:code`.
        recoveries: How often each rule was used.
    """

    seed: int
    kits: int
    points: int
    ending: str
    broke_off: bool
    ended_s: float
    waited_s: float
    lost_s: float
    interventions: int
    questions: int
    faults: int
    unresolved: int
    starts: int
    failures: Mapping[str, int]
    recoveries: Mapping[str, int]

    @classmethod
    def of(cls, result: Result) -> RunRow:
        """The row of a run, from what came of it."""
        measures = result.measures
        return cls(
            seed=result.seed,
            kits=result.kits,
            points=result.points,
            ending=str(result.ending),
            broke_off=result.ending is not Ending.DONE,
            ended_s=round(result.ended_s, 3),
            waited_s=round(measures.help_s, 3),
            lost_s=round(measures.lost_s, 3),
            interventions=measures.interventions,
            questions=measures.questions,
            faults=measures.failures,
            unresolved=measures.unresolved,
            starts=measures.starts,
            failures=dict(result.failures),
            recoveries=dict(result.recoveries),
        )

    @property
    def up_s(self) -> float:
        """Nominal time: how long it worked by itself."""
        return self.ended_s - self.waited_s

    @property
    def down_s(self) -> float:
        """How long it waited for people, or stood still with nobody to come."""
        return self.waited_s + self.lost_s

    def measure(self, name: str) -> float:
        """One of `MEASURES`, or `up_s`, `down_s` or `unresolved`."""
        return float(_MEASURED[name](self))

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> RunRow:
        """The row that `to_json` wrote.

        Raises:
            BadRecord: It is damaged.
        """
        if set(record) != {each.name for each in fields(cls)}:
            raise BadRecord("a run's row has other fields", hint="Remove the file, and the runs are made again.")
        return cls(**record)


_MEASURED: Mapping[str, Callable[[RunRow], float]] = {
    "kits": lambda row: row.kits,
    "points": lambda row: row.points,
    "interventions": lambda row: row.interventions,
    "questions": lambda row: row.questions,
    "alone": lambda row: row.interventions == 0,
    "faults": lambda row: row.faults,
    "recoveries": lambda row: sum(row.recoveries.values()),
    "given_up": lambda row: sum(row.recoveries.get(name, 0) for name in GIVING_UP),
    "unresolved": lambda row: row.unresolved,
    "up_s": lambda row: row.up_s,
    "down_s": lambda row: row.down_s,
}


@cache
def code_digest() -> str:
    """A hash of everything in the package that decides what the rows of a run are."""
    own = [Path(__file__).with_name(f"{name}.py") for name in OWN]
    return digest(Path(__file__).parents[2], ROOMS, own)


def kept_runs(folder: Path) -> Kept[RunRow]:
    """The runs of a folder for the code as it is now."""
    stamp = {"handup": __version__, "code": code_digest(), "rates": rates_digest(), "numpy": np.__version__}
    return Kept(folder=folder, kind="runs", schema=SCHEMA, read=RunRow.from_json, stamp=stamp)


def do(shift: Shift) -> tuple[RunRow, ...]:
    """The runs of a shift, in the order of their seeds."""
    rates = shift.day.rates
    seeds = range(shift.first_seed, shift.first_seed + shift.expected)
    return tuple(RunRow.of(run_once(seed, shift.way, rates=rates)) for seed in seeds)


def runs_csv(rows: Iterable[tuple[Mapping[str, Any], RunRow]]) -> str:
    """One line per run; counts by name are written `name×count`."""
    file = io.StringIO(newline="")
    writer: csv.DictWriter[str] | None = None
    for before, row in rows:
        record = {**before, **row.to_json()}
        for name in ("failures", "recoveries"):
            record[name] = " ".join(f"{each}×{count}" for each, count in sorted(record[name].items()))
        if writer is None:
            writer = csv.DictWriter(file, list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow(record)
    return file.getvalue()
