"""Comparisons of means, or medians, with intervals: the parts that a claim is judged by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from scipy import stats

from handup.lab.episodes import Vector
from handup.lab.study.claim import Compared, Verdict
from handup.lab.study.claims.places import Place
from handup.lab.study.results import Results

WORDS = {
    "task_cost": "Task Cost",
    "query_cost": "Query Cost",
    "failed_attempts": "failed attempts",
    "timesteps": "timesteps",
    "J": "J",
    "questions": "questions",
    "overpaid": "paid above the mean price",
}
"""The metrics that claims speak of; questions: how many were asked; overpaid: what was paid for them above Q each."""
ALL = ("task_cost", "query_cost", "failed_attempts", "timesteps")
"""The paper's metrics but computation time."""
MARGIN, SHARE_MARGIN = 0.5, 0.05
"""Means nearer than half a question, attempt or step are alike; shares, nearer than 0.05."""
LEAST_EPISODES = 30
"""Fewer tell nothing: that none of them differ may be chance."""
DIGITS = 9
"""Costs are sums of decimals; what differs further behind is rounding."""
MEDIANS = ("query_cost", "failed_attempts", "timesteps", "questions")

FROM_ZERO = ("task_cost", "query_cost", "failed_attempts", "questions")
"""Metrics that cannot be below zero."""


class Wanted(StrEnum):
    """What a comparison should come to."""

    LOWER = "lower"
    NOT_HIGHER = "not higher"
    SAME = "the same"


@dataclass(frozen=True)
class Comparison:
    """One thing that a claim says: a sum of means, against a target.

    Args:
        metric: One of `WORDS`.
        wanted: What it should come to.
        terms: The means with their signs: one to compare with the target, two for a difference, four for a
            difference of differences.
        target: What one mean is compared with.
    """

    metric: str
    wanted: Wanted
    terms: tuple[tuple[int, Place], ...]
    target: float = 0.0

    @property
    def label(self) -> str:
        """Who is compared with whom, and in what."""
        return f"{WORDS[self.metric]}: {_named([place for _, place in self.terms])}"


@dataclass(frozen=True)
class Outcome:
    """A comparison with its outcome.

    Args:
        metric: What was compared; one of `WORDS`, or a time.
        compared: The number with its interval and verdict.
        text: The same for people.
        excess: How far beyond what would be acceptable it lies; sorts the comparisons, worst first.
        places: Whose, to name those that go against a claim.
        level: Whether the interval lies within the margin: the sides are alike.
    """

    metric: str
    compared: Compared
    text: str
    excess: float
    places: tuple[Place, ...]
    level: bool = False

    @property
    def label(self) -> str:
        """What was compared."""
        return self.compared.label

    @property
    def verdict(self) -> Verdict:
        """Whether it came out as claimed."""
        return self.compared.verdict


def lower(metric: str, less: Place, more: Place) -> Comparison:
    """One place's mean is below another's."""
    return Comparison(metric, Wanted.LOWER, ((1, less), (-1, more)))


def not_higher(metric: str, one: Place, other: Place) -> Comparison:
    """One place's mean is at most the margin above another's."""
    return Comparison(metric, Wanted.NOT_HIGHER, ((1, one), (-1, other)))


def same(metric: str, one: Place, other: Place) -> Comparison:
    """Two places' means are within the margin of each other."""
    return Comparison(metric, Wanted.SAME, ((1, one), (-1, other)))


def near(metric: str, place: Place, target: float) -> Comparison:
    """A place's mean is within the margin of a number."""
    return Comparison(metric, Wanted.SAME, ((1, place),), target)


def rises_less(metric: str, less: tuple[Place, Place], more: tuple[Place, Place]) -> Comparison:
    """From the first to the second place of a pair the mean rises less in one pair than in another."""
    terms = ((1, less[1]), (-1, less[0]), (-1, more[1]), (1, more[0]))
    return Comparison(metric, Wanted.LOWER, terms)


def judged(results: Results, comparison: Comparison, level: float, *, medians: bool = False) -> Outcome:
    """Compare, with an interval of a given level."""
    interval = _median_interval if medians and comparison.metric in MEDIANS else _mean_interval
    mean, low, high = interval(results, comparison, level)
    margin = _margin(results, comparison)
    verdict, excess = _verdict(comparison.wanted, low, high, margin)
    whole = [each + comparison.target for each in (mean, low, high)]
    text = f"{_number(whole[0])} [{_number(whole[1])}, {_number(whole[2])}]"
    if comparison.target or len(comparison.terms) == 1:
        text += f" against {comparison.target:g}"
    compared = Compared(label=comparison.label, mean=whole[0], low=whole[1], high=whole[2], verdict=verdict)
    places = tuple(place for _, place in comparison.terms)
    return Outcome(comparison.metric, compared, text, excess, places, level=-margin < low and high < margin)


