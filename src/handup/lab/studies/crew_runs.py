"""Rows of `recovery-effort` and `helper-roles`: robots of the kitting hall, one alone or several with one operator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from handup.core import Question
from handup.core.files import shipped_data
from handup.domains.kitting.helpers import BYSTANDER, HELPERS, OPERATOR, HallHelper, OperatorFirst
from handup.domains.kitting.kitting_run import KittingRun, Result
from handup.domains.kitting.rates import Rates, rates
from handup.domains.kitting.variants import Variant, read
from handup.domains.kitting.world import KittingWorld
from handup.executive.action import Working
from handup.executive.events import Ending
from handup.executive.failure import Failure
from handup.executive.human_help import Heard, People, pass_time
from handup.executive.machine import AskPerson, Finished, Machine
from handup.executive.machine.failures import climbed
from handup.executive.machine.program import fits
from handup.executive.recovery import Recovery
from handup.executive.run_settings import Unseen
from handup.lab.engine import Batch, Columns, columns_of
from handup.lab.engine.claims import Row
from handup.people import Suggestions, Support

Helper = HallHelper | OperatorFirst
NUMBERS: Mapping[str, Any] = shipped_data(__file__, "crew_runs.yaml")


@dataclass(frozen=True, kw_only=True)
class DevelopedWay(Variant):
    """Way of running during development: some rules of the files only.

    Args:
        kept: Names of the rules that were written so far.
    """

    kept: tuple[str, ...]

    def recoveries(self) -> tuple[Recovery, ...]:
        """Return the rules that were written so far."""
        return tuple(rule for rule in super().recoveries() if rule.name in self.kept)


@dataclass(frozen=True, kw_only=True)
class Crew:
    """Robots with the same helper.

    Args:
        helper: The helper.
        robots: Number of robots.
    """

    helper: Helper
    robots: int = 1


@cache
def crews() -> Mapping[str, Crew]:
    """Return the crews that are compared, by name: who helps, over which line, with which suggestions."""
    accuracy = NUMBERS["accuracy"]
    supports: dict[str, dict[str, Support]] = {"": {}} | {
        f", {name}": {kind: Support(Suggestions(shown), accuracy) for kind, shown in entry.items()}
        for name, entry in NUMBERS["information"].items()
    }
    single = {BYSTANDER.name: BYSTANDER} | {
        f"operator{f', {lag_s} s' if lag_s else ''}{about}": replace(OPERATOR, lag_s=lag_s, supports=shown)
        for lag_s in NUMBERS["lags_s"]
        for about, shown in supports.items()
    }
    best = replace(OPERATOR, supports=supports[", both"])
    found = {name: Crew(helper=helper) for name, helper in single.items()}
    found["operator first"] = Crew(helper=OperatorFirst())
    return found | {f"{count} robots": Crew(helper=best, robots=count) for count in NUMBERS["robots"]}


@dataclass
class SharedPerson:
    """Somebody whom several robots ask; they are helped one after the other, in the order in which they asked.

    Attributes:
        free_s: Time from which on the person is free.
        busy: Times from and to which they were busy.
    """

    free_s: float = 0.0
    busy: list[tuple[float, float]] = field(default_factory=list)

    def serve(self, asked_s: float, seconds: float) -> float:
        """Help with a question when all earlier ones are done, and return the time of the answer."""
        begins_s = max(asked_s, self.free_s)
        self.free_s = begins_s + seconds
        self.busy.append((begins_s, self.free_s))
        return self.free_s


class QueuedRobot:
    """Robot of a crew, driven from question to question.

    Args:
        seed: Seed of its world.
        way: Way of running.
        terms: The world's numbers.
        helper: The helper; None for nobody.
    """

    stopped = False

    def __init__(self, seed: int, way: Variant, terms: Rates, helper: Helper | None) -> None:
        self._helper = helper
        self._world = KittingWorld(seed, rates=terms)
        self.run = KittingRun.of(self._world, way, self._people)
        self._turns = self.run.executive.turns()
        self._heard = Heard()
        self.over: Finished | None = None
        self.asked_s = self.seconds = self.ready_s = self.queued_s = 0.0
        self.called: set[tuple[str, int]] = set()

    def _people(self, machine: Machine) -> People | None:
        self._machine = machine
        return None if self._helper is None else self

    def ask(self, question: Question, step: str) -> str:
        """Let the helper settle what they will answer; the queue decides when."""
        asked = self._machine.next()
        assert isinstance(asked, AskPerson) and self._helper is not None
        reply = self._helper.says(self._world, asked, question)
        self.called.add((reply.by, asked.number))
        self._heard = Heard(value=reply.value, by=reply.by)
        self.asked_s, self.seconds, self.ready_s = self._world.clock.now_s(), reply.latency_s, math.inf
        return step

    def heard(self, question: str) -> Heard | None:
        """Return the answer once its time has come."""
        return self._heard if self.ready_s <= self._world.clock.now_s() else None

    def wait(self, question: str, seconds: float) -> None:
        """Do nothing: `go_on` lets time pass."""

    def withdraw(self, question: str) -> None:
        """Do nothing: nobody says stop here."""

    def go_on(self) -> None:
        """Run until a question is open or the run is over."""
        while self.over is None:
            try:
                working: Working = next(self._turns)
            except StopIteration as end:
                self.over = end.value
                return
            if not self.run.executive.run.waiting_for:
                pass_time(self._world.clock, working.for_s)
            elif self.ready_s == math.inf:
                return
            else:
                pass_time(self._world.clock, max(0.0, self.ready_s - self._world.clock.now_s()))

    def answered(self, at_s: float) -> None:
        """Settle the time of the answer to the open question."""
        self.ready_s, self.queued_s = at_s, self.queued_s + at_s - self.asked_s - self.seconds

    @property
    def result(self) -> Result:
        """Result of the run, which must be over."""
        assert self.over is not None
        return self.run.result(self.over)


def run_crew(robots: Sequence[QueuedRobot]) -> SharedPerson:
    """Run robots that share one person to their ends, event by event.

    Robots meet only in the queue: the earliest open question is the next one to be helped with, once each of them has a
    question open or is over.
    """
    person = SharedPerson()
    for robot in robots:
        robot.go_on()
    while asking := [robot for robot in robots if robot.over is None]:
        first = min(asking, key=lambda robot: robot.asked_s)
        first.answered(person.serve(first.asked_s, first.seconds))
        first.go_on()
    return person


def crew_row(seed: int, robots: Sequence[QueuedRobot], person: SharedPerson, run_s: float) -> Row:
    """Return the row of a crew: sums over its robots, and what the person did within the planned time.

    `queued_s` is the part of `waited_s` in which the person helped another robot; `bystander_calls` counts faults about
    which a bystander was asked.
    """
    results = [robot.result for robot in robots]
    measures = [result.measures for result in results]
    called = [name for robot in robots for name, _ in robot.called]
    return {
        "seed": seed,
        "robots": len(robots),
        "kits": sum(result.kits for result in results),
        "broke_off": sum(result.ending is not Ending.DONE for result in results),
        "ended_s": round(sum(result.ended_s for result in results), 3),
        "waited_s": round(sum(found.help_s for found in measures), 3),
        "lost_s": round(sum(found.lost_s for found in measures), 3),
        "queued_s": round(sum(robot.queued_s for robot in robots), 3),
        "busy_s": round(sum(max(0.0, min(end_s, run_s) - start_s) for start_s, end_s in person.busy), 3),
        "interventions": sum(found.interventions for found in measures),
        "questions": sum(found.questions for found in measures),
        "faults": sum(found.failures for found in measures),
        "unresolved": sum(found.unresolved for found in measures),
        "bystander_calls": called.count("bystander"),
    }


def make_roles(batch: Batch) -> Columns:
    """Run a crew once for each seed of a batch."""
    crew, terms = crews()[batch.arm], rates_of(batch.place["day"])
    way = Variant(name=batch.arm, about="", rules=tuple(NUMBERS["rules"][batch.place["rules"]]), unseen=Unseen.ASK)

    def rows() -> Iterator[Row]:
        for seed in range(batch.first, batch.first + batch.count):
            seeds = [seed + NUMBERS["apart"] * number for number in range(crew.robots)]
            robots = [QueuedRobot(own, way, terms, crew.helper) for own in seeds]
            yield crew_row(seed, robots, run_crew(robots), terms.run_s)

    return columns_of(rows())


def make_steps(batch: Batch) -> Columns:
    """Run one robot with the rules of a step of development, once for each seed of a batch."""
    helper = HELPERS.get(batch.place["helper"])
    way = way_of(rules_in(batch.place["order"])[: int(batch.arm)], asks=helper is not None)

    def rows() -> Iterator[Row]:
        for seed in range(batch.first, batch.first + batch.count):
            robot = QueuedRobot(seed, way, rates(), helper)
            yield crew_row(seed, [robot], run_crew([robot]), rates().run_s)

    return columns_of(rows())


def rates_of(day: str) -> Rates:
    """Return the world's numbers on a day."""
    factor = NUMBERS["days"][day]
    return rates() if factor == 1.0 else rates().times(factor)


