"""`beta`: a curve between `platt` and `isotonic` (Kull, Silva Filho and Flach, 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

import numpy as np

from handup.confidence.base import Fitted, top
from handup.confidence.logistic import EDGE, one_thread, sigmoid, smoothed_log_odds
from handup.confidence.sample import Bools, Floats, Kind, Sample
from handup.core import CALIBRATORS, BadSetting

RIDGE = 0.1
"""Keeps the coefficients finite where a score separates right from wrong."""


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Beta(Fitted):
    """P(right) = sigmoid(a · ln s − b · ln(1 − s) + c) with a, b ≥ 0.

    Use it with some hundred rows where low and high scores err in different ways; with a = b it is `platt`, with
    a = b = 1 and c = 0 `identity`.

    Args:
        data: What it was fitted on.
        a: At least 0.
        b: At least 0.
        c: Log-odds added.
    """

    name: ClassVar[str] = "beta"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        if min(self.a, self.b) < 0.0 or not all(isfinite(each) for each in (self.a, self.b, self.c)):
            raise BadSetting(f"a and b are {self.a:g} and {self.b:g}", hint="Give numbers of at least 0; fit it again.")

    @classmethod
    def fit(cls, sample: Sample) -> Beta:
        """Maximum likelihood under the bounds, with a slight ridge."""
        summary = cls._check(sample)
        a, b, c = _fit(_features(sample.score), sample.right)
        return cls(a=a, b=b, c=c, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        low, high = _features(top(rows)).T
        return sigmoid(self.a * low + self.b * high + self.c)


def _features(score: Floats) -> Floats:
    kept = np.clip(score, EDGE, 1.0 - EDGE)
    return np.column_stack([np.log(kept), -np.log1p(-kept)])


def _fit(features: Floats, right: Bools) -> tuple[float, float, float]:
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    if right.all() or not right.any():
        return 0.0, 0.0, smoothed_log_odds(right)
    centre = features.mean(axis=0)
    centred, truth = features - centre, right.astype(np.float64)

    def loss(given: Floats) -> tuple[float, Floats]:
        weights, value = given[:2], centred @ given[:2] + given[2]
        error = sigmoid(value) - truth
        total = np.logaddexp(0.0, value).sum() - truth @ value + 0.5 * RIDGE * weights @ weights
        return float(total), np.append(centred.T @ error + RIDGE * weights, error.sum())

    start = np.array([1.0, 1.0, smoothed_log_odds(right)])
    bounds = [(0.0, None), (0.0, None), (None, None)]
    with one_thread():
        a, b, c = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14}).x
    return float(a), float(b), float(c - centre @ [a, b])
