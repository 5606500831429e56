"""A published claim and what our rows say of it."""

from __future__ import annotations

import math
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


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One comparison of a claim, for programs.

    Args:
        label: What was compared.
        mean: The difference of means, the one mean, or the ratio of times.
        low: Where its interval begins; not finite where it has none.
        high: Where it ends.
        verdict: Whether it came out as claimed.
    """

    label: str
    mean: float
    low: float
    high: float
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        """A plain record; what is not finite is null."""
        numbers = {"mean": self.mean, "low": self.low, "high": self.high}
        shown = {name: round(value, 6) if math.isfinite(value) else None for name, value in numbers.items()}
        return {"label": self.label, **shown, "verdict": str(self.verdict)}


@dataclass(frozen=True)
class Finding:
    """A claim judged in one world.

    Args:
        verdict: Whether it holds.
        numbers: How many comparisons agree, and the worst of them, as text with intervals.
        why: One sentence.
        comparisons: All of them, worst first.
    """

    verdict: Verdict
    numbers: tuple[tuple[str, str], ...]
    why: str
    comparisons: tuple[Compared, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        compared = [each.to_json() for each in self.comparisons]
        return {
            "verdict": str(self.verdict),
            "numbers": dict(self.numbers),
            "why": self.why,
            "comparisons": compared,
        }


@dataclass(frozen=True)
class Claim:
    """Something the paper says that a study can test.

    Args:
        name: A short name, unique in its study.
        source: Where it stands, such as "section 6.1".
        text: What it says, in our words.
        judge: Looks at the results of one world.
        about_code: Whether it is about how long a program computes. Our code is not the reference code, so that our
            times neither bear such a claim out nor refute it; it is counted apart.
    """

    name: str
    source: str
    text: str
    judge: Callable[[Results], Finding]
    about_code: bool = False
