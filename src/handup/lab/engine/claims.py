"""Measures and claims of a study, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Row = Mapping[str, Any]
"""Record of one run, meal, trial or episode."""
Where = tuple[tuple[str, Hashable], ...]
"""Conditions on rows: names of settings or columns, each with the required value, or a tuple of allowed values."""


def where(**conditions: Hashable) -> Where:
    """Return conditions on rows, such as `where(day="hard")` or `where(meal=(4, 5, 6, 7))`."""
    return tuple(conditions.items())


class Verdict(StrEnum):
    """Verdict on a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A number that every row has.

    Args:
        name: Name that claims and tables use.
        label: Description in words, with the unit.
        alike: Means nearer than this count as alike.
        of: Function that computes it from a row, NaN where it is missing; by default the column of its name is read.
        is_share: True if it is 0 or 1 in each row. Its intervals are at least as wide as Wilson's, and Newcombe's for
            differences, since resampling finds no spread in a sample whose values are all equal.
        is_amount: True if it cannot be below 0; rule 2 then looks at its medians beside its means.
    """

    name: str
    label: str
    alike: float = 0.0
    of: Callable[[Row], float] | None = None
    is_share: bool = False
    is_amount: bool = False

    def value(self, row: Row) -> float:
        """Return the measure of a row."""
        return float(row[self.name] if self.of is None else self.of(row))


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One comparison that a claim needs: a measure of an arm against another arm, another place, or a number.

    Without `by` it is an order, decided by Wilcoxon's signed-rank test. With `by`, the 95 % interval of the difference
    must clear the bar.

    Args:
        measure: Name of a measure.
        arm: Arm that the claim is about.
        than: Other arm; empty if there is none.
        where: Conditions on the rows compared.
        elsewhere: Conditions on other rows of the same arm, to compare with instead of another arm.
        less: True if less is claimed instead of more.
        by: Least difference; below 0, the largest difference by which the arm may be worse; without anything to compare
            with, the limit of the mean itself.
        times: Factor of the other arm's measure.
    """

    measure: str
    arm: str
    than: str = ""
    where: Where = ()
    elsewhere: Where | None = None
    less: bool = False
    by: float | None = None
    times: float = 1.0

    @property
    def sign(self) -> float:
        """1.0 if more is claimed, -1.0 if less is claimed."""
        return -1.0 if self.less else 1.0

    @property
    def is_alone(self) -> bool:
        """True if a mean is compared with a number instead of another mean."""
        return not self.than and self.elsewhere is None

    @property
    def is_order(self) -> bool:
        """True if a test decides, not an interval."""
        return self.by is None

    @property
    def needed(self) -> float:
        """Least difference that the bar requires, positive on the claimed side."""
        by = self.by or 0.0
        # A claimed upper limit of a mean turns the sign of the mean, and so of the limit.
        return -by if self.less and self.is_alone else by

    def label(self, measure: str, place: str, elsewhere: str = "") -> str:
        """Return the comparison in words.

        Args:
            measure: The measure in words.
            place: The rows in words, appended to the measure.
            elsewhere: The other rows in words.
        """
        start = f"{measure}{place}: {self.arm}"
        if self.is_alone:
            return f"{start}, at {'most' if self.less else 'least'} {self.by or 0.0:g}"
        times = f"{self.times:g} × " if self.times != 1.0 else ""
        other = f" there than {elsewhere}" if self.elsewhere is not None else f" than {times}{self.than}"
        much = "" if not self.by else f" by {self.by:g}" if self.by > 0.0 else f", or at most {-self.by:g} worse"
        return f"{start}, {'less' if self.less else 'more'}{other}{much}"


@dataclass(frozen=True)
class Note:
    """Explanation of a verdict in the published run, written by hand.

    Args:
        verdict: Verdict that it explains; the note is shown whenever a run comes to the same one.
        text: One or two sentences.
        place: Place that it is about, for a claim that is judged in several worlds; empty for all.
    """

    verdict: Verdict
    text: str
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Statement that a study can test.

    Args:
        name: Short name, unique in its study.
        source: Part of the paper that states it, such as "section 8.1"; "handup" for our own.
        text: Statement in our words.
        bars: Comparisons, all of which must hold.
        notes: Explanations of verdicts.
        untold: Reason why it cannot be judged here, for a claim without bars.
        family: Orders of claims with the same family are corrected together.
    """

    name: str
    source: str
    text: str
    bars: tuple[Bar, ...] = ()
    notes: tuple[Note, ...] = ()
    untold: str = ""
    family: str = ""

    def note(self, verdict: Verdict, place: str = "") -> str:
        """Return the notes on this verdict, joined; empty if there are none."""
        texts = [note.text for note in self.notes if note.verdict is verdict and note.place in ("", place)]
        return " ".join(texts)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One comparison of a claim, for programs.

    `mean` is the difference of means, the only mean, or the ratio of times; a missing interval is not finite.
    """

    label: str
    mean: float
    low: float
    high: float
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        """Return a plain record; numbers that are not finite become null."""
        numbers = {"mean": self.mean, "low": self.low, "high": self.high}
        rounded = {name: round(value, 6) if math.isfinite(value) else None for name, value in numbers.items()}
        return {"label": self.label, **rounded, "verdict": str(self.verdict)}


@dataclass(frozen=True)
class Finding:
    """Verdict on a claim, with its comparisons as text and for programs.

    `why` is the claim's note on this verdict, or the reason why none is possible.
    """

    verdict: Verdict
    numbers: tuple[tuple[str, str], ...]
    why: str
    comparisons: tuple[Compared, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
        return {
            "verdict": str(self.verdict),
            "numbers": dict(self.numbers),
            "why": self.why,
            "comparisons": [compared.to_json() for compared in self.comparisons],
        }
