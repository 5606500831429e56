"""How commands speak: results on stdout, everything else on stderr, one line per error."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.table import Table

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


def bar(share: float, width: int = 20) -> str:
    """A probability as a bar of text."""
    full = round(share * width)
    return "█" * full + "·" * (width - full)
