"""Measures of runs: time between interventions, time to deal with them, and failures with their cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from handup.core import ResumeHint
from handup.core.log_entry import LogEntry
from handup.executive import events
from handup.executive.failure import Failure
from handup.executive.run_settings import RunSettings


@dataclass
class Case:
    """One failure of a run, and what was done about it.

    Attributes:
        failure: The failure itself.
        over_s: Time at which the task went on; None if it did not.
        by_rule: True if a rule said how to go on, False if somebody else did; None while nobody did.
        rules: Names of the rules that were used for it, one for each use.
        questions: Ids of the questions that people were asked about it.
        posterior: For each module, the probability that it was to blame, as of the last question.
        said: For each module that people judged, True if they said that it was right.
    """

    failure: Failure
    over_s: float | None = None
    by_rule: bool | None = None
    rules: list[str] = field(default_factory=list)
    questions: set[str] = field(default_factory=set)
    posterior: dict[str, float] = field(default_factory=dict)
    said: dict[str, bool] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The module that is most likely to blame; empty where nobody was asked, or all were said to be right."""
        wrong = {name: 0.0 if right else 1.0 for name, right in self.said.items()}
        blamed = {name: share for name, share in {**self.posterior, **wrong}.items() if share > 0.0}
        return max(blamed, key=lambda name: blamed[name], default="")


class Account:
    """Account of one run. Give each event to `take`, in order: those of a journal, or those that a `Run` reports.

    Attributes:
        cases: The failures by their number, except one at which a rule ended the run as done.
        asked: Failures, and starts whose outcome was lost, about which people were asked, each by its number.
        questions: Ids of the questions.
        starts: Actions that were started and not taken back.
        time_s: Duration of the run, without the time in which no program ran.
        help_s: Part of it: the time of waiting for or receiving help.
        lasts_s: Planned duration; None if unknown.
        unit: The action that is one unit of work; empty where there is none.
        units: Number of units that were done within the planned duration.
        ending: Ending of the run; None while it is under way.
        by_rule: True if a rule ended it as done, so that what was under way then was cut off.
        last_s: Time of the last event.
    """

    def __init__(self) -> None:
        self.cases: dict[int, Case] = {}
        self.asked: set[tuple[type, int]] = set()
        self.questions: set[str] = set()
        self.starts = 0
        self.time_s = self.help_s = self.last_s = 0.0
        self.lasts_s: float | None = None
        self.unit = ""
        self.units = 0
        self.ending: events.Ending | None = None
        self.by_rule = False
        self._acting: events.Begun | None = None
        self._waiting = False
        self._gave_up: int | None = None

    @property
    def broke_off(self) -> bool:
        """True if the run ended without being done, so that somebody would have to come."""
        return self.ending is not None and self.ending is not events.Ending.DONE

    def take(self, event: object) -> None:  # noqa: PLR0912 - a table
        """Take in the next event of the run; anything else is passed over."""
        if isinstance(event, events.Started):
            self.last_s = event.at_s
        elif isinstance(event, events.Resumed):
            self.last_s += event.away_s  # time in which no program ran is not counted
        at_s = getattr(event, "at_s", None)
        if isinstance(at_s, float | int):
            passed_s = max(0.0, at_s - self.last_s)
            self.time_s += passed_s
            self.help_s += passed_s if self._waiting else 0.0
            self.last_s += passed_s
        # Only the event right after a rule gave up can be the end of the run by that rule.
        gave_up, self._gave_up = self._gave_up, None
        match event:
            case events.Started():
                settings = RunSettings.from_json(event.settings)
                self.lasts_s, self.unit = settings.lasts_s, settings.unit
            case events.Begun():
                self._waiting, self._acting = False, event
                self.starts += 1
            case events.ActionEnded():
                in_time = self.lasts_s is None or self.time_s <= self.lasts_s
                if event.ok and in_time and self._acting is not None:
                    self.units += self._acting.action == self.unit
                self._waiting, self._acting = False, None
            case events.Void():  # told without a time: the next event has that of the waiting
                self._acting = None
                self.starts -= 1
            case events.TaskAnswered() | events.TaskUnanswered() | events.TaskStopped():
                self._waiting = False
                if isinstance(event, events.TaskAnswered) and event.right is not None and event.number in self.cases:
                    self.cases[event.number].said[event.module] = event.right
            case events.TaskAsked():
                self._ask(event)
            case events.Failed():
                self._acting = None
                self.cases[event.number] = Case(event.failure)
            case events.Recovering() if event.number in self.cases:
                self.cases[event.number].rules.append(event.recovery)
            case events.Recovered(helped=True) if event.number in self.cases:
                self._recovered(event)
            case events.Over():
                self.ending, self._waiting = event.ending, False
                if gave_up is not None and not self.broke_off:
                    del self.cases[gave_up]
                    self.by_rule = True
            case _:
                pass

    def _ask(self, asked: events.TaskAsked) -> None:
        self._waiting = True
        self.questions.add(asked.question)
        if self._acting is not None and self._acting.number == asked.number:
            self.asked.add((events.Begun, asked.number))
            return
        self.asked.add((events.Failed, asked.number))
        case = self.cases.get(asked.number)
        if case is not None:
            case.questions.add(asked.question)
            case.posterior = asked.posterior

    def _recovered(self, event: events.Recovered) -> None:
        case = self.cases[event.number]
        case.over_s = event.at_s
        case.by_rule = bool(event.recovery) and event.hint is not ResumeHint.NONE
        self._gave_up = event.number if event.hint is ResumeHint.NONE else None


