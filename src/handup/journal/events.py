"""The events that a journal writes about itself."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import event

ERASED = "journal.erased"
REPAIRED = "journal.repaired"


@event(ERASED)
@dataclass(frozen=True, kw_only=True)
class JournalErased:
    """A person's name and personal values were erased. The entry's key is the pseudonym.

    State that was built from earlier entries may still hold them, so it must be built again.

    Args:
        pseudonym: Pseudonym of the person.
        values: Number of values that were erased.
    """

    pseudonym: str
    values: int


@event(REPAIRED, version=2, upcasts={1: lambda body: {**body, "from_backup": False}})
@dataclass(frozen=True, kw_only=True)
class JournalRepaired:
    """The entries before this one were taken over from a damaged store, or are a backup of it.

    The last actions of robots may be missing, so a desk treats this entry as a stop.

    Args:
        source: Name of the damaged store.
        last_good: Number of the last entry that was taken over.
        lost: Number of entries that are known to be lost; None where that cannot be told.
        people_lost: Pseudonyms whose names are lost.
        values_lost: Commitments whose values are lost.
        from_backup: Whether a person put a backup in the damaged store's place.
    """

    source: str
    last_good: int
    lost: int | None = None
    people_lost: tuple[str, ...] = ()
    values_lost: tuple[str, ...] = ()
    from_backup: bool = False
