"""`handup meal --memory`: where a household keeps what the robot was told. People need not say it twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.journal import Journal
    from handup.memory import Memory


OWN = ""
"""The meal's own store."""


def place_of(memory: str | None, *, wanted: bool | None, simulated: bool) -> str | None:
    """Where it is kept: where somebody said, else on the meal's own store; of simulated people only if they said so.

    Methods are compared on simulated people, and one that has heard the answer before has no need to ask.

    Args:
        memory: What --memory says.
        wanted: What --remember or --forget says, if anything.
        simulated: Whether people are.

    Raises:
        BadSetting: A place, and that nothing is to be kept.
    """
    if memory is not None and wanted is False:
        raise BadSetting("--memory together with --forget", hint="Leave one of them out.")
    if memory is not None:
        return memory
    return OWN if wanted or (wanted is None and not simulated) else None


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
    from handup.desk import SkippingClock  # noqa: PLC0415 - the help does without databases and networks
    from handup.domains.feeding.remembering import memory_in  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415
    from handup.journal.address import address_of  # noqa: PLC0415

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