def is_level_at_zero(results: Results, comparison: Comparison) -> bool:
    """Whether one place should be below another although neither has anything: there is no lower to be."""
    if comparison.wanted is not Wanted.LOWER or comparison.metric not in FROM_ZERO:
        return False
    return not any(_amounts(results, comparison.metric, place).any() for _, place in comparison.terms)


def mean_of(results: Results, metric: str, place: Place) -> float:
    """A mean on its own; nan where the run lacks the cell."""
    return float(_amounts(results, metric, place).mean()) if place.known(results) else math.nan


def _verdict(wanted: Wanted, low: float, high: float, margin: float) -> tuple[Verdict, float]:
    """The verdict on an interval, and by how much its nearer end lies beyond what is acceptable."""
    if wanted is Wanted.LOWER:
        return (Verdict.HOLDS if high < 0.0 else Verdict.FAILS if low >= 0.0 else Verdict.OPEN), high / margin
    if wanted is Wanted.NOT_HIGHER:
        excess = high - margin
        return (Verdict.HOLDS if excess < 0.0 else Verdict.FAILS if low > margin else Verdict.OPEN), excess / margin
    excess = max(high, -low) - margin
    fails = low > margin or high < -margin
    return (Verdict.HOLDS if excess < 0.0 else Verdict.FAILS if fails else Verdict.OPEN), excess / margin


def _mean_interval(results: Results, comparison: Comparison, level: float) -> tuple[float, float, float]:
    """Mean and interval of the sum less the target, episode by episode.

    Where shares are compared, two imagined episodes are added, one at each extreme, so that an event that was never
    seen is not taken for impossible.
    """
    values = sum((sign * _amounts(results, comparison.metric, place) for sign, place in comparison.terms), np.zeros(1))
    values = np.round(values, DIGITS)
    mean, count = float(np.mean(values)) - comparison.target, len(values)
    if count < LEAST_EPISODES:
        return mean, -math.inf, math.inf
    least, most = -math.inf, math.inf
    if comparison.metric == "task_cost":
        least = float(sum(sign for sign, _ in comparison.terms if sign < 0))
        most = float(sum(sign for sign, _ in comparison.terms if sign > 0))
        values = np.append(values, (least, most))
    half = _reach(level, count) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    centre = float(np.mean(values))
    return mean, max(least, centre - half) - comparison.target, min(most, centre + half) - comparison.target


def _median_interval(results: Results, comparison: Comparison, level: float) -> tuple[float, float, float]:
    """The sum of the medians less the target, between the sums of the ends of their intervals.

    A median's interval ends at order statistics, whatever the distribution; the medians' intervals hold together.
    """
    at = low = high = -comparison.target
    tail = (1.0 - level) / 2.0 / len(comparison.terms)
    for sign, place in comparison.terms:
        values = np.sort(_amounts(results, comparison.metric, place))
        below = _rank(tail, len(values))
        ends = (values[below - 1], values[-below]) if below else (-math.inf, math.inf)
        at += sign * float(np.median(values))
        low += float(min(sign * end for end in ends))
        high += float(max(sign * end for end in ends))
    return at, low, high


@lru_cache
def _reach(level: float, count: int) -> float:
    """How many standard errors an interval reaches to either side."""
    return float(stats.t.ppf(0.5 + level / 2.0, count - 1))


@lru_cache
def _rank(tail: float, count: int) -> int:
    """Which order statistics from either end a median's interval ends at; 0: it has none."""
    return int(stats.binom.ppf(tail, count, 0.5))


def _amounts(results: Results, metric: str, place: Place) -> Vector:
    episodes = results.found[place.cell(results.base)]
    if metric == "questions":
        return episodes.questions.astype(np.float64)
    if metric == "overpaid":
        return np.asarray(episodes.load - place.cell(results.base).query_cost * episodes.questions)
    return episodes.metric(metric)


def _margin(results: Results, comparison: Comparison) -> float:
    if comparison.metric == "task_cost":
        return SHARE_MARGIN
    if comparison.metric in ("query_cost", "overpaid"):
        return MARGIN * min(place.cell(results.base).query_cost for _, place in comparison.terms)
    return MARGIN


def _named(places: Sequence[Place]) -> str:
    """Who is compared: what all sides share is said once, in the end."""
    common = [each for each in places[0].settings if all(each in place.settings for place in places)]
    sides: list[str] = []
    for place in places:
        own = [each for each in place.settings if each not in common]
        same_name = sides and len(places) == 2 and own and place.name == places[0].name
        sides.append(", ".join(own if same_name else (place.name, *own)))
    if len(sides) == 4:
        sides = [f"({sides[0]} less {sides[1]})", f"({sides[2]} less {sides[3]})"]
    return ", ".join((" less ".join(sides), *common))


def _number(value: float) -> str:
    """Two decimals, three where the value is small, and no minus zero."""
    if not math.isfinite(value):
        return f"{value}"
    return f"{round(value, 3 if abs(value) < 0.1 else 2) + 0.0:g}"
