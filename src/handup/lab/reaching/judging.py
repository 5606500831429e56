"""Judges the claims about reaching by the rules of `lab.study.bars`, after the paper's analyses of variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handup.lab.reaching.claim import LABELS, LIKE, Bar, Claim, Family, Variance
from handup.lab.reaching.results import WITHOUT_RULE, Results
from handup.lab.study import judging
from handup.lab.study.anova import Effect, two_way
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.judging import Measured
from handup.lab.study.paired import ALPHA, Difference

RULES = (
    "An order holds where Wilcoxon's signed-rank test over people, two-sided and corrected by Holm, has p < .05 on the "
    "claimed side. It does not hold on the other side, or where the 95 % interval says that the two are at most alike: "
    f"nearer than {LIKE['time_s']:g} s, {LIKE['mode_changes']:g} mode changes, {LIKE['joystick_input']:g} of input, "
    f"{100 * LIKE['opposing']:g} % opposing, {100 * LIKE['predicted']:g} % predicted, {100 * LIKE['success']:g} % "
    f"success or {LIKE['questions']:g} questions. Where ranks and mean are on different sides it cannot be told. "
    "Orders are corrected within their family: the paper's for one kind of user, the prototype's findings, assist "
    "against the paper's policy, the look-ahead T. A family is what answers one question, and what is said about one "
    "kind of user does not depend on how many other questions the study asks. A bar (at least, at most) holds where "
    "the 95 % bootstrap interval over people clears it; bars, unlike orders, are not corrected for their number. Of a "
    "difference of shares (success, prediction) each end of the interval is the wider one of the bootstrap's and of "
    "Newcombe's score interval for pairs, since resampling knows no doubt where no pair differs; of people of whom "
    "several trials are averaged, that interval takes the pairs for uncorrelated. Where "
    "the paper first asks an analysis of variance (repeated measures, task × method, corrected by Greenhouse and "
    "Geisser) so does the claim: without an effect of the method, or of both, nothing holds. Each claim of the paper "
    "about the attempt that succeeded is judged once more over all attempts, in a family of its own: that is its "
    f"verdict without the rule of exclusion. Fewer than {LEAST_TOLD} people tell nothing."
)
"""To be said once with findings."""

DIFFERENT_SIDES = "ranks and mean point to different sides"


@dataclass(frozen=True)
class Judged:
    """A claim and what the rows say of it.

    Args:
        claim: What is claimed.
        finding: What was found.
        measured: Its comparisons.
        without_rule: The verdict where nothing is left out; None where the paper's rule leaves nothing out anyway.
    """

    claim: Claim
    finding: Finding
    measured: tuple[Measured[Bar], ...]
    without_rule: Verdict | None = None

    def to_json(self) -> dict[str, Any]:
        """A plain record: what a page needs."""
        claim, finding = self.claim, self.finding
        return {
            "key": claim.key,
            "family": str(claim.family),
            "user": claim.user,
            "source": claim.source,
            "text": claim.text,
            "verdict": str(finding.verdict),
            "without_rule": None if self.without_rule is None else str(self.without_rule),
            "why": finding.why,
            "numbers": [f"{name}: {value}" for name, value in finding.numbers],
        }


def judge(claims: Sequence[Claim], results: Results) -> tuple[Judged, ...]:
    """Every claim; those of the paper with the rule of exclusion and without."""
    # Also those that the rule does not touch are in the second family, so that both are as strict.
    whole = tuple(_without(each) for each in claims if each.family is Family.PAPER)
    needed = dict.fromkeys(bar for claim in (*claims, *whole) for bar in claim.bars)
    found = {bar: _found(bar, results) for bar in needed}
    again = {each.claim: each.finding.verdict for each in _judged_together(whole, found, results)}
    return tuple(
        replace(each, without_rule=again.get(_without(each.claim)) if _without(each.claim) != each.claim else None)
        for each in _judged_together(claims, found, results)
    )


def _judged_together(claims: Sequence[Claim], found: Mapping[Bar, Difference], results: Results) -> tuple[Judged, ...]:
    """Claims of which the orders of each family are corrected together."""
    families: dict[str, dict[Bar, Difference]] = {}
    for claim in claims:
        families.setdefault(claim.corrected_with, {}).update((bar, found[bar]) for bar in claim.bars)
    measured = {name: judging.measure(family, LIKE) for name, family in families.items()}
    return tuple(
        _judged(claim, tuple(measured[claim.corrected_with][bar] for bar in claim.bars), results) for claim in claims
    )


def _without(claim: Claim) -> Claim:
    """The same over all attempts: nothing is left out."""
    variance = claim.variance

    def whole(measure: str) -> str:
        return WITHOUT_RULE.get(measure, measure)

    return replace(
        claim,
        bars=tuple(replace(each, measure=whole(each.measure)) for each in claim.bars),
        variance=None if variance is None else replace(variance, measure=whole(variance.measure)),
    )


def effects(variance: Variance, results: Results) -> dict[str, Effect] | None:
    """What the method does, and the method together with the task; None where too few have all measures."""
    block = results.block(variance.measure, variance.methods, variance.where)
    if len(block) < LEAST_TOLD:
        return None
    _, method, both = two_way(block)
    return {"method": method, "method × task": both}


def _found(bar: Bar, results: Results) -> Difference:
    if bar.elsewhere is not None:
        return results.between(bar.measure, bar.method, bar.where, bar.elsewhere)
    if bar.than:
        return results.difference(bar.measure, bar.method, bar.than, bar.where, times=bar.times)
    return results.alone(bar.measure, bar.method, bar.where)


def _judged(claim: Claim, found: tuple[Measured[Bar], ...], results: Results) -> Judged:
    told = judging.finding(found, _numbers, lambda decides: _why(decides, found))
    if claim.variance is not None:
        shown, any_effect = _variance(claim.variance, results)
        told = replace(told, numbers=(("analysis of variance", shown), *told.numbers))
        if told.verdict is Verdict.HOLDS and not any_effect:
            why = f"The analysis of variance shows no effect of the method: {shown}."
            told = replace(told, verdict=Verdict.OPEN, why=why)
    return Judged(claim, told, found)


def _variance(variance: Variance, results: Results) -> tuple[str, bool]:
    found = effects(variance, results)
    if found is None:
        return "too few people have all measures", False
    text = "; ".join(
        f"{name} F({each.df[0]:.2f}, {each.df[1]:.1f}) = {each.f:.2f}, p = {each.p:.2g}" for name, each in found.items()
    )
    return text, any(each.p < ALPHA for each in found.values())


def _numbers(each: Measured[Bar]) -> str:
    found = each.found
    low, high = found.ci
    if each.bar.alone:
        return f"{found.mean:.3f} [{low:.3f}, {high:.3f}]; {each.verdict}"
    return f"{_signed(found.mean)} [{_signed(low)}, {_signed(high)}]{_tested(each)}; {each.verdict}"


def _signed(value: float) -> str:
    return f"{value:+.3g}" if value else "0"


def _tested(each: Measured[Bar]) -> str:
    """What the test of an order says, where the interval alone would not explain the verdict; nothing of a bar."""
    if each.p is None:
        return ""
    return f", corrected p = {each.p:.2g}{f'; {DIFFERENT_SIDES}' if different_sides(each) else ''}"


def different_sides(each: Measured[Bar]) -> bool:
    """Whether ranks say more and the mean says less, or the other way round; of a bar, never."""
    return each.p is not None and each.found.ranks * each.found.mean < 0.0


def _why(decides: Measured[Bar], found: Sequence[Measured[Bar]]) -> str:
    """The first of the comparisons that decide, in a sentence."""
    bar, gap = decides.bar, decides.found
    low, high = gap.ci
    same = sum(each.verdict is decides.verdict for each in found)
    many = f"{same} of {len(found)} comparisons {_are(decides.verdict, same)}. " if len(found) > 1 else ""
    if bar.elsewhere is not None or bar.than:
        other = f"in {bar.elsewhere.scene}" if bar.elsewhere is not None else f"'{bar.than}'"
        at = "" if bar.times == 1.0 else f"{bar.times:g} × "
        said = f"'{bar.method}' against {at}{other}: {_signed(gap.mean)} ({_signed(low)} to {_signed(high)})"
        said += _tested(decides)
    else:
        said = f"'{bar.method}': {gap.mean:.3g} ({low:.3g} to {high:.3g})"
    place = f"{bar.where.scene} {bar.where.task}".strip() or "all scenes"
    people = f"{gap.units} {'person' if gap.units == 1 else 'people'}"
    return f"{many}{LABELS[bar.measure].capitalize()}, {place}, {people}: {said}."


def _are(verdict: Verdict, count: int) -> str:
    return {
        Verdict.HOLDS: "come out as claimed" if count != 1 else "comes out as claimed",
        Verdict.FAILS: "do not come out as claimed" if count != 1 else "does not come out as claimed",
        Verdict.OPEN: "cannot be told",
    }[verdict]
