"""The two rules by which claims are judged; published verdicts depend on both.

Rule 1 judges a claim by its bars, the comparisons that it needs; `rules.md` states the rule in words. The p-values of
all orders of a family (bars that say only "more" or "less") are corrected by Holm's method. Where ranks and mean point
in different directions, as with many small gains and a few large losses, the claim stays open.

Rule 2 judges a claim by comparisons of means over the same episodes, with simultaneous intervals. That one mean is
lower holds where the interval of the paired difference is on the claimed side. It does not hold where the interval is
on the other side, or where the two never differ. Everything else is open, and more episodes may decide it. To count as
alike, means need a margin. All intervals of a claim hold together at 95 % (Bonferroni), and a claim must be borne out
in a share of its comparisons. A comparison is left out if the run lacks its numbers, or if nothing can be lower: where
no episode of either side failed, neither can fail less. Where medians would clearly give the opposite verdict, the
finding says so. Times have no interval: ratios of times that are near a limit are left open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy import stats

from handup.lab.engine.claims import Bar, Claim, Compared, Finding, Measure, Verdict, Where
from handup.lab.engine.stats import ALPHA, Difference, Vector, holm

if TYPE_CHECKING:
    from handup.lab.engine.results import Results
    from handup.lab.engine.study import Study

LEAST_TOLD = 12
"""Smallest number of units for a verdict: bootstrap intervals of fewer units are too narrow."""
WORST_FIRST = (Verdict.FAILS, Verdict.OPEN, Verdict.HOLDS)
LEVEL = 0.95
"""All intervals of a claim hold together at this level."""
LEAST_EPISODES = 30
"""Smallest number of episodes for a verdict: if none of fewer episodes differ, that may be chance."""
DIGITS = 9
"""Number of decimals of costs, which are sums of decimals; later digits are rounding errors."""
SLACK = 2.0
"""Factor within which a time is too near to its limit for a verdict, on a machine that runs other programs too."""
ALIKE = 3.0
"""Times within this factor of each other count as alike."""
MOST_SHOWN = 6
NO_NUMBERS = "This run has no numbers for it."
NO_TIMES = "No computation times were measured in this world."
AT_ZERO = "Both sides of every comparison are zero, and nothing can be lower."
MEDIANS = {
    Verdict.HOLDS: "The paper shows medians; judged by them, it would hold.",
    Verdict.FAILS: "The paper shows medians; judged by them, it would not hold.",
}


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
    told = overall([comparison.verdict for comparison in measured])
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


@dataclass(frozen=True)
class ComparedPoint:
    """One side of a comparison: an arm under settings that differ from the usual ones, with these settings in words.

    `name` is the arm's name for readers, which may omit a part that all sides share.
    """

    arm: str
    name: str
    at: Where = ()
    words: tuple[str, ...] = ()


class PointSource(Protocol):
    """Source of the numbers of points."""

    @property
    def place(self) -> str:
        """Name of the source in notes of claims."""

    def has(self, point: ComparedPoint) -> bool:
        """Return True if a run has the numbers of a point."""

    def measure(self, metric: str) -> Measure:
        """Return the measure of that name, with its label and kind."""

    def margin(self, metric: str, points: Sequence[ComparedPoint]) -> float:
        """Return the distance within which means of a metric count as alike."""

    def amounts(self, metric: str, point: ComparedPoint) -> Vector:
        """Return a metric for each episode, in an order that all points share."""

    def seconds(self, point: ComparedPoint, *, per_decision: bool) -> float | None:
        """Return the computation time of an episode, or of a decision; None where it was not measured."""


class WantedMeans(StrEnum):
    """Outcome of a comparison that a claim states."""

    LOWER = "lower"
    NOT_HIGHER = "not higher"
    SAME = "the same"


@dataclass(frozen=True)
class MeansComparison:
    """Comparison that a claim needs: a sum of means of a metric, with their signs, against a target.

    One mean is compared with the target; two are a difference, four a difference of differences.
    """

    metric: str
    wanted: WantedMeans
    terms: tuple[tuple[int, ComparedPoint], ...]
    target: float = 0.0

    @property
    def points(self) -> tuple[ComparedPoint, ...]:
        """Sides of the comparison."""
        return tuple(point for _, point in self.terms)


@dataclass(frozen=True)
class Ratio:
    """A computation time in seconds, or its ratio to that of `bottom`, and the limits that a claim puts it between.

    Times are those of whole episodes, or of one decision.
    """

    top: ComparedPoint
    bottom: ComparedPoint | None = None
    least: float = 0.0
    most: float = math.inf
    per_decision: bool = False

    @property
    def points(self) -> tuple[ComparedPoint, ...]:
        """Sides of the comparison."""
        return (self.top,) if self.bottom is None else (self.top, self.bottom)


@dataclass(frozen=True, kw_only=True)
class MeansClaim(Claim):
    """A claim that must be borne out in a share of comparisons of means, or of ratios of times.

    `chosen` gives comparisons that depend on the numbers themselves, instead of those listed.
    """

    compared: tuple[MeansComparison | Ratio, ...] = ()
    chosen: Callable[[PointSource], Iterable[MeansComparison]] | None = None
    share: float = 1.0

    @property
    def about_code(self) -> bool:
        """True if the claim is about computation times, which times of other code neither confirm nor refute."""
        return any(isinstance(comparison, Ratio) for comparison in self.compared)

    def comparisons(self, source: PointSource) -> tuple[MeansComparison | Ratio, ...]:
        """Return the comparisons whose points a run has."""
        listed = self.compared if self.chosen is None else tuple(self.chosen(source))
        return tuple(comparison for comparison in listed if all(map(source.has, comparison.points)))


@dataclass(frozen=True)
class _Outcome:
    """A comparison with its outcome; `excess` beyond what would be acceptable sorts comparisons, worst first."""

    compared: Compared
    text: str
    excess: float


def judge_means(claim: MeansClaim, source: PointSource) -> Finding:
    """Judge a claim by the numbers of one source."""
    if claim.untold:
        return Finding(Verdict.OPEN, (), claim.untold)
    known = claim.comparisons(source)
    ratios = [comparison for comparison in known if isinstance(comparison, Ratio)]
    means = [comparison for comparison in known if isinstance(comparison, MeansComparison)]
    wanted = [comparison for comparison in means if not _is_level_at_zero(source, comparison)]
    level = 1.0 - (1.0 - LEVEL) / max(1, len(wanted))
    found = [_judged_means(source, comparison, level) for comparison in wanted]
    found += [outcome for ratio in ratios if (outcome := _judged_time(source, ratio)) is not None]
    left_out = len(means) - len(wanted)
    if not found:
        why = AT_ZERO if left_out else NO_TIMES if claim.about_code else NO_NUMBERS
        return Finding(Verdict.OPEN, _numbers(found, left_out) if left_out else (), why)
    verdict = overall([outcome.compared.verdict for outcome in found], claim.share)
    by_medians = [_judged_means(source, comparison, level, medians=True).compared.verdict for comparison in wanted]
    other = overall(by_medians, claim.share)
    why = claim.note(verdict, source.place)
    if {verdict, other} == {Verdict.HOLDS, Verdict.FAILS}:
        why = f"{why} {MEDIANS[other]}".strip()
    ranked = sorted(found, key=lambda outcome: (WORST_FIRST.index(outcome.compared.verdict), -outcome.excess))
    return Finding(verdict, _numbers(ranked, left_out), why, tuple(outcome.compared for outcome in ranked))


def overall(verdicts: Sequence[Verdict], share: float = 1.0) -> Verdict:
    """Return the verdict on a claim that must be borne out in a share of its comparisons."""
    agree, unclear = verdicts.count(Verdict.HOLDS), verdicts.count(Verdict.OPEN)
    needed = math.ceil(share * len(verdicts) - 1e-9)
    if not verdicts or agree < needed <= agree + unclear:
        return Verdict.OPEN
    return Verdict.HOLDS if agree >= needed else Verdict.FAILS


def _numbers(ranked: Sequence[_Outcome], left_out: int) -> tuple[tuple[str, str], ...]:
    """Return the numbers of comparisons that agree and disagree, and the worst comparisons."""
    verdicts = [outcome.compared.verdict for outcome in ranked]
    against, unclear, agree = (verdicts.count(verdict) for verdict in WORST_FIRST)
    counts = f"{agree} {'agrees' if agree == 1 else 'agree'}, {against} {'does' if against == 1 else 'do'} not"
    counts += f", {unclear} open" + (f"; {left_out} level at zero, left out" if left_out else "")
    return ("comparisons", counts), *((outcome.compared.label, outcome.text) for outcome in ranked[:MOST_SHOWN])


def _judged_means(source: PointSource, comparison: MeansComparison, level: float, *, medians: bool = False) -> _Outcome:
    """Compare, with an interval of a given level."""
    measure = source.measure(comparison.metric)
    interval = _median_interval if medians and measure.is_amount else _mean_interval
    mean, low, high = interval(source, comparison, level)
    margin = source.margin(comparison.metric, comparison.points)
    verdict, excess = _means_verdict(comparison.wanted, low, high, margin)
    mean, low, high = (number + comparison.target for number in (mean, low, high))
    text = f"{_number(mean)} [{_number(low)}, {_number(high)}]"
    if comparison.target or len(comparison.terms) == 1:
        text += f" against {comparison.target:g}"
    label = f"{measure.label}: {_named(comparison.points)}"
    return _Outcome(Compared(label=label, mean=mean, low=low, high=high, verdict=verdict), text, excess)


def _judged_time(source: PointSource, ratio: Ratio) -> _Outcome | None:
    """Compare times; None where they were not measured."""
    times = [source.seconds(point, per_decision=ratio.per_decision) for point in ratio.points]
    if any(seconds is None for seconds in times) or not all(times[1:]):
        return None
    top, bottom = (*(seconds or 0.0 for seconds in times), 1.0)[:2]
    value = top / bottom
    verdict = Verdict.OPEN
    if ratio.least * SLACK <= value <= ratio.most / SLACK:
        verdict = Verdict.HOLDS
    elif value < ratio.least / SLACK or value > ratio.most * SLACK:
        verdict = Verdict.FAILS
    names = " over ".join(", ".join((point.name, *point.words)) for point in ratio.points)
    label = f"time per {'decision' if ratio.per_decision else 'episode'}: {names}"
    excess = max(ratio.least / value if value else math.inf, value / ratio.most)
    compared = Compared(label=label, mean=value, low=math.nan, high=math.nan, verdict=verdict)
    return _Outcome(compared, f"{value:.3g} {'s' if ratio.bottom is None else 'times'}", excess)


def _is_level_at_zero(source: PointSource, comparison: MeansComparison) -> bool:
    """Return True if a point should be below another although both are 0, the least possible value."""
    measure = source.measure(comparison.metric)
    if comparison.wanted is not WantedMeans.LOWER or not (measure.is_share or measure.is_amount):
        return False
    return not any(source.amounts(comparison.metric, point).any() for point in comparison.points)


def _means_verdict(wanted: WantedMeans, low: float, high: float, margin: float) -> tuple[Verdict, float]:
    """Return the verdict on an interval, and by how much its nearer end lies beyond what is acceptable."""
    excess, fails = {
        WantedMeans.LOWER: (high, low >= 0.0),
        WantedMeans.NOT_HIGHER: (high - margin, low > margin),
        WantedMeans.SAME: (max(high, -low) - margin, low > margin or high < -margin),
    }[wanted]
    return (Verdict.HOLDS if excess < 0.0 else Verdict.FAILS if fails else Verdict.OPEN), excess / margin


def _mean_interval(source: PointSource, comparison: MeansComparison, level: float) -> tuple[float, float, float]:
    """Return mean and interval of the sum less the target, episode by episode.

    Where shares are compared, two imagined episodes are added, one at each extreme, so that an event that was never
    seen is not taken for impossible.
    """
    values = sum((sign * source.amounts(comparison.metric, point) for sign, point in comparison.terms), np.zeros(1))
    values = np.round(values, DIGITS)
    mean, count = float(np.mean(values)) - comparison.target, len(values)
    if count < LEAST_EPISODES:
        return mean, -math.inf, math.inf
    least, most = -math.inf, math.inf
    if source.measure(comparison.metric).is_share:
        least = float(sum(sign for sign, _ in comparison.terms if sign < 0))
        most = float(sum(sign for sign, _ in comparison.terms if sign > 0))
        values = np.append(values, (least, most))
    half = _reach(level, count) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    centre = float(np.mean(values))
    return mean, max(least, centre - half) - comparison.target, min(most, centre + half) - comparison.target


def _median_interval(source: PointSource, comparison: MeansComparison, level: float) -> tuple[float, float, float]:
    """Return the sum of the medians less the target, between the sums of the ends of their intervals.

    A median's interval ends at order statistics, whatever the distribution; the medians' intervals hold together.
    """
    at = low = high = -comparison.target
    tail = (1.0 - level) / 2.0 / len(comparison.terms)
    for sign, point in comparison.terms:
        values = np.sort(source.amounts(comparison.metric, point))
        below = _rank(tail, len(values))
        ends = (values[below - 1], values[-below]) if below else (-math.inf, math.inf)
        at += sign * float(np.median(values))
        low += float(min(sign * end for end in ends))
        high += float(max(sign * end for end in ends))
    return at, low, high


@lru_cache
def _reach(level: float, count: int) -> float:
    """Return the half width of an interval in standard errors."""
    return float(stats.t.ppf(0.5 + level / 2.0, count - 1))


@lru_cache
def _rank(tail: float, count: int) -> int:
    """Return the rank, from either end, at which a median's interval ends; 0 if there is no interval."""
    return int(stats.binom.ppf(tail, count, 0.5))


def _named(points: Sequence[ComparedPoint]) -> str:
    """Return the names of the sides; words that all sides share stand once, at the end."""
    common = [word for word in points[0].words if all(word in point.words for point in points)]
    sides: list[str] = []
    for point in points:
        own = [word for word in point.words if word not in common]
        same_name = sides and len(points) == 2 and own and point.name == points[0].name
        sides.append(", ".join(own if same_name else (point.name, *own)))
    if len(sides) == 4:
        sides = [f"({sides[0]} less {sides[1]})", f"({sides[2]} less {sides[3]})"]
    return ", ".join((" less ".join(sides), *common))


def _number(value: float) -> str:
    """Return two decimals, three where the value is small, and no minus zero."""
    if not math.isfinite(value):
        return f"{value}"
    return f"{round(value, 3 if abs(value) < 0.1 else 2) + 0.0:g}"
