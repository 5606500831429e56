"""`identity`: the score is the probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.confidence.base import Fitted, top
from handup.confidence.sample import Floats, Kind, Sample
from handup.core import CALIBRATORS


@CALIBRATORS.register
@dataclass(frozen=True, kw_only=True)
class Identity(Fitted):
    """Takes the score, or the highest of the options' scores, at its word.

    Always among the candidates: where a module is calibrated already, anything fitted on few rows is worse.
    """

    name: ClassVar[str] = "identity"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.SCORE, Kind.OPTIONS})

    @classmethod
    def fit(cls, sample: Sample) -> Identity:
        """Nothing is fitted; the data are only summarised."""
        return cls(data=cls._check(sample))

    def _predict(self, rows: Floats) -> Floats:
        return top(rows).copy()
