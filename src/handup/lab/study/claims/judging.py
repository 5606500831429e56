"""How a claim is judged: comparisons of means with intervals that hold together, and a sentence why.

Comparisons are of means over the same episodes. An order holds when the interval of the paired difference is on the
claimed side, and does not when it is on the other side or the two are shown to be alike; likeness needs a margin. All
intervals of a claim hold together at 95 % (Bonferroni). The paper shows medians of 100 trials (means for Task Cost)
without intervals; where medians would clearly say the opposite, the sentence tells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from handup.lab.cell import WorldKind
from handup.lab.episodes import LEVEL
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.claims.comparing import Comparison, Outcome, is_level_at_zero, judged
from handup.lab.study.claims.places import Place
from handup.lab.study.results import Results

GENERALLY = 0.75
"""What *generally*, *most* and *roughly* are read as: in at least this share of the comparisons."""
AGAINST = {Verdict.HOLDS: "would hold", Verdict.FAILS: "would not hold"}
MARGINS = "half a question, attempt or step, 0.05 in Task Cost; all intervals of a claim hold together at 95 %"
MOST_SHOWN = 6
MOST_NAMED = 3


@dataclass(frozen=True)
class Reason:
    """A mechanism that explains a verdict, as the second half of a sentence.

    Args:
        text: Starts small, ends without a full stop.
        verdict: The verdict it explains.
        world: Where it is the explanation; both where not given.
        shown: Whether the numbers show it; not said otherwise.
    """

    text: str
    verdict: Verdict
    world: WorldKind | None = None
    shown: Callable[[Results], bool] = lambda results: True

    def fits(self, verdict: Verdict, results: Results) -> bool:
        """Whether it may be said."""
        return self.verdict is verdict and self.world in (None, results.base.world) and self.shown(results)


@dataclass(frozen=True)
class Judge:
    """Judges a claim by its comparisons.

    Left out are those whose cells the run lacks, and those that ask for less than nothing: where no episode of either
    side failed, neither can fail less.

    Args:
        compare: The comparisons.
        reasons: Explanations, best first.
        share: In how many of the comparisons the claim must be borne out.
    """

    compare: Callable[[Results], Iterable[Comparison]]
    reasons: tuple[Reason, ...] = ()
    share: float = 1.0

    def __call__(self, results: Results) -> Finding:
        """The finding in the world that the results are set to."""
        known = [each for each in self.compare(results) if all(place.known(results) for _, place in each.terms)]
        wanted = [each for each in known if not is_level_at_zero(results, each)]
        level = 1.0 - (1.0 - LEVEL) / max(1, len(wanted))
        found = [judged(results, each, level) for each in wanted]
        by_medians = overall([judged(results, each, level, medians=True) for each in wanted], self.share)
        opposite = {by_medians, overall(found, self.share)} == {Verdict.HOLDS, Verdict.FAILS}
        remark = f"; by medians, as the paper shows them, it {AGAINST[by_medians]}" if opposite else ""
        basis = f"with {results.base.episodes} episodes each"
        left_out = len(known) - len(wanted)
        return conclude(found, self.reasons, results, share=self.share, basis=basis, remark=remark, left_out=left_out)


def overall(found: Sequence[Outcome], share: float) -> Verdict:
    """The verdict on a claim that must be borne out in a share of its comparisons."""
    agree, unclear = (sum(each.verdict is verdict for each in found) for verdict in (Verdict.HOLDS, Verdict.OPEN))
    needed = math.ceil(share * len(found) - 1e-9)
    if not found or agree < needed <= agree + unclear:
        return Verdict.OPEN
    return Verdict.HOLDS if agree >= needed else Verdict.FAILS


def conclude(
    found: Sequence[Outcome],
    reasons: Iterable[Reason],
    results: Results,
    *,
    share: float = 1.0,
    basis: str,
    margin: str = MARGINS,
    note: str = "",
    remark: str = "",
    left_out: int = 0,
) -> Finding:
    """Put the comparisons of a claim together.

    Args:
        found: Its comparisons.
        reasons: Explanations, best first.
        results: What they were made from.
        share: In how many of them the claim must be borne out.
        basis: What the comparisons rest on.
        margin: What is too little to count, in words.
        note: To be said with the numbers.
        remark: To be said in the end.
        left_out: How many comparisons were level at zero.
    """
    if not found and left_out:
        level = "Both sides of every comparison are at zero, and nothing is lower than that"
        return Finding(Verdict.OPEN, _numbers(found, margin, left_out), f"{level}{note}.")
    if not found:
        return Finding(Verdict.OPEN, (), f"This run has no numbers for it{note}.")
    verdict = overall(found, share)
    told = [f": {each.text}" for each in reasons if each.fits(verdict, results)]
    clause = _clause(found, verdict, basis)
    return Finding(verdict, _numbers(found, margin, left_out), f"{clause}{note}{told[0] if told else ''}{remark}.")


def _numbers(found: Sequence[Outcome], margin: str, left_out: int) -> tuple[tuple[str, str], ...]:
    order = (Verdict.FAILS, Verdict.OPEN, Verdict.HOLDS)
    ranked = sorted(found, key=lambda each: (order.index(each.verdict), -each.excess))
    shown = tuple((each.label, each.text) for each in ranked[:MOST_SHOWN])
    against, unclear, agree = (sum(each.verdict is verdict for each in found) for verdict in order)
    counts = f"{agree} agree, {against} do not, {unclear} open"
    if left_out:
        counts += f"; {left_out} level at zero, left out"
    return (("comparisons", counts), ("margin", margin), *shown)


def _clause(found: Sequence[Outcome], verdict: Verdict, basis: str) -> str:
    """What the numbers say, as the first half of a sentence."""
    among, total = [each for each in found if each.verdict is verdict], len(found)
    whole = "Both" if total == 2 else f"All {total}"
    many = whole if len(among) == total else f"{len(among)} of {total}"
    if verdict is Verdict.OPEN:
        subject = "The comparison is" if total == 1 else f"{many} comparisons {'is' if len(among) == 1 else 'are'}"
        return f"{subject} too close to call {basis}"
    if total == 1:
        return "The comparison agrees" if verdict is Verdict.HOLDS else "The comparison goes against it"
    if verdict is Verdict.HOLDS:
        return f"{many} comparisons agree"
    return f"{many} comparisons {'goes' if len(among) == 1 else 'go'} against it{_culprits(among, found)}"


def _culprits(against: Sequence[Outcome], found: Sequence[Outcome]) -> str:
    """The methods and settings that the comparisons against a claim share and the others do not."""
    names = _shared(against, found, lambda place: {place.name})
    settings = _shared(against, found, lambda place: set(place.settings))
    first = list(dict.fromkeys(each.places[0].name for each in against))
    every = "all " if len(against) > 1 else ""
    said = f", {every}with {' and '.join(names)}" if names else ""
    if not names and len(first) <= MOST_NAMED and len(first) < len({each.places[0].name for each in found}):
        said = f", with {', '.join(first[:-1])} and {first[-1]}" if len(first) > 1 else f", {every}with {first[0]}"
    return f"{said} at {', '.join(settings)}" if settings else said


def _shared(against: Sequence[Outcome], found: Sequence[Outcome], features: Callable[[Place], set[str]]) -> list[str]:
    def common(outcomes: Sequence[Outcome]) -> set[str]:
        return set.intersection(*(set().union(*map(features, each.places)) for each in outcomes))

    return sorted(common(against) - common(found))
