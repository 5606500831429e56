"""Calibrate a module: choose a method, fit it, and say how good it is on rows it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.confidence.base import FittableCalibrator, calibrator
from handup.confidence.bootstrap import Estimate, estimates
from handup.confidence.conformal import ConformalSets
from handup.confidence.folds import Predict, check_rows, out_of_fold, repeats_for, stratified_folds
from handup.confidence.metrics import Bin, reliability_bins, row_losses
from handup.confidence.sample import Bools, Floats, Ints, Kind, Sample
from handup.confidence.selecting import (
    AUTO,
    BY_SIMPLICITY,
    Selection,
    candidates,
    check_method,
    choose,
    fitting,
    mean_losses,
)
from handup.core import BadData

LEAST_ROWS = 10
LEAST_PER_CLASS = 2
NESTED_REPEATS = 2
CONFIDENCE = 0.9
"""Of the stricter sets that are shown beside those that keep their promise on average."""
METRICS = ("accuracy", "brier", "log_loss", "ece", "aurc")


@dataclass(frozen=True)
class Candidate:
    """How one method did in the cross-validation.

    Args:
        method: Its name.
        metrics: Brier score, log loss and so on, each with an interval.
        eligible: Whether `auto` may choose it; `scaled` and the intervals are shown for comparison only.
        chosen: Whether it was.
        warnings: What to know before relying on it.
    """

    method: str
    metrics: dict[str, Estimate]
    eligible: bool
    chosen: bool
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        shown = {name: self.metrics[name].to_json() for name in METRICS if name != "accuracy"}
        told = {"eligible": self.eligible, "chosen": self.chosen, "warnings": list(self.warnings)}
        return {"method": self.method, **shown, **told}


@dataclass(frozen=True)
class ConformalReport:
    """Conformal sets, and how they do on rows they were not calibrated on.

    Args:
        sets: Calibrated on all rows.
        coverage: Share of rows whose set holds the right option, cross-validated.
        help_rate: Share of rows whose set is not a single option: a question.
        mean_set_size: Options in a set on average.
    """

    sets: ConformalSets
    coverage: float
    help_rate: float
    mean_set_size: float

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {
            "target_coverage": self.sets.target_coverage,
            "threshold": self.sets.threshold,
            "coverage": self.coverage,
            "coverage_interval": list(self.sets.coverage_interval),
            "coverage_sd": self.sets.coverage_sd,
            "help_rate": self.help_rate,
            "mean_set_size": self.mean_set_size,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """A fitted calibrator and everything known about how good it is.

    Args:
        calibrator: Fitted on all rows.
        requested: The method that was asked for; `auto` where it was chosen.
        reason: Why it was chosen.
        metrics: Of the method as requested, cross-validated: for `auto` the choice was made anew in every fold.
        candidates: Every method that takes such rows.
        base_rate_brier: Brier score of saying the base rate to everything, cross-validated.
        conformal: For option scores: sets that keep their promise on average.
        confident: For option scores: sets that keep it with 90 % confidence, for this very calibration.
        chances: Cross-validated probabilities, one line per repetition.
        right: Whether each row was right, in the order of `chances`.
        before: The scores as they were, where they are from 0 to 1.
        seed: Which folds and resamples.
    """

    calibrator: FittableCalibrator
    requested: str
    reason: str
    metrics: dict[str, Estimate]
    candidates: tuple[Candidate, ...]
    base_rate_brier: float
    conformal: ConformalReport | None
    confident: ConformalReport | None
    chances: Floats
    right: Bools
    before: Floats | None
    seed: int

    @property
    def bins(self) -> tuple[Bin, ...]:
        """The reliability diagram, of the first repetition."""
        return reliability_bins(self.chances[0], self.right)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before relying on it."""
        own = list(self.calibrator.warnings)
        brier = self.metrics["brier"].value
        if brier > self.base_rate_brier:
            own.append(
                f"A Brier score of {brier:.3f} is no better than saying the base rate to everything "
                f"({self.base_rate_brier:.3f}): the scores say little here, and the base rate itself is the honest "
                "confidence."
            )
        return tuple(own)

    def to_json(self) -> dict[str, Any]:
        """A plain record, as `handup calibrate --json` prints it."""
        found: dict[str, Any] = {
            "method": self.calibrator.name,
            "requested": self.requested,
            "reason": self.reason,
            "n": len(self.right),
        }
        found |= {name: self.metrics[name].to_json() for name in METRICS}
        found["ece"]["bins"] = len(self.bins)
        found |= {
            "base_rate_brier": self.base_rate_brier,
            "candidates": [each.to_json() for each in self.candidates],
            "conformal": self._conformal_json(),
            "warnings": list(self.warnings),
            "seed": self.seed,
        }
        return found

    def _conformal_json(self) -> dict[str, Any] | None:
        if self.conformal is None or self.confident is None:
            return None
        return self.conformal.to_json() | {"with_confidence": {"confidence": CONFIDENCE, **self.confident.to_json()}}


