"""Which comparisons a reason explains, told from the numbers of the very places that are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from handup.lab.study.claims.comparing import Outcome, mean_of
from handup.lab.study.results import Results

Covers = Callable[[Results, Outcome], bool]
A_BIT = 0.05
"""Means nearer than this show nothing."""


def every(*covers: Covers) -> Covers:
    """What all of them cover."""
    return lambda results, outcome: all(each(results, outcome) for each in covers)


def either(*covers: Covers) -> Covers:
    """What one of them covers."""
    return lambda results, outcome: any(each(results, outcome) for each in covers)


def of(*names: str) -> Covers:
    """Comparisons with one of these methods."""
    return lambda results, outcome: any(place.name in names for place in outcome.places)


def without(*names: str) -> Covers:
    """Comparisons with none of these methods."""
    return lambda results, outcome: all(place.name not in names for place in outcome.places)


def first_is(*names: str) -> Covers:
    """Comparisons whose first side is one of these methods."""
    return lambda results, outcome: outcome.places[0].name in names


def second_is(*names: str) -> Covers:
    """Comparisons whose second side is one of these methods."""
    return lambda results, outcome: len(outcome.places) > 1 and outcome.places[1].name in names


def in_metric(*metrics: str) -> Covers:
    """Comparisons of these metrics."""
    return lambda results, outcome: outcome.metric in metrics


def at(key: str, *values: Any) -> Covers:
    """Comparisons one side of which has such a setting."""
    return lambda results, outcome: any(getattr(place.cell(results.base), key) in values for place in outcome.places)


def level(results: Results, outcome: Outcome) -> bool:
    """Comparisons whose sides are shown to be alike."""
    return outcome.level


def asks_alike(results: Results, outcome: Outcome) -> bool:
    """Comparisons whose sides ask as many questions."""
    asked = [mean_of(results, "questions", place) for place in outcome.places]
    return max(asked) - min(asked) <= A_BIT


def has(metric: str, least: float, most: float, *names: str) -> Covers:
    """Comparisons in which these methods, or all sides, have a mean within limits."""

    def covers(results: Results, outcome: Outcome) -> bool:
        places = [place for place in outcome.places if not names or place.name in names]
        means = [mean_of(results, metric, place) for place in places]
        return bool(means) and all(least <= mean <= most for mean in means)

    return covers


def first_has(metric: str, least: float, most: float) -> Covers:
    """Comparisons whose first side has a mean within limits."""
    return lambda results, outcome: least <= mean_of(results, metric, outcome.places[0]) <= most


def first_less(metric: str, by: float = 0.0) -> Covers:
    """Comparisons whose first side has a lower mean than the second."""
    return lambda results, outcome: (
        len(outcome.places) > 1
        and mean_of(results, metric, outcome.places[0]) < mean_of(results, metric, outcome.places[1]) - by
    )


def first_more(metric: str, by: float = 0.0) -> Covers:
    """Comparisons whose first side has a higher mean than the second."""
    return lambda results, outcome: (
        len(outcome.places) > 1
        and mean_of(results, metric, outcome.places[0]) > mean_of(results, metric, outcome.places[1]) + by
    )


def one_asks_nothing(name: str) -> Covers:
    """Comparisons one side of which is this method where it asks nothing."""
    return lambda results, outcome: any(
        place.name == name and mean_of(results, "questions", place) <= A_BIT for place in outcome.places
    )


def asks_nothing(*names: str) -> Covers:
    """Comparisons in which these methods, or all sides, ask nothing."""
    return has("questions", 0.0, A_BIT, *names)
