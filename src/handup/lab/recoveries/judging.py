"""Judges the claims of a study of recoveries by the rules of `lab.study.bars`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from handup.lab.recoveries.claim import LABELS, LIKE, Bar, Claim
from handup.lab.recoveries.results import Results
from handup.lab.study import judging
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Verdict
from handup.lab.study.judging import Measured
from handup.lab.study.paired import ALPHA

RULES = (
    "An order holds where Wilcoxon's signed-rank test over seeds, two-sided and corrected by Holm over all orders of "
    "the study, has p < .05 on the claimed side. It does not hold on the other side, or where the 95 % interval says "
    f"that the two are at most alike: nearer than {LIKE['kits']:g} kits or {LIKE['interventions']:g} interventions per "
    "run. A bar (at least, at most) holds where the 95 % bootstrap interval over runs clears it; bars, unlike orders, "
    f"are not corrected for their number. Fewer than {LEAST_TOLD} runs tell nothing."
)
"""To be said once with findings."""

Judged: TypeAlias = judging.Judged[Bar]


def judge(claims: Sequence[Claim], results: Results) -> tuple[Judged, ...]:
    """Every claim of the study."""
    return judging.judge(
        claims,
        results.of_bar,
        LIKE,
        numbers=lambda each: _numbers(each, results),
        why=lambda each: _why(each, results),
    )


def _numbers(each: Measured[Bar], results: Results) -> str:
    bar, found = each.bar, each.found
    low, high = found.ci
    if not bar.than:
        return f"{found.mean:.3f} [{low:.3f}, {high:.3f}]"
    ours, theirs = (results.mean(bar.measure, way, bar.day).value for way in (bar.way, bar.than))
    return each.numbers(ours, theirs, units="runs")


def _why(each: Measured[Bar], results: Results) -> str:
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
