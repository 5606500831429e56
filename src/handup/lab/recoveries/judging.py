"""Judges the claims of a study of recoveries by the rules of `lab.study.bars`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handup.lab.recoveries.claim import LABELS, LIKE, Bar, Claim
from handup.lab.recoveries.results import Results
from handup.lab.study import bars
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.paired import ALPHA, Difference, holm

RULES = (
    "An order holds where Wilcoxon's signed-rank test over seeds, two-sided and corrected by Holm over all orders of "
    "the study, has p < .05 on the claimed side. It does not hold on the other side, or where the 95 % interval says "
    f"that the two are at most alike: nearer than {LIKE['kits']:g} kits or {LIKE['interventions']:g} interventions per "
    "run. A bar (at least, at most) holds where the 95 % bootstrap interval over runs clears it; bars, unlike orders, "
    f"are not corrected for their number. Fewer than {LEAST_TOLD} runs tell nothing."
)
"""To be said once with findings."""


@dataclass(frozen=True)
class Measured:
    """A bar and what was measured of it; `p` is corrected, and None where no test tells."""

    bar: Bar
    found: Difference
    p: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Judged:
    """A claim and what the rows say of it."""

    claim: Claim
    finding: Finding
    measured: tuple[Measured, ...]

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        claim = self.claim
        named = {"name": claim.name, "source": claim.source, "text": claim.text}
        return {**named, **self.finding.to_json(), "p": [each.p for each in self.measured]}


def judge(claims: Sequence[Claim], results: Results) -> tuple[Judged, ...]:
    """Every claim of the study."""
    needed = list(dict.fromkeys(bar for claim in claims for bar in claim.bars))
    found = {bar: results.of_bar(bar) for bar in needed}
    orders = [bar for bar in needed if bar.is_order]
    corrected = dict(zip(orders, holm([found[bar].p for bar in orders]), strict=True))
    measured = {bar: _measured(bar, found[bar], corrected.get(bar), results.count) for bar in needed}
    return tuple(_judged(claim, [measured[bar] for bar in claim.bars], results) for claim in claims)


def _measured(bar: Bar, found: Difference, p: float | None, units: int) -> Measured:
    # A mean that is to be at most something is told by its distance from there.
    by = -bar.by if bar.less and not bar.than else bar.by
    told = bars.verdict(found, p, sign=bar.sign, by=by, alike=LIKE[bar.measure], units=units)
    return Measured(bar, found, p, told)


def _judged(claim: Claim, found: Sequence[Measured], results: Results) -> Judged:
    if not found:
        return Judged(claim, Finding(Verdict.OPEN, (), claim.untold), ())
    told = bars.worst(each.verdict for each in found)
    finding = Finding(
        verdict=told,
        numbers=tuple((each.bar.label, _numbers(each, results)) for each in found),
        why=_why(next(each for each in found if each.verdict is told), results),
        comparisons=tuple(bars.compared(each.bar.label, each.found, each.verdict) for each in found),
    )
    return Judged(claim, finding, tuple(found))


def _numbers(each: Measured, results: Results) -> str:
    bar, found = each.bar, each.found
    low, high = found.ci
    if not bar.than:
        return f"{found.mean:.3f} [{low:.3f}, {high:.3f}]"
    ours, theirs = (results.mean(bar.measure, way, bar.day).value for way in (bar.way, bar.than))
    text = f"{ours:.2f} against {theirs:.2f}; difference {found.mean:+.2f} [{low:+.2f}, {high:+.2f}]"
    text += f"; {found.more} runs more, {found.less} less, {found.same} the same"
    return text if each.p is None else f"{text}; p = {each.p:.2g}"


def _why(each: Measured, results: Results) -> str:
    """What is true of the rows, whatever the verdict."""
    bar, found = each.bar, each.found
    low, high = found.ci
    if not bar.than:
        because = f"{LABELS[bar.measure].capitalize()} of '{bar.way}': {found.mean:.3f} in {results.count} runs."
    elif found.same == results.count:
        because = f"All {results.count} pairs of runs came to the same."
    else:
        because = f"{_told(bar.way, results, bar)}; {_told(bar.than, results, bar)}."
        because += f" {found.same} of {results.count} pairs of runs came to the same."
    if each.verdict is not Verdict.OPEN:
        return because
    unclear = f"{results.count} runs do not tell: it may be {low:+.3f} to {high:+.3f}"
    unclear += "" if each.p is None or each.p < ALPHA else f", and p = {each.p:.2g}"
    return f"{unclear}. {because}"


def _told(way: str, results: Results, bar: Bar) -> str:
    """One way of running in a sentence."""
    kits, faults, needed = (results.mean(name, way, bar.day).value for name in ("kits", "faults", "interventions"))
    off = sum(row.broke_off for row in results.runs(way, bar.day))
    broke = f", and breaks off in {off} of {results.count} runs" if off else ""
    return (
        f"'{way}' builds {kits:.2f} kits a run, meets {faults:.1f} failures, needs somebody {needed:.2f} times{broke}"
    )
