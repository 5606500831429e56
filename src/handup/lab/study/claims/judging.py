"""How a claim is judged: comparisons of means with intervals that hold together, and a sentence why.

Comparisons are of means over the same episodes. An order holds when the interval of the paired difference is on the
claimed side, and does not when it is on the other side or the two never differ; more episodes can only decide what is
open. Likeness needs a margin. All intervals of a claim hold together at 95 % (Bonferroni). The paper shows medians of
100 trials (means for Task Cost) without intervals; where medians would clearly say the opposite, the sentence tells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from handup.lab.cell import WorldKind
from handup.lab.episodes import LEVEL
from handup.lab.study.claim import Finding, Verdict
from handup.lab.study.claims.comparing import Comparison, Outcome, is_level_at_zero, judged
from handup.lab.study.claims.places import Place
from handup.lab.study.results import Results

GENERALLY = 0.75
"""What *generally*, *tends to* and *roughly* are read as: in at least this share of the comparisons."""
MOST = 0.5 + 1e-6
"""What *most* is read as: in more than half of them."""
WORST_FIRST = (Verdict.FAILS, Verdict.OPEN, Verdict.HOLDS)
AGAINST = {Verdict.HOLDS: "would hold", Verdict.FAILS: "would not hold"}
MARGINS = (
    "Means nearer than half a question, attempt or step are alike, shares of episodes nearer than 0.05. All intervals "
    "of a claim hold together at 95 %."
)
"""To be said once with findings."""
MOST_SHOWN = 6
MOST_NAMED = 3
MOST_REASONS = 3


@dataclass(frozen=True)
class Reason:
    """A mechanism that explains a verdict, as the second half of a sentence.

    Args:
        text: Starts small, ends without a full stop.
        verdict: The verdict it explains.
        covers: Which comparisons it explains, looked up in their own numbers. It is said only where it covers all that
            decide the verdict, alone or with others.
        world: Where it is the explanation; both where not given.
    """

    text: str
    verdict: Verdict
    covers: Callable[[Results, Outcome], bool]
    world: WorldKind | None = None

    def covered(self, deciding: Sequence[Outcome], results: Results) -> frozenset[int]:
        """Those of the comparisons, by number, that it explains."""
        if self.world not in (None, results.base.world):
            return frozenset()
        return frozenset(number for number, each in enumerate(deciding) if self.covers(results, each))


@dataclass(frozen=True)
class Judge:
    """Judges a claim by its comparisons.

    Left out are those whose cells the run lacks, and those that ask for less than nothing: where no episode of either
    side failed, neither can fail less.

    Args:
        compare: The comparisons.
        reasons: Explanations, best first.
        share: In how many of the comparisons the claim must be borne out.
        caveat: Something to say of the comparisons in one world, as the end of a sentence.
    """

    compare: Callable[[Results], Iterable[Comparison]]
    reasons: tuple[Reason, ...] = ()
    share: float = 1.0
    caveat: Callable[[Results], str] = lambda results: ""

    def __call__(self, results: Results) -> Finding:
        """The finding in the world that the results are set to."""
        known = [each for each in self.compare(results) if all(place.known(results) for _, place in each.terms)]
        wanted = [each for each in known if not is_level_at_zero(results, each)]
        level = 1.0 - (1.0 - LEVEL) / max(1, len(wanted))
        found = [judged(results, each, level) for each in wanted]
        by_medians = overall([judged(results, each, level, medians=True) for each in wanted], self.share)
        opposite = {by_medians, overall(found, self.share)} == {Verdict.HOLDS, Verdict.FAILS}
        remark = f"; by medians, as the paper shows them, it {AGAINST[by_medians]}" if opposite else ""
        remark += self.caveat(results) if found else ""
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
        note: To be said with the numbers.
        remark: To be said in the end.
        left_out: How many comparisons were level at zero.
    """
    if not found and left_out:
        level = "Both sides of every comparison are at zero, and nothing is lower than that"
        return Finding(Verdict.OPEN, _numbers(found, left_out), f"{level}{note}.")
    if not found:
        return Finding(Verdict.OPEN, (), f"This run has no numbers for it{note}.")
    verdict = overall(found, share)
    ranked = sorted(found, key=lambda each: (WORST_FIRST.index(each.verdict), -each.excess))
    why = f"{_clause(found, verdict, basis)}{note}{_told(found, verdict, reasons, results)}{remark}."
    return Finding(verdict, _numbers(ranked, left_out), why, tuple(each.compared for each in ranked))


def _told(found: Sequence[Outcome], verdict: Verdict, reasons: Iterable[Reason], results: Results) -> str:
    """The fewest reasons, best first, that together cover every comparison that decides the verdict; or nothing."""
    deciding = [each for each in found if each.verdict is verdict]
    fitting = [
        (each.text, covered)
        for each in reasons
        if each.verdict is verdict and (covered := each.covered(deciding, results))
    ]
    for number in range(1, MOST_REASONS + 1):
        for chosen in combinations(fitting, number):
            if len(frozenset().union(*(covered for _, covered in chosen))) == len(deciding):
                return f": {'; '.join(text for text, _ in chosen)}"
    return ""


def _numbers(ranked: Sequence[Outcome], left_out: int) -> tuple[tuple[str, str], ...]:
    shown = tuple((each.label, each.text) for each in ranked[:MOST_SHOWN])
    against, unclear, agree = (sum(each.verdict is verdict for each in ranked) for verdict in WORST_FIRST)
    counts = f"{agree} {'agrees' if agree == 1 else 'agree'}, {against} {'does' if against == 1 else 'do'} not"
    counts += f", {unclear} open"
    if left_out:
        counts += f"; {left_out} level at zero, left out"
    return (("comparisons", counts), *shown)


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
    said = f", {every}with {_in_a_row(names)}" if names else ""
    if not names and len(first) <= MOST_NAMED and len(first) < len({each.places[0].name for each in found}):
        said = f", {every if len(first) == 1 else ''}with {_in_a_row(first)}"
    return f"{said} at {_listed(settings)}" if settings else said


def _listed(settings: Sequence[str]) -> str:
    """Settings in a row, what several share said once: N = 3 and 5, all-or."""
    groups = []
    for key, group in groupby(settings, lambda each: each.partition(" = ")[0] if " = " in each else ""):
        values = [each.removeprefix(f"{key} = ") for each in group]
        groups.append((f"{key} = " if key else "") + _in_a_row(values))
    return ", ".join(groups)


def _in_a_row(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _shared(against: Sequence[Outcome], found: Sequence[Outcome], features: Callable[[Place], set[str]]) -> list[str]:
    def common(outcomes: Sequence[Outcome]) -> set[str]:
        return set.intersection(*(set().union(*map(features, each.places)) for each in outcomes))

    return sorted(common(against) - common(found))
