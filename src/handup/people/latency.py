"""How long an answer takes: a lognormal time, after a least time that nobody is faster than."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

from handup.core import BadSetting, RandomSource

NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Times of answers in seconds: least + lognormal.

    Args:
        median_s: Half of the answers take longer.
        sigma: Spread of the logarithm of what goes beyond the least time.
        least_s: Nobody is faster.
    """

    median_s: float
    sigma: float
    least_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.least_s < self.median_s < math.inf or not 0.0 <= self.sigma < math.inf:
            raise BadSetting(
                f"a latency has median {self.median_s:g} s, least {self.least_s:g} s and sigma {self.sigma:g}",
                hint="Give 0 <= least_s < median_s and sigma of at least 0.",
            )

    @classmethod
    def through(cls, low_s: float, median_s: float, high_s: float, share: float = 0.05) -> Latency:
        """The one whose quantiles at `share`, one half and 1 - `share` are these."""
        least_s = (low_s * high_s - median_s**2) / (low_s + high_s - 2.0 * median_s)
        least_s = least_s if 0.0 < least_s < low_s else 0.0
        sigma = math.log((high_s - least_s) / (low_s - least_s)) / (2.0 * -NORMAL.inv_cdf(share))
        return cls(median_s=median_s, sigma=sigma, least_s=least_s)

    def quantile(self, share: float) -> float:
        """The time within which this share of the answers comes."""
        if not 0.0 < share < 1.0:
            raise BadSetting(f"share is {share:g}", hint="Give a number between 0 and 1.")
        return self.least_s + (self.median_s - self.least_s) * math.exp(self.sigma * NORMAL.inv_cdf(share))

    def draw(self, random: RandomSource) -> float:
        """One time."""
        return self.quantile(min(max(float(random.random((1,))[0]), 1e-12), 1.0 - 1e-12))

    def slower(self, factor: float) -> Latency:
        """Everything so many times slower."""
        return Latency(median_s=self.median_s * factor, sigma=self.sigma, least_s=self.least_s * factor)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Latency:
        """The latency that `to_json` wrote."""
        return cls(median_s=record["median_s"], sigma=record["sigma"], least_s=record["least_s"])
