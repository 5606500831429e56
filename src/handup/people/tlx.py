"""NASA-TLX: six ratings of a task's load, raw and weighted; and the core paper's 1-5 items."""

from __future__ import annotations

from collections.abc import Mapping

from handup.core import BadSetting

SCALES = ("mental", "physical", "temporal", "performance", "effort", "frustration")
COMPARISONS = 15
"""Pairs of scales: each is compared with each once, and its weight is how often it was chosen."""


def raw(ratings: Mapping[str, float]) -> float:
    """Raw TLX: the mean of six ratings from 0 to 100. Performance counts from perfect (0) to failure (100).

    Raises:
        BadSetting: A scale is missing, unknown or outside 0 to 100.

    Example:
        >>> raw(dict.fromkeys(SCALES, 50.0))
        50.0
    """
    return sum(_checked(ratings).values()) / len(SCALES)


def weighted(ratings: Mapping[str, float], weights: Mapping[str, int]) -> float:
    """Weighted TLX: each rating counts as often as its scale was chosen in the fifteen comparisons.

    Raises:
        BadSetting: As for `raw`; or the weights are not whole numbers from 0 to 5 that add up to 15.
    """
    checked = _checked(ratings)
    if set(weights) != set(SCALES):
        raise BadSetting(f"weights are of {', '.join(weights) or 'nothing'}", hint=f"Give: {', '.join(SCALES)}.")
    for scale, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int) or not 0 <= weight <= 5:
            raise BadSetting(f"the weight of {scale} is {weight!r}", hint="Give a whole number from 0 to 5.")
    if sum(weights.values()) != COMPARISONS:
        raise BadSetting(f"the weights add up to {sum(weights.values())}", hint=f"They must add up to {COMPARISONS}.")
    return sum(checked[scale] * weights[scale] for scale in SCALES) / COMPARISONS


def likert(answer: float) -> float:
    """An item from 1 to 5 as a load from 0 to 1: (x - 1) / 4.

    Raises:
        BadSetting: It is outside 1 to 5.
    """
    if not 1.0 <= answer <= 5.0:
        raise BadSetting(f"an item is {answer:g}", hint="Give 1 to 5.")
    return (answer - 1.0) / 4.0


def _checked(ratings: Mapping[str, float]) -> dict[str, float]:
    if set(ratings) != set(SCALES):
        raise BadSetting(f"ratings are of {', '.join(ratings) or 'nothing'}", hint=f"Give: {', '.join(SCALES)}.")
    for scale, rating in ratings.items():
        if not 0.0 <= rating <= 100.0:
            raise BadSetting(f"the rating of {scale} is {rating:g}", hint="Give a number from 0 to 100.")
    return {scale: float(ratings[scale]) for scale in SCALES}
