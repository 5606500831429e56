"""Calibration of a module: choice of a method, its fit, and its errors on rows that were left out of the fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.confidence.base import FittableCalibrator, calibrator
from handup.confidence.conformal import ConformalSets
from handup.confidence.metrics import Bin, Estimate, estimates, reliability_bins, row_losses
from handup.confidence.sample import Bools, Floats, Ints, Sample, ScoreKind
from handup.core import CALIBRATORS, BadData, ConflictingSettings

LEAST_ROWS = 10
LEAST_PER_CLASS = 2
NESTED_REPEATS = 2
CONFIDENCE = 0.9
"""Confidence of the stricter sets that are shown beside those whose coverage holds on average."""
METRICS = ("accuracy", "brier", "log_loss", "ece", "aurc")
AUTO = "auto"
BY_SIMPLICITY = ("identity", "temperature", "dropout", "platt", "beta", "venn-abers", "isotonic")
"""Methods among which `auto` chooses, the simplest first. `scaled` and `interval` are only shown, for reproduction."""
INNER_REPEATS = 2
LOSSES = ("brier", "log_loss")
MOST_NOISE = {"brier": float("inf"), "log_loss": 0.05}
"""Largest difference of a loss that counts as noise. A wrong certainty makes the log loss both worse and noisier."""
FOLDS = 5
REPEATS = 4
MANY_ROWS = 1000
"""Number of rows from which on one repetition of a cross-validation is enough."""
Predict = Callable[[NDArray[np.float64]], Floats | Bools]
Fit = Callable[[Sample], Predict]


@dataclass(frozen=True)
class Candidate:
    """Result of one method in the cross-validation.

    Args:
        method: Name of the method.
        metrics: Brier score, log loss and so on, each with an interval.
        eligible: Whether `auto` may choose it; `scaled` and the intervals are shown for comparison only.
        chosen: Whether it was chosen.
        warnings: Sentences to read before relying on it.
    """

    method: str
    metrics: dict[str, Estimate]
    eligible: bool
    chosen: bool
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        metrics = {name: self.metrics[name].to_json() for name in METRICS if name != "accuracy"}
        state = {"eligible": self.eligible, "chosen": self.chosen, "warnings": list(self.warnings)}
        return {"method": self.method, **metrics, **state}


@dataclass(frozen=True)
class ConformalReport:
    """Conformal sets, and their results on rows on which they were not calibrated.

    Args:
        sets: The sets, calibrated on all rows.
        coverage: Share of rows whose set holds the right option, cross-validated.
        help_rate: Share of rows whose set is not a single option, so that the robot would ask.
        mean_set_size: Mean number of options in a set.
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
    """Fitted calibrator with its errors and those of all other methods.

    Args:
        calibrator: The calibrator, fitted on all rows.
        requested: The method that was asked for, or `auto`.
        reason: Reason for the choice.
        metrics: Cross-validated metrics of the method as requested: for `auto`, every fold made its own choice.
        candidates: Every method that takes such rows.
        base_rate_brier: Brier score of giving every row the base rate, cross-validated.
        conformal: For option scores, sets whose coverage holds on average.
        confident: For option scores, sets whose coverage holds with 90 % confidence for this very calibration.
        chances: Cross-validated probabilities, one row per repetition.
        right: Whether each row was right, in the order of `chances`.
        before: The raw scores, where they lie between 0 and 1.
        seed: Seed of the folds and resamples.
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
        """Reliability diagram of the first repetition."""
        return reliability_bins(self.chances[0], self.right)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences to read before relying on it."""
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
        metrics = {name: self.metrics[name].to_json() for name in METRICS}
        metrics["ece"]["bins"] = len(self.bins)
        return {
            "method": self.calibrator.name,
            "requested": self.requested,
            "reason": self.reason,
            "n": len(self.right),
            **metrics,
            "base_rate_brier": self.base_rate_brier,
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "conformal": self._conformal_json(),
            "warnings": list(self.warnings),
            "seed": self.seed,
        }

    def _conformal_json(self) -> dict[str, Any] | None:
        if self.conformal is None or self.confident is None:
            return None
        return self.conformal.to_json() | {"with_confidence": {"confidence": CONFIDENCE, **self.confident.to_json()}}


