"""`scaled`: the paper's appendix D, the score divided by the highest one seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS, BadSetting


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
