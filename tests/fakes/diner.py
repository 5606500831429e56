"""A person at a page, played by a test: it sees the plate by rebuilding it from the journal, which no page can."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from handup.client import Client
from handup.core import HandupError, Value
from handup.desk import Record
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.order import RUN, MealOrdered, Order
from handup.domains.feeding.world import PlateWorld
from handup.journal import Journal
from tests.fakes.feeding import Oracle, calibrators


class Diner:
    """Knows the right answer to every question of the meal that is under way on a store."""

    def __init__(self, store: Path) -> None:
        self._journal = Journal.open(store, readonly=True)
        orders = [entry.event for entry in self._journal.read(run=RUN) if isinstance(entry.event, MealOrdered)]
        self.order = Order(**orders[-1].order)
        self._meal = Meal(self.order, self._journal, modules=_nobody(), calibrators=calibrators())

    def answer_to(self, record: Record) -> Value:
        """What is right, on the plate as it is now."""
        done = self._meal._done()
        if done:
            self._meal.world.load(done[-1].plate)
        return self._meal.truth(record.question)

    def close(self) -> None:
        self._meal.close()
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def play(client: Client, diner: Diner, until: Callable[[], bool], *, told: Callable[[Record], object]) -> None:
    """Answer whatever is asked, rightly, until something is so. A server that is away is waited for."""
    while not until():
        try:
            for record in client.waiting():
                told(record)
                client.answer(record.id, diner.answer_to(record))
        except HandupError:
            pass
        time.sleep(0.05)


def _nobody() -> Oracle:
    """Modules that nobody asks."""
    return Oracle(PlateWorld.__new__(PlateWorld))
