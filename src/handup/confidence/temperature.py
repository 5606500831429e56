"""`temperature`: one number that makes all option scores sharper or flatter (Guo and others, 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.base import Fitted
from handup.confidence.sample import Floats, Kind, Sample, as_options
from handup.core import CALIBRATORS, BadData, BadSetting

LEAST, MOST = 0.02, 100.0
"""Temperatures are sought between these."""
SMALLEST = 1e-12
"""Option scores are kept above this before their logarithms are taken."""


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Temperature(Fitted):
    """P(option) ∝ score^(1 / temperature): above 1 the module was too sure of itself, below 1 not sure enough.

    Use it where the scores of all options are known: one number needs few rows, and the order of the options stays.
    On a single score it is not offered: without the other options it can only push towards 0.5, which is no cure for a
    module that is right less often than that.

    Args:
        data: What it was fitted on.
        temperature: Above 0.
    """

    name: ClassVar[str] = "temperature"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.OPTIONS})
    monotone: ClassVar[bool] = False

    temperature: float

    def __post_init__(self) -> None:
        if not 0.0 < self.temperature < float("inf"):
            raise BadSetting(f"the temperature is {self.temperature:g}", hint="Give a number above 0; fit it again.")

    @classmethod
    def fit(cls, sample: Sample) -> Temperature:
        """The temperature under which the right options are likeliest, by scalar minimisation."""
        from scipy.optimize import minimize_scalar  # noqa: PLC0415 - slow to import

        summary = cls._check(sample)
        if sample.target is None:
            raise BadData("the right options are not known", hint="Build the sample with of_options.")
        logs, chosen = _logs(sample.raw), (np.arange(len(sample)), sample.target)

        def loss(log_sharpness: float) -> float:
            scaled = np.exp(log_sharpness) * logs
            return float(np.mean(np.logaddexp.reduce(scaled, axis=1) - scaled[chosen]))

        # The loss is convex in the sharpness, so it has one valley in its logarithm too.
        bounds = (-np.log(MOST), -np.log(LEAST))
        found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
        return cls(temperature=float(np.exp(-found.x)), data=summary)

    def options(self, raw: ArrayLike) -> Floats:
        """Calibrated probabilities of all options, one row each, that add up to 1."""
        return self._shares(as_options(raw))

    def _predict(self, rows: Floats) -> Floats:
        if rows.ndim != 2 or rows.shape[1] < 2:
            raise BadSetting("'temperature' was given single scores", hint="Give the scores of all options.")
        return np.asarray(self._shares(rows).max(axis=1))

    def _shares(self, rows: Floats) -> Floats:
        scaled = _logs(rows) / self.temperature
        return np.asarray(np.exp(scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)))


def _logs(rows: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(rows, SMALLEST)))
