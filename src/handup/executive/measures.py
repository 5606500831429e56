"""What a journal says of runs: how long between interventions, how long they take, what failed and what that cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from handup.core.journal import LogEntry
from handup.executive.account import Account
from handup.executive.events import Started

UNDER_WAY = "under way"


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
        return {
            "time_s": round(self.time_s, 3),
            "help_s": round(self.help_s, 3),
            "lost_s": round(self.lost_s, 3),
            "interventions": self.interventions,
            "questions": self.questions,
            "starts": self.starts,
            "failures": self.failures,
            "inner_failures": self.inner_failures,
            "recoveries": self.recoveries,
            "unresolved": self.unresolved,
            "unit": self.unit or None,
            "units": self.units,
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
    count: int
    cost_s: float
    questions: int
    recoveries: int


def accounts(entries: Iterable[LogEntry]) -> tuple[Account, ...]:
    """The runs in a journal, in the order in which they began.

    Args:
        entries: Of a journal, in order, of one run or of several.
    """
    found: dict[str, Account] = {}
    for entry in entries:
        run = getattr(entry, "run", "")
        if isinstance(entry.event, Started) or run in found:
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
    rows: dict[tuple[str, bool, str], list[float]] = {}
    for run in accounts(entries):
        for case in run.cases.values():
            failure = case.failure
            where = case.module or f"{failure.levels[-1].task}/{failure.leaf}"
            until_s = run.ended_s if case.over_s is None else case.over_s
            cost_s = max(0.0, until_s - failure.at_s) if failure.depth == 0 else 0.0
            row = rows.setdefault((where, bool(case.module), failure.code), [0, 0.0, 0, 0])
            for index, value in enumerate((1, cost_s, len(case.questions), len(case.rules))):
                row[index] += value
    traced = [
        Traced(
            where=where,
            is_module=is_module,
            code=code,
            count=int(count),
            cost_s=cost_s,
            questions=int(questions),
            recoveries=int(recoveries),
        )
        for (where, is_module, code), (count, cost_s, questions, recoveries) in rows.items()
    ]
    return tuple(sorted(traced, key=lambda each: (-each.cost_s, -each.count, each.where, each.code)))
