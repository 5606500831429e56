"""The household of a meal: where it keeps what the robot was told, so that people need not say it twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from handup.core import BadSetting
from handup.desk import SkippingClock
from handup.domains.feeding.ordering import terms_of
from handup.domains.feeding.remembering import memory_in, store_at
from handup.journal import Journal
from handup.journal.address import address_of
from handup.memory import Memory

OWN = ""
"""The meal's own store."""


@dataclass(frozen=True, kw_only=True)
class MemoryWanted:
    """Somebody's wish about what the robot remembers.

    Args:
        store: What --memory says.
        remember: What --remember or --no-memory says, if anything.
        simulated: Whether people are.

    Raises:
        BadSetting: A place, and that nothing is to be kept.
    """

    store: str | None = None
    remember: bool | None = None
    simulated: bool = False

    def __post_init__(self) -> None:
        if self.store is not None and self.remember is False:
            raise BadSetting("--memory together with --no-memory", hint="Leave one of them out.")

    def place(self, journal: Journal, *, new: bool, again: bool = False) -> str | None:
        """Where it is kept: where somebody said, or as the meal was begun that goes on; else on the meal's own store.

        Of simulated people only if somebody said so: methods are compared on them, and one that has heard the answer
        before has no need to ask.

        Args:
            journal: The meal's.
            new: As for `next_meal`.
            again: Likewise.

        Returns:
            A store, `OWN`, or None: nowhere.

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
    """The memory that is kept in a store, made where there is none; None where none is named.

    A clock that is moved by hand goes on from the later of the two.

    Args:
        store: A file or a database; `OWN` is the meal's own.
        journal: The meal's.

    Raises:
        BadSetting, StoreUnavailable, DamagedJournal: As for `Journal.open`.
    """
    if store is None:
        yield None
        return
    there, here = address_of(store or journal.store), address_of(journal.store)
    if (there.path or there.shown) == (here.path or here.shown):
        yield memory_in(journal)
        return
    clock = journal.clock if isinstance(journal.clock, SkippingClock) else None
    with Journal.open(store, clock=clock) as book:
        if clock is not None:
            clock.skip_to(book.head().at_s)
        yield memory_in(book)
