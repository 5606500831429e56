"""A claim about recoveries as data: what must be more than what, on which day, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from handup.lab.study.bar_claim import BarClaim

MEASURES = ("kits", "points", "interventions", "questions", "alone", "faults", "recoveries", "given_up")
"""Per run of 45 minutes: complete kits, points, interventions, questions, 1 where nobody was needed and 0 otherwise,
failures of the recipe, uses of rules, and kits that were put away unfinished."""
LABELS = {
    "kits": "kits",
    "points": "points",
    "interventions": "interventions",
    "questions": "questions",
    "alone": "share of runs without an intervention",
    "availability": "availability",
    "faults": "failures",
    "recoveries": "recoveries",
    "given_up": "kits given up",
}
LIKE = {"kits": 0.1, "points": 0.7, "interventions": 0.25, "questions": 0.25, "alone": 0.05}
"""Means nearer than this are alike."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One comparison that a claim needs: a measure of one way of running, against that of another, or against 0.

    Without `by` it is an order, and is told by a Wilcoxon signed-rank test; with it, it is a bar, and the bootstrap
    interval of the difference has to clear it.

    Args:
        measure: One of `LIKE`.
        way: The way of running that the claim is about.
        day: On which day.
        than: The other one; empty where a bar is about a mean itself.
        less: Whether it claims less instead of more.
        by: How much more, or less, at least; below 0: not worse by more than this.
    """

    measure: str
    way: str
    day: str
    than: str = ""
    less: bool = False
    by: float = 0.0

    @property
    def sign(self) -> float:
        """1 where more is claimed, -1 where less is."""
        return -1.0 if self.less else 1.0

    @property
    def is_order(self) -> bool:
        """Whether it is told by a test."""
        return self.by == 0.0 and bool(self.than)

    @property
    def needed(self) -> float:
        """Of a bar: the least difference, counted to the claimed side."""
        # A mean that is to be at most something is told by its distance from there.
        return -self.by if self.less and not self.than else self.by

    @property
    def label(self) -> str:
        """In words."""
        what = f"{LABELS[self.measure]} on a {self.day} day: {self.way}"
        if not self.than:
            return f"{what}, at {'most' if self.less else 'least'} {self.by:g}"
        much = f" by {self.by:g}" if self.by > 0.0 else f", or at most {-self.by:g} worse" if self.by < 0.0 else ""
        return f"{what}, {'less' if self.less else 'more'} than {self.than}{much}"


Claim: TypeAlias = BarClaim[Bar]
"""Something that runs can test."""
