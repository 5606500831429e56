"""How the commands on a journal speak and check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from handup.cli.output import err, out
from handup.core import DamagedJournal

if TYPE_CHECKING:
    from handup.journal import Journal, Verdict


PATIENCE_S = 0.5
"""What is done sooner shows no progress."""


def say(line: str = "") -> None:
    """One line of a result, as it is, however long."""
    out.print(Text(line), soft_wrap=True)


@contextmanager
def working(words: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show on stderr, at a terminal, that something takes its time, once it does.

    Args:
        words: What is being done.
        total: Of how many, where that is known.
        quiet: Show nothing, since the lines of the result show it.

    Yields:
        A function to tell how many are done.
    """
    counts = () if total is None else (MofNCompleteColumn(),)
    columns = (TextColumn("{task.description}"), BarColumn(), *counts, TimeElapsedColumn())
    progress = Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal)
    task = progress.add_task(words, total=total)
    later = Timer(PATIENCE_S, progress.start)
    later.daemon = True
    if not progress.disable:
        later.start()
    try:
        yield lambda done: progress.update(task, completed=done)
    finally:
        later.cancel()
        if later.is_alive():
            later.join()
        if progress.live.is_started:
            progress.stop()


def entries(count: int) -> str:
    """So many entries, in words."""
    return "1 entry" if count == 1 else f"{count:,} entries"


def checked(journal: Journal) -> Verdict:
    """The verdict on a journal that is whole.

    Raises:
        DamagedJournal: It is not.
    """
    with working("checking"):
        verdict = journal.verify()
    if verdict.ok:
        return verdict
    raise DamagedJournal(
        f"the journal {journal.store} is damaged: {verdict.why}",
        hint=f"Keep the robot stopped, then run: handup journal repair {journal.store}.",
    )
