"""A claim about reaching as data: what must be more than what, for whom and where, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from handup.lab.reaching.definition import MIXED
from handup.lab.reaching.results import Where

LABELS = {
    "success": "share of trials that succeed",
    "first_success": "share of first attempts that succeed",
    "time_s": "time (s)",
    "mode_changes": "mode changes",
    "joystick_input": "joystick input",
    "opposing": "share of the time opposed",
    "total_s": "time of all attempts (s)",
    "all_mode_changes": "mode changes of all attempts",
    "all_joystick_input": "joystick input of all attempts",
    "all_opposing": "share of the time of all attempts opposed",
    "predicted": "share of goals predicted",
    "questions": "questions",
    "wrongly_sure": "share of the plans surely wrong",
}
LIKE = {
    "success": 0.02,
    "first_success": 0.02,
    "time_s": 0.5,
    "mode_changes": 0.2,
    "joystick_input": 15.0,
    "opposing": 0.01,
    "total_s": 0.5,
    "all_mode_changes": 0.2,
    "all_joystick_input": 15.0,
    "all_opposing": 0.01,
    "predicted": 0.03,
    "questions": 0.1,
}
"""Means nearer than this are alike."""


class Family(StrEnum):
    """Whose claims, and about what."""

    PAPER = "the paper's orderings"
    PROTOTYPE = "the prototype's findings"
    GOAL = "the goal of assist"
    VERSUS = "assist against the paper's policy"
    LOOK_AHEAD = "the look-ahead T"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One comparison that a claim needs: a measure of a method against that of another, elsewhere, or against a number.

    Without `by` it is an order, and is told by a Wilcoxon signed-rank test; with it, it is a bar, and the 95 %
    interval of the difference has to clear it.

    Args:
        measure: One of `LIKE`.
        method: The one that the claim is about.
        where: Which trials.
        than: The other method; empty where there is none.
        elsewhere: The same method in other trials.
        less: Whether it claims less instead of more.
        by: How much more, or less, at least; below 0: not worse by more than this; alone: at least, or at most, this.
        times: Of the other method's measure.
    """

    measure: str
    method: str
    where: Where
    than: str = ""
    elsewhere: Where | None = None
    less: bool = False
    by: float | None = None
    times: float = 1.0

    @property
    def sign(self) -> float:
        """1 where more is claimed, -1 where less is."""
        return -1.0 if self.less else 1.0

    @property
    def alone(self) -> bool:
        """Whether it is about a number, and compares nothing."""
        return not self.than and self.elsewhere is None

    @property
    def is_order(self) -> bool:
        """Whether it is told by a test."""
        return self.by is None

    @property
    def needed(self) -> float:
        """Of a bar: the least difference, counted to the claimed side."""
        by = self.by or 0.0
        # A mean that is to be at most something is told by its distance from there.
        return -by if self.less and self.alone else by

    @property
    def label(self) -> str:
        """In words."""
        return self._of(f"{self._place}, {self.where.user}")

    @property
    def order(self) -> str:
        """In words that are the same for every user."""
        return self._of(self._place)

    @property
    def _place(self) -> str:
        return f"{self.where.scene} {self.where.task}".strip() or "all scenes"

    def _of(self, trials: str) -> str:
        what = f"{LABELS[self.measure]}, {trials}: {self.method}"
        if self.elsewhere is not None:
            other = f" there than in {self.elsewhere.scene}"
        elif not self.than:
            return f"{what}, at {'most' if self.less else 'least'} {self.by or 0.0:g}"
        else:
            other = f" than {f'{self.times:g} × ' if self.times != 1.0 else ''}{self.than}"
        much = "" if not self.by else f" by {self.by:g}" if self.by > 0.0 else f", or at most {-self.by:g} worse"
        return f"{what}, {'less' if self.less else 'more'}{other}{much}"


@dataclass(frozen=True, kw_only=True)
class Variance:
    """An analysis of variance that comes before the comparisons, as in the paper: tasks by methods.

    Args:
        measure: Of what.
        where: Which scene and user.
        methods: Those that were compared there.
    """

    measure: str
    where: Where
    methods: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something that trials can test.

    Args:
        key: A short name, the same for all users.
        source: Where it stands, such as "section IV-A"; "handup" for our own.
        text: What it says, in our words.
        bars: All of them must hold.
        family: Whose it is, and about what.
        user: A strategy, or `MIXED`.
        variance: What must show an effect of the method first.
    """

    key: str
    source: str
    text: str
    bars: tuple[Bar, ...]
    family: Family
    user: str = MIXED
    variance: Variance | None = None

    @property
    def name(self) -> str:
        """Unique in the study."""
        return f"{self.key} ({self.user})"

    @property
    def corrected_with(self) -> str:
        """The name of the claims whose orders are corrected together: the paper's for each user, others as they are."""
        return f"{self.family}, {self.user}" if self.family is Family.PAPER else str(self.family)
