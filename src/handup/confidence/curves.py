"""Calibrators with few parameters: `platt`, `dropout` and `beta` are logistic, `temperature` is for option scores."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from math import isfinite, log
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Bools, Floats, Sample, ScoreKind, as_options
from handup.core import CALIBRATORS, BadData, MissingExtra, OutOfRange, WrongSize

C = TypeVar("C", bound="LogisticCurve")
RIDGE = 0.1
"""Regularisation that keeps the coefficients of `beta` finite where a score separates right from wrong."""
SMALLEST = 1e-12
"""Least variance or option score of which a logarithm is taken. A variance is 0 where all passes agree."""
LEAST, MOST = 0.02, 100.0
"""Range in which the temperature is searched."""
EDGE = 1e-4
"""Least distance of scores from 0 and 1 before a logarithm is taken, so that one row cannot outweigh the rest."""
STRENGTH = 1.0
"""scikit-learn's C, larger for lighter regularisation. At 1 the regularisation weighs about as much as one row."""


def logit(score: Floats) -> Floats:
    """Return the log-odds of scores, kept finite by `EDGE`."""
    kept = np.clip(score, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def sigmoid(value: Floats) -> Floats:
    """Return the probability of log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(value, -700.0, 700.0))))


def smoothed_log_odds(right: Bools) -> float:
    """Return the log-odds of the base rate, with half a row added on each side so that they are finite."""
    hits = float(right.sum()) + 0.5
    return log(hits / (len(right) + 1.0 - hits))


@dataclass(frozen=True, kw_only=True)
class LogisticCurve(Fitted):
    """Base of calibrators that are a logistic curve over one increasing feature of the raw score."""

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.slope < float("inf") and isfinite(self.intercept)):
            got, must = f"{self.slope:g} and {self.intercept:g}", "be finite, with a slope of at least 0"
            raise OutOfRange.of("slope and intercept", got, must, hint="Fit the calibrator again.")

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        raise NotImplementedError

    @classmethod
    def fit(cls: type[C], sample: Sample) -> C:
        """Fit slope and intercept with scikit-learn.

        The slope is never below 0: a surer module must not get a lower probability. Where the rows would give a
        negative slope, or are all of one class or of one score, the curve is the constant base rate.

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
        # Centred, so that the fit is well conditioned and the regularised slope does not shift the mean probability.
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
    """Calibrator P(right) = sigmoid(slope · logit(score) + intercept), lightly regularised.

    Use it with 60 to some hundred rows, enough for two numbers. A module that is too sure of itself shows in a slope
    below 1 and an intercept below 0. Slope 1 and intercept 0 give `identity`.

    Args:
        data: Summary of the rows of the fit.
        slope: Slope over the log-odds of the score, at least 0.
        intercept: Log-odds at a score of 0.5.
    """

    name: ClassVar[str] = "platt"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        return logit(top(raw))


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Dropout(LogisticCurve):
    """Calibrator P(right) = sigmoid(slope · (−ln variance) + intercept), lightly regularised.

    Use it for a network that gives no probabilities, run several times with dropout switched on (16 times for the
    paper's M4; `spread_of` turns the outputs into one variance). The unit of the variance does not matter.

    Args:
        data: Summary of the rows of the fit.
        slope: Slope over −ln variance, at least 0.
        intercept: Log-odds at a variance of 1.
    """

    name: ClassVar[str] = "dropout"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.VARIANCE})
    most: ClassVar[float] = float("inf")

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        if raw.ndim != 1:
            raise WrongSize.of("scores for 'dropout'", raw.shape, "be one per output", hint="Give a list of variances.")
        return np.asarray(-np.log(np.maximum(raw, SMALLEST)))


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Beta(Fitted):
    """Calibrator P(right) = sigmoid(a · ln s − b · ln(1 − s) + c) with a, b ≥ 0 (Kull, Silva Filho and Flach, 2017).

    Use it with some hundred rows where low and high scores err in different ways. With a = b it is `platt`, with
    a = b = 1 and c = 0 it is `identity`.

    Args:
        data: Summary of the rows of the fit.
        a: Weight of ln s, at least 0.
        b: Weight of −ln(1 − s), at least 0.
        c: Log-odds added.
    """

    name: ClassVar[str] = "beta"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        if min(self.a, self.b) < 0.0 or not all(map(isfinite, (self.a, self.b, self.c))):
            got, must = f"{self.a:g}, {self.b:g} and {self.c:g}", "be finite, with a and b of at least 0"
            raise OutOfRange.of("a, b and c", got, must, hint="Fit the calibrator again.")

    @classmethod
    def fit(cls, sample: Sample) -> Beta:
        """Fit by maximum likelihood under the bounds, with a slight ridge."""
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

    def loss(parameters: Floats) -> tuple[float, Floats]:
        weights, value = parameters[:2], centred @ parameters[:2] + parameters[2]
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
    """Calibrator P(option) ∝ score^(1 / temperature), which makes all option scores sharper or flatter.

    The temperature is above 1 if the module was too sure of itself, below 1 if it was not sure enough (Guo and others,
    2017). Use it where the scores of all options are known: one number needs few rows, and the order of the options
    stays. It is not offered for single scores: without the other options it could only push towards 0.5, which does
    not help a module that is right less often than that.

    Args:
        data: Summary of the rows of the fit.
        temperature: The temperature, above 0.
    """

    name: ClassVar[str] = "temperature"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.OPTIONS})
    monotone: ClassVar[bool] = False

    temperature: float

    def __post_init__(self) -> None:
        if not 0.0 < self.temperature < float("inf"):
            raise OutOfRange.of("temperature", f"{self.temperature:g}", "be above 0 and finite", hint="Fit it again.")

    @classmethod
    def fit(cls, sample: Sample) -> Temperature:
        """Fit the temperature under which the right options are likeliest, by scalar minimisation."""
        from scipy.optimize import minimize_scalar  # noqa: PLC0415 - slow to import

        summary = cls._check(sample)
        if sample.target is None:
            raise BadData("the rows must have a target, got none", hint="Build the sample with of_options.")
        logs, chosen = _logs(sample.raw), (np.arange(len(sample)), sample.target)

        def loss(log_sharpness: float) -> float:
            scaled = np.exp(log_sharpness) * logs
            return float(np.mean(np.logaddexp.reduce(scaled, axis=1) - scaled[chosen]))

        # The loss is convex in the sharpness 1 / temperature, so it has a single minimum over its logarithm, too.
        bounds = (-np.log(MOST), -np.log(LEAST))
        solution = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
        return cls(temperature=float(np.exp(-solution.x)), data=summary)

    def options(self, raw: ArrayLike) -> Floats:
        """Return the calibrated probabilities of all options, in rows that add up to 1."""
        return self._shares(as_options(raw))

    def _predict(self, rows: Floats) -> Floats:
        if rows.ndim != 2 or rows.shape[1] < 2:
            must = "be two or more per output"
            raise WrongSize.of("scores for 'temperature'", rows.shape, must, hint="Give the scores of all options.")
        return np.asarray(self._shares(rows).max(axis=1))

    def _shares(self, rows: Floats) -> Floats:
        scaled = _logs(rows) / self.temperature
        return np.asarray(np.exp(scaled - np.logaddexp.reduce(scaled, axis=1, keepdims=True)))


def _logs(rows: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(rows, SMALLEST)))


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which numerical libraries use one thread. Call it after they are imported.

    On some dozens of rows, several threads only wait for each other. Where other processes use the same cores, this
    waiting makes a fit forty times slower.
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
