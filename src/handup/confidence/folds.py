"""Cross-validation: probabilities for rows that the calibrator has not seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handup.confidence.sample import Bools, Floats, Ints, Sample
from handup.core import BadData

FOLDS = 5
REPEATS = 4
MANY_ROWS = 1000
"""From here on one repetition is enough."""

Predict = Callable[[NDArray[np.float64]], Floats]
Fit = Callable[[Sample], Predict]


def repeats_for(rows: int, repeats: int = REPEATS) -> int:
    """How often to repeat a cross-validation: the fewer rows, the more its chance division matters."""
    return 1 if rows >= MANY_ROWS else repeats


def stratified_folds(right: Bools, *, folds: int = FOLDS, repeats: int = 1, seed: int = 0) -> Ints:
    """The fold of each row, one line per repetition; right and wrong rows are spread evenly over the folds."""
    generator = np.random.default_rng(seed)
    found = np.empty((repeats, len(right)), dtype=np.int64)
    for line in found:
        first = 0
        for group in (np.flatnonzero(right), np.flatnonzero(~right)):
            line[generator.permutation(group)] = (first + np.arange(len(group))) % folds
            first += len(
                group
            )  # the next class goes on where this one stopped, so that folds differ by one row at most
    return found


def out_of_fold(fit: Fit, sample: Sample, folds: Ints) -> Floats:
    """For each repetition and row, what a calibrator says of it that was fitted without it."""
    found = np.empty(folds.shape)
    for line, chances in zip(folds, found, strict=True):
        for fold in np.unique(line):
            held_out = line == fold
            chances[held_out] = fit(sample.take(~held_out))(sample.raw[held_out])
    return found


def check_rows(sample: Sample, least: int) -> None:
    """Refuse samples that nothing can be learned from.

    Raises:
        BadData: Too few rows, or all right or all wrong.
    """
    rows = len(sample)
    if rows < least:
        raise BadData(
            f"there {'is 1 row' if rows == 1 else f'are {rows} rows'}",
            hint=f"Give at least {least} rows; 60 to 100 make a useful calibrator.",
        )
    if sample.right.all() or not sample.right.any():
        said = "right" if sample.right.all() else "wrong"
        raise BadData(f"all rows (1 to {rows}) are {said}", hint="Give rows of both: one class teaches nothing.")
