"""A page that is only a notebook: what a robot tells it, and when it says stop or is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handup.core import Reply, ReplyKind
from handup.core.stick import Stick
from handup.desk import Desk, Record, SkippingClock
from handup.domains.domain import Workplace
from handup.domains.feeding import LOOKS, PlateWorld
from handup.domains.feeding.meal import NAME, Meal
from handup.domains.feeding.order import Order
from handup.domains.feeding.page_meal import ROBOT, AtPage
from handup.journal import Journal
from tests.fakes.feeding import Oracle, calibrators
from tests.fakes.panels import checked


@dataclass
class Notebook:
    """A robot's link that goes nowhere.

    Args:
        on_state: Called with each state.
    """

    on_state: Callable[[Mapping[str, Any]], object] = lambda state: None
    alive: bool = True
    stopped: bool = False
    stick: Stick | None = None
    states: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[tuple[str, bytes]] = field(default_factory=list)

    def state(self, state: Mapping[str, Any], /) -> None:
        self.states.append(checked(state))
        self.on_state(state)

    def picture(self, name: str, picture: bytes, /) -> None:
        self.pictures.append((name, picture))

    @property
    def phases(self) -> list[str]:
        """Each phase once, until it changes."""
        found = [each["phase"] for each in self.states]
        return [each for before, each in zip([None, *found], found, strict=False) if each != before]


@dataclass
class Knowing:
    """A person who sees the plate and answers at once, or does what a test says instead."""

    meal: Meal
    instead: Callable[[Record, Desk], bool] = lambda record, desk: False
    name: str = "knowing"

    def show(self, record: Record, desk: Desk) -> None:
        if not self.instead(record, desk):
            value = self.meal.truth(record.question)
            reply = Reply(question=record.id, kind=ReplyKind.ANSWER, by=NAME, token=record.id, value=value)
            desk.reply(reply)

    def taken(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


@contextmanager
def watched(
    store: Path,
    order: Order,
    wire: Notebook,
    *,
    kept: dict[str, bytes] | None = None,
    speed: float = 50.0,
    **errs: Any,
) -> Iterator[Meal]:
    """A meal that a notebook watches, much faster than real time; its modules know the truth, but for what is said."""
    pictures = {} if kept is None else kept
    with (
        Journal.open(store) as journal,
        PlateWorld(order.plate, seed=order.seed, looks=LOOKS[order.looks]) as own,
    ):
        assert not isinstance(journal.clock, SkippingClock)
        oracle = Oracle(own, **errs)
        place = Workplace(
            journal, order.name, person=NAME, robot=ROBOT, link=wire, keep=pictures.__setitem__, speed=speed
        )
        company = AtPage(place, intent_s=0.0, size=(64, 48))
        place.holds = company.holds
        with Meal(order, journal, modules=oracle, calibrators=calibrators(), company=company) as meal:
            oracle.world = meal.world
            yield meal
