"""Invented rows of an invented study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from handup.lab.engine import Batch, Claim, Columns, Measure, Results, Size, Study, StudyOption, columns_of, seed_option
from handup.lab.engine.claims import Row

MEASURES = (
    Measure(name="speed", label="speed", alike=0.2),
    Measure(name="won", label="share won", alike=0.05, is_share=True, of=lambda row: float(row["speed"] > 0.0)),
)


def make(batch: Batch) -> Columns:
    """Make rows that say only which they are."""
    seeds = range(batch.first, batch.first + batch.count)
    return columns_of({"seed": seed, "speed": seed + len(batch.arm) / 3} for seed in seeds)


def study(arms: Mapping[str, Any] | Sequence[str], *, claims: tuple[Claim, ...] = (), block: int = 4) -> Study:
    return Study(
        name="made-up",
        title="Made up",
        figure="ours",
        question="Who is fast?",
        make=make,
        arms=tuple(arms),
        measures=MEASURES,
        claims=claims,
        options=(
            StudyOption(name="runs", help="Number of seeds.", default=12, quick=4, least=1, most=99),
            seed_option(),
        ),
        units="seeds",
        block=block,
    )


def results(made_up: Study, speeds: Mapping[str, Sequence[float]]) -> Results[Study]:
    """Return results in which every arm has these speeds, a seed each."""
    size = made_up.size(runs=len(next(iter(speeds.values()))))
    return by_seed(made_up, size, lambda arm, seed: {"speed": speeds[arm][seed]})


def by_seed(made_up: Study, size: Size, row: Callable[[str, int], Row]) -> Results[Any]:
    """Return results whose rows depend on the arm and on the seed."""

    def rows(batch: Batch) -> Iterator[Row]:
        return ({"seed": seed, **row(batch.arm, seed)} for seed in range(batch.first, batch.first + batch.count))

    return made_up.results(size, {batch: columns_of(rows(batch)) for batch in made_up.batches(size)})
