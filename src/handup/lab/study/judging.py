"""Judges claims that need comparisons, by the rules of `lab.study.bars`: what all studies with such claims share.

A study has bars of its own (what is compared, and where) and words of its own (the numbers of a comparison, and why it
came out so). The rest is here: the orders are corrected together, each bar gets its verdict, and the worst of them is
that of the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from handup.lab.study.bar_claim import B, BarClaim
from handup.lab.study.bars import compared, verdict, worst
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.paired import Difference, holm


@dataclass(frozen=True)
class Measured(Generic[B]):
    """A bar and what was measured of it.

    Args:
        bar: What is claimed.
        found: The difference.
        p: Corrected; None where no test tells.
        verdict: Whether it came out as claimed.
    """

    bar: B
    found: Difference
    p: float | None
    verdict: Verdict

    def numbers(self, ours: float, theirs: float, *, units: str, of: str = "") -> str:
        """Two means side by side, with their difference.

        Args:
            ours: The mean that the bar is about.
            theirs: That of the other.
            units: What was compared, such as "runs".
            of: What the difference is of, where not of both means as they are.
        """
        found = self.found
        low, high = found.ci
        text = f"{ours:.2f} against {theirs:.2f}; difference{of} {found.mean:+.2f} [{low:+.2f}, {high:+.2f}]"
        text += f"; {found.more} {units} more, {found.less} less, {found.same} the same"
        return text if self.p is None else f"{text}; p = {self.p:.2g}"


@dataclass(frozen=True)
class Judged(Generic[B]):
    """A claim and what the rows say of it."""

    claim: BarClaim[B]
    finding: Finding
    measured: tuple[Measured[B], ...]

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        claim = self.claim
        named = {"name": claim.name, "source": claim.source, "text": claim.text}
        return {**named, **self.finding.to_json(), "p": [each.p for each in self.measured]}


def judge(
    claims: Sequence[BarClaim[B]],
    compare: Callable[[B], Difference],
    alike: Mapping[str, float],
    *,
    numbers: Callable[[Measured[B]], str],
    why: Callable[[Measured[B]], str],
) -> tuple[Judged[B], ...]:
    """Every claim of a study, all of its orders corrected together.

    Args:
        claims: All of them.
        compare: Measures a bar.
        alike: Means of a measure nearer than this are alike.
        numbers: Tells a comparison in numbers.
        why: Says why it came out so.
    """
    bars = dict.fromkeys(bar for claim in claims for bar in claim.bars)
    measured = measure({bar: compare(bar) for bar in bars}, alike)
    judged = []
    for claim in claims:
        found = tuple(measured[bar] for bar in claim.bars)
        said = finding(found, numbers, why) if found else Finding(Verdict.OPEN, (), claim.untold)
        judged.append(Judged(claim, said, found))
    return tuple(judged)


def measure(family: Mapping[B, Difference], alike: Mapping[str, float]) -> dict[B, Measured[B]]:
    """The verdict of every bar of a family; its orders are corrected together, by Holm.

    Args:
        family: What was found, by bar.
        alike: Means of a measure nearer than this are alike.
    """
    orders = [bar for bar in family if bar.is_order]
    corrected = dict(zip(orders, holm([family[bar].p for bar in orders]), strict=True))
    measured = {}
    for bar, found in family.items():
        p = corrected.get(bar)
        told = verdict(found, p, sign=bar.sign, by=bar.needed, alike=alike[bar.measure])
        measured[bar] = Measured(bar, found, p, told)
    return measured


def finding(
    found: Sequence[Measured[B]], numbers: Callable[[Measured[B]], str], why: Callable[[Measured[B]], str]
) -> Finding:
    """What comparisons say of a claim that needs all of them.

    Args:
        found: One or more.
        numbers: Tells one of them in numbers.
        why: Says why the claim came out so, from the first of those that decide.
    """
    told = worst(each.verdict for each in found)
    return Finding(
        verdict=told,
        numbers=tuple((each.bar.label, numbers(each)) for each in found),
        why=why(next(each for each in found if each.verdict is told)),
        comparisons=tuple(compared(each.bar.label, each.found, each.verdict) for each in found),
    )
