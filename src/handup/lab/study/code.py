"""A short name of the code that makes rows: rows of other code are not used again."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from handup.lab.cell import Cell
from handup.when import Pair

ROOMS = ("core", "policy", "what", "when", "recover", "lab")
NOT_ROWS = frozenset({"study", "meals", "recoveries", "reaching"})
"""Folders of what judges and draws rows of cells, or has rows of its own: they do not make them."""


@cache
def code_digest() -> str:
    """A hash of the sources that decide what the rows of a cell are, and of the solver's version."""
    package = Path(__file__).parents[2]
    found = hashlib.sha256(version("scipy").encode())
    for room in ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            if NOT_ROWS.isdisjoint(path.relative_to(package / room).parts):
                found.update(path.relative_to(package).as_posix().encode())
                found.update(path.read_bytes())
    return found.hexdigest()[:12]


def is_ours(cell: Cell) -> bool:
    """Whether a cell's method is handup's own: what others bring may change without our seeing it."""
    chosen = cell.strategy
    parts = (chosen.what, chosen.when) if isinstance(chosen, Pair) else (chosen,)
    return all(type(part).__module__.partition(".")[0] == "handup" for part in parts)
