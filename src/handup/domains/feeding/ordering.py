"""Which meal is eaten on a store: the one that was begun there, on the terms that it was begun with, or a new one.

Order and terms are written down before the first bite. Whoever goes on with a meal must want the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from handup.core import BadRecord, event
from handup.domains import runs
from handup.domains.domain import PAGE, SIMULATED
from handup.domains.feeding.order import Order, Terms
from handup.domains.runs import RUNS, TaskOver, begin_run
from handup.journal import Journal
from handup.journal.writer import Writer

T = TypeVar("T", Order, Terms)
RUN = "meals"
"""The run under which a journal keeps what was ordered for each meal, and on which terms."""
WORLD = "feeding"
"""Name of the domain."""
CALLED: Mapping[str, str] = {
    "faulty": "faulty detector",
    "expert": "trust in answers",
    "rest_s": "rest",
    "doubt_below": "doubt about the fork below",
    "memory_store": "a memory in",
}
"""What the parts of an order are called in a message, where that is not their name."""
UNSAID: Mapping[str, str] = {"memory_store": "the meal's own store"}
"""What it means where such a part is empty."""
LATER: Mapping[str, Any] = {"kitchen": None, "memory": False, "memory_store": ""}
"""Parts that orders from before them lack, and what that means; an order that says no more is written without them."""
ANOTHER = "Use another --store file, or --new."


@event("feeding.ordered")
@dataclass(frozen=True, kw_only=True)
class Ordered:
    """A meal begins.

    Args:
        name: Of the meal: its bites are runs of this name.
        order: What was ordered.
        terms: On which terms, as `Terms` has them.
    """

    name: str
    order: dict[str, Any]
    terms: dict[str, Any] = field(default_factory=dict)


@event("feeding.finished")
@dataclass(frozen=True, kw_only=True)
class Finished:
    """A meal of 0.1.0 is over: all bites were tried, or nothing was left. Now `tasks.over` says so."""

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


def next_meal(
    journal: Journal,
    wanted: Order,
    terms: Terms,
    *,
    new: bool = False,
    own_seed: bool = False,
    own_kitchen: bool = False,
    again: bool = False,
    people: str = PAGE,
) -> Next:
    """The meal to eat now. A new one is written down, so that the next program goes on with it.

    Args:
        journal: The store.
        wanted: What to order; its name is not used.
        terms: On which terms.
        new: Begin a new meal, whatever was eaten before.
        own_seed: Give each new meal another seed, counted from the order's on; one that goes on has its own.
        own_kitchen: Serve all meals of the store in one home, whose number is the seed of the first of them; one that
            goes on stays where it is.
        again: Give a meal that is over again, to be read, instead of beginning another one.
        people: Kind of the people who are asked.

    Raises:
        BadRecord: The meal that would go on was ordered otherwise, or is of another version.
    """
    with journal.writing() as writer:
        if (ordered := _going_on(writer, new=new, again=again)) is not None:
            known = read_order(ordered)
            seed = known.seed if own_seed else wanted.seed
            kitchen = known.kitchen if own_kitchen else wanted.kitchen
            refuse_another(ordered, replace(wanted, name=known.name, seed=seed, kitchen=kitchen), terms)
            return Next(known, goes_on=True)
        orders = _orders(writer)
        seed = wanted.seed + (len(orders) if own_seed else 0)
        kitchen = _home(orders, seed) if own_kitchen else wanted.kitchen
        order = replace(wanted, name=RUNS.next_name(writer, "meal"), seed=seed, kitchen=kitchen)
        begin_run(writer, runs.Ordered(name=order.name, world=WORLD, people=people), asdict(order))
        writer.append(_ordered(order, terms), run=RUN)
    return Next(order, goes_on=False)


def terms_of(journal: Journal, *, new: bool = False, again: bool = False) -> Terms | None:
    """The terms of the meal that `next_meal` would go on with; None where it would begin one.

    Raises:
        BadRecord: It is of another version.
    """
    with journal.writing() as writer:
        known = _going_on(writer, new=new, again=again)
    return None if known is None else read_terms(known)


def _going_on(writer: Writer, *, new: bool, again: bool) -> Ordered | None:
    """Return the latest meal, unless a new one is to begin."""
    _adopt(writer)
    last = None if new else RUNS.latest(writer, lambda ordered: ordered.world == WORLD)
    if last is None or (last.over is not None and not again):
        return None
    return ordered_as(writer, last.order.name)  # none where it was killed before it began


def _adopt(writer: Writer) -> None:
    """Order the meals of 0.1.0 among the runs of the store, where all later ones are."""
    over = {entry.event.name for entry in writer.read(run=RUN) if isinstance(entry.event, Finished)}
    for meal in _orders(writer):
        if RUNS.find(writer, meal.name) is None:
            people = SIMULATED if meal.terms.get("people") == SIMULATED else PAGE
            begin_run(writer, runs.Ordered(name=meal.name, world=WORLD, people=people), meal.order)
            if meal.name in over:
                writer.append(TaskOver(), run=meal.name)


def ordered_as(log: Journal | Writer, name: str) -> Ordered | None:
    """Return how a meal was ordered; None where there is none of this name."""
    return next((meal for meal in _orders(log) if meal.name == name), None)


def _orders(log: Journal | Writer) -> list[Ordered]:
    """Return the orders of all meals, oldest first."""
    return [entry.event for entry in log.read(run=RUN) if isinstance(entry.event, Ordered)]


def _home(orders: Sequence[Ordered], seed: int) -> int:
    """In which home the next meal of a store is served: that of the first one that was in any, or a new one."""
    homes = (each.order.get("kitchen") for each in orders)
    return next((int(each) for each in homes if each is not None), seed)


def begin(journal: Journal, order: Order, terms: Terms) -> None:
    """Write down what is eaten, once, before the first bite.

    Raises:
        BadRecord: The journal holds another meal of this name.
    """
    with journal.writing() as writer:
        known = ordered_as(writer, order.name)
        if known is None:
            writer.append(_ordered(order, terms), run=RUN)
        else:
            refuse_another(known, order, terms)


def refuse_another(known: Ordered, order: Order, terms: Terms | None = None) -> None:
    """Refuse to go on with a meal that was ordered otherwise.

    Args:
        known: How it was ordered.
        order: What is wanted now.
        terms: On which terms; None: on any.

    Raises:
        BadRecord: Something differs; the message names it.
    """
    before = {**LATER, **known.order, **known.terms}
    now = {**asdict(order), **({} if terms is None else asdict(terms))}
    others = [name for name, value in now.items() if name not in before or before[name] != value]
    if others:
        said = "; ".join(
            f"{CALLED.get(name, name)} {_said(name, before.get(name))}, not {_said(name, now[name])}" for name in others
        )
        raise BadRecord(f"the meal on this store has {said}", hint=ANOTHER)


def _ordered(order: Order, terms: Terms) -> Ordered:
    return Ordered(name=order.name, order=_parts(order), terms=_parts(terms))


def _parts(of: Order | Terms) -> dict[str, Any]:
    return {name: value for name, value in asdict(of).items() if (name, value) not in LATER.items()}


def _said(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if value not in {None, ""} else UNSAID.get(name, "not set")


def read_order(ordered: Ordered) -> Order:
    """Return what was ordered for a meal.

    Raises:
        BadRecord: It is of another version.
    """
    return _made(Order, ordered.order, ordered.name)


def read_terms(ordered: Ordered) -> Terms:
    """Return the terms of a meal.

    Raises:
        BadRecord: They are of another version.
    """
    return _made(Terms, ordered.terms, ordered.name)


def _made(kind: type[T], record: Mapping[str, Any], name: str) -> T:
    try:
        return kind(**record)
    except TypeError as error:
        raise BadRecord(
            f"the order of '{name}' is of another version: {error}", hint="Begin a new meal with --new."
        ) from None