def calibrate(sample: Sample, method: str = AUTO, *, target_coverage: float = 0.9, seed: int = 0) -> Calibration:
    """Choose, fit and judge a calibrator. The order of the rows does not matter.

    Args:
        sample: At least 10 rows, two of them right and two wrong; 60 to 100 make a useful calibrator.
        method: `auto`, or the name of a method.
        target_coverage: Coverage of the conformal sets, for option scores, between 0 and 1.
        seed: Seed of the divisions into folds and of the resamples.

    Raises:
        BadData: There are too few rows, only right or only wrong ones, or scores outside the method's range.
        UnknownMethod: No method has this name.
        ConflictingSettings: The method does not take such rows.
        OutOfRange: The target is not between 0 and 1.
        MissingExtra: scikit-learn is not installed.
    """
    _check(sample)
    check_method(method, sample)
    rows = sample.in_order()
    folds = stratified_folds(rows.right, repeats=repeats_for(len(rows)), seed=seed)
    names = candidates(rows) if method == AUTO else _beside(method, rows)
    chances = {name: out_of_fold(fitting(name), rows, folds) for name in names}
    selection = CalibratorChoice(method, f"'{method}' was asked for.")
    judged = chances.get(method)
    # The errors of `auto` include those of its choice: in every fold it chooses on the other rows (nested).
    if method == AUTO:
        selection = choose({name: mean_losses(chances[name], rows) for name in names if name in BY_SIMPLICITY})
        nested = folds[: repeats_for(len(rows), NESTED_REPEATS)]
        judged = out_of_fold(fitting(AUTO, seed=seed + 1), rows, nested)
    assert judged is not None
    fitted = {name: calibrator(name).fit(rows) for name in names}
    shown = tuple(
        Candidate(
            name,
            estimates(predictions, rows.right, seed=seed),
            eligible=name in BY_SIMPLICITY,
            chosen=name == selection.method,
            warnings=fitted[name].warnings,
        )
        for name, predictions in chances.items()
    )
    constant = out_of_fold(_base_rate, rows, folds)
    has_options = rows.kind is ScoreKind.OPTIONS
    return Calibration(
        calibrator=fitted[selection.method],
        requested=method,
        reason=selection.reason,
        metrics=estimates(judged, rows.right, seed=seed),
        candidates=shown,
        base_rate_brier=float(np.mean([row_losses(rates, rows.right)["brier"].mean() for rates in constant])),
        conformal=judge_sets(rows, folds, target_coverage) if has_options else None,
        confident=judge_sets(rows, folds, target_coverage, CONFIDENCE) if has_options else None,
        chances=judged,
        right=rows.right,
        before=None if "identity" not in chances else chances["identity"][0],
        seed=seed,
    )


def judge_sets(sample: Sample, folds: Ints, target_coverage: float, confidence: float | None = None) -> ConformalReport:
    """Calibrate conformal sets over option scores, and judge them by cross-validation."""

    def calibrated(known: Sample) -> ConformalSets:
        assert known.target is not None
        return ConformalSets.calibrate(known.raw, known.target, target_coverage=target_coverage, confidence=confidence)

    inside = out_of_fold(lambda known: calibrated(known).sets, sample, folds, sample.raw.shape[1]) > 0.0
    sizes = inside.sum(axis=2)
    return ConformalReport(
        sets=calibrated(sample),
        coverage=float(inside[:, np.arange(len(sample)), sample.target].mean()),
        help_rate=float((sizes != 1).mean()),
        mean_set_size=float(sizes.mean()),
    )


