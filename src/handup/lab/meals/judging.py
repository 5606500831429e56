"""Judges the claims of a study of meals by the rules of `lab.study.bars`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handup.lab.meals.claim import LIKE, Bar, Claim
from handup.lab.meals.results import Results
from handup.lab.study import bars
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.paired import ALPHA, Difference, holm

RULES = (
    "An order holds where Wilcoxon's signed-rank test over participants, two-sided and corrected by Holm over all "
    "orders of the study, has p < .05 on the claimed side. It does not hold on the other side, or where the 95 % "
    "interval says that the two are at most alike: nearer than 0.2 bites or workload, 0.5 questions, attempts or J. A "
    "bar (at least, at most) holds where the 95 % bootstrap interval of the difference, over participants, clears it; "
    f"bars, unlike orders, are not corrected for their number. Fewer than {LEAST_TOLD} participants tell nothing."
)
"""To be said once with findings."""


@dataclass(frozen=True)
class Measured:
    """A bar and what was measured of it.

    Args:
        bar: What is claimed.
        found: The difference.
        p: Corrected; None where no test tells.
        verdict: Whether it came out as claimed.
    """

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
        return {
            "name": claim.name,
            "source": claim.source,
            "text": claim.text,
            **self.finding.to_json(),
            "p": [each.p for each in self.measured],
        }


def judge(claims: Sequence[Claim], results: Results) -> tuple[Judged, ...]:
    """Every claim of the study."""
    needed = list(dict.fromkeys(bar for claim in claims for bar in claim.bars))
    found = {bar: results.difference(bar.measure, bar.arm, bar.than, share=bar.share, part=bar.part) for bar in needed}
    orders = [bar for bar in needed if bar.is_order]
    corrected = dict(zip(orders, holm([found[bar].p for bar in orders]), strict=True))
    measured = {bar: _measured(bar, found[bar], corrected.get(bar), results) for bar in needed}
    return tuple(_judged(claim, [measured[bar] for bar in claim.bars], results) for claim in claims)


def told_apart(judged: Sequence[Judged]) -> tuple[Bar, ...]:
    """The orders whose arms differ beyond chance, on whichever side."""
    measured = (each for one in judged for each in one.measured)
    return tuple(dict.fromkeys(each.bar for each in measured if each.p is not None and each.p < ALPHA))


def _measured(bar: Bar, found: Difference, p: float | None, results: Results) -> Measured:
    units = results.count(bar.part)
    told = bars.verdict(found, p, sign=bar.sign, by=bar.by, alike=LIKE[bar.measure], units=units)
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
    ours, theirs = (results.mean(bar.measure, label, bar.part).value for label in (bar.arm, bar.than))
    low, high = found.ci
    of = "" if bar.share == 1.0 else f" of {bar.share:g} times"
    text = f"{ours:.2f} against {theirs:.2f}; difference{of} {found.mean:+.2f} [{low:+.2f}, {high:+.2f}]"
    text += f"; {found.more} participants more, {found.less} less, {found.same} the same"
    return text if each.p is None else f"{text}; p = {each.p:.2g}"


def _why(each: Measured, results: Results) -> str:
    """What is true of the rows, whatever the verdict."""
    low, high = each.found.ci
    if each.verdict is not Verdict.OPEN:
        return _because(each.bar, results)
    unclear = (
        f"{results.count(each.bar.part)} participants do not tell: the difference may be {low:+.2f} to {high:+.2f}"
    )
    unclear += "" if each.p is None else f", and p = {each.p:.2g}"
    return f"{unclear}. {_because(each.bar, results)}"


def _because(bar: Bar, results: Results) -> str:
    one, other, part = bar.arm, bar.than, bar.part
    if bar.measure in ("queries", "workload", "labels"):
        ours, theirs = results.questions(one, part), results.questions(other, part)
        does, of = "asks {:.2f} questions", "questions about"
    elif bar.measure == "bites":
        ours, theirs = results.losses(one, part), results.losses(other, part)
        does, of = "loses {:.2f} bites", "bites lost to"
    else:
        lost, load = (
            [sum(results.losses(label, part).values()) for label in (one, other)],
            [results.mean("workload", label, part).value for label in (one, other)],
        )
        return (
            f"In a meal{part.label} {one} loses {lost[0]:.2f} bites and {other} {lost[1]:.2f}, and the questions "
            f"of the first weigh {load[0]:.2f}, those of the second {load[1]:.2f}."
        )
    total = sum(ours.values()) - sum(theirs.values())
    gaps = {name: (ours[name] - theirs[name]) * (1.0 if total >= 0.0 else -1.0) for name in ours}
    most = max(gaps, key=lambda name: gaps[name])
    return (
        f"In a meal{part.label} {one} {does.format(sum(ours.values()))} and {other} {sum(theirs.values()):.2f}; the "
        f"largest part of that difference is {of} '{most}', {ours[most]:.2f} against {theirs[most]:.2f}."
    )
