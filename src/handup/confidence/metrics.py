"""Metrics of probabilities on rows left out of the fit: Brier score, log loss, calibration error, risk and coverage.

Every metric takes weights as well, one row of them per resample, so that a bootstrap is one pass over arrays. Rows of
equal probability count as one group wherever an order matters: nothing depends on the order of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.confidence.sample import Bools, Floats

LOG_CLIP = 1e-6
"""Distance that probabilities keep from 0 and 1 in the log loss, so that a wrong certainty costs 13.8."""
BINS = 10
"""Number of bins of equal mass; fewer where there are few rows or many equal probabilities."""
ROWS_PER_BIN = 6
RESAMPLES = 2000
LEAST_RESAMPLES = 200
MOST_WORK = 2_000_000
"""Largest product of rows and resamples; many rows get fewer resamples, since their intervals are narrow anyway."""
CHUNK = 4_000_000
LEVEL = 0.95


def row_losses(chances: Floats, right: Bools) -> dict[str, Floats]:
    """Return the Brier score and the log loss of each row."""
    truth = right.astype(np.float64)
    kept = np.clip(chances, LOG_CLIP, 1.0 - LOG_CLIP)
    return {
        "brier": np.square(chances - truth),
        "log_loss": -np.where(right, np.log(kept), np.log1p(-kept)),
    }


def brier(chances: Floats, right: Bools) -> float:
    """Return the mean squared error of probabilities: 0 is perfect, and 0.25 is that of one half for every row."""
    return float(row_losses(chances, right)["brier"].mean())


@dataclass(frozen=True)
class Bin:
    """Bin of a reliability diagram.

    Args:
        n: Number of rows in it.
        said: Mean probability of the rows.
        happened: Share of the rows that were right.
        low: Lower end of the 95 % interval of that share (Wilson's).
        high: Upper end of that interval.
    """

    n: int
    said: float
    happened: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"n": self.n, "said": self.said, "happened": self.happened, "ci": [self.low, self.high]}


def bin_starts(ordered: Floats) -> NDArray[np.intp]:
    """Return the starts of bins of equal mass in sorted probabilities; equal ones stay together in one bin."""
    count = len(ordered)
    bins = min(BINS, max(1, count // ROWS_PER_BIN))
    cuts = np.round(np.arange(bins) * count / bins).astype(np.intp)
    return np.unique(np.searchsorted(ordered, ordered[cuts], side="left"))


def reliability_bins(chances: Floats, right: Bools) -> tuple[Bin, ...]:
    """Return the reliability diagram: probabilities against shares of right rows, in bins of equal mass."""
    order = np.argsort(chances, kind="stable")
    starts = bin_starts(chances[order])
    bins = []
    for group, truth in zip(np.split(chances[order], starts[1:]), np.split(right[order], starts[1:]), strict=True):
        low, high = wilson(float(truth.sum()), len(truth))
        bins.append(Bin(len(truth), float(group.mean()), float(truth.mean()), low, high))
    return tuple(bins)


def wilson(hits: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    z = 1.959963984540054
    share, scale = hits / count, 1.0 + z * z / count
    middle = (share + z * z / (2.0 * count)) / scale
    half = z * np.sqrt(share * (1.0 - share) / count + z * z / (4.0 * count * count)) / scale
    # The share itself lies within, also where rounding says otherwise: 0 of 100 begins at 0.
    return max(0.0, min(share, float(middle - half))), min(1.0, max(share, float(middle + half)))


def weighted_ece(chances: Floats, right: Bools, weights: Floats) -> Floats:
    """Return the expected calibration error of each resample.

    It is the mean gap between the probability and the share of right rows, over the bins of the sample. It is biased
    upwards where bins hold few rows; its interval corrects that, and begins at 0 where perfect probabilities would do
    no better. Report the number of bins, `len(reliability_bins(…))`, beside it.
    """
    order = np.argsort(chances, kind="stable")
    gaps = (chances - right)[order]
    starts = bin_starts(chances[order])
    sums = np.add.reduceat(weights[:, order] * gaps, starts, axis=1)
    return np.asarray(np.abs(sums).sum(axis=1) / weights.sum(axis=1))


def weighted_aurc(chances: Floats, right: Bools, weights: Floats) -> Floats:
    """Return the area under the risk–coverage curve of each resample: the mean error rate over all coverages.

    0 is perfect; a score without information has the module's error rate. Only the order counts: the surest row first,
    and rows of equal probability as the mean over all their orders. Weights are whole numbers.
    """
    order = np.argsort(-chances, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(chances[order]) != 0.0))
    size = np.add.reduceat(weights[:, order], starts, axis=1)
    errors = np.add.reduceat(weights[:, order] * ~right[order], starts, axis=1)
    rate = errors / np.maximum(size, 1.0)
    before_n = np.cumsum(size, axis=1) - size
    before_errors = np.cumsum(errors, axis=1) - errors
    total = weights.sum(axis=1)
    harmonic = np.append(0.0, np.cumsum(1.0 / np.arange(1, round(float(total.max())) + 1)))
    steps = harmonic[np.round(before_n + size).astype(np.intp)] - harmonic[np.round(before_n).astype(np.intp)]
    # Within a group the k-th row adds (E + jm) / (N + j), summed here over j = 1 … size.
    return np.asarray((size * rate + (before_errors - rate * before_n) * steps).sum(axis=1) / total)


def risk_coverage(chances: Floats, right: Bools) -> tuple[Floats, Floats]:
    """Return the risk–coverage curve: the share of rows acted on alone, the surest first, and their error rate."""
    order = np.argsort(-chances, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(chances[order]) != 0.0, True))
    done = ends + 1.0
    return done / len(right), np.cumsum(~right[order])[ends] / done


@dataclass(frozen=True)
class Estimate:
    """Number with its 95 % interval.

    Args:
        value: The number.
        ci: Its interval.
    """

    value: float
    ci: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """A plain record: `value` and `ci`."""
        return {"value": self.value, "ci": list(self.ci)}


def estimates(chances: Floats, right: Bools, *, seed: int = 0) -> dict[str, Estimate]:
    """Return accuracy, Brier score, log loss, calibration error and area under the risk–coverage curve.

    Args:
        chances: Probabilities of rows that were left out of the fit, one line per repetition of a cross-validation.
            Metrics are averaged over the repetitions.
        right: Whether each row was right.
        seed: Seed of the resamples.
    """
    repeats = np.atleast_2d(chances)
    losses = [row_losses(line, right) for line in repeats]
    brier, log = (np.mean([rows[name] for rows in losses], axis=0) for name in ("brier", "log_loss"))
    metrics: Mapping[str, Callable[[Floats], Floats]] = {
        "accuracy": _mean_of(right.astype(np.float64)),
        "brier": _mean_of(brier),
        "log_loss": _mean_of(log),
        "ece": lambda weights: _over(repeats, lambda line: weighted_ece(line, right, weights)),
        "aurc": lambda weights: _over(repeats, lambda line: weighted_aurc(line, right, weights)),
    }
    results = intervals(metrics, len(right), seed=seed, reflected=("ece",))
    error = results["ece"]
    if error.value <= chance_ece(repeats[0], seed=seed):
        results["ece"] = Estimate(error.value, (0.0, error.ci[1]))
    return results


def chance_ece(chances: Floats, *, seed: int = 0) -> float:
    """Return the calibration error below which perfect probabilities stay with 95 % (consistency resampling).

    A smaller error is no evidence against a calibrator, so intervals then begin at 0.
    """
    generator = np.random.default_rng(seed)
    order = np.sort(chances)
    starts = bin_starts(order)
    drawn: list[Floats] = []
    for _ in range(max(1, LEAST_RESAMPLES * len(order) // CHUNK)):
        size = min(LEAST_RESAMPLES, max(1, CHUNK // len(order)))
        gaps = order - (generator.random((size, len(order))) < order)
        drawn.append(np.abs(np.add.reduceat(gaps, starts, axis=1)).sum(axis=1) / len(order))
    return float(np.quantile(np.concatenate(drawn), LEVEL))


def intervals(
    statistics: Mapping[str, Callable[[Floats], Floats]], rows: int, *, seed: int = 0, reflected: Collection[str] = ()
) -> dict[str, Estimate]:
    """Return percentile intervals of statistics of weighted rows.

    Args:
        statistics: Functions by name. Each takes weights, one line of them per resample, and returns a number per
            resample, or fewer where it is undefined for some.
        rows: Number of rows of the sample.
        seed: Seed of the resamples, which are the same for all statistics.
        reflected: Names of statistics that chance can only raise, such as a mean of absolute gaps. Resamples lie above
            the value as the value lies above the truth, so their interval is reflected at the value.
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
    """Yield the number of times that each row is drawn, in chunks with one line per resample."""
    generator = np.random.default_rng(seed)
    left = max(LEAST_RESAMPLES, min(RESAMPLES, MOST_WORK // max(rows, 1)))
    while left:
        size = min(left, max(1, CHUNK // max(rows, 1)))
        yield generator.multinomial(rows, np.full(rows, 1.0 / rows), size=size).astype(np.float64)
        left -= size


@lru_cache(maxsize=4)
def _kept_weights(rows: int, seed: int) -> tuple[Floats, ...]:
    """Return all resamples, cached: a study asks for hundreds of intervals of the same units, and drawing is slow."""
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
    return np.asarray(np.mean([statistic(line) for line in repeats], axis=0))
