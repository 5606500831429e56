"""How commands speak: results on stdout, everything else on stderr, one line per error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from handup.core import BadSetting

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit codes beside 0: it ran and found something wrong; the input or the call was wrong; stopped by the user."""

WIDE = 200
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def print_json(record: dict[str, Any]) -> None:
    """A record on stdout, plain and complete."""
    out.file.write(json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def print_table(table: Table) -> None:
    """A table on stdout. It takes the width it needs: a number that is cut is worse than a long line."""
    Console(width=max(out.width, WIDE), highlight=False).print(table)


def check_place(option: str, path: Path | None, rows: Path) -> None:
    """Refuse a place for a result that cannot be written, or that is the input, before anything is computed."""
    if path is None:
        return
    if not path.parent.is_dir() or path.is_dir():
        raise BadSetting(f"{option} is '{path}', which cannot be written", hint="Name a file in a folder that exists.")
    if path.resolve() == rows.resolve():
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


def bar(share: float, width: int = 20) -> str:
    """A probability as a bar of text."""
    full = round(share * width)
    return "█" * full + "·" * (width - full)
