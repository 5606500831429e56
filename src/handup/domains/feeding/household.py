"""Household of a meal: it keeps what the robot was told, so that people need not say it twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from handup.core import ConflictingSettings
from handup.desk import SkippingClock
from handup.domains.feeding.ordering import terms_of
from handup.domains.feeding.remembering import memory_in, store_at
from handup.journal import Journal
from handup.journal.address import address_of
from handup.memory import Memory

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