def _check(sample: Sample) -> None:
    """Refuse samples from which nothing can be learned."""
    rows, right = len(sample), int(sample.right.sum())
    if rows < LEAST_ROWS:
        raise BadData(f"there must be at least {LEAST_ROWS} rows, got {rows}", hint="Give 60 to 100 if you can.")
    if right in (0, rows):
        word, hint = "right" if right else "wrong", "Give rows of both: one class teaches nothing."
        raise BadData(f"some rows must be right and some wrong, got {rows} that are {word}", hint=hint)
    for word, places in (("right", np.flatnonzero(sample.right)), ("wrong", np.flatnonzero(~sample.right))):
        if len(places) < LEAST_PER_CLASS:
            cause = f"at least {LEAST_PER_CLASS} rows must be {word}, got only row {places[0] + 1}"
            raise BadData(cause, hint=f"Give more {word} rows.")


def _beside(method: str, sample: Sample) -> tuple[str, ...]:
    """Return the candidates to show beside a method that was asked for, with it."""
    try:
        names = candidates(sample)
    except BadData:
        names = ()
    return names if method in names else (*names, method)


def _base_rate(sample: Sample) -> Predict:
    share = sample.base_rate
    return lambda raw: np.full(len(raw), share)


@dataclass(frozen=True)
class CalibratorChoice:
    """Choice among calibrators.

    Args:
        method: Name of the chosen calibrator.
        reason: Reason for it, as one sentence for a person.
    """

    method: str
    reason: str


def candidates(sample: Sample) -> tuple[str, ...]:
    """Return the calibrators that can be fitted on a sample, the simplest first; those that are only shown come last.

    Raises:
        BadData: None of them may be chosen.
    """
    fitting = [name for name in sorted(CALIBRATORS.names()) if _fits(name, sample)]
    chosen = [name for name in BY_SIMPLICITY if name in fitting]
    if not chosen:
        row = int(sample.score.argmax()) + 1
        cause = f"row {row}: score must lie between 0 and 1, got {sample.score.max():g}"
        raise BadData(cause, hint="Scale the scores to 0 to 1, or name a method that takes any: scaled, interval.")
    return (*chosen, *(name for name in fitting if name not in chosen))


def select(sample: Sample, *, seed: int = 0) -> CalibratorChoice:
    """Choose a calibrator by repeated stratified cross-validation on Brier score and log loss.

    The first of `BY_SIMPLICITY` is taken whose mean loss is within one standard error (of the difference, row by row)
    of the best one, on both losses. A log loss that is worse by more than `MOST_NOISE` never counts as noise. On 60
    rows this prevents the choice of `isotonic`, which would only follow chance.

    Args:
        sample: Rows, whose order does not matter.
        seed: Seed of the divisions into folds.
    """
    ordered = sample.in_order()
    folds = stratified_folds(ordered.right, repeats=repeats_for(len(ordered), INNER_REPEATS), seed=seed)
    eligible = [name for name in candidates(ordered) if name in BY_SIMPLICITY]
    return choose({name: mean_losses(out_of_fold(fitting(name), ordered, folds), ordered) for name in eligible})


def choose(losses: Mapping[str, Mapping[str, Floats]]) -> CalibratorChoice:
    """Choose the simplest calibrator whose losses are within noise of the best.

    Args:
        losses: Brier score and log loss of every row, for each calibrator, the simplest first.
    """
    if len(losses) == 1:
        only = next(iter(losses))
        return CalibratorChoice(only, f"'{only}' is the only method for such rows.")
    best = {loss: min(losses, key=lambda name: float(losses[name][loss].mean())) for loss in LOSSES}
    for name, own in losses.items():
        if all(_within_noise(own[loss] - losses[best[loss]][loss], MOST_NOISE[loss]) for loss in LOSSES):
            return CalibratorChoice(name, _why(name, best))
    # The best by one loss is beyond noise by the other: it is wrongly certain of some rows. The log loss punishes that.
    name = best["log_loss"]
    return CalibratorChoice(name, f"'{name}' has the least log loss; the best by Brier score is too sure of itself.")


