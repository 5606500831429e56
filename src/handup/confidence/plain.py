"""Scores taken at their word, `identity`, and the paper's `scaled` (appendix D) and `interval` (C.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Bools, Floats, Kind, Sample, percent
from handup.core import CALIBRATORS, BadData, BadSetting

I = TypeVar("I", bound="Interval")  # noqa: E741 - a type of its own, not a number
CLIP = 0.01
"""The rule of intervals says 0 or 1; no module is that certain, and a product of zeros cannot be argued with."""


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Identity(Fitted):
    """Takes the score, or the highest of the options' scores, at its word.

    Always among the candidates: where a module is calibrated already, anything fitted on few rows is worse.
    """

    name: ClassVar[str] = "identity"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})

    @classmethod
    def fit(cls, sample: Sample) -> Identity:
        """Nothing is fitted; the data are only summarised."""
        return cls(data=cls._check(sample))

    def _predict(self, rows: Floats) -> Floats:
        return top(rows).copy()


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Scaled(Fitted):
    """c* / c_max, at most 1. For reproducing the paper, and for scores without a scale where no labels are at hand.

    It does not look at whether the rows were right, and it promises that the highest score is never wrong.

    Args:
        data: What it was fitted on.
        highest: The highest score of the calibration set, above 0.
    """

    name: ClassVar[str] = "scaled"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})
    most: ClassVar[float] = float("inf")

    highest: float

    def __post_init__(self) -> None:
        if not 0.0 < self.highest < float("inf"):
            raise BadSetting(f"the highest score is {self.highest:g}", hint="Give rows with a score above 0.")

    @classmethod
    def fit(cls, sample: Sample) -> Scaled:
        """Remember the highest score."""
        summary = cls._check(sample)
        return cls(highest=summary.score_max, data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return np.minimum(top(rows) / self.highest, 1.0)


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Interval(Fitted):
    """Confident where the score lies within μ* ± σ* of top choices and outside μ⁺ ± σ⁺ of second choices; else not.

    Both ends belong to an interval; σ is that of the rows themselves (divided by n). Confident is 0.99, else 0.01.
    Top and second choices come from the option scores, or from `second`; where there is neither, right rows stand for
    top choices and wrong rows for second ones, as for the paper's M2. The rule rejects the *highest* scores too, so
    look at `warnings`.

    Args:
        data: What it was fitted on.
        top_mean: μ*.
        top_sd: σ*.
        second_mean: μ⁺.
        second_sd: σ⁺.
        confident: Share of the rows it was fitted on that it is confident of.
        confident_right: Share of those that are right; 0 where there are none.
    """

    name: ClassVar[str] = "interval"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})
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
            raise BadSetting("a standard deviation is below 0", hint="Fit the calibrator again.")

    @classmethod
    def fit(cls: type[I], sample: Sample) -> I:
        """Means and standard deviations of first and second choices.

        Raises:
            BadData: There are no second choices: no runner-up scores, and no wrong rows (or no right ones).
        """
        summary = cls._check(sample)
        first, second = sample.score, sample.second
        if second is None:
            first, second = sample.score[sample.right], sample.score[~sample.right]
        if not len(first) or not len(second):
            raise BadData(f"'{cls.name}' needs right and wrong rows", hint="Give rows of both.")
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
        """Whether, on its own data, the outputs it is confident of are right less often than outputs in general."""
        return self.confident > 0.0 and self.confident_right < self.data.base_rate

    @property
    def warnings(self) -> tuple[str, ...]:
        """Says so where it is anti-informative or confident of nothing."""
        if self.anti_informative:
            return (
                f"'{self.name}' is anti-informative here: it is confident of {percent(self.confident)} of the rows, of "
                f"which {percent(self.confident_right)} are right, against {percent(self.data.base_rate)} of all.",
            )
        return () if self.confident else (f"'{self.name}' is confident of none of the rows it was fitted on.",)

    def is_confident(self, score: Floats) -> Bools:
        """The rule itself: Conf_cal = 1."""
        in_top = np.abs(score - self.top_mean) <= self.top_sd
        in_second = np.abs(score - self.second_mean) <= self.second_sd
        return np.asarray(in_top & ~in_second)

    def _predict(self, rows: Floats) -> Floats:
        return np.where(self.is_confident(top(rows)), 1.0 - CLIP, CLIP)


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class OneSidedInterval(Interval):
    """The rule without its upper limits: confident above μ* − σ* and above μ⁺ + σ⁺, so high scores are not rejected.

    Use it where a yes or no is needed in the manner of the paper.
    """

    name: ClassVar[str] = "interval-one-sided"
    monotone: ClassVar[bool] = True

    def is_confident(self, score: Floats) -> Bools:
        """The rule itself."""
        return np.asarray((score >= self.top_mean - self.top_sd) & (score > self.second_mean + self.second_sd))
