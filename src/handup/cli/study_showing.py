"""What `handup study run` shows of studies whose rows are batches: a bar on the way, tables and claims at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from handup.cli.output import INTERRUPTED, err, out, print_table

if TYPE_CHECKING:
    from handup.lab.study.bars import JudgedClaim
    from handup.lab.study.batches import Watcher
    from handup.lab.study.tables import Table as Text

T = TypeVar("T")


def with_bar(name: str, unit: str, work: Callable[[Watcher], T]) -> T:
    """Do something long with a bar on stderr. Stopping it keeps what is done.

    Args:
        name: The study's.
        unit: What is counted, such as `meals`.
        work: Is given whom to tell.
    """
    from handup.lab.study.batches import Progress as Step  # noqa: PLC0415 - slow to import

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    last = Step(0, 0)
    with Progress(
        *columns, TimeRemainingColumn(), console=err, transient=True, disable=not err.is_terminal
    ) as progress:
        bar = progress.add_task(name, total=None)

        def watch(step: Step) -> None:
            nonlocal last
            last = step
            if step.note is not None:
                progress.console.print(f"handup: {step.note}", markup=False, soft_wrap=True)
            progress.update(bar, completed=step.done, total=step.total)

        try:
            return work(watch)
        except KeyboardInterrupt:
            progress.stop()
            kept = f"{last.done} of {last.total} {unit} of '{name}' are kept"
            err.print(f"handup: Stopped. {kept}; give the same command again to go on.", markup=False, soft_wrap=True)
            raise typer.Exit(INTERRUPTED) from None


def show(given: Text) -> None:
    """A table of a study."""
    out.print(f"\n{given.caption.replace('`', '')}:", markup=False)
    shown = Table(box=None, pad_edge=False)
    for number, column in enumerate(given.columns):
        shown.add_column(column, justify="left" if number == 0 else "right")
    for row in given.rows:
        shown.add_row(*(cell.replace("`", "") for cell in row))
    print_table(shown)


def show_claims(judged: Sequence[JudgedClaim]) -> None:
    """The claims and their verdicts."""
    claims = Table(box=None, pad_edge=False)
    for column in ("claim", "source", "verdict"):
        claims.add_column(column, no_wrap=column == "verdict")
    for each in judged:
        claims.add_row(each.claim.name, each.claim.source, str(each.finding.verdict))
    out.print()
    print_table(claims)
