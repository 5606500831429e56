"""Paired statistics: Wilcoxon's signed-rank test, Holm's correction, bootstrap intervals; Newcombe's for shares.

A unit is shared by all arms: a participant, whose plates are averaged first, or the seed of a run.
All tests are two-sided.

In an analysis of variance with repeated measures, every unit was measured at every level of two factors. F is corrected
by Greenhouse and Geisser's ε, which is 1 if the differences between levels have equal variances, and less otherwise;
both degrees of freedom are multiplied by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import helmert

from handup.confidence.metrics import Estimate, intervals, wilson
from handup.core import Malformed, WrongSize

Vector = NDArray[np.float64]
ALPHA = 0.05
SAME = 1e-9
"""Largest difference that counts as a rounding error."""
MOST_EXACT = 200
LEAST_UNITS = 3
"""Smallest number of units for an analysis of variance."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Paired difference of two arms: the mean over units with its 95 % bootstrap interval.

    `more`, `less` and `same` count units. `p` is that of Wilcoxon's signed-rank test, two-sided, 1 if no unit differs.
    `ranks` is the direction of this test: 1 for more, -1 for less, 0 for a tie. It may differ from that of the mean:
    many small gains and a few large losses.
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
        """Number of units compared."""
        return self.more + self.less + self.same

    def to_json(self) -> dict[str, Any]:
        """Return a plain record of the published fields."""
        counts = {"more": self.more, "less": self.less, "same": self.same}
        return {"mean": self.mean, "ci": list(self.ci), **counts, "p": self.p}


def wilcoxon(differences: Sequence[float] | Vector) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test.

    Units without a difference are left out, as Wilcoxon did; ties share their ranks. Up to `MOST_EXACT` differences the
    distribution is exact, also with ties; beyond, it is scipy's normal approximation, corrected for ties and
    continuity.
    """
    given = _told(differences)
    if not len(given):
        return 1.0
    if len(given) > MOST_EXACT:
        return float(stats.wilcoxon(given, zero_method="wilcox", correction=True, method="approx").pvalue)
    doubled = _doubled_ranks(given)
    # Probability of each sum of the ranks with a positive sign, if signs are random.
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    for rank in doubled.tolist():
        chance[rank:] += chance[:-rank].copy()
        chance /= 2.0
    from_middle = np.abs(np.arange(len(chance)) - doubled.sum() / 2.0)
    seen = from_middle[int(doubled[given > 0.0].sum())]
    return float(min(chance[from_middle >= seen].sum(), 1.0))


def leaning(differences: Sequence[float] | Vector) -> int:
    """Return the sign of the sum of signed ranks: 1 if gains outweigh losses, -1 if losses do, 0 for a tie."""
    given = _told(differences)
    return int(np.sign((_doubled_ranks(given) * np.sign(given).astype(np.int64)).sum()))


def _told(differences: Sequence[float] | Vector) -> Vector:
    """Return the differences that are not rounding errors, rounded, since rounding errors would break ties."""
    given = np.asarray(differences, dtype=np.float64)
    return np.round(given[np.abs(given) > SAME], 9)


def _doubled_ranks(given: Vector) -> NDArray[np.int64]:
    """Return twice the ranks by size, as integers: ranks that ties share may be halves."""
    return np.rint(2.0 * stats.rankdata(np.abs(given))).astype(np.int64)


def holm(given: Sequence[float]) -> list[float]:
    """Return p-values with Holm's correction: P(any of those below α is wrong) is at most α."""
    order = sorted(range(len(given)), key=given.__getitem__)
    corrected = [0.0] * len(given)
    highest = 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(given) - rank) * given[position]))
        corrected[position] = highest
    return corrected


def mean(values: Vector) -> Estimate:
    """Return the mean over units, with its 95 % bootstrap interval."""
    return ratio(values, np.ones(len(values)))


def ratio(parts: Vector, wholes: Vector) -> Estimate:
    """Return the sum of parts over that of wholes, with its 95 % bootstrap interval over units; 0 if there is no whole.

    Resamples without any whole have no share and are left out.
    """
    if not wholes.sum() > 0.0:
        return Estimate(0.0, (0.0, 0.0))

    def shares(weights: Vector) -> Vector:
        below = weights @ wholes
        some = below > 0.0
        return np.asarray((weights @ parts)[some] / below[some])

    return intervals({"share": shares}, len(parts))["share"]


