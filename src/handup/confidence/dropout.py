"""`dropout`: a logistic curve over how little the output varies when parts of the network are switched off."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from handup.confidence.base import Fitted
from handup.confidence.logistic import fit_logistic, sigmoid
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS, BadSetting

SMALLEST = 1e-12
"""Variances are kept above this before their logarithms are taken: all passes can agree."""


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Dropout(Fitted):
    """P(right) = sigmoid(slope · (−ln variance) + intercept), lightly regularised.

    Use it for a network that gives no probabilities, run several times with dropout switched on (16 times for the
    paper's M4; `spread_of` makes one variance of them). The unit of the variance does not matter.

    Args:
        data: What it was fitted on.
        slope: At least 0.
        intercept: Log-odds at a variance of 1.
    """

    name: ClassVar[str] = "dropout"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.VARIANCE})
    most: ClassVar[float] = float("inf")

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.slope < float("inf") and isfinite(self.intercept)):
            raise BadSetting(f"the slope is {self.slope:g}", hint="Give a slope of at least 0; fit it again.")

    @classmethod
    def fit(cls, sample: Sample) -> Dropout:
        """Fit slope and intercept with scikit-learn.

        Raises:
            MissingExtra: scikit-learn is not installed.
        """
        summary = cls._check(sample)
        slope, intercept = fit_logistic(_sureness(sample.raw), sample.right)
        return cls(slope=slope, intercept=intercept, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        if rows.ndim != 1:
            raise BadSetting("'dropout' was given several numbers for one output", hint="Give one variance each.")
        return sigmoid(self.slope * _sureness(rows) + self.intercept)


def _sureness(variance: Floats) -> Floats:
    return np.asarray(-np.log(np.maximum(variance, SMALLEST)))
