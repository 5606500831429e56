"""Curves of few numbers: `platt`, `dropout` and `beta` are logistic, `temperature` is for the scores of all options."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from math import isfinite, log
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Bools, Floats, Kind, Sample, as_options
from handup.core import CALIBRATORS, BadData, BadSetting, MissingExtra

C = TypeVar("C", bound="LogisticCurve")
RIDGE = 0.1
"""Keeps the coefficients of `beta` finite where a score separates right from wrong."""
SMALLEST = 1e-12
"""Variances and option scores are kept above this before their logarithms are taken: all passes can agree."""
LEAST, MOST = 0.02, 100.0
"""Temperatures are sought between these."""
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

        The slope is never below 0: a module that is surer is not taken to be wrong more often; where the rows say so,
        the base rate is the best that an increasing curve can do, and that is what comes back. The same where all rows
        are of one class or of one score.

        Raises:
            MissingExtra: scikit-learn is not installed.
        """
        try:
            from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise MissingExtra.of("lab", "fitting a calibrator") from None
        summary = cls._check(sample)
        feature, right = cls._feature(sample.score), sample.right
        if right.all() or not right.any() or np.ptp(feature) == 0.0:
            return cls(slope=0.0, intercept=smoothed_log_odds(right), data=summary)
        centre = float(feature.mean())
        with one_thread():
            model = LogisticRegression(C=STRENGTH, tol=1e-8, max_iter=1000).fit((feature - centre)[:, None], right)
        slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
        if slope <= 0.0:
            rate = float(right.mean())
            return cls(slope=0.0, intercept=log(rate / (1.0 - rate)), data=summary)
        return cls(slope=slope, intercept=intercept - slope * centre, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return sigmoid(self.slope * self._feature(rows) + self.intercept)


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Platt(LogisticCurve):
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

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        return logit(top(raw))


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Dropout(LogisticCurve):
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

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        if raw.ndim != 1:
            raise BadSetting("'dropout' was given several numbers for one output", hint="Give one variance each.")
        return np.asarray(-np.log(np.maximum(raw, SMALLEST)))


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Beta(Fitted):
    """P(right) = sigmoid(a · ln s − b · ln(1 − s) + c) with a, b ≥ 0 (Kull, Silva Filho and Flach, 2017).

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
        a, b, c = _fit_two(_two_logs(sample.score), sample.right)
        return cls(a=a, b=b, c=c, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        low, high = _two_logs(top(rows)).T
        return sigmoid(self.a * low + self.b * high + self.c)


def _two_logs(score: Floats) -> Floats:
    kept = np.clip(score, EDGE, 1.0 - EDGE)
    return np.column_stack([np.log(kept), -np.log1p(-kept)])


def _fit_two(features: Floats, right: Bools) -> tuple[float, float, float]:
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


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Temperature(Fitted):
    """P(option) ∝ score^(1 / temperature), one number that makes all option scores sharper or flatter.

    Above 1 the module was too sure of itself, below 1 not sure enough (Guo and others, 2017).
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
