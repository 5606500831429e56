"""The events that a journal writes about itself."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import event

ERASED = "journal.erased"
REPAIRED = "journal.repaired"


@event(ERASED)
@dataclass(frozen=True, kw_only=True)
class JournalErased:
    """A person's name and what was personal to them was erased. The entry's key is the pseudonym.

    State that was built from earlier entries may still hold it: build it again.
    """

    pseudonym: str
    values: int


@event(REPAIRED)
@dataclass(frozen=True, kw_only=True)
class JournalRepaired:
    """The entries before this one were taken over from a damaged store.

    Args:
        source: The damaged store's name.
        last_good: The last entry taken over.
        lost: So many are known to be lost; None where that cannot be told.
        people_lost: Pseudonyms whose names are lost.
        values_lost: Commitments whose values are lost.
    """

    source: str
    last_good: int
    lost: int | None = None
    people_lost: tuple[str, ...] = ()
    values_lost: tuple[str, ...] = ()
