"""Claims about computation time, judged with our own times: they are not the reference code's.

A study's rows hold no times; where seconds per decision were measured, an episode's computation time is that times
its mean number of steps. Times have no interval, so ratios near a limit are left open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from handup.lab.study.claim import Compared, Finding, Verdict
from handup.lab.study.claims.comparing import Outcome
from handup.lab.study.claims.judging import Reason, conclude
from handup.lab.study.claims.places import Place
from handup.lab.study.results import Results

SLACK = 2.0
"""Nearer to a limit than this factor is too near to be told, on a machine that does more than this."""
ALIKE = 3.0
"""Times within this factor of each other count as alike."""
BASIS = f"with times that may be off by a factor of {SLACK:g}"
MARGIN = f"Ratios of times are told apart from a limit by a factor of {SLACK:g} or more."
"""To be said once with findings about times."""
TIME = "time"
NOTE = ", by the times of our own code, which is not the reference code"


@dataclass(frozen=True)
class Ratio:
    """A time, or the ratio of two, and the limits that a claim puts it between.

    Args:
        top: Whose time.
        bottom: Divided by whose; a plain time in seconds where not given.
        least: The claim says that it is at least this.
        most: And at most this.
        per_decision: Times of one decision rather than of a whole episode.
    """

    top: Place
    bottom: Place | None = None
    least: float = 0.0
    most: float = math.inf
    per_decision: bool = False


@dataclass(frozen=True)
class TimeJudge:
    """Judges a claim about computation time; places whose time was not measured are left out.

    Args:
        compare: The ratios.
        reasons: Explanations, best first.
        share: In how many of them the claim must be borne out.
    """

    compare: Callable[[Results], Iterable[Ratio]]
    reasons: tuple[Reason, ...] = ()
    share: float = 1.0

    def __call__(self, results: Results) -> Finding:
        """The finding in the world that the results are set to."""
        found = [each for ratio in self.compare(results) if (each := _judged(results, ratio)) is not None]
        note = NOTE if found else ": no times were measured"
        return conclude(found, self.reasons, results, share=self.share, basis=BASIS, note=note)


def slower(slow: Place, fast: Place) -> Ratio:
    """An episode of one takes longer than one of the other."""
    return Ratio(slow, fast, least=1.0)


def as_fast(one: Place, other: Place) -> Ratio:
    """Episodes of both take about as long."""
    return Ratio(one, other, least=1.0 / ALIKE, most=ALIKE)


def _judged(results: Results, ratio: Ratio) -> Outcome | None:
    top = _seconds(results, ratio.top, ratio.per_decision)
    bottom = 1.0 if ratio.bottom is None else _seconds(results, ratio.bottom, ratio.per_decision)
    if top is None or not bottom:
        return None
    value = top / bottom
    verdict = Verdict.OPEN
    if ratio.least * SLACK <= value <= ratio.most / SLACK:
        verdict = Verdict.HOLDS
    elif value < ratio.least / SLACK or value > ratio.most * SLACK:
        verdict = Verdict.FAILS
    places = (ratio.top,) if ratio.bottom is None else (ratio.top, ratio.bottom)
    names = " over ".join(", ".join((place.name, *place.settings)) for place in places)
    unit = "per decision" if ratio.per_decision else "per episode"
    text = f"{value:.3g} s" if ratio.bottom is None else f"{value:.3g} times"
    excess = max(ratio.least / value if value else math.inf, value / ratio.most)
    compared = Compared(label=f"time {unit}: {names}", mean=value, low=math.nan, high=math.nan, verdict=verdict)
    return Outcome(TIME, compared, text, excess, places)


def _seconds(results: Results, place: Place, per_decision: bool) -> float | None:
    measured = results.timings.get(place.cell(results.base)) if place.known(results) else None
    if measured is None or per_decision:
        return measured
    return measured * results.measure("timesteps", place.method, **dict(place.at)).mean
