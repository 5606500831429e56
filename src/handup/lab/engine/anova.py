"""Analysis of variance with repeated measures: every unit was measured at every level of two factors.

F is corrected by Greenhouse and Geisser's ε, which is 1 if the differences between levels have equal variances, and
less otherwise; both degrees of freedom are multiplied by it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.linalg import helmert

from handup.core import Malformed, WrongSize

Array = NDArray[np.float64]
LEAST_UNITS = 3


@dataclass(frozen=True, kw_only=True)
class FactorEffect:
    """Effect of a factor or an interaction on a measure: F, its corrected degrees of freedom, ε, p, number of units."""

    f: float
    df: tuple[float, float]
    epsilon: float
    p: float
    units: int


def two_way(values: Array) -> tuple[FactorEffect, FactorEffect, FactorEffect]:
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


def _checked(values: Array) -> Array:
    if values.ndim != 3 or values.shape[0] < LEAST_UNITS or min(values.shape[1:]) < 2:
        cause = f"an analysis of variance must have {LEAST_UNITS} units and 2 levels, got an array of {values.shape}"
        raise WrongSize(cause, hint="Measure more units or levels.")
    if not np.isfinite(values).all():
        raise Malformed(
            "every value must be finite, and some are not",
            hint="Leave out units that were not measured at every level.",
        )
    return values


def _effect(flat: Array, contrasts: Array) -> FactorEffect:
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
