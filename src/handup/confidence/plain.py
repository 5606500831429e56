"""Simple calibrators: `identity`, and the paper's `scaled` (appendix D) and `interval` (C.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Bools, Floats, Sample, ScoreKind, percent
from handup.core import CALIBRATORS, BadData, OutOfRange

I = TypeVar("I", bound="Interval")  # noqa: E741 - a type of its own, not a number
CLIP = 0.01
"""Distance from 0 and 1 of the probabilities of `interval`: no module is certain, and a product with 0 stays 0."""


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Identity(Fitted):
    """Calibrator that returns the score, or the highest of the options' scores, unchanged.

    It is always among the candidates: where a module is calibrated already, anything fitted on few rows is worse.
    """

    name: ClassVar[str] = "identity"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})

    @classmethod
    def fit(cls, sample: Sample) -> Identity:
        """Summarise the data; nothing is fitted."""
        return cls(data=cls._check(sample))

    def _predict(self, rows: Floats) -> Floats:
        return top(rows).copy()


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Scaled(Fitted):
    """Calibrator c* / c_max, at most 1.

    Use it to reproduce the paper, and for scores without a scale where there are no labels. It does not look at whether
    the rows were right, and it promises that the highest score is never wrong.

    Args:
        data: Summary of the rows of the fit.
        highest: The highest score of the calibration set, above 0.
    """

    name: ClassVar[str] = "scaled"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})
    most: ClassVar[float] = float("inf")

    highest: float

    def __post_init__(self) -> None:
        if not 0.0 < self.highest < float("inf"):
            raise OutOfRange.of("the highest score", f"{self.highest:g}", "be above 0 and finite", hint="Scale it.")

    @classmethod
    def fit(cls, sample: Sample) -> Scaled:
        """Return the calibrator with the highest score of the rows."""
        summary = cls._check(sample)
        return cls(highest=summary.score_max, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return np.minimum(top(rows) / self.highest, 1.0)


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Interval(Fitted):
    """Calibrator that is confident if the score lies within μ* ± σ* of top choices and outside μ⁺ ± σ⁺ of second ones.

    Both ends belong to an interval; σ is that of the rows themselves (divided by n). Confident is 0.99, otherwise 0.01.
    Top and second choices come from the option scores, or from `second`; without either, right rows stand for top
    choices and wrong rows for second ones, as for the paper's M2. The rule rejects the *highest* scores too: read
    `warnings`.

    Args:
        data: Summary of the rows of the fit.
        top_mean: μ*.
        top_sd: σ*.
        second_mean: μ⁺.
        second_sd: σ⁺.
        confident: Share of the rows of the fit of which it is confident.
        confident_right: Share of those that are right; 0 where there are none.
    """

    name: ClassVar[str] = "interval"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})
    monotone: ClassVar[bool] = False
    most: ClassVar[float] = float("inf")

    top_mean: float
    top_sd: float
    second_mean: float
    second_sd: float
    confident: float = 0.0
    confident_right: float = 0.0

    def __post_init__(self) -> None:
        if min(self.top_sd, self.second_sd) < 0.0:
            got = f"{self.top_sd:g} and {self.second_sd:g}"
            raise OutOfRange.of("top_sd and second_sd", got, "be at least 0", hint="Fit the calibrator again.")

    @classmethod
    def fit(cls: type[I], sample: Sample) -> I:
        """Return the calibrator with the means and standard deviations of first and second choices.

        Raises:
            BadData: There are no runner-up scores, and the rows are all right or all wrong.
        """
        summary = cls._check(sample)
        first, second = sample.score, sample.second
        if second is None:
            first, second = sample.score[sample.right], sample.score[~sample.right]
        if not len(first) or not len(second):
            raise BadData(f"rows for '{cls.name}' must be right and wrong, got only one kind", hint="Give both.")
        rule = cls(
            top_mean=float(first.mean()),
            top_sd=float(first.std()),
            second_mean=float(second.mean()),
            second_sd=float(second.std()),
            data=summary,
        )
        sure = rule.is_confident(sample.score)
        share_right = float(sample.right[sure].mean()) if sure.any() else 0.0
        return replace(rule, confident=float(sure.mean()), confident_right=share_right)

    @property
    def anti_informative(self) -> bool:
        """True if, on its own data, outputs of which it is confident are right less often than outputs in general."""
        return self.confident > 0.0 and self.confident_right < self.data.base_rate

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence if it is anti-informative or confident of nothing."""
        if self.anti_informative:
            return (
                f"'{self.name}' is anti-informative here: it is confident of {percent(self.confident)} of the rows, of "
                f"which {percent(self.confident_right)} are right, against {percent(self.data.base_rate)} of all.",
            )
        return () if self.confident else (f"'{self.name}' is confident of none of the rows it was fitted on.",)

    def is_confident(self, score: Floats) -> Bools:
        """Return for each score whether it is confident: Conf_cal = 1."""
        in_top = np.abs(score - self.top_mean) <= self.top_sd
        in_second = np.abs(score - self.second_mean) <= self.second_sd
        return np.asarray(in_top & ~in_second)

    def _predict(self, rows: Floats) -> Floats:
        return np.where(self.is_confident(top(rows)), 1.0 - CLIP, CLIP)


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class OneSidedInterval(Interval):
    """Calibrator `interval` without its upper limits: confident above μ* − σ* and above μ⁺ + σ⁺.

    High scores are not rejected. Use it where you need a yes or no in the manner of the paper.
    """

    name: ClassVar[str] = "interval-one-sided"
    monotone: ClassVar[bool] = True

    def is_confident(self, score: Floats) -> Bools:
        """Return for each score whether it is confident."""
        return np.asarray((score >= self.top_mean - self.top_sd) & (score > self.second_mean + self.second_sd))