def mean_losses(chances: Floats, sample: Sample) -> dict[str, Floats]:
    """Return the losses of every row, averaged over the repetitions of a cross-validation."""
    repeats = [row_losses(predictions, sample.right) for predictions in chances]
    return {loss: np.mean([losses[loss] for losses in repeats], axis=0) for loss in LOSSES}


def fitting(method: str, *, seed: int = 0) -> Fit:
    """Return a function that fits a calibrator by its name, for `out_of_fold`; `auto` chooses anew on each sample."""

    def fit(sample: Sample) -> Predict:
        name = select(sample, seed=seed).method if method == AUTO else method
        return calibrator(name).fit(sample).probabilities

    return fit


def check_method(method: str, sample: Sample) -> None:
    """Refuse a method that does not suit a sample.

    Raises:
        UnknownMethod: No method has this name.
        ConflictingSettings: The method does not take such rows.
        BadData: A score is outside the method's range.
    """
    if method == AUTO:
        candidates(sample)
        return
    maker = calibrator(method)
    if sample.kind not in maker.kinds:
        names: Sequence[str] = [name for name in sorted(CALIBRATORS.names()) if sample.kind in calibrator(name).kinds]
        columns = {
            ScoreKind.SCORE: "score,right",
            ScoreKind.OPTIONS: "p_…,target",
            ScoreKind.VARIANCE: "variance,right",
        }[sample.kind]
        must, hint = f"be one for rows of {columns}", f"Use one of: {', '.join(names)}."
        raise ConflictingSettings.of("the method", f"'{method}'", must, hint=hint)
    maker.fit(sample)


def _fits(name: str, sample: Sample) -> bool:
    maker = calibrator(name)
    most = getattr(maker, "most", 1.0)
    return sample.kind in maker.kinds and float(sample.score.max()) <= most


def _within_noise(difference: Floats, most: float) -> bool:
    error = float(difference.std(ddof=1)) / sqrt(len(difference)) if len(difference) > 1 else 0.0
    return float(difference.mean()) <= min(error, most)


def _why(name: str, best: Mapping[str, str]) -> str:
    if set(best.values()) == {name}:
        return f"'{name}' has the least Brier score and log loss, and nothing simpler comes within noise of it."
    others = " and ".join(f"'{method}'" for method in dict.fromkeys(best.values()) if method != name)
    return f"'{name}' is the simplest within noise of {others}."


def repeats_for(rows: int, repeats: int = REPEATS) -> int:
    """Return the number of repetitions of a cross-validation: with few rows the random division matters more."""
    return 1 if rows >= MANY_ROWS else repeats


def stratified_folds(right: Bools, *, folds: int = FOLDS, repeats: int = 1, seed: int = 0) -> Ints:
    """Return the fold of each row, in one line per repetition; right and wrong rows are spread evenly."""
    generator = np.random.default_rng(seed)
    assignments = np.empty((repeats, len(right)), dtype=np.int64)
    for assignment in assignments:
        first = 0
        for group in (np.flatnonzero(right), np.flatnonzero(~right)):
            assignment[generator.permutation(group)] = (first + np.arange(len(group))) % folds
            first += len(group)  # the next class goes on there, so that folds differ by one row at most
    return assignments


def out_of_fold(fit: Fit, sample: Sample, folds: Ints, *columns: int) -> Floats:
    """Return for each repetition and row the prediction of a calibrator that was fitted without the row's fold.

    Args:
        fit: Function that fits on some rows, and returns a function that predicts.
        sample: All rows.
        folds: Fold of each row, in one line per repetition.
        columns: Number of numbers in a prediction; none for a single one.
    """
    predictions = np.empty((*folds.shape, *columns))
    for assignment, chances in zip(folds, predictions, strict=True):
        for fold in np.unique(assignment):
            held_out = assignment == fold
            chances[held_out] = fit(sample.take(~held_out))(sample.raw[held_out])
    return predictions
