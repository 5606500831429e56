"""`handup meal --memory`: where a household keeps what the robot was told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handup.journal import Journal
    from handup.memory import Memory


@contextmanager
def household(store: str | None, journal: Journal) -> Iterator[Memory | None]:
    """The memory that is kept in a store, made where there is none; None where none is named.

    It may be the meal's own store. A clock that is moved by hand goes on from the later of the two.

    Args:
        store: A file or a database.
        journal: The meal's.

    Raises:
        BadSetting, StoreUnavailable, DamagedJournal: As for `Journal.open`.
    """
    from handup.desk import SkippingClock  # noqa: PLC0415 - the help does without databases and networks
    from handup.domains.feeding.remembering import memory_in  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415
    from handup.journal.address import address_of  # noqa: PLC0415

    if store is None:
        yield None
        return
    there, here = address_of(store), address_of(journal.store)
    if (there.path or there.shown) == (here.path or here.shown):
        yield memory_in(journal)
        return
    clock = journal.clock if isinstance(journal.clock, SkippingClock) else None
    with Journal.open(store, clock=clock) as book:
        if clock is not None:
            clock.skip_to(book.head().at_s)
        yield memory_in(book)
