"""Rows of a study looked up by arm, place and unit, and their statistics.

The unit of every interval and test is what all arms share: a participant, the seed of a run, a person at a task. Where
a unit has several rows, these are averaged first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from handup.confidence.metrics import Estimate, wilson
from handup.core import ConflictingSettings
from handup.lab.engine import stats
from handup.lab.engine.claims import Bar, Measure, Row, Where
from handup.lab.engine.judge import JudgedClaim, judge
from handup.lab.engine.stats import Difference, Vector

if TYPE_CHECKING:
    from handup.lab.engine.study import Batch, Size, Study

Units = NDArray[np.int64]
Columns = Mapping[str, list[Any]]
"""Rows as they are stored: lists of values by name of the column."""
S = TypeVar("S", bound="Study")


def columns_of(rows: Iterable[Row]) -> Columns:
    """Return rows, all with the same keys, as columns."""
    listed = list(rows)
    return {name: [row[name] for row in listed] for name in (listed[0] if listed else ())}


def rows_of(columns: Columns) -> Iterator[Row]:
    """Yield the rows that columns hold."""
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


@dataclass(frozen=True, eq=False)
class Results(Generic[S]):
    """The rows of a study.

    A row is looked at together with its batch: `arm`, the settings of the place and the columns are all keys of it.

    Args:
        study: Study that was run.
        size: Size of the run.
        made: Columns of each batch, in the order of the study.

    Raises:
        BadSetting: Arms were given different units.
    """

    study: S
    size: Size
    made: Mapping[Batch, Columns] = field(repr=False)
    _rows: dict[tuple[str, Where], tuple[Row, ...]] = field(default_factory=dict, repr=False)
    _means: dict[tuple[str, str, Where], Estimate] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for place in self.study.places:
            units = {tuple(self._keys(arm, place.settings)) for arm in self.study.arms_at(place)}
            if len(units) > 1:
                cause = "all arms must have the same units, and these were given different units"
                raise ConflictingSettings(cause, hint="Compare rows of one study.")

    @cached_property
    def judged(self) -> tuple[JudgedClaim, ...]:
        """Claims of the study, judged."""
        return judge(self.study.claims, self)

    def rows(self, arm: str, where: Where = ()) -> tuple[Row, ...]:
        """Return the rows of an arm that meet the conditions, in an order that all arms share."""
        if (arm, where) not in self._rows:
            if where:
                # One condition after the other: conditions come sorted, so many lookups share the first ones.
                name, value = where[-1]
                allowed = value if isinstance(value, tuple) else (value,)
                kept = tuple(row for row in self.rows(arm, where[:-1]) if row[name] in allowed)
            else:
                kept = tuple(
                    {"arm": arm, **dict(batch.place.settings), **row}
                    for batch, columns in self.made.items()
                    if batch.arm == arm
                    for row in rows_of(columns)
                )
                order = self.study.order or self.study.unit
                kept = tuple(sorted(kept, key=lambda row: tuple(row[name] for name in order)))
            self._rows[arm, where] = kept
        return self._rows[arm, where]

    def count(self, where: Where = ()) -> int:
        """Return the number of units."""
        return len(set(self._keys(self.study.arms[0], where)))

    def units(self, arm: str, where: Where = ()) -> Units:
        """Return for each row the number of its unit, from 0."""
        found: dict[tuple[Any, ...], int] = {}
        return np.array([found.setdefault(key, len(found)) for key in self._keys(arm, where)], dtype=np.int64)

    def values(self, measure: str, arm: str, where: Where = ()) -> Vector:
        """Return a measure of each row; NaN where it is missing."""
        chosen = self.study.measure(measure)
        return np.array([chosen.value(row) for row in self.rows(arm, where)], dtype=np.float64)

    def by_unit(self, measure: str, arm: str, where: Where = ()) -> Vector:
        """Return the mean of a measure for each unit that has it."""
        return _unit_means(self.values(measure, arm, where), self.units(arm, where))

    def mean(self, measure: str, arm: str, where: Where = ()) -> Estimate:
        """Return the mean of a measure over rows, with its 95 % interval over units."""
        key = (measure, arm, where)
        if key not in self._means:
            values, units = self.values(measure, arm, where), self.units(arm, where)
            there = np.isfinite(values)
            parts, wholes = _sums(units, np.where(there, values, 0.0)), _sums(units, there)
            estimate = stats.ratio(parts, wholes)
            self._means[key] = self._widened(estimate, self.study.measure(measure), parts, wholes)
        return self._means[key]

    def means(self, measures: Iterable[str], arm: str, where: Where = ()) -> dict[str, Estimate]:
        """Return the means of measures; those that are missing in all rows are left out."""
        return {
            name: self.mean(name, arm, where) for name in measures if np.isfinite(self.values(name, arm, where)).any()
        }

    def difference(self, measure: str, arm: str, than: str, where: Where = (), *, times: float = 1.0) -> Difference:
        """Return the difference of an arm and `times` another, unit by unit, over rows in which both have a value."""
        units = self.units(arm, where)
        ours, theirs = (self.values(measure, name, where) for name in (arm, than))
        there = np.isfinite(ours) & np.isfinite(theirs)
        ours, theirs = (_unit_means(np.where(there, values, np.nan), units) for values in (ours, theirs))
        return self._compare(measure)(ours, times * theirs)

    def of_bar(self, bar: Bar) -> Difference:
        """Return the difference that a bar is about; units of two places are paired in their order."""
        if bar.than:
            return self.difference(bar.measure, bar.arm, bar.than, bar.where, times=bar.times)
        here = self.by_unit(bar.measure, bar.arm, bar.where)
        if bar.elsewhere is not None:
            there = self.by_unit(bar.measure, bar.arm, bar.elsewhere)
            size = min(len(here), len(there))
            return self._compare(bar.measure)(here[:size], there[:size])
        found = stats.difference(here, np.zeros(len(here)))
        measure = self.study.measure(bar.measure)
        widened = self._widened(Estimate(found.mean, found.ci), measure, here, np.ones(len(here)))
        return replace(found, ci=widened.ci)

    def ratio(self, parts: str, wholes: str, arm: str, where: Where = ()) -> Estimate:
        """Return the sum of one measure over that of another, with its 95 % interval over units."""
        above, below = (self.values(name, arm, where) for name in (parts, wholes))
        units = self.units(arm, where)
        return stats.ratio(_sums(units, above), _sums(units, below))

    def _compare(self, measure: str) -> Callable[[Vector, Vector], Difference]:
        return stats.shares if self.study.measure(measure).is_share else stats.difference

    def _widened(self, estimate: Estimate, measure: Measure, parts: Vector, wholes: Vector) -> Estimate:
        """Widen the interval of a share to Wilson's: if all units are equal, resampling finds no spread."""
        if not measure.is_share:
            return estimate
        count = int((wholes > 0.0).sum())
        low, high = wilson(estimate.value * count, count)
        return Estimate(estimate.value, (min(low, estimate.ci[0]), max(high, estimate.ci[1])))

    def _keys(self, arm: str, where: Where = ()) -> list[tuple[Any, ...]]:
        return [tuple(row[name] for name in self.study.unit) for row in self.rows(arm, where)]


def _sums(units: Units, values: NDArray[np.float64 | np.bool_]) -> Vector:
    return np.bincount(units, values).astype(np.float64)


def _unit_means(values: Vector, units: Units) -> Vector:
    """Return the mean of each unit that has any value."""
    there = np.isfinite(values)
    count, total = _sums(units, there), _sums(units, np.where(there, values, 0.0))
    return np.asarray(total[count > 0.0] / count[count > 0.0])
