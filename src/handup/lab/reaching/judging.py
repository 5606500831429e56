"""Judges the claims about reaching by the rules of `lab.study.bars`, after the paper's analyses of variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handup.core import BadSetting
from handup.lab.reaching.claim import LABELS, LIKE, Bar, Claim, Variance
from handup.lab.reaching.results import Results
from handup.lab.study import bars
from handup.lab.study.anova import Effect, two_way
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.paired import ALPHA, Difference, holm

RULES = (
    "An order holds where Wilcoxon's signed-rank test over people, two-sided and corrected by Holm over all orders of "
    "the study, has p < .05 on the claimed side. It does not hold on the other side, or where the 95 % interval says "
    f"that the two are at most alike: nearer than {LIKE['time_s']:g} s, {LIKE['mode_changes']:g} mode changes, "
    f"{LIKE['joystick_input']:g} of input, {100 * LIKE['opposing']:g} % opposing, {100 * LIKE['predicted']:g} % "
    f"predicted, {100 * LIKE['success']:g} % success or {LIKE['questions']:g} questions. A bar (at least, at most) "
    "holds where the 95 % bootstrap interval over people clears it; bars, unlike orders, are not corrected for their "
    "number. Where the paper first asks an analysis of variance (repeated measures, task × method, corrected by "
    "Greenhouse and Geisser) so does the claim: without an effect of the method, or of both, nothing holds. Fewer than "
    f"{LEAST_TOLD} people tell nothing."
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
        """A plain record: what a page needs."""
        claim, finding = self.claim, self.finding
        return {
            "key": claim.key,
            "user": claim.user,
            "source": claim.source,
            "text": claim.text,
            "verdict": str(finding.verdict),
            "why": finding.why,
            "numbers": [f"{name}: {value}" for name, value in finding.numbers],
        }


def judge(claims: Sequence[Claim], results: Results) -> tuple[Judged, ...]:
    """Every claim."""
    needed = list(dict.fromkeys(bar for claim in claims for bar in claim.bars))
    found = {bar: _found(bar, results) for bar in needed}
    orders = [bar for bar in needed if bar.by is None]
    corrected = dict(zip(orders, holm([found[bar].p for bar in orders]), strict=True))
    measured = {bar: _measured(bar, found[bar], corrected.get(bar)) for bar in needed}
    return tuple(_judged(claim, [measured[bar] for bar in claim.bars], results) for claim in claims)


def effects(variance: Variance, results: Results) -> dict[str, Effect] | None:
    """What the method does, and the method together with the task; None where too few have all measures."""
    try:
        _, method, both = two_way(results.block(variance.measure, variance.methods, variance.where))
    except BadSetting:
        return None
    return {"method": method, "method × task": both}


def _found(bar: Bar, results: Results) -> Difference:
    if bar.elsewhere is not None:
        return results.between(bar.measure, bar.method, bar.where, bar.elsewhere)
    if bar.than:
        return results.difference(bar.measure, bar.method, bar.than, bar.where, times=bar.times)
    return results.alone(bar.measure, bar.method, bar.where)


def _measured(bar: Bar, found: Difference, p: float | None) -> Measured:
    by = bar.by or 0.0
    # A mean that is to be at most something is told by its distance from there.
    alone = not bar.than and bar.elsewhere is None
    by = -by if bar.less and alone else by
    units = found.more + found.less + found.same
    told = bars.verdict(found, p, sign=bar.sign, by=by, alike=LIKE[bar.measure], units=units)
    return Measured(bar, found, p, told)


def _judged(claim: Claim, found: Sequence[Measured], results: Results) -> Judged:
    told = bars.worst(each.verdict for each in found)
    numbers = [(each.bar.label, _numbers(each)) for each in found]
    why = _why(next(each for each in found if each.verdict is told), sum(each.verdict is told for each in found), found)
    if claim.variance is not None:
        shown, any_effect = _variance(claim.variance, results)
        numbers.insert(0, ("analysis of variance", shown))
        if told is Verdict.HOLDS and not any_effect:
            told, why = Verdict.OPEN, f"The analysis of variance shows no effect of the method: {shown}."
    finding = Finding(
        verdict=told,
        numbers=tuple(numbers),
        why=why,
        comparisons=tuple(bars.compared(each.bar.label, each.found, each.verdict) for each in found),
    )
    return Judged(claim, finding, tuple(found))


def _variance(variance: Variance, results: Results) -> tuple[str, bool]:
    found = effects(variance, results)
    if found is None:
        return "too few people have all measures", False
    text = "; ".join(
        f"{name} F({each.df[0]:.2f}, {each.df[1]:.1f}) = {each.f:.2f}, p = {each.p:.2g}" for name, each in found.items()
    )
    return text, any(each.p < ALPHA for each in found.values())


def _numbers(each: Measured) -> str:
    found = each.found
    low, high = found.ci
    if not each.bar.than and each.bar.elsewhere is None:
        return f"{found.mean:.3f} [{low:.3f}, {high:.3f}]; {each.verdict}"
    text = f"{found.mean:+.3g} [{low:+.3g}, {high:+.3g}]"
    return f"{text}; {each.verdict}" if each.p is None else f"{text}, p = {each.p:.2g}; {each.verdict}"


def _why(worst: Measured, same: int, found: Sequence[Measured]) -> str:
    """The first of the comparisons that decide, in a sentence."""
    bar, gap = worst.bar, worst.found
    low, high = gap.ci
    units = gap.more + gap.less + gap.same
    many = f"{same} of {len(found)} comparisons {_are(worst.verdict, same)}. " if len(found) > 1 else ""
    if bar.elsewhere is not None or bar.than:
        other = f"in {bar.elsewhere.scene}" if bar.elsewhere is not None else f"'{bar.than}'"
        at = "" if bar.times == 1.0 else f"{bar.times:g} × "
        said = f"'{bar.method}' against {at}{other}: {gap.mean:+.3g} ({low:+.3g} to {high:+.3g})"
    else:
        said = f"'{bar.method}': {gap.mean:.3g} ({low:.3g} to {high:.3g})"
    place = f"{bar.where.scene} {bar.where.task}".strip() or "all scenes"
    return f"{many}{LABELS[bar.measure].capitalize()}, {place}, {units} people: {said}."


def _are(verdict: Verdict, count: int) -> str:
    return {
        Verdict.HOLDS: "come out as claimed" if count != 1 else "comes out as claimed",
        Verdict.FAILS: "do not come out as claimed" if count != 1 else "does not come out as claimed",
        Verdict.OPEN: "cannot be told",
    }[verdict]
