"""What the trials came to, by scene, task, user and method.

The unit of every interval and test is a person at a task: a scene, a task and a seed. All methods had the same ones.
Where several strategies are looked at together, those of one unit are averaged first, since a seed is the same person
whatever the strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from handup.confidence.bootstrap import Estimate, intervals
from handup.confidence.metrics import wilson
from handup.core import BadSetting
from handup.lab.reaching.definition import MIXED, ReachingStudy, Sitting, Size
from handup.lab.reaching.rows import TrialRow
from handup.lab.reaching.studies import MANUAL
from handup.lab.study import paired
from handup.lab.study.paired import Difference, Vector

Numbers = NDArray[np.int64]
MEASURES: Mapping[str, Callable[[TrialRow], float]] = {
    "success": lambda row: row.success,
    "first_success": lambda row: row.attempts[0].success,
    "time_s": lambda row: row.attempts[-1].time_s if row.success else np.nan,
    "mode_changes": lambda row: row.attempts[-1].mode_changes if row.success else np.nan,
    "joystick_input": lambda row: row.attempts[-1].joystick_input if row.success else np.nan,
    "opposing": lambda row: row.attempts[-1].opposing if row.success else np.nan,
    "total_s": lambda row: sum(each.time_s for each in row.attempts),
    "all_mode_changes": lambda row: sum(each.mode_changes for each in row.attempts),
    "all_joystick_input": lambda row: sum(each.joystick_input for each in row.attempts),
    "all_opposing": lambda row: (
        sum(each.opposing * each.time_s for each in row.attempts) / sum(each.time_s for each in row.attempts)
    ),
    "predicted": lambda row: np.nan if row.attempts[-1].predicted is None else row.attempts[-1].predicted,
    "questions": lambda row: sum(each.questions for each in row.attempts),
    "wrongly_sure": lambda row: float(np.mean([each.wrongly_sure for each in row.attempts])),
}
"""By the paper's rule `time_s`, `mode_changes`, `joystick_input` and `opposing` are of the attempt that succeeded, and
missing where both failed. `total_s` and those with `all_` are of all attempts: nothing is left out."""
SHARES = frozenset({"success", "first_success", "predicted"})
WITHOUT_RULE = {
    "time_s": "total_s",
    "mode_changes": "all_mode_changes",
    "joystick_input": "all_joystick_input",
    "opposing": "all_opposing",
}


@dataclass(frozen=True, kw_only=True)
class Where:
    """Which trials.

    Args:
        part: Of the study.
        scene: Of all scenes together where empty.
        task: Of all tasks together where empty.
        user: A strategy; all three together where it is `MIXED`.
        listed: Whether the robot knew the wanted pose; either way where it is None.
    """

    part: str
    scene: str = ""
    task: str = ""
    user: str = MIXED
    listed: bool | None = None

    def holds(self, part: str, scene: str, row: TrialRow) -> bool:
        """Whether a trial is one of them."""
        return (
            part == self.part
            and self.scene in ("", scene)
            and self.task in ("", row.task)
            and self.user in (MIXED, row.strategy)
            and self.listed in (None, row.listed)
        )


@dataclass(frozen=True, eq=False)
class Results:
    """The trials of a study.

    Args:
        study: What was run.
        size: How much of it.
        done: The trials of each sitting.

    Raises:
        BadSetting: Methods met different people.
    """

    study: ReachingStudy
    size: Size
    done: Mapping[Sitting, tuple[TrialRow, ...]] = field(repr=False)
    _known: dict[tuple[str, Where], tuple[tuple[str, TrialRow], ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for part in self.study.parts:
            met = {tuple(self.units(each, Where(part=part.name)).tolist()) for each in part.methods}
            if len(met) != 1 or met == {()}:
                raise BadSetting(f"methods of '{part.name}' met different people", hint="Compare trials of one study.")

    @property
    def trials(self) -> int:
        """How many there are."""
        return sum(map(len, self.done.values()))

    def rows(self, method: str, where: Where) -> tuple[TrialRow, ...]:
        """The trials of a method, in an order that all methods share."""
        return tuple(row for _, row in self._placed(method, where))

    def units(self, method: str, where: Where) -> Numbers:
        """For each trial a number that says which unit it is of, from 0."""
        found: dict[tuple[str, str, int], int] = {}
        keys = [(scene, row.task, row.seed) for scene, row in self._placed(method, where)]
        return np.array([found.setdefault(each, len(found)) for each in keys], dtype=np.int64)

    def _placed(self, method: str, where: Where) -> tuple[tuple[str, TrialRow], ...]:
        """Trials with their scenes; looked up often, so once."""
        if (method, where) not in self._known:
            found = [
                (sitting.scene, row)
                for sitting, rows in self.done.items()
                if sitting.method == method and sitting.part == where.part
                for row in rows
                if where.holds(sitting.part, sitting.scene, row)
            ]
            found.sort(key=lambda each: (each[0], each[1].task, each[1].seed, each[1].strategy))
            self._known[method, where] = tuple(found)
        return self._known[method, where]

    def values(self, measure: str, method: str, where: Where) -> Vector:
        """A measure of each trial; not a number where it is missing. Alone, nobody predicts anything."""
        if measure == "predicted" and method == MANUAL:
            return np.full(len(self.rows(method, where)), np.nan)
        return np.array([MEASURES[measure](row) for row in self.rows(method, where)], dtype=np.float64)

    def means(self, method: str, where: Where, measures: Iterable[str]) -> dict[str, Estimate]:
        """Measures per trial, with 95 % bootstrap intervals over units; what is missing in all trials is left out."""
        units = self.units(method, where)
        statistics: dict[str, Callable[[Vector], Vector]] = {}
        for measure in measures:
            values = self.values(measure, method, where)
            there = np.isfinite(values)
            if there.any():
                statistics[measure] = _share(_sums(units, np.where(there, values, 0.0)), _sums(units, there))
        found = intervals(statistics, int(units.max()) + 1)
        return {name: self._shared(each, name, method, where) for name, each in found.items()}

    def _shared(self, found: Estimate, measure: str, method: str, where: Where) -> Estimate:
        """Where no person, or every person, fails, resampling knows no doubt; Wilson's interval does."""
        if measure not in SHARES:
            return found
        people = len(_by_unit(self.values(measure, method, where), self.units(method, where)))
        low, high = wilson(found.value * people, people)
        return Estimate(found.value, (min(low, found.ci[0]), max(high, found.ci[1])))

    def difference(self, measure: str, method: str, than: str, where: Where, *, times: float = 1.0) -> Difference:
        """What a method has more than so many times another, unit by unit; pairs with something missing left out."""
        ours, theirs = self._pairs(measure, method, than, where)
        return _compared(measure)(ours, times * theirs)

    def _pairs(self, measure: str, method: str, than: str, where: Where) -> tuple[Vector, Vector]:
        """A measure of two methods, unit by unit, over trials in which both have it."""
        units = self.units(method, where)
        ours, theirs = (self.values(measure, each, where) for each in (method, than))
        there = np.isfinite(ours) & np.isfinite(theirs)
        one, other = (_by_unit(np.where(there, each, np.nan), units) for each in (ours, theirs))
        return one, other

    def between(self, measure: str, method: str, where: Where, other: Where) -> Difference:
        """What a measure is more at one place than at another, seed by seed and task by task, in their order."""
        here, there = (
            _by_unit(self.values(measure, method, each), self.units(method, each)) for each in (where, other)
        )
        size = min(len(here), len(there))
        return _compared(measure)(here[:size], there[:size])

    def alone(self, measure: str, method: str, where: Where) -> Difference:
        """A measure itself, as what it is more than 0."""
        values = _by_unit(self.values(measure, method, where), self.units(method, where))
        found = paired.difference(values, np.zeros(len(values)))
        return replace(found, ci=self._shared(Estimate(found.mean, found.ci), measure, method, where).ci)

    def ratio(self, measure: str, method: str, than: str, where: Where) -> Estimate | None:
        """How many times a measure of one method is that of another, over pairs in which both have it; None of none."""
        units = self.units(method, where)
        ours, theirs = (self.values(measure, each, where) for each in (method, than))
        both = np.isfinite(ours) & np.isfinite(theirs)
        above, below = (_sums(units, np.where(both, each, 0.0)) for each in (ours, theirs))
        return paired.ratio(above, below) if both.any() else None

    def block(self, measure: str, methods: tuple[str, ...], where: Where) -> Vector:
        """By seed, task and method, for an analysis of variance; only seeds for which nothing is missing."""
        tasks = sorted({row.task for row in self.rows(methods[0], where)})
        table = [
            [self.values(measure, method, replace(where, task=task)) for method in methods] for task in tasks
        ]  # by task, method, seed
        whole = np.moveaxis(np.array(table), -1, 0)
        return np.asarray(whole[np.isfinite(whole).all(axis=(1, 2))])


def _compared(measure: str) -> Callable[[Vector, Vector], Difference]:
    """How pairs of a measure are compared."""
    return paired.shares if measure in SHARES else paired.difference


def _sums(units: Numbers, values: NDArray[np.float64 | np.bool_]) -> Vector:
    """What the trials of each unit add up to."""
    return np.bincount(units, values).astype(np.float64)


def _by_unit(values: Vector, units: Numbers) -> Vector:
    """The mean of each unit that has any."""
    there = np.isfinite(values)
    count, total = _sums(units, there), _sums(units, np.where(there, values, 0.0))
    return np.asarray(total[count > 0.0] / count[count > 0.0])


def _share(parts: Vector, wholes: Vector) -> Callable[[Vector], Vector]:
    def of(weights: Vector) -> Vector:
        below = weights @ wholes
        return np.asarray((weights @ parts)[below > 0.0] / below[below > 0.0])

    return of
