"""Rule 1, which judges claims by their bars (comparisons). Rule 2 is in `judge_means`; verdicts depend on both.

`rules.md` states the rule in words. Holm's method corrects over all orders of a family. Ranks and mean may disagree
(many small gains, a few large losses): then the claim stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handup.lab.engine.claims import Bar, Claim, Compared, Finding, Verdict
from handup.lab.engine.results import Results
from handup.lab.engine.stats import ALPHA, Difference, holm

if TYPE_CHECKING:
    from handup.lab.engine.study import Study

LEAST_TOLD = 12
"""Smallest number of units for a verdict: bootstrap intervals of fewer units are too narrow."""
WORST_FIRST = (Verdict.FAILS, Verdict.OPEN, Verdict.HOLDS)


@dataclass(frozen=True)
class Measured:
    """Bar with its label and its measured difference; `p` is corrected, and None if no test decides."""

    bar: Bar
    label: str
    found: Difference
    p: float | None
    verdict: Verdict

    @property
    def differs(self) -> bool:
        """True if ranks and mean of an order are on different sides; always False if an interval decides."""
        return self.p is not None and self.found.ranks * self.found.mean < 0.0

    @property
    def compared(self) -> Compared:
        """Record of the comparison, for programs."""
        low, high = self.found.ci
        return Compared(label=self.label, mean=self.found.mean, low=low, high=high, verdict=self.verdict)


@dataclass(frozen=True)
class JudgedClaim:
    """Claim with the finding on it."""

    claim: Claim
    finding: Finding
    measured: tuple[Measured, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
        claim = self.claim
        named = {"name": claim.name, "source": claim.source, "text": claim.text}
        return {**named, **self.finding.to_json(), "p": [measured.p for measured in self.measured]}


def judge(claims: Sequence[Claim], results: Results[Any]) -> tuple[JudgedClaim, ...]:
    """Judge claims by rule 1; the orders of a family are corrected together."""
    study = results.study
    found = {bar: results.of_bar(bar) for claim in claims for bar in claim.bars}
    families: dict[str, dict[Bar, Difference]] = {}
    for claim in claims:
        families.setdefault(claim.family, {}).update((bar, found[bar]) for bar in claim.bars)
    measured = {name: _measure(study, family) for name, family in families.items()}
    return tuple(_judged(claim, [measured[claim.family][bar] for bar in claim.bars], results) for claim in claims)


def _measure(study: Study, family: Mapping[Bar, Difference]) -> dict[Bar, Measured]:
    orders = [bar for bar in family if bar.is_order]
    corrected = dict(zip(orders, holm([family[bar].p for bar in orders]), strict=True))
    measured = {}
    for bar, found in family.items():
        p = corrected.get(bar)
        told = verdict(found, p, sign=bar.sign, by=bar.needed, alike=study.measure(bar.measure).alike)
        measured[bar] = Measured(bar, study.label(bar), found, p, told)
    return measured


def _judged(claim: Claim, measured: Sequence[Measured], results: Results[Any]) -> JudgedClaim:
    if not measured:
        return JudgedClaim(claim, Finding(Verdict.OPEN, (), claim.untold))
    told = worst(comparison.verdict for comparison in measured)
    finding = Finding(
        verdict=told,
        numbers=tuple((comparison.label, results.study.numbers(comparison, results)) for comparison in measured),
        why=claim.note(told),
        comparisons=tuple(comparison.compared for comparison in measured),
    )
    return JudgedClaim(claim, finding, tuple(measured))


def verdict(found: Difference, p: float | None, *, sign: float, by: float, alike: float) -> Verdict:
    """Return the verdict on one comparison.

    Args:
        found: Measured difference.
        p: Corrected p-value of an order; None if an interval decides.
        sign: 1 if more is claimed, -1 if less is claimed.
        by: Least difference that the interval must reach.
        alike: Means of an order nearer than this are alike.
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
    """Return the worst verdict: that of a claim whose comparisons must all hold."""
    return min(verdicts, key=WORST_FIRST.index)
