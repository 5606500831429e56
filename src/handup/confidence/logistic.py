"""Logistic regression of being right on one increasing feature, as `platt` and `dropout` use it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from math import isfinite, log
from typing import Any, TypeVar

import numpy as np

from handup.confidence.base import Fitted
from handup.confidence.sample import Bools, Floats, Sample
from handup.core import BadSetting, MissingExtra

C = TypeVar("C", bound="LogisticCurve")
EDGE = 1e-4
"""Scores are kept this far from 0 and 1 before their logarithms are taken, so that one row cannot outweigh the rest."""
STRENGTH = 1.0
"""scikit-learn's C: the lighter the regularisation, the larger. 1 asks of the data about as much as one row says."""


def logit(score: Floats) -> Floats:
    """Log-odds of scores, kept finite."""
    kept = np.clip(score, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def sigmoid(value: Floats) -> Floats:
    """Probability of log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(value, -700.0, 700.0))))


def smoothed_log_odds(right: Bools) -> float:
    """Log-odds of the base rate, with half a row added on each side so that they are finite."""
    hits = float(right.sum()) + 0.5
    return log(hits / (len(right) + 1.0 - hits))


def fit_logistic(feature: Floats, right: Bools) -> tuple[float, float]:
    """Slope and intercept.

    The slope is never below 0: a module that is surer is not taken to be wrong more often; where the rows say so,
    the base rate is the best that an increasing curve can do, and that is what comes back. The same where all rows are
    of one class or of one score.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise MissingExtra.of("lab", "fitting a calibrator") from None
    if right.all() or not right.any() or np.ptp(feature) == 0.0:
        return 0.0, smoothed_log_odds(right)
    centre = float(feature.mean())
    with one_thread():
        model = LogisticRegression(C=STRENGTH, tol=1e-8, max_iter=1000).fit((feature - centre)[:, None], right)
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    if slope <= 0.0:
        rate = float(right.mean())
        return 0.0, log(rate / (1.0 - rate))
    return slope, intercept - slope * centre


@dataclass(frozen=True, kw_only=True)
class LogisticCurve(Fitted):
    """Base of calibrators that are a logistic curve over one increasing feature of the raw score."""

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.slope < float("inf") and isfinite(self.intercept)):
            raise BadSetting(f"the slope is {self.slope:g}", hint="Give a slope of at least 0; fit it again.")

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        raise NotImplementedError

    @classmethod
    def fit(cls: type[C], sample: Sample) -> C:
        """Fit slope and intercept with scikit-learn.

        Raises:
            MissingExtra: scikit-learn is not installed.
        """
        summary = cls._check(sample)
        slope, intercept = fit_logistic(cls._feature(sample.score), sample.right)
        return cls(slope=slope, intercept=intercept, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return sigmoid(self.slope * self._feature(rows) + self.intercept)


def one_thread() -> AbstractContextManager[Any]:
    """Within it, numerical libraries use one thread: on some dozens of rows several only wait for each other.

    Where other processes want the same cores, that waiting makes a fit forty times slower. Call it after the libraries
    are imported.
    """
    controller = _controller()
    return nullcontext() if controller is None else controller.limit(limits=1)


@cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - comes with scikit-learn
    except ImportError:
        return None
    return ThreadpoolController()
