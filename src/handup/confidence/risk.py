"""Conformal risk control: how sure a robot must be to act alone, so that it rarely does so and fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from handup.confidence.sample import Sample, percent
from handup.core import BadData, BadRecord, BadSetting

ALWAYS, NEVER = -1.0, 1.0
WHAT = "handup-act-alone"
SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class ActAlone:
    """Act alone above a confidence, ask otherwise (Angelopoulos and others, 2024). Build with `calibrate`.

    The loss is "acted alone and failed". On average over calibration sets of this size, its probability is at most
    `risk` for a new output from where these came from, whether or not the confidences are calibrated.

    Args:
        risk: The share of outputs that may be acted on alone and be wrong.
        threshold: Act alone where the confidence is above this; −1: always, 1: never.
        n: Rows it was found on.
        alone: The share of those rows that were acted on alone.
    """

    risk: float
    threshold: float
    n: int
    alone: float

    @classmethod
    def calibrate(cls, confidences: ArrayLike, right: ArrayLike, *, risk: float = 0.1) -> ActAlone:
        """The least threshold that keeps the promise.

        Args:
            confidences: 0 to 1, of rows that the calibrator was not fitted on.
            right: Whether acting on each alone succeeded.
            risk: Between 0 and 1. Below 1 / (n + 1) nothing can be promised, and the robot never acts alone.
        """
        if not 0.0 < risk < 1.0:
            raise BadSetting(f"risk is {risk:g}", hint="Give a number between 0 and 1, such as 0.1.")
        sample = Sample.of_scores(confidences, np.asarray(right))
        if not len(sample) or float(sample.raw.max()) > 1.0:
            raise BadData("confidences are none, or outside 0 to 1", hint="Give one probability per row.")
        # (n R + 1) / (n + 1) ≤ risk, for n R failures among the rows acted on alone.
        allowed = floor(risk * (len(sample) + 1) - 1.0 + 1e-9)
        failures = np.sort(sample.raw[~sample.right])[::-1]
        threshold = NEVER if allowed < 0 else ALWAYS if len(failures) <= allowed else float(failures[allowed])
        return cls(risk=risk, threshold=threshold, n=len(sample), alone=float((sample.raw > threshold).mean()))

    def acts(self, confidence: float) -> bool:
        """Whether to act alone with this confidence."""
        return confidence > self.threshold

    @property
    def guarantee(self) -> str:
        """The promise in one sentence."""
        return (
            f"Acting alone above a confidence of {self.threshold:.3g} fails in at most {percent(self.risk)} of "
            f"outputs on average over calibrations of {self.n} rows; {percent(self.alone)} of these rows were "
            "acted on alone."
        )

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"what": WHAT, "schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> ActAlone:
        """What `to_json` stored.

        Raises:
            BadRecord: It is damaged, of a newer schema, or something else.
        """
        try:
            if record["what"] != WHAT or record["schema"] != SCHEMA:
                raise BadRecord("this is no act-alone threshold of schema 1", hint="Calibrate it again.")
            return cls(**{name: record[name] for name in ("risk", "threshold", "n", "alone")})
        except (KeyError, TypeError) as error:
            raise BadRecord(f"the threshold is damaged ({error})", hint="Calibrate it again.") from None
