"""Results of simulated episodes, and their summaries: means with intervals, medians, quartiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from handup.confidence.metrics import wilson

Vector = NDArray[np.float64]
METRICS = ("task_cost", "query_cost", "failed_attempts", "timesteps", "J")
"""Task cost: 0 recovered, 1 not. Query cost: the load. Failed executions. Questions and executions together. Eq. 1
not divided by time. Lower is better in all."""
LEVEL = 0.95
DUST = 1e-12
"""A spread below this share of the values is rounding: they are all the same."""


@dataclass(frozen=True)
class MetricMeasure:
    """One metric over many episodes.

    Args:
        mean: The mean.
        ci: Its 95 % interval: Student's for amounts, Wilson's for shares.
        median: The median.
        q1: The lower quartile.
        q3: The upper quartile.
    """

    mean: float
    ci: tuple[float, float]
    median: float
    q1: float
    q3: float

    @classmethod
    def of(cls, values: Vector, *, share: bool = False) -> MetricMeasure:
        """Summarise; `share` where every value is 0 or 1."""
        q1, median, q3 = (float(cut) for cut in np.quantile(values, (0.25, 0.5, 0.75)))
        mean = float(values.mean())
        return cls(mean, wilson(float(values.sum()), len(values)) if share else student(values), median, q1, q3)

    def __str__(self) -> str:
        """Return the mean with its interval, as tables show it."""
        return f"{self.mean:.3f} [{self.ci[0]:.3f}, {self.ci[1]:.3f}]"

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"mean": self.mean, "ci": list(self.ci), "median": self.median, "q1": self.q1, "q3": self.q3}


@dataclass(frozen=True, eq=False)
class Episodes:
    """One row per episode, in the episodes' order.

    Args:
        recovered: Whether the policy succeeded in the end.
        load: Sum of the costs of the questions.
        questions: How many were asked.
        executions: How often it acted, the successful time included.
        objective: J.
    """

    recovered: NDArray[np.bool_]
    load: Vector
    questions: NDArray[np.int64]
    executions: NDArray[np.int64]
    objective: Vector

    def __len__(self) -> int:
        return len(self.load)

    def metric(self, name: str) -> Vector:
        """One of `METRICS` for each episode, or its `success`."""
        found = {
            "success": self.recovered.astype(np.float64),
            "task_cost": 1.0 - self.recovered,
            "query_cost": self.load,
            "failed_attempts": (self.executions - self.recovered).astype(np.float64),
            "timesteps": (self.questions + self.executions).astype(np.float64),
            "J": self.objective,
        }
        return np.asarray(found[name])

    def summary(self) -> dict[str, MetricMeasure]:
        """Every metric."""
        return {name: MetricMeasure.of(self.metric(name), share=name == "task_cost") for name in METRICS}

    @classmethod
    def joined(cls, parts: Iterable[Episodes]) -> Episodes:
        """Parts in order, as one."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


def student(values: Vector) -> tuple[float, float]:
    """Student's interval for a mean; the mean alone where there is one value."""
    mean = float(values.mean())
    if len(values) < 2:
        return mean, mean
    spread = float(values.std(ddof=1))
    if spread <= DUST * float(np.abs(values).max()):
        return mean, mean
    half = spread / len(values) ** 0.5 * float(stats.t.ppf(0.5 + LEVEL / 2.0, len(values) - 1))
    return mean - half, mean + half
