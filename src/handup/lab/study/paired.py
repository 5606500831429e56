"""Paired statistics: Wilcoxon's signed-rank test, Holm's correction, bootstrap intervals; Newcombe's for shares.

The unit is whatever was given to all arms alike: a participant, whose plates are averaged first, or the seed of a run.
All tests are two-sided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from handup.confidence.bootstrap import Estimate, intervals
from handup.confidence.metrics import wilson

Vector = NDArray[np.float64]
ALPHA = 0.05
SAME = 1e-9
"""Differences smaller than this are rounding, not differences."""
MOST_EXACT = 200


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What one arm has more than another, unit by unit.

    Args:
        mean: On average.
        ci: The 95 % bootstrap interval of the mean, over units.
        more: Units with more.
        less: Units with less.
        same: Units with the same.
        p: Two-sided, of Wilcoxon's signed-rank test; 1 where none differs.
        ranks: The side that this test is on: 1 where ranks say more, -1 where they say less, 0 where they are even. It
            need not be that of the mean: many small gains and a few large losses.
    """

    mean: float
    ci: tuple[float, float]
    more: int
    less: int
    same: int
    p: float
    ranks: int

    @property
    def units(self) -> int:
        """How many were compared."""
        return self.more + self.less + self.same

    def to_json(self) -> dict[str, Any]:
        """A plain record, of what is shown."""
        counts = {"more": self.more, "less": self.less, "same": self.same}
        return {"mean": self.mean, "ci": list(self.ci), **counts, "p": self.p}


def wilcoxon(differences: Sequence[float] | Vector) -> float:
    """The two-sided p of Wilcoxon's signed-rank test.

    Units without a difference are left out (Wilcoxon's own way), ties share their ranks. Up to `MOST_EXACT`
    differences the distribution is exact, ties and all; beyond, it is scipy's normal one, corrected for ties and for
    continuity.
    """
    given = _told(differences)
    if not len(given):
        return 1.0
    if len(given) > MOST_EXACT:
        return float(stats.wilcoxon(given, zero_method="wilcox", correction=True, method="approx").pvalue)
    doubled = _doubled_ranks(given)
    # The chance of each sum of the ranks signed plus, when every sign is tossed.
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    for rank in doubled.tolist():
        chance[rank:] += chance[:-rank].copy()
        chance /= 2.0
    from_middle = np.abs(np.arange(len(chance)) - doubled.sum() / 2.0)
    seen = from_middle[int(doubled[given > 0.0].sum())]
    return float(min(chance[from_middle >= seen].sum(), 1.0))


def leaning(differences: Sequence[float] | Vector) -> int:
    """The side that the signed ranks are on: 1 where those of gains add up to more than half of all, -1 to less."""
    given = _told(differences)
    return int(np.sign((_doubled_ranks(given) * np.sign(given).astype(np.int64)).sum()))


def _told(differences: Sequence[float] | Vector) -> Vector:
    """Those that are differences. Averages and sums carry rounding that would break ties."""
    given = np.asarray(differences, dtype=np.float64)
    return np.round(given[np.abs(given) > SAME], 9)


def _doubled_ranks(given: Vector) -> NDArray[np.int64]:
    """Twice the ranks by size, which ties share, so that they are whole."""
    return np.rint(2.0 * stats.rankdata(np.abs(given))).astype(np.int64)


def holm(given: Sequence[float]) -> list[float]:
    """Holm's correction: p-values such that those below α are wrong together with a probability of at most α."""
    order = sorted(range(len(given)), key=lambda each: given[each])
    corrected = [0.0] * len(given)
    highest = 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(given) - rank) * given[position]))
        corrected[position] = highest
    return corrected


def mean(values: Vector, *, seed: int = 0) -> Estimate:
    """The mean over units, with its 95 % bootstrap interval."""
    return ratio(values, np.ones(len(values)), seed=seed)


def ratio(parts: Vector, wholes: Vector, *, seed: int = 0) -> Estimate:
    """The sum of parts over that of wholes, with its 95 % bootstrap interval over units; 0 of nothing is 0.

    Resamples of units that have nothing of the whole say nothing of a share, and are left out.
    """
    if not wholes.sum() > 0.0:
        return Estimate(0.0, (0.0, 0.0))

    def shares(weights: Vector) -> Vector:
        below = weights @ wholes
        some = below > 0.0
        return np.asarray((weights @ parts)[some] / below[some])

    return intervals({"share": shares}, len(parts), seed=seed)["share"]


def difference(values: Vector, others: Vector, *, seed: int = 0) -> Difference:
    """What values are more than others, unit by unit."""
    gap = values - others
    found = mean(gap, seed=seed)
    more, less = int((gap > SAME).sum()), int((gap < -SAME).sum())
    same = len(gap) - more - less
    return Difference(
        mean=found.value, ci=found.ci, more=more, less=less, same=same, p=wilcoxon(gap), ranks=leaning(gap)
    )


def shares(values: Vector, others: Vector, *, seed: int = 0) -> Difference:
    """The same of two shares; of the bootstrap's interval and of `newcombe`, each end is the wider one.

    Where hardly any pair differs, resampling knows no doubt: of 150 equal pairs it would say that all pairs are equal.
    """
    found = difference(values, others, seed=seed)
    if not len(values):
        return found
    low, high = newcombe(values, others)
    return replace(found, ci=(min(low, found.ci[0]), max(high, found.ci[1])))


def newcombe(values: Vector, others: Vector) -> tuple[float, float]:
    """The 95 % score interval of a paired difference of shares (Newcombe 1998, method 10).

    Wilson's limits of both shares are put together with the correlation φ of the pairs, corrected for continuity.

    Args:
        values: Whether it came true, 0 or 1; or, of a unit with several trials, the share of them. Wilson's limits are
            then those of as many trials as there are units, and φ is 0.
        others: The same of the others.
    """
    count = len(values)
    one, other = float(values.mean()), float(others.mean())
    (low, high), (other_low, other_high) = (wilson(share * count, count) for share in (one, other))
    phi = _phi(values, others)

    def together(mine: float, theirs: float) -> float:
        return float(np.sqrt(max(mine**2 - 2.0 * phi * mine * theirs + theirs**2, 0.0)))

    return one - other - together(one - low, other_high - other), one - other + together(high - one, other - other_low)


def _phi(values: Vector, others: Vector) -> float:
    """The correlation of pairs that are 0 or 1, where positive nearer to 0 by half a pair; 0 of all other pairs."""
    spread = float(values.std() * others.std())
    if spread <= SAME or not np.isin((values, others), (0.0, 1.0)).all():
        return 0.0
    shared = float(np.mean(values * others) - values.mean() * others.mean())
    return (max(shared - 0.5 / len(values), 0.0) if shared > 0.0 else shared) / spread
