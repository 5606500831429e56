"""Orders of meals on a store, with the terms on which they are eaten.

Order and terms are written down before the first bite. Whoever goes on with a meal must want the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from handup.core import BadRecord, event
from handup.domains.feeding.order import MealTerms, Order
from handup.journal import Journal
from handup.journal.writer import Writer

T = TypeVar("T", Order, MealTerms)
RUN = "meals"
"""Run under which a journal keeps the orders of meals and their terms."""
WORLD = "feeding"
"""Name of the domain."""
CALLED: Mapping[str, str] = {
    "faulty": "faulty detector",
    "expert": "trust in answers",
    "rest_s": "rest",
    "doubt_below": "doubt about the fork below",
    "memory_store": "a memory in",
}
"""Names of the parts of an order in a message, where they differ from the field's name."""
UNSAID: Mapping[str, str] = {"memory_store": "the meal's own store"}
"""Words in a message for an empty part."""
LATER: Mapping[str, Any] = {"kitchen": None, "memory": False, "memory_store": ""}
"""Values of parts that older orders lack; an order with just these values is written without them."""
ANOTHER = "Use another --store file, or --new."


@event("feeding.ordered")
@dataclass(frozen=True, kw_only=True)
class MealOrdered:
    """A meal begins.

    Args:
        name: Name of the meal: its bites are runs of this name.
        order: The order, as `Order` has it.
        terms: The terms, as `MealTerms` has them.
    """

    name: str
    order: dict[str, Any]
    terms: dict[str, Any] = field(default_factory=dict)


@event("feeding.finished")
@dataclass(frozen=True, kw_only=True)
class MealFinished:
    """A meal of 0.1.0 is over: all bites were tried, or nothing was left. Now `tasks.over` says so."""

    name: str


def ordered_as(log: Journal | Writer, name: str) -> MealOrdered | None:
    """Return how a meal was ordered; None where there is none of this name."""
    return next((meal for meal in orders_on(log) if meal.name == name), None)


def orders_on(log: Journal | Writer) -> list[MealOrdered]:
    """Return the orders of all meals, oldest first."""
    return [entry.event for entry in log.read(run=RUN) if isinstance(entry.event, MealOrdered)]


def begin(journal: Journal, order: Order, terms: MealTerms) -> None:
    """Write down what is eaten, once, before the first bite.

    Raises:
        BadRecord: The journal holds another meal of this name.
    """
    with journal.writing() as writer:
        known = ordered_as(writer, order.name)
        if known is None:
            writer.append(ordered_of(order, terms), run=RUN)
        else:
            refuse_another(known, order, terms)


def refuse_another(known: MealOrdered, order: Order, terms: MealTerms | None = None) -> None:
    """Refuse to go on with a meal that was ordered otherwise.

    Args:
        known: The order in the journal.
        order: The order that is wanted now.
        terms: The terms that are wanted now; None for any.

    Raises:
        BadRecord: Something differs; the message names it.
    """
    before = {**LATER, **known.order, **known.terms}
    now = {**asdict(order), **({} if terms is None else asdict(terms))}
    others = [name for name, value in now.items() if name not in before or before[name] != value]
    if others:
        differences = "; ".join(
            f"{CALLED.get(name, name)} {_in_words(name, before.get(name))}, not {_in_words(name, now[name])}"
            for name in others
        )
        raise BadRecord(f"the meal on this store has {differences}", hint=ANOTHER)


def ordered_of(order: Order, terms: MealTerms) -> MealOrdered:
    """Return the entry that orders a meal."""
    return MealOrdered(name=order.name, order=_parts(order), terms=_parts(terms))


def _parts(of: Order | MealTerms) -> dict[str, Any]:
    return {name: value for name, value in asdict(of).items() if (name, value) not in LATER.items()}


def _in_words(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if value not in {None, ""} else UNSAID.get(name, "not set")


def read_order(ordered: MealOrdered) -> Order:
    """Return what was ordered for a meal.

    Raises:
        BadRecord: It is of another version.
    """
    return _read_as(Order, ordered.order, ordered.name)


def read_terms(ordered: MealOrdered) -> MealTerms:
    """Return the terms of a meal.

    Raises:
        BadRecord: They are of another version.
    """
    return _read_as(MealTerms, ordered.terms, ordered.name)


def _read_as(kind: type[T], record: Mapping[str, Any], name: str) -> T:
    try:
        return kind(**record)
    except TypeError as error:
        raise BadRecord(
            f"the order of '{name}' is of another version: {error}", hint="Begin a new meal with --new."
        ) from None
