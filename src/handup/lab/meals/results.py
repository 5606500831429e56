"""What a study's meals came to, by arm and participant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from handup.confidence.bootstrap import Estimate
from handup.core import BadSetting
from handup.domains.feeding.judging import MODULES, Cause
from handup.lab.meals import statistics
from handup.lab.meals.claim import MEASURES
from handup.lab.meals.definition import MealStudy, Sitting, Size
from handup.lab.meals.rows import BiteRow, MealRow
from handup.lab.meals.statistics import Difference, Vector


@dataclass(frozen=True, eq=False)
class Results:
    """The meals of a study. Every arm has the same participants with the same plates.

    Args:
        study: What was run.
        size: How much of it.
        eaten: The meals of each sitting, in the order of the study.

    Raises:
        BadSetting: Arms ate different plates, or with different people.
    """

    study: MealStudy
    size: Size
    eaten: Mapping[Sitting, tuple[MealRow, ...]] = field(repr=False)

    def __post_init__(self) -> None:
        served = {
            label: [
                (sitting.participant, [(meal.plate, meal.looks, meal.seed) for meal in meals])
                for sitting, meals in self._of(label)
            ]
            for label in self.study.labels
        }
        first = next(iter(served.values()))
        if not first or any(each != first for each in served.values()):
            raise BadSetting("arms did not eat the same plates", hint="Compare sittings of one study.")

    @property
    def participants(self) -> int:
        """How many took part."""
        return sum(1 for _ in self._of(self.study.labels[0]))

    @property
    def plates(self) -> int:
        """How many each of them had."""
        return len(next(iter(self.eaten.values())))

    def meals(self, label: str) -> Iterator[MealRow]:
        """All meals of an arm."""
        for _, meals in self._of(label):
            yield from meals

    def bites(self, label: str) -> Iterator[BiteRow]:
        """All bites of an arm."""
        for meal in self.meals(label):
            yield from meal.bites_taken

    def values(self, measure: str, label: str) -> Vector:
        """A measure per meal of each participant, averaged over their plates."""
        return self._values[measure, label]

    @cached_property
    def _values(self) -> dict[tuple[str, str], Vector]:
        return {
            (measure, label): np.array(
                [np.mean([meal.measure(measure) for meal in meals]) for _, meals in self._of(label)]
            )
            for measure in MEASURES
            for label in self.study.labels
        }

    def mean(self, measure: str, label: str) -> Estimate:
        """A measure per meal, with its interval over participants."""
        return statistics.mean(self.values(measure, label))

    def difference(self, measure: str, label: str, other: str, *, share: float = 1.0) -> Difference:
        """What an arm has more of a measure than (a share of) another one has, participant by participant."""
        return statistics.difference(self.values(measure, label), share * self.values(measure, other))

    def losses(self, label: str) -> dict[str, float]:
        """Lost bites per meal by cause."""
        found = Counter(bite.cause for bite in self.bites(label) if not bite.got)
        return {str(cause): found[cause] / self._meals for cause in Cause}

    def questions(self, label: str) -> dict[str, float]:
        """Questions per meal by module."""
        found = Counter(module for bite in self.bites(label) for module in bite.asked)
        return {module: found[module] / self._meals for module in MODULES}

    @property
    def _meals(self) -> int:
        return self.participants * self.plates

    def to_json(self) -> dict[str, Any]:
        """What each measure came to, arm by arm."""
        return {
            label: {
                **{measure: self.mean(measure, label).to_json() for measure in MEASURES},
                "lost": self.losses(label),
                "asked": self.questions(label),
            }
            for label in self.study.labels
        }

    def _of(self, label: str) -> Iterator[tuple[Sitting, tuple[MealRow, ...]]]:
        return ((sitting, meals) for sitting, meals in self.eaten.items() if sitting.arm.label == label)
