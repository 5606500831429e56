"""Calibration sets as in the paper's appendix C.1, from what a feeding robot's modules said and what was true.

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
"""So many of the ranked labels the paper keeps for M1 and for M3."""
PASSES = 16
"""Stochastic passes of the paper's M4."""


@dataclass(frozen=True)
class Ranked:
    """Candidate labels of one prediction with their scores, the likeliest first; sorted when built.

    Args:
        labels: Candidates.
        scores: Of each, at least 0.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.labels or len(self.labels) != len(self.scores):
            raise BadData("a prediction has no labels, or not one score for each", hint="Give one score per label.")
        order = sorted(range(len(self.labels)), key=lambda place: -self.scores[place])
        object.__setattr__(self, "labels", tuple(self.labels[place] for place in order))
        object.__setattr__(self, "scores", tuple(float(self.scores[place]) for place in order))

    @property
    def top(self) -> str:
        """The predicted label."""
        return self.labels[0]

    def best(self, kept: int) -> Ranked:
        """The first few."""
        return Ranked(self.labels[:kept], self.scores[:kept])


@dataclass(frozen=True)
class Entry:
    """One entry of a calibration set of labels.

    Args:
        prediction: The ranked labels that were kept.
        truth: The true label.
        substituted: Whether the prediction was of something else, since nothing predicted the true label.
    """

    prediction: Ranked
    truth: str
    substituted: bool = False


def food_entries(predictions: Sequence[Ranked], foods: Sequence[str]) -> tuple[Entry, ...]:
    """M1's entries from one plate: one for each true food, with the top 5 labels and scores.

    A food that is no prediction's top label gets a substitute: a prediction that matches no food (each is used once
    while there are others), or else a matched one.

    Args:
        predictions: One per food that the module detected.
        foods: What is on the plate, each once.

    Raises:
        BadData: There are foods but no predictions.
    """
    if foods and not predictions:
        raise BadData("there is no prediction for this plate", hint="Leave plates out that the module saw nothing on.")
    by_top = {each.top: each for each in reversed(predictions)}
    unmatched = [each for each in predictions if each.top not in set(foods)]
    matched = [each for each in predictions if each.top in set(foods)]
    entries, used = [], 0
    for food in foods:
        if food in by_top:
            entries.append(Entry(by_top[food].best(FOODS_KEPT), food))
        else:
            spare = unmatched or matched
            entries.append(Entry(spare[used % len(spare)].best(FOODS_KEPT), food, substituted=True))
            used += 1
    return tuple(entries)


def skill_entries(rows: Iterable[tuple[Ranked, str, bool]]) -> tuple[Entry, ...]:
    """M3's entries: the top 3 skills, for valid boxes only.

    Args:
        rows: Ranked skills, the true skill, and whether the box really holds the food.
    """
    return tuple(Entry(prediction.best(SKILLS_KEPT), truth) for prediction, truth, valid in rows if valid)


def of_entries(entries: Sequence[Entry]) -> Sample:
    """A sample of M1's or M3's entries: top scores, runner-up scores, and whether the top label is the true one."""
    return Sample.of_scores(
        [entry.prediction.scores[0] for entry in entries],
        np.array([entry.prediction.top == entry.truth for entry in entries], dtype=np.bool_),
        second=[(*entry.prediction.scores, 0.0)[1] for entry in entries],
    )


def spread_of(passes: ArrayLike) -> float:
    """M4's variance: over the stochastic passes, averaged over the numbers of the output.

    Args:
        passes: One row per pass, such as 16 rows of (x1, y1, x2, y2); the module was given the true skill.
    """
    found: Floats = np.asarray(passes, dtype=np.float64)
    if found.ndim != 2 or len(found) < 2 or not np.isfinite(found).all():
        raise BadData(f"passes have the shape {found.shape}", hint="Give two or more rows of numbers, one per pass.")
    return float(found.var(axis=0).mean())
