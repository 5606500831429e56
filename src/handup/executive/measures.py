"""What runs were like: how long between interventions, how long they take, what failed and what that cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from handup.core import ResumeHint
from handup.core.journal import LogEntry
from handup.executive import events
from handup.executive.failure import Failure
from handup.executive.settings import Settings


@dataclass
class Case:
    """One failure.

    Attributes:
        failure: What went wrong.
        over_s: When the task went on; None where it did not.
        by_rule: Whether a rule said how; None while nobody did.
        rules: The rules that were used for it, each as often as it was.
        questions: The ids of what people were asked about it.
        posterior: For each module, how likely it was to be to blame when they were last asked.
        said: For each module that they could tell of, whether they said that it was right.
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
    """What happened in one run. Give each event to `take`, in order: those of a journal, or those that a `Run` tells.

    Attributes:
        cases: The failures by their number. One at which a rule ended the run as done is none.
        asked: What people were asked about: failures, and starts whose outcome was lost, each by its number.
        questions: The ids of what they were asked.
        starts: Actions that were started and not taken back.
        time_s: How long it took, without what passed while no program ran.
        help_s: Of that, the time of waiting for or receiving help.
        lasts_s: How long it was to last; None where that is not known.
        unit: The action that is one unit of work; empty where there is none.
        units: How often it was done within the time that the run was to last.
        ending: None while it is under way.
        by_rule: Whether a rule ended it as done, so that what was under way then was cut off.
        last_s: When the last thing happened.
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
        """Whether it ended and was not done, so that somebody would have to come."""
        return self.ending is not None and self.ending is not events.Ending.DONE

    @property
    def _in_time(self) -> bool:
        return self.lasts_s is None or self.time_s <= self.lasts_s

    def take(self, event: object) -> None:  # noqa: PLR0912 - a table
        """The next thing that happened. What is no event of a run is passed over."""
        if isinstance(event, events.Started):
            self.last_s = event.at_s
        elif isinstance(event, events.Resumed):
            self.last_s += event.away_s  # what passed while no program ran is nobody's time
        at_s = getattr(event, "at_s", None)
        if isinstance(at_s, float | int):
            passed_s = max(0.0, at_s - self.last_s)
            self.time_s += passed_s
            self.help_s += passed_s if self._waiting else 0.0
            self.last_s += passed_s
        gave_up, self._gave_up = self._gave_up, None
        match event:
            case events.Started():
                settings = Settings.from_json(event.settings)
                self.lasts_s, self.unit = settings.lasts_s, settings.unit
            case events.Begun():
                self._waiting, self._acting = False, event
                self.starts += 1
            case events.Acted():
                if event.ok and self._in_time and self._acting is not None:
                    self.units += self._acting.action == self.unit
                self._waiting, self._acting = False, None
            case events.Void():  # told without a time: the next event has that of the waiting
                self._acting = None
                self.starts -= 1
            case events.Answered() | events.Unanswered() | events.Stopped():
                self._waiting = False
                if isinstance(event, events.Answered) and event.right is not None and event.number in self.cases:
                    self.cases[event.number].said[event.module] = event.right
            case events.Asked():
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

    def _ask(self, asked: events.Asked) -> None:
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
"""Fields that programs are not told."""


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What some runs were like. Times are of the runs' own clock.

    An intervention is a failure that people are asked about, however many questions that takes, an action of which they
    are asked what became of it, or a run that broke off, for which somebody would have to come.

    Args:
        runs: How many.
        time_s: Their time in all, without what passed while no program ran.
        help_s: Of that, the time of waiting for or receiving help.
        lost_s: What was left of their time when runs broke off: they stand still until somebody comes.
        interventions: How often people were needed.
        questions: What they were asked.
        starts: Actions that were started; none that was taken back.
        failures: Of the recipe's own steps. One at which a rule ended the run as done is none.
        inner_failures: Inside recoveries.
        recoveries: Uses of rules.
        unresolved: Failures of the recipe's own steps that the rules alone did not get over: a person was asked, the
            policy for unseen errors said how to go on, or the task did not go on. One that the end of a run which is
            done cut off is none.
        unit: The action that is one unit of work, such as `deliver_kit`; empty where the runs name none, or several.
        units: How often it was done within the time that a run was to last.
        untimed: Runs that broke off of which nobody said how long they were to last.
        endings: How many runs ended how.
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
        """How long the robot worked by itself."""
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
        """Of the recipe's failures, those that the rules alone did not get over."""
        return self.unresolved / self.failures if self.failures else 0.0

    @property
    def recoveries_per_unit(self) -> float | None:
        """Uses of rules per unit of work; None where nothing was done, or nothing is named that counts."""
        return self.recoveries / self.units if self.units else None

    def to_json(self) -> dict[str, Any]:
        """For programs: times to a thousandth of a second, shares to a millionth; null where there is no number."""
        counts = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in UNTOLD}
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
    """Failures of one kind, traced to where they come from.

    Args:
        where: The module that is most likely to blame, where people were asked and there was one that they did not say
            to be right, or else the step.
        is_module: Whether it is a module.
        code: Of the failures.
        count: How many.
        cost_s: What they cost until the task went on.
        questions: And in questions to people.
        recoveries: And in uses of rules.
    """

    where: str
    is_module: bool
    code: str
    count: int = 0
    cost_s: float = 0.0
    questions: int = 0
    recoveries: int = 0


def accounts(entries: Iterable[LogEntry]) -> tuple[Account, ...]:
    """The runs in a journal, in the order in which they began.

    Args:
        entries: Of a journal, in order, of one run or of several.
    """
    found: dict[str, Account] = {}
    for entry in entries:
        run = getattr(entry, "run", "")
        if isinstance(entry.event, events.Started) or run in found:
            found.setdefault(run, Account()).take(entry.event)
    return tuple(found.values())


def measure(entries: Iterable[LogEntry]) -> Measures:
    """What the runs in a journal were like.

    Args:
        entries: Of a journal, in order, of one run or of several.
    """
    return measured(accounts(entries))


def measured(runs: Iterable[Account]) -> Measures:
    """What some runs were like: the one way in which runs are measured, with a journal or without one."""
    runs = tuple(runs)
    cases = [(run, case) for run in runs for case in run.cases.values()]
    outer = [(run, case) for run, case in cases if case.failure.depth == 0]
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
    """Every failure, traced to a module or a step, counted, with what it cost; the most costly first.

    The time of a failure inside a recovery is part of the failure that the recovery was for, and counts there only.

    Args:
        entries: Of a journal, in order, of one run or of several.
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
