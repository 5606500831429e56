"""Household of a meal: the meal that goes on there, and the store of its memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

from handup.core import ConflictingSettings
from handup.desk import SkippingClock
from handup.domains import runs
from handup.domains.domain import PAGE, SIMULATED
from handup.domains.feeding.memory_modules import memory_in, store_at
from handup.domains.feeding.order import (
    RUN,
    WORLD,
    MealFinished,
    MealOrdered,
    MealTerms,
    Order,
    ordered_as,
    ordered_of,
    orders_on,
    read_order,
    refuse_another,
)
from handup.domains.runs import TaskOver, begin_run, find_run, latest_run, next_name
from handup.journal import Journal
from handup.journal.address import address_of
from handup.journal.writer import Writer
from handup.memory import Memory


@dataclass(frozen=True)
class Next:
    """The meal that is eaten next.

    Args:
        order: Order of the meal, with its name.
        goes_on: Whether the meal was begun before.
    """

    order: Order
    goes_on: bool


def next_meal(
    journal: Journal,
    wanted: Order,
    terms: MealTerms,
    *,
    new: bool = False,
    own_seed: bool = False,
    own_kitchen: bool = False,
    again: bool = False,
    people: str = PAGE,
) -> Next:
    """Return the meal to eat now. A new one is written down, so that the next program goes on with it.

    Args:
        journal: The store.
        wanted: Order of a new meal; its name is not used.
        terms: Terms of the meal.
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
            known, _ = read_order(ordered)
            seed = known.seed if own_seed else wanted.seed
            kitchen = known.kitchen if own_kitchen else wanted.kitchen
            refuse_another(ordered, replace(wanted, name=known.name, seed=seed, kitchen=kitchen), terms)
            return Next(known, goes_on=True)
        orders = orders_on(writer)
        seed = wanted.seed + (len(orders) if own_seed else 0)
        # The home of the store is that of the first meal that had any, or a new one.
        homes = (meal.order["kitchen"] for meal in orders if meal.order.get("kitchen") is not None)
        kitchen = next(map(int, homes), seed) if own_kitchen else wanted.kitchen
        order = replace(wanted, name=next_name(writer, "meal"), seed=seed, kitchen=kitchen)
        begin_run(writer, runs.Ordered(name=order.name, world=WORLD, people=people), asdict(order))
        writer.append(ordered_of(order, terms), run=RUN)
    return Next(order, goes_on=False)


def terms_of(journal: Journal, *, new: bool = False, again: bool = False) -> MealTerms | None:
    """Return the terms of the meal that `next_meal` would go on with; None where it would begin one.

    Raises:
        BadRecord: The meal is of another version.
    """
    with journal.writing() as writer:
        known = _going_on(writer, new=new, again=again)
    return None if known is None else read_order(known)[1]


def _going_on(writer: Writer, *, new: bool, again: bool) -> MealOrdered | None:
    """Return the latest meal, unless a new one is to begin."""
    _adopt(writer)
    last = None if new else latest_run(writer, lambda ordered: ordered.world == WORLD)
    if last is None or (last.over is not None and not again):
        return None
    return ordered_as(writer, last.order.name)  # none where it was killed before it began


def _adopt(writer: Writer) -> None:
    """Order the meals of 0.1.0 among the runs of the store, where all later ones are."""
    over = {entry.event.name for entry in writer.read(run=RUN) if isinstance(entry.event, MealFinished)}
    for meal in orders_on(writer):
        if find_run(writer, meal.name) is None:
            people = SIMULATED if meal.terms.get("people") == SIMULATED else PAGE
            begin_run(writer, runs.Ordered(name=meal.name, world=WORLD, people=people), meal.order)
            if meal.name in over:
                writer.append(TaskOver(), run=meal.name)


OWN = ""
"""Name of the meal's own store."""


@dataclass(frozen=True, kw_only=True)
class MemoryWanted:
    """Wish of somebody about what the robot remembers.

    Args:
        store: Value of --memory.
        remember: True for --remember, False for --no-memory, None for neither.
        simulated: True if people are simulated.

    Raises:
        ConflictingSettings: A store is named, and nothing is to be kept.
    """

    store: str | None = None
    remember: bool | None = None
    simulated: bool = False

    def __post_init__(self) -> None:
        if self.store is not None and self.remember is False:
            raise ConflictingSettings("--memory and --no-memory exclude each other", hint="Leave one of them out.")

    def place(self, journal: Journal, *, new: bool, again: bool = False) -> str | None:
        """Return the store that somebody named, or that of the meal that goes on; otherwise the meal's own store.

        With simulated people nothing is kept unless somebody said so: methods are compared on them, and a robot that
        has heard the answer before has no need to ask.

        Args:
            journal: Journal of the meal.
            new: As for `next_meal`.
            again: As for `next_meal`.

        Returns:
            A store, `OWN`, or None for nowhere.

        Raises:
            BadRecord: The meal that goes on is of another version.
        """
        if self.store is not None:
            return self.store
        if self.remember is None and (known := terms_of(journal, new=new, again=again)) is not None:
            if not known.memory:
                return None
            return store_at(known.memory_store, journal) if known.memory_store else OWN
        return OWN if self.remember or (self.remember is None and not self.simulated) else None


@contextmanager
def household(store: str | None, journal: Journal) -> Iterator[Memory | None]:
    """Open the memory that is kept in a store, made if there is none; None if no store is named.

    A clock that is moved by hand goes on from the later time of the two journals.

    Args:
        store: A file or a database; `OWN` is the meal's own.
        journal: Journal of the meal.

    Raises:
        BadSetting, StoreUnavailable, DamagedJournal: As for `Journal.open`.
    """
    if store is None:
        yield None
        return
    kept, own = address_of(store or journal.store), address_of(journal.store)
    if (kept.path or kept.shown) == (own.path or own.shown):
        yield memory_in(journal)
        return
    clock = journal.clock if isinstance(journal.clock, SkippingClock) else None
    with Journal.open(store, clock=clock) as book:
        if clock is not None:
            clock.skip_to(book.head().at_s)
        yield memory_in(book)
