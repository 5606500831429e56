"""Which calibrator to use: the simplest one that no other beats by more than the noise of the comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from handup.confidence.base import calibrator
from handup.confidence.folds import Fit, Predict, out_of_fold, repeats_for, stratified_folds
from handup.confidence.metrics import row_losses
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS, BadData, BadSetting

AUTO = "auto"
BY_SIMPLICITY = ("identity", "temperature", "dropout", "platt", "beta", "venn-abers", "isotonic")
"""What `auto` chooses from, the simplest first. `scaled` and `interval` are for reproduction: shown, never chosen."""
INNER_REPEATS = 2
LOSSES = ("brier", "log_loss")
MOST_NOISE = {"brier": float("inf"), "log_loss": 0.05}
"""Broken promises of certainty make the log loss both worse and noisier: more than this is not put down to noise."""


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
    fitting = [name for name in CALIBRATORS.names() if _fits(name, sample)]
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
        names: Sequence[str] = [name for name in CALIBRATORS.names() if sample.kind in calibrator(name).kinds]
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
