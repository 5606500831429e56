"""Journal that is read only once all of it was checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from handup.cli.output import working
from handup.core import DamagedJournal
from handup.journal import Journal


@contextmanager
def whole_journal(store: str) -> Iterator[tuple[Journal, int]]:
    """Open a journal to read, check all of it, and yield it with the number of its entries.

    Raises:
        DamagedJournal: The journal is not whole.
    """
    with Journal.open(store, create=False, readonly=True) as journal:
        with working("checking"):
            verdict = journal.verify()
        if not verdict.ok:
            raise DamagedJournal(
                f"the journal {journal.store} is damaged: {verdict.why}",
                hint=f"Keep the robot stopped, then run: handup journal repair {journal.store}.",
            )
        yield journal, verdict.entries
