"""Output of the commands: results on stdout, everything else on stderr, one line per error; times are in UTC."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from handup.core import ConflictingSettings, Malformed

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit codes beside 0: the command found something wrong; the input or the call was wrong; the user stopped it."""

PATIENCE_S = 0.5
"""Seconds before a progress bar appears; work that is done sooner shows none."""
WIDE = 200
"""Least width of a table, in letters."""
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(line: str = "") -> None:
    """Print one line of a result on stdout, without wrapping it."""
    out.print(Text(line), soft_wrap=True)


def note(line: str) -> None:
    """Print one line on stderr, without wrapping it; join a text of several lines."""
    err.print(" ".join(line.split()), markup=False, soft_wrap=True)


def print_json(record: dict[str, Any]) -> None:
    """Print a record as JSON on stdout."""
    out.file.write(json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def print_result(record: dict[str, Any], show: Callable[[], object], *, as_json: bool) -> None:
    """Print a result on stdout: as JSON, or in words by `show`."""
    if as_json:
        print_json(record)
    else:
        show()


def plain_table(*columns: str, right: Collection[str] = (), wrap: bool = False, **style: Any) -> Table:
    """Make a table without lines.

    Args:
        columns: Headings.
        right: Headings of the columns that are aligned to the right, such as numbers.
        wrap: Let long cells take several lines.
        style: Further settings of `rich.table.Table`.
    """
    table = Table(box=None, pad_edge=False, **style)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=not wrap)
    return table


def picked(thing: object, *names: str) -> dict[str, Any]:
    """Return some attributes of an object, by name, for a record."""
    return {name: getattr(thing, name) for name in names}


def print_table(table: Table) -> None:
    """Print a table on stdout, as wide as it needs to be: a number that is cut is worse than a long line."""
    Console(width=max(out.width, WIDE), highlight=False).print(table)


def bar(share: float, width: int = 20) -> str:
    """Draw a probability, 0 to 1, as a bar of text."""
    full = round(share * width)
    return "█" * full + "·" * (width - full)


def many(count: int, what: str, more: str = "") -> str:
    """Return a count in words, as in "1 run" and "1,200 runs"; `more` is an irregular plural."""
    return f"1 {what}" if count == 1 else f"{count:,} {more or what + 's'}"


def entries(count: int) -> str:
    """Return a count of journal entries in words."""
    return many(count, "entry", "entries")


@contextmanager
def working(words: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on stderr, at a terminal, once the work takes longer than a moment.

    Args:
        words: Name of the work, such as "checking".
        total: Number of steps; None where it is unknown.
        quiet: Show no bar, as where the lines of the result show the progress.

    Yields:
        A function that takes the number of steps that are done.
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
        # The timer may be starting the bar in its own thread right now: without joining it, the bar would never stop.
        later.cancel()
        if later.is_alive():
            later.join()
        if progress.live.is_started:
            progress.stop()


# -- places ------------------------------------------------------------------------------------------------------------


def check_place(option: str, path: Path | None, rows: Path | None = None) -> None:
    """Refuse a file for a result that cannot be written, or that is the input, before anything is computed."""
    if path is None:
        return
    if not path.parent.is_dir() or path.is_dir():
        must = "name a file that can be written"
        raise Malformed.of(option, f"'{path}'", must, hint="Name a file in a folder that exists.")
    if rows is not None and path.resolve() == rows.resolve():
        raise ConflictingSettings.of(option, f"'{path}'", "not be the file of the rows", hint="Name another file.")


def check_writable(option: str, path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed. The content of the file stays."""
    new = not path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        got = f"'{path}' ({error.strerror or error})"
        raise Malformed.of(option, got, "name a file that can be written", hint="Name another file.") from None
    if new:
        path.unlink()


# -- times -------------------------------------------------------------------------------------------------------------


def day(at_s: float) -> str:
    """Return the date."""
    return _told(at_s, "%Y-%m-%d")


def clock(at_s: float) -> str:
    """Return the time of day."""
    return _told(at_s, "%H:%M:%S")


def moment(at_s: float) -> str:
    """Return the date and the time of day."""
    return _told(at_s, "%Y-%m-%d %H:%M:%S")


def near(at_s: float | None, today: str) -> str:
    """Return the time of day, with the date where it is not today's; empty where there is no time."""
    if at_s is None:
        return ""
    return clock(at_s) if day(at_s) == today else _told(at_s, "%Y-%m-%d %H:%M")


def _told(at_s: float, form: str) -> str:
    try:
        return datetime.fromtimestamp(at_s, UTC).strftime(form)
    except (OverflowError, ValueError, OSError):
        return f"{at_s:.3g} s"
