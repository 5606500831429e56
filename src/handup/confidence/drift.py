"""A drift monitor: do the probabilities still hold, as outcomes come in one by one?"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log
from typing import ClassVar

import numpy as np

from handup.confidence.base import KeptRecord
from handup.confidence.curves import logit, sigmoid
from handup.core import BadSetting, check_probability

SHIFTS = (-2.0, -1.0, -0.5, -0.25, 0.25, 0.5, 1.0, 2.0)
"""Log-odds by which being right may have shifted; below 0 the module has become too sure of itself."""
CLIP = 0.01
"""Probabilities are kept this far from 0 and 1: one surprise is no proof."""
MOST_LOG = 700.0


@dataclass(frozen=True, kw_only=True)
class DriftMonitor(KeptRecord):
    """Bets against the calibration; wealth that grows is evidence that it does not hold any more.

    Start it with `DriftMonitor()`, tell it of each output with `after`. It may look after every row for ever: while the
    probabilities hold, the chance that it *ever* raises an alarm is at most `alpha` (Ville's inequality). A drift that
    begins late is found too: a share of the wealth is kept back for every later beginning. Memory is constant.

    Args:
        alpha: The chance of a false alarm, over all time.
        seen: Outputs so far.
        log_wealth: For each shift of `SHIFTS`, the logarithm of what bets on it have won, from every beginning.
        log_evidence: Logarithm of the wealth in all; 0 at the start.
        alarm_at: The number of the output at which the alarm was raised; it stays.
    """

    what: ClassVar[str] = "handup-drift-monitor"
    called: ClassVar[tuple[str, str, str]] = ("this is no drift monitor", "the drift monitor is", "Start a new one.")

    alpha: float = 0.01
    seen: int = 0
    log_wealth: tuple[float, ...] = (-MOST_LOG,) * len(SHIFTS)
    log_evidence: float = 0.0
    alarm_at: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise BadSetting(f"alpha is {self.alpha:g}", hint="Give a chance between 0 and 1, such as 0.01.")
        if len(self.log_wealth) != len(SHIFTS) or not all(isfinite(each) for each in self.log_wealth) or self.seen < 0:
            raise BadSetting("the monitor's wealth is damaged", hint="Start a new one.")

    def after(self, probability: float, right: bool) -> DriftMonitor:
        """The monitor after one output.

        Args:
            probability: The calibrated probability that was given before the outcome was known.
            right: Whether the output was right.
        """
        check_probability("probability", probability)
        seen = self.seen + 1
        said = np.clip(probability, CLIP, 1.0 - CLIP)
        shifted = sigmoid(logit(np.asarray([said])) + np.asarray(SHIFTS))
        won = np.log(shifted / said) if right else np.log((1.0 - shifted) / (1.0 - said))
        # Of the wealth, 1 / (t (t + 1)) begins betting at output t; 1 / (t + 1) has not begun after it.
        beginning = -log(seen * (seen + 1.0))
        wealth = np.clip(np.logaddexp(self.log_wealth, beginning) + won, -MOST_LOG, MOST_LOG)
        evidence = float(np.logaddexp(np.logaddexp.reduce(wealth) - log(len(SHIFTS)), -log(seen + 1.0)))
        raised = evidence >= -log(self.alpha)
        alarm_at = self.alarm_at if self.alarm_at is not None else seen if raised else None
        return DriftMonitor(
            alpha=self.alpha,
            seen=seen,
            log_wealth=tuple(wealth.tolist()),
            log_evidence=evidence,
            alarm_at=alarm_at,
        )

    @property
    def alarm(self) -> bool:
        """Whether the probabilities have been found not to hold: calibrate again."""
        return self.alarm_at is not None

    @property
    def shift(self) -> float:
        """The shift in log-odds that has won most so far; below 0: too sure of itself. 0 before anything was seen."""
        return SHIFTS[int(np.argmax(self.log_wealth))] if self.seen else 0.0

    @property
    def reason(self) -> str:
        """How it stands, in one sentence."""
        if not self.alarm:
            return f"After {self.seen} outputs nothing speaks against the calibration (evidence {self._factor})."
        said = "too sure of itself" if self.shift < 0.0 else "not sure enough"
        return f"At output {self.alarm_at} the calibration stopped holding: the module is {said}. Calibrate it again."

    @property
    def _factor(self) -> str:
        return f"{exp(min(self.log_evidence, 50.0)):.3g}; the alarm is at {1.0 / self.alpha:g}"
