"""A claim about meals as data: what must be more than what, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from handup.lab.study.bar_claim import BarClaim
from handup.people import Care

MEASURES = ("bites", "wrong", "queries", "executions", "workload", "J", "J_true")
"""Per meal: successful bites of five, wrong bites, questions, attempts, what the questions cost, J as the robot
believes that it went, and J as it went."""
OF_MEMORY = ("labels", "recalls", "wrong_recalls")
"""Per meal, where a robot remembers: questions whose answer is a word (a food or a skill), remembered words that it
acted on, and those of them that were wrong."""
LABELS = {
    "bites": "successful bites of five",
    "wrong": "wrong bites",
    "queries": "questions",
    "executions": "attempts",
    "workload": "workload",
    "J": "J, as the robot believes",
    "J_true": "J, as it went",
    "labels": "questions about food and skill",
    "recalls": "recalls",
    "wrong_recalls": "wrong recalls",
}
LIKE = {
    **{"bites": 0.2, "wrong": 0.2, "queries": 0.5, "executions": 0.5, "workload": 0.2, "J": 0.5, "J_true": 0.5},
    **{"labels": 0.5, "recalls": 0.5, "wrong_recalls": 0.2},
}
"""Means nearer than this are alike."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some of the meals of a study.

    Args:
        meals: Which of each participant's, from 1; all where empty.
        care: Only of those who answer so carefully; of everybody where it is None.
    """

    meals: tuple[int, ...] = ()
    care: Care | None = None

    @property
    def label(self) -> str:
        """In words, to be put after others; empty for everything."""
        first, last = (self.meals[0], self.meals[-1]) if self.meals else (0, 0)
        days = f"day {first}" if first == last else f"days {first} to {last}"
        meals = f" on {days}" if self.meals else ""
        return meals + ("" if self.care is None else f" of those who are {self.care}")


ALL = Part()


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One comparison that a claim needs: a measure of one arm, against that of another.

    Without `by` and `share` it is an order, and is told by a Wilcoxon signed-rank test; with them it is a bar, and the
    bootstrap interval of the difference has to clear it.

    Args:
        measure: One of `MEASURES`, or of `OF_MEMORY` where a robot remembers.
        arm: The label of the arm that the claim is about.
        than: The label of the other.
        less: Whether it claims less instead of more.
        by: How much more, or less, at least; below 0: not worse by more than this.
        share: Of the other's, instead of all of it.
        part: Of these meals only.
    """

    measure: str
    arm: str
    than: str
    less: bool = False
    by: float = 0.0
    share: float = 1.0
    part: Part = ALL

    @property
    def sign(self) -> float:
        """1 where more is claimed, -1 where less is."""
        return -1.0 if self.less else 1.0

    @property
    def is_order(self) -> bool:
        """Whether it is told by a test."""
        return self.by == 0.0 and self.share == 1.0

    @property
    def needed(self) -> float:
        """Of a bar: the least difference, counted to the claimed side."""
        return self.by

    @property
    def label(self) -> str:
        """In words."""
        other = self.than if self.share == 1.0 else f"{self.share:g} times those of {self.than}"
        side = "less" if self.less else "more"
        much = f" by {self.by:g}" if self.by > 0.0 else f", or at most {-self.by:g} worse" if self.by < 0.0 else ""
        return f"{LABELS[self.measure]}{self.part.label}: {self.arm}, {side} than {other}{much}"


Claim: TypeAlias = BarClaim[Bar]
"""Something that a study of meals can test."""
