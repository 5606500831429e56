"""Which meal is eaten next on a store: the last one, where it was not finished, or else a new one.

The order is written down before the first bite, so a meal goes on with what it began with.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from handup.core import BadRecord, event
from handup.domains.feeding.meal import Order
from handup.journal import Journal

RUN = "meals"
"""The run under which a journal keeps which meals were eaten on it."""


@event("feeding.ordered")
@dataclass(frozen=True, kw_only=True)
class Ordered:
    """A meal begins.

    Args:
        name: Of the meal: its bites are runs of this name.
        order: What was ordered.
    """

    name: str
    order: dict[str, Any]


@event("feeding.finished")
@dataclass(frozen=True, kw_only=True)
class Finished:
    """A meal is over: all bites were tried."""

    name: str


@dataclass(frozen=True)
class Next:
    """What is eaten next.

    Args:
        order: With the meal's name.
        goes_on: Whether it was begun before.
    """

    order: Order
    goes_on: bool


def next_meal(journal: Journal, wanted: Order, *, new: bool = False, own_seed: bool = False) -> Next:
    """The meal to eat now. A new one is written down, so that the next program goes on with it.

    Args:
        journal: The store.
        wanted: What to order, where a new meal begins; its name is not used.
        new: Begin a new meal, though the last one was not finished.
        own_seed: Give each new meal another seed, counted from the order's on.

    Raises:
        BadRecord: The last order is of another version.
    """
    with journal.writing() as writer:
        events = [entry.event for entry in writer.read(run=RUN)]
        orders = [each for each in events if isinstance(each, Ordered)]
        over = {each.name for each in events if isinstance(each, Finished)}
        if orders and orders[-1].name not in over and not new:
            return Next(_read(orders[-1]), goes_on=True)
        number = len(orders) + 1
        seed = wanted.seed + (number - 1 if own_seed else 0)
        order = replace(wanted, name=f"meal-{number}", seed=seed)
        writer.append(Ordered(name=order.name, order=asdict(order)), run=RUN)
    return Next(order, goes_on=False)


def finished(journal: Journal, order: Order) -> None:
    """Write down that a meal is over; once."""
    with journal.writing() as writer:
        known = [entry.event for entry in writer.read(run=RUN)]
        if Finished(name=order.name) not in known:
            writer.append(Finished(name=order.name), run=RUN)


def _read(ordered: Ordered) -> Order:
    try:
        return Order(**ordered.order)
    except TypeError as error:
        raise BadRecord(
            f"the order of '{ordered.name}' is of another version: {error}", hint="Begin a new meal with --new."
        ) from None