def calibrate(sample: Sample, method: str = AUTO, *, target_coverage: float = 0.9, seed: int = 0) -> Calibration:
    """Choose, fit and judge a calibrator. The order of the rows does not matter.

    Args:
        sample: At least 10 rows, two of them right and two wrong; 60 to 100 make a useful calibrator.
        method: `auto`, or the name of one.
        target_coverage: Of the conformal sets, for option scores.
        seed: Which divisions into folds and which resamples.

    Raises:
        BadData: Too few rows, one class only, or scores outside what the method takes.
        UnknownMethod, BadSetting: The method is unknown or not for such rows; the target is no share.
        MissingExtra: scikit-learn is not installed.
    """
    _check(sample)
    check_method(method, sample)
    rows = sample.in_order()
    folds = stratified_folds(rows.right, repeats=repeats_for(len(rows)), seed=seed)
    names = candidates(rows) if method == AUTO else _beside(method, rows)
    chances = {name: out_of_fold(fitting(name), rows, folds) for name in names}
    selection = Selection(method, f"'{method}' was asked for.")
    judged = chances.get(method)
    if method == AUTO:
        selection = choose({name: mean_losses(chances[name], rows) for name in names if name in BY_SIMPLICITY})
        nested = folds[: repeats_for(len(rows), NESTED_REPEATS)]
        judged = out_of_fold(fitting(AUTO, seed=seed + 1), rows, nested)
    assert judged is not None
    fitted = {name: calibrator(name).fit(rows) for name in names}
    shown = tuple(
        Candidate(
            name,
            estimates(found, rows.right, seed=seed),
            eligible=name in BY_SIMPLICITY,
            chosen=name == selection.method,
            warnings=fitted[name].warnings,
        )
        for name, found in chances.items()
    )
    constant = out_of_fold(_base_rate, rows, folds)
    has_options = rows.kind is Kind.OPTIONS
    return Calibration(
        calibrator=fitted[selection.method],
        requested=method,
        reason=selection.reason,
        metrics=estimates(judged, rows.right, seed=seed),
        candidates=shown,
        base_rate_brier=float(np.mean([row_losses(each, rows.right)["brier"].mean() for each in constant])),
        conformal=judge_sets(rows, folds, target_coverage) if has_options else None,
        confident=judge_sets(rows, folds, target_coverage, CONFIDENCE) if has_options else None,
        chances=judged,
        right=rows.right,
        before=None if "identity" not in chances else chances["identity"][0],
        seed=seed,
    )


def judge_sets(sample: Sample, folds: Ints, target_coverage: float, confidence: float | None = None) -> ConformalReport:
    """Conformal sets over option scores, judged by cross-validation."""
    assert sample.target is not None
    target = sample.target

    def calibrated(known: NDArray[np.bool_]) -> ConformalSets:
        return ConformalSets.calibrate(
            sample.raw[known], target[known], target_coverage=target_coverage, confidence=confidence
        )

    inside = np.empty((*folds.shape, sample.raw.shape[1]), dtype=np.bool_)
    for line, found in zip(folds, inside, strict=True):
        for fold in np.unique(line):
            held = line == fold
            found[held] = calibrated(~held).sets(sample.raw[held])
    sizes = inside.sum(axis=2)
    return ConformalReport(
        sets=calibrated(np.ones(len(sample), dtype=np.bool_)),
        coverage=float(inside[:, np.arange(len(sample)), sample.target].mean()),
        help_rate=float((sizes != 1).mean()),
        mean_set_size=float(sizes.mean()),
    )


def _check(sample: Sample) -> None:
    check_rows(sample, LEAST_ROWS)
    for said, rows in (("right", np.flatnonzero(sample.right)), ("wrong", np.flatnonzero(~sample.right))):
        if len(rows) < LEAST_PER_CLASS:
            raise BadData(f"only row {rows[0] + 1} is {said}", hint=f"Give at least {LEAST_PER_CLASS} {said} rows.")


def _beside(method: str, sample: Sample) -> tuple[str, ...]:
    """The candidates to show beside a method that was asked for."""
    try:
        names = candidates(sample)
    except BadData:
        names = ()
    return names if method in names else (*names, method)


def _base_rate(sample: Sample) -> Predict:
    share = sample.base_rate
    return lambda raw: np.full(len(raw), share)
