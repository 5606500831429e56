"""`dropout`: a logistic curve over how little the output varies when parts of the network are switched off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup.confidence.logistic import LogisticCurve
from handup.confidence.sample import Floats, Kind
from handup.core import CALIBRATORS, BadSetting

SMALLEST = 1e-12
"""Variances are kept above this before their logarithms are taken: all passes can agree."""


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Dropout(LogisticCurve):
    """P(right) = sigmoid(slope · (−ln variance) + intercept), lightly regularised.

    Use it for a network that gives no probabilities, run several times with dropout switched on (16 times for the
    paper's M4; `spread_of` makes one variance of them). The unit of the variance does not matter.

    Args:
        data: What it was fitted on.
        slope: At least 0.
        intercept: Log-odds at a variance of 1.
    """

    name: ClassVar[str] = "dropout"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.VARIANCE})
    most: ClassVar[float] = float("inf")

    @staticmethod
    def _feature(raw: Floats) -> Floats:
        if raw.ndim != 1:
            raise BadSetting("'dropout' was given several numbers for one output", hint="Give one variance each.")
        return np.asarray(-np.log(np.maximum(raw, SMALLEST)))
