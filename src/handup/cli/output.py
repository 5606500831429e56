"""How commands speak: results on stdout, everything else on stderr, one line per error; times are told in UTC."""

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

from handup.core import BadSetting

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit codes beside 0: it ran and found something wrong; the input or the call was wrong; stopped by the user."""

PATIENCE_S = 0.5
"""What is done sooner shows no progress."""
WIDE = 200
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(line: str = "") -> None:
    """One line of a result, as it is, however long."""
    out.print(Text(line), soft_wrap=True)


def note(line: str) -> None:
    """One line on stderr, however long; a text of several is joined."""
    err.print(" ".join(line.split()), markup=False, soft_wrap=True)


def print_json(record: dict[str, Any]) -> None:
    """A record on stdout, plain and complete."""
    out.file.write(json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def plain_table(*columns: str, right: Collection[str] = (), wrap: bool = False, **style: Any) -> Table:
    """Make a table without lines.

    Args:
        columns: Headings.
        right: Those of numbers, which stand to the right.
        wrap: Let long cells take several lines.
        style: Of the table, as its class takes it.
    """
    table = Table(box=None, pad_edge=False, **style)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=not wrap)
    return table


def picked(thing: object, *names: str) -> dict[str, Any]:
    """Attributes of something by name, for a record."""
    return {name: getattr(thing, name) for name in names}


def print_table(table: Table) -> None:
    """A table on stdout. It takes the width it needs: a number that is cut is worse than a long line."""
    Console(width=max(out.width, WIDE), highlight=False).print(table)


def bar(share: float, width: int = 20) -> str:
    """A probability as a bar of text."""
    full = round(share * width)
    return "█" * full + "·" * (width - full)


def many(count: int, what: str, more: str = "") -> str:
    """So many of something, in words, as in "1 run" and "1,200 runs"."""
    return f"1 {what}" if count == 1 else f"{count:,} {more or what + 's'}"


def entries(count: int) -> str:
    """So many entries, in words."""
    return many(count, "entry", "entries")


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


# -- places ------------------------------------------------------------------------------------------------------------


def check_place(option: str, path: Path | None, rows: Path | None = None) -> None:
    """Refuse a place for a result that cannot be written, or that is the input, before anything is computed."""
    if path is None:
        return
    if not path.parent.is_dir() or path.is_dir():
        raise BadSetting(f"{option} is '{path}', which cannot be written", hint="Name a file in a folder that exists.")
    if rows is not None and path.resolve() == rows.resolve():
        raise BadSetting(f"{option} is the file of the rows", hint="Give it a name of its own.")


def check_writable(option: str, path: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed. What is in it stays."""
    new = not path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise BadSetting(
            f"{option} is '{path}', which cannot be written: {error.strerror or error}", hint="Name another file."
        ) from None
    if new:
        path.unlink()


# -- times -------------------------------------------------------------------------------------------------------------


def day(at_s: float) -> str:
    """The date."""
    return _told(at_s, "%Y-%m-%d")


def clock(at_s: float) -> str:
    """The time of day."""
    return _told(at_s, "%H:%M:%S")


def moment(at_s: float) -> str:
    """Date and time of day."""
    return _told(at_s, "%Y-%m-%d %H:%M:%S")


def near(at_s: float | None, today: str) -> str:
    """The time of day, with the date where that is another day's; empty where there is no time."""
    if at_s is None:
        return ""
    return clock(at_s) if day(at_s) == today else _told(at_s, "%Y-%m-%d %H:%M")


def _told(at_s: float, form: str) -> str:
    try:
        return datetime.fromtimestamp(at_s, UTC).strftime(form)
    except (OverflowError, ValueError, OSError):
        return f"{at_s:.3g} s"
