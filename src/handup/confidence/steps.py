"""Calibrators of increasing steps: `isotonic`, and `venn-abers` (Vovk and others, 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Floats, Sample, ScoreKind
from handup.core import CALIBRATORS, MissingExtra, OutOfRange, WrongSize

Point = tuple[float, float]


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Isotonic(Fitted):
    """Calibrator with the increasing curve of least squared error, straight between its corners.

    Use it with a thousand rows or more. With fewer it follows single rows, and gives probabilities of exactly 0 and 1,
    which are never justified.

    Args:
        data: Summary of the rows of the fit.
        scores: Scores of the corners, increasing.
        chances: Probability at each corner, not decreasing.
    """

    name: ClassVar[str] = "isotonic"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})

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
        return cls(scores=scores, chances=tuple(min(1.0, max(0.0, chance)) for chance in chances), data=summary)

    def _predict(self, rows: Floats) -> Floats:
        return np.interp(top(rows), self.scores, self.chances)


def check_steps(scores: tuple[float, ...], chances: tuple[float, ...]) -> None:
    """Refuse steps that do not increase.

    Raises:
        WrongSize: There are no scores, or not one probability for each.
        OutOfRange: The scores do not increase, or the probabilities decrease or leave 0 to 1.
    """
    if not scores or len(scores) != len(chances):
        got = f"{len(scores)} and {len(chances)}"
        raise WrongSize.of("scores and chances", got, "be of one length above 0", hint="Fit the calibrator again.")
    rising = (np.diff(scores) > 0.0).all() and (np.diff(chances) >= -1e-12).all()
    if not rising or min(chances) < 0.0 or max(chances) > 1.0:
        raise OutOfRange("scores must increase, and chances not fall or leave 0 to 1", hint="Fit the calibrator again.")


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class VennAbers(Fitted):
    """Inductive Venn-Abers predictor: an interval of probabilities, one end of which is perfectly calibrated.

    It makes isotonic steps twice: as if the next row were wrong, and as if it were right. Use it to see how little the
    data say: the interval is wide where rows are few. As one number it gives p1 / (1 − p0 + p1), which has the least
    log loss against the worse of the two ends.

    Args:
        data: Summary of the rows of the fit.
        scores: The distinct scores, increasing.
        if_wrong: At each score, the isotonic value with one more row of that score that is wrong.
        if_right: At each score, the isotonic value with one more row of that score that is right.
    """

    name: ClassVar[str] = "venn-abers"
    kinds: ClassVar[frozenset[ScoreKind]] = frozenset({ScoreKind.SCORE, ScoreKind.OPTIONS})

    scores: tuple[float, ...]
    if_wrong: tuple[float, ...]
    if_right: tuple[float, ...]

    def __post_init__(self) -> None:
        check_steps(self.scores, self.if_wrong)
        check_steps(self.scores, self.if_right)

    @classmethod
    def fit(cls, sample: Sample) -> VennAbers:
        """Return the predictor with both values for every score, from one pass over the sorted rows."""
        summary = cls._check(sample)
        scores, place = np.unique(sample.score, return_inverse=True)
        sizes = np.bincount(place).astype(np.float64)
        hits: Floats = np.bincount(place, weights=sample.right.astype(np.float64)).astype(np.float64)
        # One more wrong row is one more right row with scores and outcomes mirrored.
        mirrored = with_a_hit(sizes[::-1], (sizes - hits)[::-1])[::-1]
        return cls(
            scores=tuple(scores.tolist()),
            if_wrong=tuple(np.maximum.accumulate(np.clip(1.0 - mirrored, 0.0, 1.0)).tolist()),
            if_right=tuple(np.maximum.accumulate(np.clip(with_a_hit(sizes, hits), 0.0, 1.0)).tolist()),
            data=summary,
        )

    def interval(self, raw: ArrayLike) -> tuple[Floats, Floats]:
        """Return the lower and the upper probability for each raw score."""
        score = top(np.asarray(raw, dtype=np.float64))
        # For a score between two rows: one more right row there joins the steps above it, a wrong one those below.
        lower = np.append(0.0, self.if_wrong)[np.searchsorted(self.scores, score, side="right")]
        upper = np.append(self.if_right, 1.0)[np.searchsorted(self.scores, score, side="left")]
        return np.asarray(lower), np.asarray(upper)

    def _predict(self, rows: Floats) -> Floats:
        lower, upper = self.interval(rows)
        return np.asarray(upper / (1.0 - lower + upper))


def with_a_hit(sizes: Floats, hits: Floats) -> Floats:
    """Return the isotonic value of each group, in order, after one more hit in it.

    Vovk, Petej and Fedorova's algorithms 1 and 2: the corners of the greatest convex minorant under the cumulative
    sums are kept on a stack while the extra hit moves from left to right.
    """
    count = len(sizes)
    points: list[Point] = [(-1.0, -1.0), (0.0, 0.0)]
    points += list(zip(np.cumsum(sizes).tolist(), np.cumsum(hits).tolist(), strict=True))
    stack: list[Point] = []
    for point in points:
        while len(stack) > 1 and _turns(stack[-2], stack[-1], point) <= 0.0:
            stack.pop()
        stack.append(point)
    corners = stack[::-1]
    values = np.empty(count)
    for group in range(count):
        (x0, y0), (x1, y1) = corners[-1], corners[-2]
        values[group] = (y1 - y0) / (x1 - x0)
        # The extra hit lies at points[group]; it moves past this group.
        (ax, ay), (bx, by), (cx, cy) = points[group], points[group + 1], points[group + 2]
        moved = (ax + cx - bx, ay + cy - by)
        points[group + 1] = moved
        if _turns(corners[-1], corners[-2], moved) >= 0.0:
            continue
        corners.pop()
        while len(corners) > 1 and _turns(moved, corners[-1], corners[-2]) <= 0.0:
            corners.pop()
        corners.append(moved)
    return values


def _turns(a: Point, b: Point, c: Point) -> float:
    """Return a number above 0 where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
