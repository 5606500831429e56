"""Logistic regression on few columns: Newton's method, with a penalty on large coefficients."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
TINY = 1e-6


def fit(columns: Matrix, right: Vector, penalty: float | Vector = TINY) -> Vector:
    """Coefficients of greatest likelihood, less half the penalty times their squares; one penalty, or one for each."""
    found = np.zeros(columns.shape[1])
    for _ in range(100):
        chance = expit(columns @ found)
        slope = columns.T @ (right - chance) - penalty * found
        weight = chance * (1.0 - chance)
        bend = (columns * weight[:, None]).T @ columns + np.diag(np.broadcast_to(penalty, len(found)))
        step = np.linalg.solve(bend, slope)
        found += step
        if np.abs(step).max() < 1e-10:
            return found
    raise ArithmeticError("no convergence")


def log_loss(chance: Vector, right: Vector) -> Vector:
    """Minus the log probability of what happened, row by row."""
    return np.asarray(-np.log(np.where(right > 0.5, chance, 1.0 - chance)))
