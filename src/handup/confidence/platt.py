"""`platt`: a logistic curve over the log-odds of the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.confidence.base import top
from handup.confidence.logistic import LogisticCurve, logit
from handup.confidence.sample import Floats, Kind
from handup.core import CALIBRATORS


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Platt(LogisticCurve):
    """P(right) = sigmoid(slope · logit(score) + intercept), lightly regularised.

    Use it with 60 to some hundred rows: two numbers can be told from so few, and a slope below 1 with an intercept
    below 0 is what a module that is too sure of itself looks like. Slope 1 and intercept 0 are `identity`.

    Args:
        data: What it was fitted on.
        slope: At least 0.
        intercept: Log-odds at a score of 0.5.
    """

    name: ClassVar[str] = "platt"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        return logit(top(raw))
