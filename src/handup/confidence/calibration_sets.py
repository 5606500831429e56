"""Calibration sets as in the paper's appendix C.1, from the outputs of a feeding robot's modules and the truth.

M1 names foods, M2 finds boxes, M3 chooses skills, M4 gives the skill's parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.sample import Floats, Sample
from handup.core import BadData

FOODS_KEPT, SKILLS_KEPT = 5, 3
"""Numbers of ranked labels that the paper keeps for M1 and for M3."""
PASSES = 16
"""Stochastic passes of the paper's M4."""


@dataclass(frozen=True)
class Ranked:
    """Candidate labels of one prediction with their scores, sorted with the likeliest first.

    Args:
        labels: Candidates, at least one.
        scores: Score of each candidate, 0 or more.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.labels or len(self.labels) != len(self.scores):
            got = f"{len(self.labels)} labels and {len(self.scores)} scores"
            raise BadData(f"a prediction must have one score for each label, got {got}", hint="Give as many of both.")
        order = sorted(range(len(self.labels)), key=lambda place: -self.scores[place])
        object.__setattr__(self, "labels", tuple(self.labels[place] for place in order))
        object.__setattr__(self, "scores", tuple(float(self.scores[place]) for place in order))

    @property
    def top(self) -> str:
        """Predicted label."""
        return self.labels[0]

    def best(self, kept: int) -> Ranked:
        """Return the first `kept` labels."""
        return Ranked(self.labels[:kept], self.scores[:kept])


@dataclass(frozen=True)
class LabelEntry:
    """Entry of a calibration set of labels.

    Args:
        prediction: The ranked labels that were kept.
        truth: The true label.
        substituted: True if the prediction is a substitute, since no prediction had the true label on top.
    """

    prediction: Ranked
    truth: str
    substituted: bool = False


def food_entries(predictions: Sequence[Ranked], foods: Sequence[str]) -> tuple[LabelEntry, ...]:
    """Return M1's entries from one plate: one for each true food, with the top 5 labels and scores.

    A food that is no prediction's top label gets a substitute: a prediction that matches no food (each is used once
    while there are others), or else a matched one.

    Args:
        predictions: One prediction per food that the module detected.
        foods: Names of the foods on the plate, each once.

    Raises:
        BadData: There are foods but no predictions.
    """
    if foods and not predictions:
        raise BadData("a plate with foods must have predictions, got none", hint="Leave such plates out.")
    by_top = {prediction.top: prediction for prediction in reversed(predictions)}
    unmatched = [prediction for prediction in predictions if prediction.top not in set(foods)]
    matched = [prediction for prediction in predictions if prediction.top in set(foods)]
    entries, used = [], 0
    for food in foods:
        if food in by_top:
            entries.append(LabelEntry(by_top[food].best(FOODS_KEPT), food))
        else:
            spare = unmatched or matched
            entries.append(LabelEntry(spare[used % len(spare)].best(FOODS_KEPT), food, substituted=True))
            used += 1
    return tuple(entries)


def skill_entries(rows: Iterable[tuple[Ranked, str, bool]]) -> tuple[LabelEntry, ...]:
    """Return M3's entries: the top 3 skills, for valid boxes only.

    Args:
        rows: Ranked skills, the true skill, and whether the box really holds the food.
    """
    return tuple(LabelEntry(prediction.best(SKILLS_KEPT), truth) for prediction, truth, valid in rows if valid)


def of_entries(entries: Sequence[LabelEntry]) -> Sample:
    """Return the sample of M1's or M3's entries: top scores, second scores, and whether the top label is true."""
    return Sample.of_scores(
        [entry.prediction.scores[0] for entry in entries],
        np.array([entry.prediction.top == entry.truth for entry in entries], dtype=np.bool_),
        second=[(*entry.prediction.scores, 0.0)[1] for entry in entries],
    )


def spread_of(passes: ArrayLike) -> float:
    """Return M4's variance over the stochastic passes, averaged over the numbers of the output.

    Args:
        passes: One row per pass, such as 16 rows of (x1, y1, x2, y2), made with the true skill.
    """
    table: Floats = np.asarray(passes, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2 or not np.isfinite(table).all():
        raise BadData(f"passes must be two or more finite rows, got {table.shape}", hint="Give one row per pass.")
    return float(table.var(axis=0).mean())
