"""Intervals for numbers that come in clusters: draws that share a calibration, and streams that many draws share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
LEVEL = 0.95
RESAMPLES = 2000
AREA_RESAMPLES = 300


@dataclass(frozen=True)
class Spread:
    """A mean over draws and two 95 % intervals.

    Args:
        value: The mean.
        ci: What other streams of the same kind would give: streams and draws are resampled.
        ci_draws: What other draws of the same streams would give: draws alone are resampled.
    """

    value: float
    ci: tuple[float, float]
    ci_draws: tuple[float, float]

    @property
    def is_clear(self) -> bool:
        """Whether the interval over streams lies on one side of 0."""
        return self.ci[0] > 0.0 or self.ci[1] < 0.0

    @property
    def is_clear_here(self) -> bool:
        """Whether that over the draws of these streams does."""
        return self.ci_draws[0] > 0.0 or self.ci_draws[1] < 0.0

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"value": self.value, "ci": list(self.ci), "ci_draws": list(self.ci_draws)}


class Resamples:
    """Weights of draws in bootstrap resamples; the same for everything that is compared.

    Args:
        streams: The streams of each draw.
        count: How many streams there are.
        seed: Which resamples.
    """

    def __init__(self, streams: Sequence[Sequence[int]], count: int, *, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        draws = len(streams)
        self.by_draw = random.multinomial(draws, np.full(draws, 1.0 / draws), size=RESAMPLES)
        by_stream = random.multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES)
        # A draw stands for all its streams at once, so it counts as often as their multiplicities multiply to.
        together = by_stream[:, np.array(streams)].prod(axis=2)
        both = self.by_draw * together
        self.by_both = both[both.sum(axis=1) > 0]

    def mean(self, values: Vector) -> Spread:
        """The mean of one number per draw."""
        return self._spread(lambda weights: np.asarray(weights @ values / weights.sum(axis=1)), len(values), RESAMPLES)

    def of_rows(self, statistic: Callable[[Vector], Vector], draws: int, episodes: int) -> Spread:
        """A statistic of weighted episodes, pooled over draws, such as an area under a curve."""
        return self._spread(
            lambda weights: statistic(np.repeat(weights, episodes, axis=1).astype(np.float64)), draws, AREA_RESAMPLES
        )

    def _spread(self, statistic: Callable[[NDArray[Any]], Vector], draws: int, most: int) -> Spread:
        value = float(statistic(np.ones((1, draws)))[0])
        by_both = self.by_both if len(self.by_both) else self.by_draw
        return Spread(value, _ends(value, statistic(by_both[:most])), _ends(value, statistic(self.by_draw[:most])))


def _ends(value: float, drawn: Vector) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0]).tolist()
    return min(low, value), max(high, value)
