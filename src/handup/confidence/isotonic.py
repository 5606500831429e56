"""`isotonic`: the best increasing steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS, BadSetting, MissingExtra


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Isotonic(Fitted):
    """The increasing curve with the least squared error, straight between its corners.

    Use it with a thousand rows or more. With fewer it follows single rows, and its probabilities of exactly 0 and 1
    are promises that nobody can keep.

    Args:
        data: What it was fitted on.
        scores: Corners, increasing.
        chances: Probability at each, not decreasing.
    """

    name: ClassVar[str] = "isotonic"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})

    scores: tuple[float, ...]
    chances: tuple[float, ...]

    def __post_init__(self) -> None:
        check_steps(self.scores, self.chances)

    @classmethod
    def fit(cls, sample: Sample) -> Isotonic:
        """Fit the corners with scikit-learn.

        Raises:
            MissingExtra: scikit-learn is not installed.
        """
        try:
            from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise MissingExtra.of("lab", "fitting a calibrator") from None
        summary = cls._check(sample)
        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        model.fit(sample.score, sample.right.astype(np.float64))
        corners = zip(model.X_thresholds_.tolist(), model.y_thresholds_.tolist(), strict=True)
        scores, chances = zip(*corners, strict=True)
        return cls(scores=scores, chances=tuple(min(1.0, max(0.0, each)) for each in chances), data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return np.interp(top(rows), self.scores, self.chances)


def check_steps(scores: tuple[float, ...], chances: tuple[float, ...]) -> None:
    """Refuse steps that do not increase.

    Raises:
        BadSetting: They have different lengths, fall, or leave 0 to 1.
    """
    if not scores or len(scores) != len(chances):
        raise BadSetting("scores and chances are not of one length", hint="Fit the calibrator again.")
    rising = (np.diff(scores) > 0.0).all() and (np.diff(chances) >= -1e-12).all()
    if not rising or min(chances) < 0.0 or max(chances) > 1.0:
        raise BadSetting("the steps do not increase within 0 to 1", hint="Fit the calibrator again.")
