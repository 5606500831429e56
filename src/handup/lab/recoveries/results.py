"""What the runs came to, by way of running and day.

Times between interventions are pooled: all nominal time over all interventions, since most runs have none and a mean
over runs would leave those out. Their intervals are bootstrap intervals over runs, of the rate of interventions, turned
over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handup.confidence.bootstrap import Estimate, intervals
from handup.core import BadSetting
from handup.lab.recoveries.claim import MEASURES, Bar
from handup.lab.recoveries.definition import Day, RecoveryStudy, Shift, Size
from handup.lab.recoveries.rows import RunRow
from handup.lab.study import paired
from handup.lab.study.paired import Difference, Vector

RATIOS = ("mtbi_s", "mtci_s", "availability", "recoveries_per_kit", "unresolved_share")


@dataclass(frozen=True, eq=False)
class Results:
    """The runs of a study. On each day every way of running has the same seeds.

    Args:
        study: What was run.
        size: How much of it.
        done: The runs of each shift, in the order of the study.

    Raises:
        BadSetting: Ways of running had different seeds.
    """

    study: RecoveryStudy
    size: Size
    done: Mapping[Shift, tuple[RunRow, ...]] = field(repr=False)
    _known: dict[tuple[str, str, str], Estimate] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        seeds = {
            tuple(row.seed for row in self.runs(way, day.name)) for way in self.study.ways for day in self.study.days
        }
        if len(seeds) != 1 or seeds == {()}:
            raise BadSetting("ways of running had different seeds", hint="Compare runs of one study.")

    def runs(self, way: str, day: str) -> tuple[RunRow, ...]:
        """All runs of a way on a day, by seed."""
        return tuple(
            row for shift, rows in self.done.items() if shift.way == way and shift.day.name == day for row in rows
        )

    @property
    def count(self) -> int:
        """How many runs each way had on each day."""
        return len(self.runs(self.study.ways[0], self.study.days[0].name))

    def values(self, measure: str, way: str, day: str) -> Vector:
        """A measure of each run."""
        return np.array([row.measure(measure) for row in self.runs(way, day)], dtype=np.float64)

    def mean(self, measure: str, way: str, day: str) -> Estimate:
        """A measure per run."""
        return self._once(measure, way, day, lambda: paired.mean(self.values(measure, way, day)))

    def difference(self, measure: str, way: str, than: str, day: str) -> Difference:
        """What one way has more of a measure than another, seed by seed."""
        return paired.difference(self.values(measure, way, day), self.values(measure, than, day))

    def of_bar(self, bar: Bar) -> Difference:
        """What a claim compares: with another way of running, or with 0."""
        values = self.values(bar.measure, bar.way, bar.day)
        others = self.values(bar.measure, bar.than, bar.day) if bar.than else np.zeros(len(values))
        return paired.difference(values, others)

    def ratio(self, name: str, way: str, day: str) -> Estimate:
        """One of `RATIOS`, of all runs together.

        Without any intervention the time between two is infinite, that for one is 0, and the availability 1; without
        any kit, recoveries per kit are infinite.
        """
        return self._once(name, way, day, lambda: self._ratio(name, way, day))

    def _once(self, name: str, way: str, day: str, work: Callable[[], Estimate]) -> Estimate:
        """Resampling takes a while, and tables and figures show the same numbers."""
        if (name, way, day) not in self._known:
            self._known[name, way, day] = work()
        return self._known[name, way, day]

    def _ratio(self, name: str, way: str, day: str) -> Estimate:
        up, down, interventions = (self.values(each, way, day) for each in ("up_s", "down_s", "interventions"))
        if name == "mtbi_s":
            return _turned(paired.ratio(interventions, up))
        if name == "mtci_s":
            return paired.ratio(down, interventions)
        if name == "availability":
            return paired.ratio(up, up + down)
        if name == "unresolved_share":
            return paired.ratio(self.values("unresolved", way, day), self.values("faults", way, day))
        kits, uses = self.values("kits", way, day), self.values("recoveries", way, day)
        if kits.any() and not uses.any():
            return Estimate(0.0, (0.0, 0.0))
        return _turned(paired.ratio(kits, uses))

    def availability_difference(self, way: str, than: str, day: str) -> Estimate:
        """How much more of the time one way needs nobody than another; both drawn anew with the same runs."""
        ours, theirs = (
            (self.values("up_s", each, day), self.values("up_s", each, day) + self.values("down_s", each, day))
            for each in (way, than)
        )

        def gap(weights: Vector) -> Vector:
            return np.asarray((weights @ ours[0]) / (weights @ ours[1]) - (weights @ theirs[0]) / (weights @ theirs[1]))

        return intervals({"gap": gap}, self.count)["gap"]

    def later_s(self, way: str, day: Day) -> float | None:
        """How much later than ours a way ends where both end by themselves, before the time is up, with as many kits.

        None where there is no such pair of runs. What is saved where the time is not the limit.
        """
        pairs = zip(self.runs(way, day.name), self.runs(self.study.ours, day.name), strict=True)
        found = [
            theirs.ended_s - ours.ended_s
            for theirs, ours in pairs
            if theirs.kits == ours.kits
            and not (theirs.broke_off or ours.broke_off)
            and max(theirs.ended_s, ours.ended_s) < day.rates.run_s
        ]
        return float(np.mean(found)) if found else None

    def hours(self, way: str, day: str) -> float:
        """Nominal time of all runs, in hours."""
        return float(self.values("up_s", way, day).sum()) / 3600.0

    def endings(self, way: str, day: str) -> dict[str, int]:
        """How many runs ended how."""
        found: dict[str, int] = {}
        for row in self.runs(way, day):
            found[row.ending] = found.get(row.ending, 0) + 1
        return dict(sorted(found.items()))

    def counted(self, what: str, way: str, day: str) -> dict[str, int]:
        """Uses of each rule, or each kind of failure, in all runs; the most first.

        Args:
            what: `recoveries` or `failures`.
            way: The way of running.
            day: On which day.
        """
        found: dict[str, int] = {}
        for row in self.runs(way, day):
            counts: Mapping[str, int] = getattr(row, what)
            for name, count in counts.items():
                found[name] = found.get(name, 0) + count
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def to_json(self) -> dict[str, Any]:
        """Everything, day by day and way by way."""
        return {day.name: {way: self._of(way, day) for way in self.study.ways} for day in self.study.days}

    def _of(self, way: str, day: Day) -> dict[str, Any]:
        return {
            **{name: self.mean(name, way, day.name).to_json() for name in MEASURES},
            **{name: _plain(self.ratio(name, way, day.name)) for name in RATIOS},
            "nominal_hours": self.hours(way, day.name),
            "ends_later_s": self.later_s(way, day),
            "endings": self.endings(way, day.name),
            "rules": self.counted("recoveries", way, day.name),
        }


def _turned(rate: Estimate) -> Estimate:
    """One over a rate: percentiles turn with it; 1 over 0 is infinite."""
    low, high = rate.ci
    return Estimate(_over(rate.value), (_over(high), _over(low)))


def _over(value: float) -> float:
    return 1.0 / value if value > 0.0 else math.inf


def _plain(found: Estimate) -> dict[str, Any]:
    """For JSON, which has no infinity: what is infinite is null."""
    finite = [each if math.isfinite(each) else None for each in (found.value, *found.ci)]
    return {"value": finite[0], "ci": finite[1:]}