UNDER_WAY = "under way"
UNTOLD = ("runs", "untimed", "endings")
"""Fields that `to_json` leaves out."""


@dataclass(frozen=True, kw_only=True)
class Measures:
    """Measures of some runs, in seconds of the runs' own clock.

    An intervention is a failure that people are asked about, however many questions that takes, an action of which they
    are asked what became of it, or a run that broke off, for which somebody would have to come.

    Args:
        runs: Number of runs.
        time_s: Their total duration, without the time in which no program ran.
        help_s: Part of it: the time of waiting for or receiving help.
        lost_s: Time that was left when runs broke off: they stand still until somebody comes.
        interventions: Number of times that people were needed.
        questions: Number of questions that they were asked.
        starts: Actions that were started and not taken back.
        failures: Failures of the recipe's own steps, except one at which a rule ended the run as done.
        inner_failures: Failures inside recoveries.
        recoveries: Uses of rules.
        unresolved: Failures of the recipe's own steps that the rules alone did not get over: a person was asked, the
            policy for unseen errors said how to go on, or the task did not go on. One that was cut off when its
            run ended as done does not count.
        unit: The action that is one unit of work, such as `deliver_kit`; empty where the runs name none, or several.
        units: Number of units that were done within the planned duration of their run.
        untimed: Runs that broke off and whose planned duration is unknown.
        endings: Number of runs by the way in which they ended.
    """

    runs: int = 0
    time_s: float = 0.0
    help_s: float = 0.0
    lost_s: float = 0.0
    interventions: int = 0
    questions: int = 0
    starts: int = 0
    failures: int = 0
    inner_failures: int = 0
    recoveries: int = 0
    unresolved: int = 0
    unit: str = ""
    units: int = 0
    untimed: int = 0
    endings: dict[str, int] = field(default_factory=dict)

    @property
    def nominal_s(self) -> float:
        """Time in which the robot worked by itself."""
        return self.time_s - self.help_s

    @property
    def mtbi_s(self) -> float:
        """Mean time between interventions: nominal time over interventions; infinite where there was none."""
        return self.nominal_s / self.interventions if self.interventions else math.inf

    @property
    def mtci_s(self) -> float | None:
        """Mean time to complete an intervention: waiting, help and standing still over interventions.

        A lower bound where a run broke off. None where there was none, or nobody knows how long a run stood still.
        """
        return None if self.untimed or not self.interventions else (self.help_s + self.lost_s) / self.interventions

    @property
    def availability(self) -> float | None:
        """MTBI / (MTBI + MTCI): the share of time in which the robot needs nobody; None where that is not known."""
        whole_s = self.time_s + self.lost_s
        return None if self.untimed else self.nominal_s / whole_s if whole_s > 0.0 else 1.0

    @property
    def unresolved_share(self) -> float:
        """Share of the recipe's failures that the rules alone did not get over."""
        return self.unresolved / self.failures if self.failures else 0.0

    @property
    def recoveries_per_unit(self) -> float | None:
        """Uses of rules per unit of work; None where no unit was done, or none is named."""
        return self.recoveries / self.units if self.units else None

    def to_json(self) -> dict[str, Any]:
        """Return the measures as JSON: times to a thousandth of a second, shares to a millionth, null for no number."""
        counts = {
            attribute.name: getattr(self, attribute.name) for attribute in fields(self) if attribute.name not in UNTOLD
        }
        return {
            **{name: round(value, 3) if name.endswith("_s") else value for name, value in counts.items()},
            "unit": self.unit or None,
            "mtbi_s": _rounded(self.mtbi_s, 3),
            "mtci_s": _rounded(self.mtci_s, 3),
            "availability": _rounded(self.availability, 6),
            "unresolved_share": round(self.unresolved_share, 6),
            "recoveries_per_unit": _rounded(self.recoveries_per_unit, 3),
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None or math.isinf(value) else round(value, digits)


@dataclass(frozen=True, kw_only=True)
class Traced:
    """Failures of one kind, traced to their origin.

    Args:
        where: The module that is most likely to blame, where people were asked and there was one that they did not say
            to be right, or else the step.
        is_module: True if `where` names a module.
        code: Code of the failures.
        count: Number of failures.
        cost_s: Time in seconds until the task went on, over all of them.
        questions: Number of questions that people were asked about them.
        recoveries: Number of uses of rules for them.
    """

    where: str
    is_module: bool
    code: str
    count: int = 0
    cost_s: float = 0.0
    questions: int = 0
    recoveries: int = 0


def accounts(entries: Iterable[LogEntry]) -> tuple[Account, ...]:
    """Return the runs in a journal, in the order in which they began.

    Args:
        entries: Entries of a journal, in order, of one run or of several.
    """
    runs: dict[str, Account] = {}
    for entry in entries:
        run = getattr(entry, "run", "")
        if isinstance(entry.event, events.Started) or run in runs:
            runs.setdefault(run, Account()).take(entry.event)
    return tuple(runs.values())


def measure(entries: Iterable[LogEntry]) -> Measures:
    """Measure the runs in a journal.

    Args:
        entries: Entries of a journal, in order, of one run or of several.
    """
    return measured(accounts(entries))


def measured(runs: Iterable[Account]) -> Measures:
    """Measure runs from their accounts: the one way to do so, with a journal or without one."""
    runs = tuple(runs)
    cases = [(run, case) for run in runs for case in run.cases.values()]
    outer = [(run, case) for run, case in cases if case.failure.depth == 0]
    # Failures that rules got over; those about which people were asked as well are taken off below.
    alone = [case for run, case in outer if (run.by_rule if case.by_rule is None else case.by_rule)]
    endings: dict[str, int] = {}
    for run in runs:
        ending = UNDER_WAY if run.ending is None else str(run.ending)
        endings[ending] = endings.get(ending, 0) + 1
    broke_off = [run for run in runs if run.broke_off]
    names = {run.unit for run in runs}
    unit = names.pop() if len(names) == 1 else ""
    return Measures(
        runs=len(runs),
        time_s=sum(run.time_s for run in runs),
        help_s=sum(run.help_s for run in runs),
        lost_s=sum(max(0.0, run.lasts_s - run.time_s) for run in broke_off if run.lasts_s is not None),
        interventions=sum(len(run.asked) for run in runs) + len(broke_off),
        questions=sum(len(run.questions) for run in runs),
        starts=sum(run.starts for run in runs),
        failures=len(outer),
        inner_failures=len(cases) - len(outer),
        recoveries=sum(len(case.rules) for _, case in cases),
        unresolved=len(outer) - sum(not case.questions for case in alone),
        unit=unit,
        units=sum(run.units for run in runs) if unit else 0,
        untimed=sum(run.lasts_s is None for run in broke_off),
        endings=endings,
    )


def triage(entries: Iterable[LogEntry]) -> tuple[Traced, ...]:
    """Trace every failure to a module or a step; return them with number and cost, the most costly first.

    The time of a failure inside a recovery is part of the failure that the recovery was for, and counts there only.

    Args:
        entries: Entries of a journal, in order, of one run or of several.
    """
    rows: dict[tuple[str, bool, str], Traced] = {}
    for run in accounts(entries):
        for case in run.cases.values():
            failure = case.failure
            where = case.module or f"{failure.levels[-1].task}/{failure.leaf}"
            until_s = run.last_s if case.over_s is None else case.over_s
            key = (where, bool(case.module), failure.code)
            row = rows.get(key, Traced(where=where, is_module=key[1], code=failure.code))
            rows[key] = replace(
                row,
                count=row.count + 1,
                cost_s=row.cost_s + (max(0.0, until_s - failure.at_s) if failure.depth == 0 else 0.0),
                questions=row.questions + len(case.questions),
                recoveries=row.recoveries + len(case.rules),
            )
    return tuple(sorted(rows.values(), key=lambda row: (-row.cost_s, -row.count, row.where, row.code)))
