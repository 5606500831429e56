"""When a paired comparison is told: one rule for every study whose claims are orders and bars.

An order holds where Wilcoxon's test, corrected by Holm over all orders of its family, is below .05 on the claimed side;
it does not hold where it is on the other side, or where the whole interval of the difference says that the two are
alike or on the other side. The test is about ranks and what is reported is a mean: where these two are on different
sides (many small gains, a few large losses), neither is taken for the answer. A bar holds where the 95 % interval of
the difference (by bootstrap; of shares, as in `paired.shares`) clears it, and does not where the interval stays short
of it; bars, unlike orders, are not corrected for their number. Everything else cannot be told, and fewer than
`LEAST_TOLD` units tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from handup.lab.study.claim import Compared, Finding, Verdict
from handup.lab.study.paired import ALPHA, Difference
from handup.lab.study.tables import Table

LEAST_TOLD = 12
"""Bootstrap intervals of fewer units are too narrow to tell anything."""
WORST_FIRST = (Verdict.FAILS, Verdict.OPEN, Verdict.HOLDS)


class Claimed(Protocol):
    """A claim, as reports name it."""

    @property
    def name(self) -> str:
        """Short, and unique in its study."""
        ...

    @property
    def source(self) -> str:
        """Where it stands; "handup" for our own."""
        ...

    @property
    def text(self) -> str:
        """What it says, in our words."""
        ...


class JudgedClaim(Protocol):
    """A claim and what the rows say of it."""

    @property
    def claim(self) -> Claimed:
        """What is claimed."""
        ...

    @property
    def finding(self) -> Finding:
        """What was found."""
        ...


def verdict(found: Difference, p: float | None, *, sign: float, by: float, alike: float) -> Verdict:
    """Whether a comparison came out as claimed.

    Args:
        found: The difference.
        p: Of the order, corrected; None where it is a bar.
        sign: 1 where more is claimed, -1 where less is.
        by: Of a bar: how much, at least.
        alike: Of an order: means nearer than this are alike.
    """
    low, high = sorted(sign * end for end in found.ci)
    if found.units < LEAST_TOLD:
        return Verdict.OPEN
    if p is None:
        return Verdict.HOLDS if low >= by else Verdict.FAILS if high < by else Verdict.OPEN
    if p < ALPHA:
        if found.ranks * found.mean <= 0.0:
            return Verdict.OPEN
        return Verdict.HOLDS if sign * found.mean > 0.0 else Verdict.FAILS
    return Verdict.FAILS if high < alike else Verdict.OPEN


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """That of a claim which needs several comparisons."""
    return min(verdicts, key=WORST_FIRST.index)


def compared(label: str, found: Difference, told: Verdict) -> Compared:
    """A comparison, for programs."""
    low, high = found.ci
    return Compared(label=label, mean=found.mean, low=low, high=high, verdict=told)


def tallies(judged: Sequence[JudgedClaim]) -> Mapping[str, Mapping[Verdict, int]]:
    """How many claims got which verdict: the paper's, and our own."""
    chosen = {
        "Of the paper's claims": [each for each in judged if each.claim.source != "handup"],
        "Of our own bars": [each for each in judged if each.claim.source == "handup"],
    }
    return {
        whose: {each: sum(one.finding.verdict is each for one in some) for each in Verdict}
        for whose, some in chosen.items()
    }


def claims_table(judged: Sequence[JudgedClaim], rules: str) -> Table:
    """The claims, one by one, for a page of the docs."""
    rows = []
    for each in judged:
        numbers = "<br>".join(f"{name}: {value}" for name, value in each.finding.numbers)
        folded = f" <details><summary>numbers</summary>{numbers}</details>" if numbers else ""
        rows.append((each.claim.text, each.claim.source, f"**{each.finding.verdict}**. {each.finding.why}{folded}"))
    return Table(rules, ("Claim", "Source", "Here"), tuple(rows))
