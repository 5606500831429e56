"""Made-up meals: rows that say what a test wants them to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from handup.lab.engine import Batch, Results, columns_of
from handup.lab.studies.meals.blame import CHANCES
from handup.lab.studies.meals.meal_rows import participant
from handup.lab.studies.meals.studies import HETEROGENEITY, HOME, MEMORY, METHODS
from handup.lab.studies.meals.study import MealStudy, Menu, options

STUDIES = {study.name: study for study in (METHODS, HETEROGENEITY, HOME, MEMORY)}
ONE, TWO = "troubleshoot", "never+query-then-execute"
PAIRED = MealStudy(
    name="meal-made-up",
    title="Made <up>",
    figure="none",
    question="Which is better?",
    sentence="Ours gets {bites[troubleshoot]:.1f} bites.",
    arms=(ONE, TWO),
    places=(Menu(plates=("savory salad", "thanksgiving")),),
    options=options(295_000),
)
Bite = dict[str, Any]
USUAL = {"wrong": False, "cause": "", "blamed": "", "chances": [], "recalled": [], "recalled_wrong": []}


def got(number: int = 1, *, asked: tuple[str, ...] = ()) -> Bite:
    numbers = {"bite": number, "got": True, "attempts": 1, "workload": 0.3 * len(asked), "J": 1.0, "J_true": 1.0}
    return {**USUAL, **numbers, "asked": list(asked)}


def lost(
    number: int = 1, *, cause: str = "food", blamed: str = "food", asked: tuple[str, ...] = (), wrong: bool = False
) -> Bite:
    belief = {"cause": cause, "blamed": blamed, "chances": [0.6 if name == blamed else 0.1 for name in CHANCES]}
    return {**got(number, asked=asked), "got": False, "wrong": wrong, "attempts": 3, "J": 7.5, "J_true": 7.5, **belief}


def some_of_five(count: int, *, asked: int = 0) -> list[Bite]:
    """Five bites of which so many are got; all questions come with the first."""
    return [
        (got if number <= count else lost)(number, asked=("food",) * asked * (number == 1)) for number in range(1, 6)
    ]


def results(
    bites: Callable[[str, int, int], list[Bite]], *, participants: int = 24, study: MealStudy = PAIRED
) -> Results[Any]:
    """Meals whose bites depend on the arm, the participant, and which of their meals it is, from 1."""
    size = study.size(participants=participants)
    return study.results(size, {batch: columns_of(_meals(batch, bites)) for batch in study.batches(size)})


def _meals(batch: Batch, bites: Callable[[str, int, int], list[Bite]]) -> Iterator[dict[str, Any]]:
    decides = json.loads(batch.decides)
    care, motor = participant(batch.first)
    for number, order in enumerate(decides["orders"], start=1):
        yield {
            **{"memory": decides["memory"], "participant": batch.first, "care": str(care), "motor": motor},
            "meal": number,
            **{name: order[name] for name in ("plate", "looks", "method", "seed", "kitchen", "faulty")},
            **{"calibrators": "best", "expert": 0.97, "outcome": "finished", "on_fork": 0, "seconds": 60.0},
            "bites_taken": bites(batch.arm, batch.first, number),
        }
