"""Eats sittings in several processes, each of which loads the networks once."""

from __future__ import annotations

from collections.abc import Sequence

from handup.lab.meals.definition import Sitting
from handup.lab.meals.eating import eat, robot
from handup.lab.meals.rows import MealRow
from handup.lab.study.batches import Watcher, run_batches
from handup.lab.study.keeping import Kept

Eaten = dict[Sitting, tuple[MealRow, ...]]


def run_sittings(
    sittings: Sequence[Sitting], kept: Kept[MealRow], *, jobs: int = 1, watch: Watcher = lambda _: None
) -> Eaten:
    """The meals of all sittings: those that are kept, and the others eaten and kept. See `run_batches`."""
    return run_batches(sittings, kept, _eat, jobs=jobs, watch=watch)


def _eat(sitting: Sitting) -> tuple[MealRow, ...]:
    return eat(sitting, robot())
