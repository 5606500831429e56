"""What a journal says of runs: how long between interventions, how long they take, what failed and what that cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from handup.core import ResumeHint
from handup.executive.events import (
    Acted,
    Answered,
    Asked,
    Begun,
    Failed,
    Known,
    Over,
    Recovered,
    Recovering,
    Resumed,
    Started,
    Unanswered,
)
from handup.executive.failure import Failure
from handup.recover.sides import Line


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What some runs were like. Times are of the runs' own clock.

    Args:
        runs: How many.
        time_s: Their time in all, without what passed between a program's end and the next one's start.
        help_s: Of that, the time of waiting for or receiving help.
        interventions: Questions put to people.
        starts: Actions that were started.
        failures: In the recipe.
        inner_failures: Inside recoveries.
        recoveries: Uses of rules.
        unresolved: Failures of the recipe that no rule solved: a person did, or the run ended.
        endings: How many runs ended how.
    """

    runs: int = 0
    time_s: float = 0.0
    help_s: float = 0.0
    interventions: int = 0
    starts: int = 0
    failures: int = 0
    inner_failures: int = 0
    recoveries: int = 0
    unresolved: int = 0
    endings: dict[str, int] = field(default_factory=dict)

    @property
    def mtbi_s(self) -> float:
        """Mean time between interventions: nominal time over interventions; infinite where there was none."""
        return (self.time_s - self.help_s) / self.interventions if self.interventions else math.inf

    @property
    def mtci_s(self) -> float:
        """Mean time to complete an intervention; 0 where there was none."""
        return self.help_s / self.interventions if self.interventions else 0.0

    @property
    def availability(self) -> float:
        """MTBI / (MTBI + MTCI): the share of time in which the robot needs nobody."""
        return (self.time_s - self.help_s) / self.time_s if self.time_s > 0.0 else 1.0

    @property
    def unresolved_share(self) -> float:
        """Of the recipe's failures, those that no rule solved."""
        return self.unresolved / self.failures if self.failures else 0.0

    def recoveries_per(self, units: float) -> float:
        """Uses of rules per unit of work, such as a kit; infinite where nothing was done."""
        return self.recoveries / units if units else math.inf if self.recoveries else 0.0


@dataclass(frozen=True, kw_only=True)
class Traced:
    """Failures of one kind, traced to where they come from.

    Args:
        where: The module that is most likely to blame, where people were asked and there was one, or else the step.
        is_module: Whether it is a module.
        code: Of the failures.
        count: How many.
        seconds: What they cost until the task went on.
        questions: And in questions to people.
        recoveries: And in uses of rules.
    """

    where: str
    is_module: bool
    code: str
    count: int
    seconds: float
    questions: int
    recoveries: int


@dataclass
class _Case:
    """One failure, as the entries tell of it."""

    failure: Failure
    over_s: float | None = None
    by_rule: bool = False
    questions: int = 0
    recoveries: int = 0
    module: str = ""


@dataclass
class _Tale:
    """One run, as the entries tell of it."""

    cases: dict[int, _Case] = field(default_factory=dict)
    asked: dict[int, float] = field(default_factory=dict)
    last_s: float = 0.0
    time_s: float = 0.0
    help_s: float = 0.0
    interventions: int = 0
    starts: int = 0
    ending: str = ""

    def take(self, event: object) -> None:
        match event:
            case Started(at_s=at_s) | Resumed(at_s=at_s):
                self.last_s = at_s  # what passed while no program ran is nobody's time
            case Failed():
                self.cases[event.number] = _Case(event.failure)
            case Asked():
                self.interventions += 1
                self.asked[event.number] = event.at_s
                self._note(event)
            case Answered() | Unanswered() | Acted(known=Known.SAID):
                self._helped(event.number, event.at_s)
            case Begun():
                self.starts += 1
            case Recovering() if event.number in self.cases:
                self.cases[event.number].recoveries += 1
            case Recovered(helped=True) if event.number in self.cases:
                case = self.cases[event.number]
                case.over_s = event.at_s
                case.by_rule = bool(event.recovery) and event.hint is not ResumeHint.NONE
            case Over():
                self.ending = str(event.ending)
            case _:
                pass
        when_s = getattr(event, "at_s", None)
        if isinstance(when_s, float | int):
            self.time_s += max(0.0, when_s - self.last_s)
            self.last_s = max(self.last_s, when_s)

    def _note(self, asked: Asked) -> None:
        case = self.cases.get(asked.number)
        if case is not None:
            case.questions += 1
            if asked.posterior:
                case.module = max(asked.posterior, key=lambda name: asked.posterior[name])

    def _helped(self, number: int, at_s: float) -> None:
        put_s = self.asked.pop(number, None)
        if put_s is not None:
            self.help_s += max(0.0, at_s - put_s)


def _tales(entries: Iterable[Line]) -> dict[str, _Tale]:
    tales: dict[str, _Tale] = {}
    for entry in entries:
        run = getattr(entry, "run", "")
        if isinstance(entry.event, Started) or run in tales:
            tales.setdefault(run, _Tale()).take(entry.event)
    return tales


def measure(entries: Iterable[Line]) -> Measures:
    """What the runs in a journal were like.

    Args:
        entries: Of a journal, in order, of one run or of several.
    """
    tales = _tales(entries).values()
    cases = [case for tale in tales for case in tale.cases.values()]
    outer = [case for case in cases if case.failure.depth == 0]
    endings: dict[str, int] = {}
    for tale in tales:
        endings[tale.ending or "under way"] = endings.get(tale.ending or "under way", 0) + 1
    return Measures(
        runs=len(tales),
        time_s=sum(tale.time_s for tale in tales),
        help_s=sum(tale.help_s for tale in tales),
        interventions=sum(tale.interventions for tale in tales),
        starts=sum(tale.starts for tale in tales),
        failures=len(outer),
        inner_failures=len(cases) - len(outer),
        recoveries=sum(case.recoveries for case in cases),
        unresolved=sum(not case.by_rule for case in outer),
        endings=endings,
    )


def triage(entries: Iterable[Line]) -> tuple[Traced, ...]:
    """Every failure, traced to a module or a step, counted, with what it cost; the most costly first.

    The time of a failure inside a recovery is part of the failure that the recovery was for, and counts there only.

    Args:
        entries: Of a journal, in order, of one run or of several.
    """
    rows: dict[tuple[str, bool, str], list[float]] = {}
    for tale in _tales(entries).values():
        for case in tale.cases.values():
            failure = case.failure
            where = case.module or f"{failure.levels[-1].task}/{failure.leaf}"
            until_s = tale.last_s if case.over_s is None else case.over_s
            seconds = max(0.0, until_s - failure.at_s) if failure.depth == 0 else 0.0
            row = rows.setdefault((where, bool(case.module), failure.code), [0, 0.0, 0, 0])
            for index, value in enumerate((1, seconds, case.questions, case.recoveries)):
                row[index] += value
    traced = [
        Traced(
            where=where,
            is_module=is_module,
            code=code,
            count=int(count),
            seconds=seconds,
            questions=int(questions),
            recoveries=int(recoveries),
        )
        for (where, is_module, code), (count, seconds, questions, recoveries) in rows.items()
    ]
    return tuple(sorted(traced, key=lambda each: (-each.seconds, -each.count, each.where, each.code)))