@cache
def rules_in(order: str) -> tuple[str, ...]:
    """Return the names of all rules in an order: `files`, or `need`, where those that were not needed are last."""
    files = tuple(rule.name for rule in read(tuple(NUMBERS["order"])))
    needed = tuple(NUMBERS["need"]) if order == "need" else ()
    return (*needed, *(name for name in files if name not in needed))


def way_of(rules: Sequence[str], *, asks: bool) -> DevelopedWay:
    """Return the way of running with some rules: with somebody to ask also those for what people say.

    Where the robot asks, it does not put kits away, as in the world's own ways of running.
    """
    files, talk = tuple(NUMBERS["order"]), tuple(NUMBERS["talk"])
    if not asks:
        return DevelopedWay(name="developed", about="", rules=files, kept=tuple(rules))
    told = tuple(rule.name for rule in read(talk))
    return DevelopedWay(name="developed", about="", rules=(*files[:-1], *talk), unseen=Unseen.ASK, kept=(*rules, *told))


def next_rule(rules: Sequence[str]) -> str | None:
    """Return the rule that a developer would add next, who looks at the trial mornings that break off.

    It is the rule that is for the failures of most of them; for each failure the first rule in the files counts. None
    if no morning breaks off, or no rule is for what failed.
    """
    trials, way = NUMBERS["trials"], way_of(rules, asks=False)
    left = [rule for rule in read(tuple(NUMBERS["order"])) if rule.name not in rules]
    wanted: Counter[str] = Counter()
    for seed in range(trials["first"], trials["first"] + trials["count"]):
        robot = QueuedRobot(seed, way, rates(), None)
        robot.go_on()
        assert robot.over is not None
        failure = robot.over.failure
        if failure is not None and robot.over.ending is not Ending.DONE:
            wanted.update(rule.name for rule in [rule for rule in left if _is_for(rule, failure)][:1])
    names = [rule.name for rule in left]
    return min(wanted, key=lambda name: (-wanted[name], names.index(name)), default=None)


def _is_for(rule: Recovery, failure: Failure) -> bool:
    """Return whether a rule names a failure, on any level of the task, whatever is believed."""
    condition = replace(rule.when, belief=None)
    levels = range(len(failure.levels), 0, -1)
    return any(fits(condition, climbed(failure, level), lambda _: True) for level in levels)
