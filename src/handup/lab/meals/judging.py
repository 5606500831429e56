"""Judges the claims of a study of meals by the rules of `lab.study.bars`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from handup.lab.meals.claim import LIKE, Bar, Claim
from handup.lab.meals.results import Results
from handup.lab.study import judging
from handup.lab.study.bars import LEAST_TOLD
from handup.lab.study.claim import Verdict
from handup.lab.study.judging import Measured
from handup.lab.study.paired import ALPHA

RULES = (
    "An order holds where Wilcoxon's signed-rank test over participants, two-sided and corrected by Holm over all "
    "orders of the study, has p < .05 on the claimed side. It does not hold on the other side, or where the 95 % "
    "interval says that the two are at most alike: nearer than 0.2 bites or workload, 0.5 questions, attempts or J. "
    "Where ranks and mean are on different sides it cannot be told. A bar (at least, at most) holds where the 95 % "
    "bootstrap interval of the difference, over participants, clears it; bars, unlike orders, are not corrected for "
    f"their number. Fewer than {LEAST_TOLD} participants tell nothing."
)
"""To be said once with findings."""

Judged: TypeAlias = judging.Judged[Bar]


def judge(claims: Sequence[Claim], results: Results) -> tuple[Judged, ...]:
    """Every claim of the study."""
    return judging.judge(
        claims,
        lambda bar: results.difference(bar.measure, bar.arm, bar.than, share=bar.share, part=bar.part),
        LIKE,
        numbers=lambda each: _numbers(each, results),
        why=lambda each: _why(each, results),
    )


def told_apart(judged: Sequence[Judged]) -> tuple[Bar, ...]:
    """The orders whose arms differ beyond chance, on whichever side; where ranks and mean agree, as in verdicts."""
    measured = (each for one in judged for each in one.measured if each.verdict is not Verdict.OPEN)
    return tuple(dict.fromkeys(each.bar for each in measured if each.p is not None and each.p < ALPHA))


def _numbers(each: Measured[Bar], results: Results) -> str:
    bar = each.bar
    ours, theirs = (results.mean(bar.measure, label, bar.part).value for label in (bar.arm, bar.than))
    of = "" if bar.share == 1.0 else f" of {bar.share:g} times"
    return each.numbers(ours, theirs, units="participants", of=of)


def _why(each: Measured[Bar], results: Results) -> str:
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
