"""Analysis of variance with repeated measures: every unit was given every level of one factor, or of two.

F is corrected by Greenhouse and Geisser's ε, which is 1 where the differences between levels vary alike and less where
they do not; both degrees of freedom are multiplied by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from handup.core import BadSetting

Array = NDArray[np.float64]
LEAST_UNITS = 3


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a factor, or two together, does to a measure.

    Args:
        f: The ratio of variances.
        df: Degrees of freedom, corrected.
        epsilon: Greenhouse and Geisser's.
        p: Of F with the corrected degrees of freedom.
        units: How many were measured.
    """

    f: float
    df: tuple[float, float]
    epsilon: float
    p: float
    units: int

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"F": self.f, "df": list(self.df), "epsilon": self.epsilon, "p": self.p, "units": self.units}


def one_way(values: Array) -> Effect:
    """The effect of one factor.

    Args:
        values: One row per unit, one column per level.

    Raises:
        BadSetting: Too few units or levels, or something is missing.
    """
    return _effect(_checked(values, 2), _contrasts(values.shape[1]))


def two_way(values: Array) -> tuple[Effect, Effect, Effect]:
    """The effects of two factors, and of both together.

    Args:
        values: By unit, level of the first factor and level of the second.

    Raises:
        BadSetting: Too few units or levels, or something is missing.
    """
    units, first, second = _checked(values, 3).shape
    flat = values.reshape(units, first * second)
    a, b = _contrasts(first), _contrasts(second)
    one, other = np.full((first, 1), first**-0.5), np.full((second, 1), second**-0.5)
    pairs = ((a, other), (one, b), (a, b))
    first_one, second_one, together = (_effect(flat, np.asarray(np.kron(*each))) for each in pairs)
    return first_one, second_one, together


def _checked(values: Array, dimensions: int) -> Array:
    if values.ndim != dimensions or values.shape[0] < LEAST_UNITS or min(values.shape[1:]) < 2:
        raise BadSetting("too little for an analysis of variance", hint=f"Give {LEAST_UNITS} units and 2 levels.")
    if not np.isfinite(values).all():
        raise BadSetting("something is missing", hint="Leave out units that were not measured at every level.")
    return values


def _contrasts(levels: int) -> Array:
    """Orthonormal differences between levels (Helmert's), one per column."""
    table = np.zeros((levels, levels - 1))
    for column in range(levels - 1):
        table[: column + 1, column] = 1.0
        table[column + 1, column] = -(column + 1.0)
    return np.asarray(table / np.linalg.norm(table, axis=0))


def _effect(flat: Array, contrasts: Array) -> Effect:
    units, size = len(flat), contrasts.shape[1]
    scores = flat @ contrasts
    middle = scores.mean(axis=0)
    rest = scores - middle
    covariance = rest.T @ rest / (units - 1)
    spread = float(np.trace(covariance))
    between = units * float(middle @ middle) / size
    if spread <= 1e-18:  # all units differ alike: either not at all, or without any doubt
        same = between <= 1e-18
        return Effect(
            f=0.0 if same else np.inf,
            df=(size, size * (units - 1)),
            epsilon=1.0,
            p=1.0 if same else 0.0,
            units=units,
        )
    f = between / (spread / size)
    epsilon = spread**2 / (size * float(np.sum(covariance**2)))
    df = (epsilon * size, epsilon * size * (units - 1))
    return Effect(f=f, df=df, epsilon=epsilon, p=float(stats.f.sf(f, *df)), units=units)
