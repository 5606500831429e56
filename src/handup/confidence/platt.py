"""`platt`: a logistic curve over the log-odds of the score."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from handup.confidence.base import Fitted, top
from handup.confidence.logistic import fit_logistic, logit, sigmoid
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS, BadSetting


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Platt(Fitted):
    """P(right) = sigmoid(slope · logit(score) + intercept), lightly regularised.

    Use it with 60 to some hundred rows: two numbers can be told from so few, and a slope below 1 with an intercept
    below 0 is what a module that is too sure of itself looks like. Slope 1 and intercept 0 are `identity`.

    Args:
        data: What it was fitted on.
        slope: At least 0.
        intercept: Log-odds at a score of 0.5.
    """

    name: ClassVar[str] = "platt"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.slope < float("inf") and isfinite(self.intercept)):
            raise BadSetting(f"the slope is {self.slope:g}", hint="Give a slope of at least 0; fit it again.")

    @classmethod
    def fit(cls, sample: Sample) -> Platt:
        """Fit slope and intercept with scikit-learn.

        Raises:
            MissingExtra: scikit-learn is not installed.
        """
        summary = cls._check(sample)
        slope, intercept = fit_logistic(logit(sample.score), sample.right)
        return cls(slope=slope, intercept=intercept, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return sigmoid(self.slope * logit(top(rows)) + self.intercept)
