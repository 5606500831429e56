"""The study of recoveries as data: which ways of running are compared, on which days, and how many runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from handup.core import BadSetting
from handup.domains.kitting.rates import Rates, rates
from handup.domains.kitting.variants import variant
from handup.lab.recoveries.claim import Claim

SCHEMA = 2
FIRST_SEED = 1000
"""Seeds below were looked at while the rules were written."""
LEAST_RUNS, MOST_RUNS = 2, 10_000
RUNS, QUICK_RUNS = 200, 12
MOST_SEED = 2**31
BLOCK = 25
"""So many runs are done at once and kept in one file."""


@dataclass(frozen=True, kw_only=True)
class Day:
    """How much goes wrong.

    Args:
        name: What tables call it.
        about: In a few words.
        factor: All rates of faults are so many times those that the world comes with.
    """

    name: str
    about: str
    factor: float = 1.0

    @property
    def rates(self) -> Rates:
        """The world's numbers on that day."""
        return rates() if self.factor == 1.0 else rates().times(self.factor)


USUAL = Day(name="usual", about="the world's own rates of faults")
HARD = Day(name="hard", about="everything goes wrong three times as often", factor=3.0)
"""Declared with the study: at the usual rates the time is the limit, not the faults."""


@dataclass(frozen=True, kw_only=True)
class Shift:
    """Some runs of one way of running, one after the other. A process does it at once; a file keeps it.

    Args:
        study: The study's name.
        way: The name of a `Variant`.
        day: How much goes wrong.
        first_seed: Of the first run; the next ones have the next seeds.
        expected: How many runs.
    """

    study: str
    way: str
    day: Day
    first_seed: int
    expected: int

    @property
    def config(self) -> str:
        """A short name of everything that decides its rows, but for code."""
        seeds = {"first_seed": self.first_seed, "runs": self.expected}
        record = {"schema": SCHEMA, "way": asdict(variant(self.way)), "factor": self.day.factor, **seeds}
        return hashlib.sha256(json.dumps(record, sort_keys=True, default=str).encode()).hexdigest()[:16]

    @property
    def label(self) -> str:
        """In words, for errors."""
        return (
            f"runs {self.first_seed} to {self.first_seed + self.expected - 1} of '{self.way}' on a {self.day.name} day"
        )

    def to_json(self) -> dict[str, Any]:
        """What its rows begin with."""
        return {"config": self.config, "study": self.study, "way": self.way, "day": self.day.name}


@dataclass(frozen=True, kw_only=True)
class RecoveryStudy:
    """A question that runs of the kitting task answer. Every way of running has the same seeds on each day.

    Args:
        name: As in `handup study run NAME`.
        title: One line.
        figure: Where the paper shows it.
        question: One sentence.
        ways: Names of variants of `handup.domains.kitting.variants`.
        ours: The one that the others are compared with.
        days: How much goes wrong.
        first_seed: Of the first run.
        claims: What is judged.
    """

    name: str
    title: str
    figure: str
    question: str
    ways: tuple[str, ...]
    ours: str
    days: tuple[Day, ...] = (USUAL, HARD)
    first_seed: int = FIRST_SEED
    claims: tuple[Claim, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for name in self.ways:
            variant(name)
        if self.ours not in self.ways or len(set(self.ways)) < 2:
            raise BadSetting(f"the study '{self.name}' compares nothing", hint="Give it two ways, 'ours' among them.")
        strangers = [bar for each in self.claims for bar in each.bars if not self._knows(bar.way, bar.than, bar.day)]
        if strangers:
            raise BadSetting(f"a claim of '{self.name}' is about '{strangers[0].label}'", hint="It is not run.")

    def _knows(self, way: str, than: str, day: str) -> bool:
        return {way, than or way} <= set(self.ways) and day in {each.name for each in self.days}

    def shifts(self, size: Size) -> Iterator[Shift]:
        """Everything to run, seeds first, so that a stopped run has whole pairs."""
        first = size.seed_of(self)
        for start in range(first, first + size.runs, BLOCK):
            runs = min(BLOCK, first + size.runs - start)
            for day in self.days:
                for way in self.ways:
                    yield Shift(study=self.name, way=way, day=day, first_seed=start, expected=runs)


@dataclass(frozen=True, kw_only=True)
class Size:
    """How many runs, and of which seeds.

    Args:
        runs: Of each way on each day.
        seed: Of the first; the study's own where not given.
    """

    runs: int = RUNS
    seed: int | None = None

    def __post_init__(self) -> None:
        if not LEAST_RUNS <= self.runs <= MOST_RUNS:
            raise BadSetting(f"{self.runs} runs", hint=f"Give {LEAST_RUNS} to {MOST_RUNS}.")
        if self.seed is not None and not 0 <= self.seed <= MOST_SEED:
            raise BadSetting(f"seed is {self.seed}", hint=f"Give a number from 0 to {MOST_SEED}.")

    def seed_of(self, study: RecoveryStudy) -> int:
        """The seed of the first run."""
        return study.first_seed if self.seed is None else self.seed

    def command(self, study: RecoveryStudy) -> str:
        """The command that runs it again."""
        return f"handup study run {study.name} --episodes {self.runs} --seed {self.seed_of(study)}"
