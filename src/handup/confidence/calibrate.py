"""Calibrate a module: choose a method, fit it, and say how good it is on rows it has not seen."""

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
from handup.confidence.sample import Bools, Floats, Ints, Kind, Sample
from handup.core import CALIBRATORS, BadData, BadSetting

LEAST_ROWS = 10
LEAST_PER_CLASS = 2
NESTED_REPEATS = 2
CONFIDENCE = 0.9
"""Of the stricter sets that are shown beside those that keep their promise on average."""
METRICS = ("accuracy", "brier", "log_loss", "ece", "aurc")
AUTO = "auto"
BY_SIMPLICITY = ("identity", "temperature", "dropout", "platt", "beta", "venn-abers", "isotonic")
"""What `auto` chooses from, the simplest first. `scaled` and `interval` are for reproduction: shown, never chosen."""
INNER_REPEATS = 2
LOSSES = ("brier", "log_loss")
MOST_NOISE = {"brier": float("inf"), "log_loss": 0.05}
"""Broken promises of certainty make the log loss both worse and noisier: more than this is not put down to noise."""
FOLDS = 5
REPEATS = 4
MANY_ROWS = 1000
"""From here on one repetition is enough."""
Predict = Callable[[NDArray[np.float64]], Floats]
Fit = Callable[[Sample], Predict]


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
        metrics = {name: self.metrics[name].to_json() for name in METRICS}
        metrics["ece"]["bins"] = len(self.bins)
        return {
            "method": self.calibrator.name,
            "requested": self.requested,
            "reason": self.reason,
            "n": len(self.right),
            **metrics,
            "base_rate_brier": self.base_rate_brier,
            "candidates": [each.to_json() for each in self.candidates],
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
    """Refuse samples that nothing can be learned from."""
    rows, right = len(sample), int(sample.right.sum())
    if rows < LEAST_ROWS:
        told = "is 1 row" if rows == 1 else f"are {rows} rows"
        raise BadData(f"there {told}", hint=f"Give at least {LEAST_ROWS} rows; 60 to 100 make a useful calibrator.")
    if right in (0, rows):
        told = "right" if right else "wrong"
        raise BadData(f"all rows (1 to {rows}) are {told}", hint="Give rows of both: one class teaches nothing.")
    for told, found in (("right", np.flatnonzero(sample.right)), ("wrong", np.flatnonzero(~sample.right))):
        if len(found) < LEAST_PER_CLASS:
            raise BadData(f"only row {found[0] + 1} is {told}", hint=f"Give at least {LEAST_PER_CLASS} {told} rows.")


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


@dataclass(frozen=True)
class Selection:
    """A choice among calibrators.

    Args:
        method: The name of the chosen one.
        reason: One sentence for a person.
    """

    method: str
    reason: str


def candidates(sample: Sample) -> tuple[str, ...]:
    """The calibrators that can be fitted on a sample, by simplicity; those that are only shown last.

    Raises:
        BadData: There is none that may be chosen.
    """
    fitting = [name for name in sorted(CALIBRATORS.names()) if _fits(name, sample)]
    chosen = [name for name in BY_SIMPLICITY if name in fitting]
    if not chosen:
        row = int(sample.score.argmax()) + 1
        raise BadData(
            f"row {row}: score is {sample.score.max():g}, outside 0 to 1",
            hint="Scale the scores to 0 to 1, or name a method that takes any: scaled, interval.",
        )
    return (*chosen, *(name for name in fitting if name not in chosen))


def select(sample: Sample, *, seed: int = 0) -> Selection:
    """Choose by repeated stratified cross-validation on Brier score and log loss.

    Of the calibrators in `BY_SIMPLICITY` the first is taken whose mean loss is within one standard error (of the
    difference, row by row) of the best one's, on both losses; a log loss that is worse by more than `MOST_NOISE` is no
    noise. On 60 rows that keeps `isotonic` away from data in which it would only follow chance.

    Args:
        sample: Rows; the order of them does not matter.
        seed: Which divisions into folds.
    """
    ordered = sample.in_order()
    folds = stratified_folds(ordered.right, repeats=repeats_for(len(ordered), INNER_REPEATS), seed=seed)
    eligible = [name for name in candidates(ordered) if name in BY_SIMPLICITY]
    found = {name: mean_losses(out_of_fold(fitting(name), ordered, folds), ordered) for name in eligible}
    return choose(found)


def choose(losses: Mapping[str, Mapping[str, Floats]]) -> Selection:
    """The simplest within noise of the best.

    Args:
        losses: For each calibrator, by simplicity, the Brier score and log loss of every row.
    """
    if len(losses) == 1:
        only = next(iter(losses))
        return Selection(only, f"'{only}' is the only method for such rows.")
    best = {loss: min(losses, key=lambda name: float(losses[name][loss].mean())) for loss in LOSSES}
    for name, own in losses.items():
        if all(_within_noise(own[loss] - losses[best[loss]][loss], MOST_NOISE[loss]) for loss in LOSSES):
            return Selection(name, _why(name, best))
    # The best on one loss is beyond noise on the other: probabilities near 0 and 1. The log loss punishes what hurts.
    name = best["log_loss"]
    return Selection(name, f"'{name}' has the least log loss; the best by Brier score is too sure of itself.")


def mean_losses(chances: Floats, sample: Sample) -> dict[str, Floats]:
    """The losses of every row, averaged over the repetitions of a cross-validation."""
    repeats = [row_losses(each, sample.right) for each in chances]
    return {loss: np.mean([each[loss] for each in repeats], axis=0) for loss in LOSSES}


def fitting(method: str, *, seed: int = 0) -> Fit:
    """How to fit a calibrator by its name, for `out_of_fold`; `auto` chooses anew on every set of rows (nested)."""

    def fit(sample: Sample) -> Predict:
        name = select(sample, seed=seed).method if method == AUTO else method
        return calibrator(name).fit(sample).probabilities

    return fit


def check_method(method: str, sample: Sample) -> None:
    """Refuse a method that does not go with a sample.

    Raises:
        UnknownMethod, BadSetting: No such method, or not for such rows.
        BadData: A score outside what it takes.
    """
    if method == AUTO:
        candidates(sample)
        return
    maker = calibrator(method)
    if sample.kind not in maker.kinds:
        names: Sequence[str] = [name for name in sorted(CALIBRATORS.names()) if sample.kind in calibrator(name).kinds]
        said = {Kind.SCORE: "score,right", Kind.OPTIONS: "p_…,target", Kind.VARIANCE: "variance,right"}[sample.kind]
        raise BadSetting(f"method '{method}' does not take rows of {said}", hint=f"Use one of: {', '.join(names)}.")
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
    others = " and ".join(f"'{other}'" for other in dict.fromkeys(best.values()) if other != name)
    return f"'{name}' is the simplest within noise of {others}."


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
            first += len(group)  # the next class goes on there, so that folds differ by one row at most
    return found


def out_of_fold(fit: Fit, sample: Sample, folds: Ints) -> Floats:
    """For each repetition and row, what a calibrator says of it that was fitted without it."""
    found = np.empty(folds.shape)
    for line, chances in zip(folds, found, strict=True):
        for fold in np.unique(line):
            held_out = line == fold
            chances[held_out] = fit(sample.take(~held_out))(sample.raw[held_out])
    return found