def difference(values: Vector, others: Vector) -> Difference:
    """Return the paired difference of values and others."""
    gap = values - others
    found = mean(gap)
    more, less = int((gap > SAME).sum()), int((gap < -SAME).sum())
    same = len(gap) - more - less
    return Difference(
        mean=found.value, ci=found.ci, more=more, less=less, same=same, p=wilcoxon(gap), ranks=leaning(gap)
    )


def shares(values: Vector, others: Vector) -> Difference:
    """Return the paired difference of shares, with the wider ends of the bootstrap's interval and of `newcombe`.

    If hardly any pair differs, resampling finds no spread: from 150 equal pairs it would infer that all are equal.
    """
    found = difference(values, others)
    if not len(values):
        return found
    low, high = newcombe(values, others)
    return replace(found, ci=(min(low, found.ci[0]), max(high, found.ci[1])))


def newcombe(values: Vector, others: Vector) -> tuple[float, float]:
    """Return the 95 % score interval of a paired difference of shares (Newcombe 1998, method 10).

    Wilson's limits of both shares are combined with the correlation φ of the pairs, corrected for continuity.

    Args:
        values: 1 for each unit with the event, 0 for the others; for units with several trials, the share of them with
            the event. Wilson's limits then count each unit as one trial, and φ is 0.
        others: Values of the same units in the other arm.
    """
    count, share, other = len(values), float(values.mean()), float(others.mean())
    (low, high), (other_low, other_high) = (wilson(rate * count, count) for rate in (share, other))
    phi = _phi(values, others)

    def together(mine: float, theirs: float) -> float:
        return float(np.sqrt(max(mine**2 - 2.0 * phi * mine * theirs + theirs**2, 0.0)))

    gap = share - other
    return gap - together(share - low, other_high - other), gap + together(high - share, other - other_low)


def _phi(values: Vector, others: Vector) -> float:
    """Return the correlation of pairs of 0 or 1, a positive one reduced by half a pair; 0 for other pairs."""
    spread = float(values.std() * others.std())
    if spread <= SAME or not np.isin((values, others), (0.0, 1.0)).all():
        return 0.0
    shared = float(np.mean(values * others) - values.mean() * others.mean())
    return (max(shared - 0.5 / len(values), 0.0) if shared > 0.0 else shared) / spread


@dataclass(frozen=True, kw_only=True)
class FactorEffect:
    """Effect of a factor or an interaction on a measure: F, its corrected degrees of freedom, ε, p, number of units."""

    f: float
    df: tuple[float, float]
    epsilon: float
    p: float
    units: int


def two_way(values: Vector) -> tuple[FactorEffect, FactorEffect, FactorEffect]:
    """Return the effects of two factors, and of their interaction.

    Args:
        values: Measure by unit, level of the first factor and level of the second.

    Raises:
        BadSetting: There are too few units or levels, or a value is missing.
    """
    units, first, second = _checked(values).shape
    flat = values.reshape(units, first * second)
    a, b = (np.asarray(helmert(levels).T) for levels in (first, second))  # orthonormal differences, one per column
    mean_a, mean_b = np.full((first, 1), first**-0.5), np.full((second, 1), second**-0.5)
    pairs = ((a, mean_b), (mean_a, b), (a, b))
    first_effect, second_effect, interaction = (_effect(flat, np.asarray(np.kron(*pair))) for pair in pairs)
    return first_effect, second_effect, interaction


def _checked(values: Vector) -> Vector:
    if values.ndim != 3 or values.shape[0] < LEAST_UNITS or min(values.shape[1:]) < 2:
        cause = f"an analysis of variance must have {LEAST_UNITS} units and 2 levels, got an array of {values.shape}"
        raise WrongSize(cause, hint="Measure more units or levels.")
    if not np.isfinite(values).all():
        raise Malformed(
            "every value must be finite, and some are not",
            hint="Leave out units that were not measured at every level.",
        )
    return values


def _effect(flat: Vector, contrasts: Vector) -> FactorEffect:
    units, size = len(flat), contrasts.shape[1]
    scores = flat @ contrasts
    middle = scores.mean(axis=0)
    rest = scores - middle
    covariance = rest.T @ rest / (units - 1)
    spread = float(np.trace(covariance))
    between = units * float(middle @ middle) / size
    if spread <= 1e-18:  # all units differ equally: either not at all, or with certainty
        f, epsilon = 0.0 if between <= 1e-18 else np.inf, 1.0
    else:
        f, epsilon = between / (spread / size), spread**2 / (size * float(np.sum(covariance**2)))
    df = (epsilon * size, epsilon * size * (units - 1))
    return FactorEffect(f=f, df=df, epsilon=epsilon, p=float(stats.f.sf(f, *df)), units=units)
