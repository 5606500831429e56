"""Intervals by resampling rows: seeded, in chunks of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from handup.confidence.metrics import bin_starts, row_losses, weighted_aurc, weighted_ece
from handup.confidence.sample import Bools, Floats

RESAMPLES = 2000
LEAST_RESAMPLES = 200
MOST_WORK = 2_000_000
"""Rows times resamples; beyond it there are fewer resamples, since intervals of many rows are narrow anyway."""
CHUNK = 4_000_000
LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval.

    Args:
        value: What was found.
        ci: Its interval.
    """

    value: float
    ci: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """A plain record: `value` and `ci`."""
        return {"value": self.value, "ci": list(self.ci)}


def estimates(chances: Floats, right: Bools, *, seed: int = 0) -> dict[str, Estimate]:
    """Accuracy, Brier score, log loss, calibration error and area under the risk–coverage curve, with intervals.

    Args:
        chances: Probabilities for rows that they were not fitted on; one row of them per repetition of a
            cross-validation, over which metrics are averaged.
        right: Whether each row was right.
        seed: Which resamples.
    """
    repeats = np.atleast_2d(chances)
    losses = [row_losses(each, right) for each in repeats]
    brier, log = (np.mean([each[name] for each in losses], axis=0) for name in ("brier", "log_loss"))
    found: Mapping[str, Callable[[Floats], Floats]] = {
        "accuracy": _mean_of(right.astype(np.float64)),
        "brier": _mean_of(brier),
        "log_loss": _mean_of(log),
        "ece": lambda weights: _over(repeats, lambda each: weighted_ece(each, right, weights)),
        "aurc": lambda weights: _over(repeats, lambda each: weighted_aurc(each, right, weights)),
    }
    made = intervals(found, len(right), seed=seed, reflected=("ece",))
    error = made["ece"]
    if error.value <= chance_ece(repeats[0], seed=seed):
        made["ece"] = Estimate(error.value, (0.0, error.ci[1]))
    return made


def chance_ece(chances: Floats, *, seed: int = 0, level: float = LEVEL) -> float:
    """The calibration error that perfect probabilities stay below with this probability (consistency resampling).

    A smaller error than this says nothing against a calibrator, so intervals then begin at 0.
    """
    generator = np.random.default_rng(seed)
    order = np.sort(chances)
    starts = bin_starts(order)
    drawn: list[Floats] = []
    for _ in range(max(1, LEAST_RESAMPLES * len(order) // CHUNK)):
        size = min(LEAST_RESAMPLES, max(1, CHUNK // len(order)))
        gaps = order - (generator.random((size, len(order))) < order)
        drawn.append(np.abs(np.add.reduceat(gaps, starts, axis=1)).sum(axis=1) / len(order))
    return float(np.quantile(np.concatenate(drawn), level))


def intervals(
    statistics: Mapping[str, Callable[[Floats], Floats]], rows: int, *, seed: int = 0, reflected: Collection[str] = ()
) -> dict[str, Estimate]:
    """Percentile intervals of statistics of weighted rows.

    Args:
        statistics: By name; each takes weights, one row of them per resample, and gives a number for each
            resample that says something of it.
        rows: How many rows the sample has.
        seed: Which resamples; all statistics see the same.
        reflected: Statistics of at least 0 that chance can only raise, such as a mean of absolute gaps: resamples lie
            above the value as the value lies above the truth, so their interval is turned round the value.
    """
    drawn: dict[str, list[Floats]] = {name: [] for name in statistics}
    for weights in _kept_weights(rows, seed) if rows * LEAST_RESAMPLES <= MOST_WORK else _weights(rows, seed):
        for name, statistic in statistics.items():
            drawn[name].append(statistic(weights))
    whole = np.ones((1, rows))
    values = {name: float(statistic(whole)[0]) for name, statistic in statistics.items()}
    return {
        name: Estimate(value, ends(value, np.concatenate(drawn[name]), reflected=name in reflected))
        for name, value in values.items()
    }


def _weights(rows: int, seed: int) -> Iterator[Floats]:
    """Yield how often each row is drawn, one row of numbers per resample, in chunks."""
    generator = np.random.default_rng(seed)
    left = max(LEAST_RESAMPLES, min(RESAMPLES, MOST_WORK // max(rows, 1)))
    while left:
        size = min(left, max(1, CHUNK // max(rows, 1)))
        yield generator.multinomial(rows, np.full(rows, 1.0 / rows), size=size).astype(np.float64)
        left -= size


@lru_cache(maxsize=4)
def _kept_weights(rows: int, seed: int) -> tuple[Floats, ...]:
    """Keep the last resamples: a study asks for hundreds of intervals of the same units, and drawing takes the time."""
    return tuple(_weights(rows, seed))


def ends(value: float, drawn: Floats, *, reflected: bool = False) -> tuple[float, float]:
    """Return the interval of a value from its resamples; it always holds the value."""
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0]).tolist()
    if reflected:
        low, high = max(0.0, 2.0 * value - high), 2.0 * value - low
    return min(low, value), max(high, value)


def _mean_of(values: Floats) -> Callable[[Floats], Floats]:
    return lambda weights: np.asarray(weights @ values / weights.sum(axis=1))


def _over(repeats: Floats, statistic: Callable[[Floats], Floats]) -> Floats:
    return np.asarray(np.mean([statistic(each) for each in repeats], axis=0))
