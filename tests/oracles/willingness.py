"""Plain references for willingness: Bayes' rule by whole histories in exact fractions, and what a fit must maximise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

History = Sequence[tuple[int, bool]]
"""Place of the busyness among a kind's chances, and whether the person helped, request by request."""


def chance(kinds: Sequence[tuple[float, Sequence[float]]], history: History, place: int) -> float:
    """P(helps at a place after a history) as the ratio of the probabilities of two histories."""

    def probability(of: History) -> Fraction:
        total = Fraction(0)
        for share, chances in kinds:
            product = Fraction(share)
            for at, helped in of:
                product *= Fraction(chances[at]) if helped else 1 - Fraction(chances[at])
            total += product
        return total

    return float(probability([*history, (place, True)]) / probability(history))


def objective(
    shares: Sequence[float],
    chances: Sequence[Sequence[float]],
    people: Sequence[History],
    towards: Sequence[Sequence[float]],
    pull: float,
) -> float:
    """Log likelihood of all histories, with one more person of each kind and `pull` more requests as described."""
    total = math.fsum(math.log(share) for share in shares)
    for history in people:
        total += math.log(
            sum(
                share * math.prod(row[place] if helped else 1.0 - row[place] for place, helped in history)
                for share, row in zip(shares, chances, strict=True)
            )
        )
    for row, target in zip(chances, towards, strict=True):
        for value, wanted in zip(row, target, strict=True):
            total += pull * (wanted * math.log(value) + (1.0 - wanted) * math.log(1.0 - value))
    return total
