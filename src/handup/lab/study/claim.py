"""A published claim and what our rows say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from handup.lab.study.results import Results


class Verdict(StrEnum):
    """What can be said of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Finding:
    """A claim judged in one world.

    Args:
        verdict: Whether it holds.
        numbers: What was measured, by name, as text with intervals.
        why: One sentence.
    """

    verdict: Verdict
    numbers: tuple[tuple[str, str], ...]
    why: str

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"verdict": str(self.verdict), "numbers": dict(self.numbers), "why": self.why}


@dataclass(frozen=True)
class Claim:
    """Something the paper says that a study can test.

    Args:
        name: A short name, unique in its study.
        source: Where it stands, such as "section 6.1".
        text: What it says, in our words.
        judge: Looks at the results of one world.
    """

    name: str
    source: str
    text: str
    judge: Callable[[Results], Finding]
