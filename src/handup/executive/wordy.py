"""Entries that what people said may have gone into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Wordy:
    """An entry with data in it, which what people said may have gone into. `sealing` says which data.

    Codes, names of steps, beliefs and variables, and paths are words of the recipe: they are never sealed. Compute none
    of them from what people say.

    Args:
        of: Whose words may be in it; empty in a program, and where nobody has said anything.
        sealed: In a journal its data is here, where it goes with any of them; None where there is none, or it is gone.
    """

    of: tuple[str, ...] = ()
    sealed: dict[str, Any] | None = None
