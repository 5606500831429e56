"""What a study's meals came to, by arm and participant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handup.confidence.bootstrap import Estimate
from handup.core import BadSetting
from handup.domains.feeding.judging import MODULES, Cause
from handup.lab.meals.claim import ALL, Part
from handup.lab.meals.definition import MealStudy, Sitting, Size
from handup.lab.meals.rows import BiteRow, MealRow
from handup.lab.study import paired
from handup.lab.study.paired import Difference, Vector


@dataclass(frozen=True, eq=False)
class Results:
    """The meals of a study. Every arm has the same participants; arms of one menu ate the same plates.

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
        people = [[sitting.participant for sitting, _ in self._of(label)] for label in self.study.labels]
        same = all(each == people[0] for each in people)
        for menu in self.study.menus:
            served = [
                [
                    (meal.plate, meal.looks, meal.seed, meal.kitchen)
                    for _, meals in self._of(arm.label)
                    for meal in meals
                ]
                for arm in menu
            ]
            same = same and all(each == served[0] for each in served)
        if not people[0] or not same:
            raise BadSetting("arms did not eat the same plates", hint="Compare sittings of one study.")

    @property
    def participants(self) -> int:
        """How many took part."""
        return self.count(ALL)

    def count(self, part: Part) -> int:
        """How many participants a part of the meals is of."""
        return sum(1 for _ in self._of(self.study.labels[0], part))

    @property
    def plates(self) -> int:
        """How many each of them had."""
        return len(next(iter(self.eaten.values())))

    def meals(self, label: str, part: Part = ALL) -> Iterator[MealRow]:
        """All meals of an arm."""
        for _, meals in self._of(label, part):
            yield from meals

    def bites(self, label: str, part: Part = ALL) -> Iterator[BiteRow]:
        """All bites of an arm."""
        for meal in self.meals(label, part):
            yield from meal.bites_taken

    def values(self, measure: str, label: str, part: Part = ALL) -> Vector:
        """A measure per meal of each participant, averaged over their plates."""
        return np.array(
            [np.mean([meal.measure(measure) for meal in meals]) for _, meals in self._of(label, part)],
            dtype=np.float64,
        )

    def mean(self, measure: str, label: str, part: Part = ALL) -> Estimate:
        """A measure per meal, with its interval over participants."""
        return paired.mean(self.values(measure, label, part))

    def difference(self, measure: str, label: str, other: str, *, share: float = 1.0, part: Part = ALL) -> Difference:
        """What an arm has more of a measure than (a share of) another one has, participant by participant."""
        return paired.difference(self.values(measure, label, part), share * self.values(measure, other, part))

    def losses(self, label: str, part: Part = ALL) -> dict[str, float]:
        """Lost bites per meal by cause."""
        found = Counter(bite.cause for bite in self.bites(label, part) if not bite.got)
        return _per(sum(1 for _ in self.meals(label, part)), found, tuple(map(str, Cause)))

    def questions(self, label: str, part: Part = ALL) -> dict[str, float]:
        """Questions per meal by module."""
        found = Counter(module for bite in self.bites(label, part) for module in bite.asked)
        return _per(sum(1 for _ in self.meals(label, part)), found, MODULES)

    def to_json(self) -> dict[str, Any]:
        """What each measure came to, arm by arm."""
        return {
            label: {
                **{measure: self.mean(measure, label).to_json() for measure in self.study.measures},
                "lost": self.losses(label),
                "asked": self.questions(label),
            }
            for label in self.study.labels
        }

    def _of(self, label: str, part: Part = ALL) -> Iterator[tuple[Sitting, tuple[MealRow, ...]]]:
        for sitting, meals in self.eaten.items():
            if sitting.arm.label == label and part.care in (None, sitting.participant.care):
                yield sitting, tuple(each for each in meals if not part.meals or each.meal in part.meals)


def _per(meals: int, found: Counter[str], names: Sequence[str]) -> dict[str, float]:
    return {name: found[name] / meals if meals else 0.0 for name in names}
