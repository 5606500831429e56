"""One run of the kitting task in simulated time: the executive, the world, its monitors and its helpers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from handup.core import Question, ResumeHint
from handup.domains.kitting.helpers import HELPERS, Helper
from handup.domains.kitting.primitive import TIME_UP
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.variants import Variant, recipes, variant
from handup.domains.kitting.world import World
from handup.executive.around import Around
from handup.executive.events import Ending, Failed, Note, Recovered, Recovering
from handup.executive.executive import Executive
from handup.executive.machine import AskPerson, Finished, Machine
from handup.executive.people import Bystander as StandingBy
from handup.executive.people import Said
from handup.executive.run import Run

LOOK_EVERY_S = 5.0
"""So often the monitors look."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of one run.

    Args:
        variant: The way of running.
        seed: Of the world.
        kits: Complete ones, delivered in time.
        points: What they count.
        ending: How the run ended.
        reason: In a sentence.
        time_up: Whether it ended because the time was up, which is no failure.
        ended_s: When.
        starts: How many actions were started.
        failures: How often each action gave up with each code, as `action:code`.
        recoveries: How often each rule was used.
        faults: Failures of the recipe's own steps; the end of the time is none.
        unresolved: Those of them that the rules alone did not get over: a person was asked about it, or the task did
            not go on. One that the end of the time cut off is none.
        interventions: How often people were needed: failures that they were asked about, and one for a run that
            broke off.
        questions: How many questions they were asked.
        waited_s: How long the robot waited for them.
    """

    variant: str
    seed: int
    kits: int
    points: int
    ending: Ending
    reason: str
    time_up: bool
    ended_s: float
    starts: Mapping[str, int]
    failures: Mapping[str, int]
    recoveries: Mapping[str, int]
    faults: int
    unresolved: int
    interventions: int
    questions: int
    waited_s: float


def run_once(
    seed: int,
    way: Variant | str = "full",
    *,
    rates: Rates | None = None,
    drills: Iterable[tuple[str, str]] = (),
) -> Result:
    """Run the task for 45 simulated minutes.

    Runs of the same seed see the same faults where they do the same things.

    Args:
        seed: Of the world.
        way: Which rules hold and who can be asked, or the name of a `Variant`.
        rates: Other numbers than the world's own, for tests and sweeps.
        drills: Failures to inject before the start, as (part, failure).

    Raises:
        BadSetting: There is no such variant or failure.
    """
    chosen = variant(way) if isinstance(way, str) else way
    drilled = tuple(drills)
    world = World(seed, rates=rates, drills=bool(drilled))
    for part, failure in drilled:
        world.inject(part, failure)
    return run_in(world, chosen)


def run_in(world: World, way: Variant) -> Result:
    """Run the task in a world that is there already, without a journal."""
    run = Run(recipes(), way.recoveries(), settings=way.settings)
    asked = _Asked(world, run.machine, HELPERS.get(way.helper))
    people = StandingBy(asked.says, world.clock) if asked.helper else None
    around = Around(
        actions=world.actions(),
        clock=world.clock,
        monitors=world.monitors() if way.beliefs else (),
        people=people,
        look_every_s=LOOK_EVERY_S,
    )
    over = Executive(run, around).to_the_end()
    return _result(world, way, over, run.machine.notes(), asked)


@dataclass
class _Asked:
    """Puts questions to the helper, with what only somebody on the spot knows; and counts."""

    world: World
    machine: Machine
    helper: Helper | None
    failures: set[int] = field(default_factory=set)
    questions: int = 0
    waited_s: float = 0.0

    def says(self, question: Question) -> Said | None:
        asked = self.machine.next()
        if self.helper is None or not isinstance(asked, AskPerson):
            return None
        said = self.helper.says(self.world, asked, question)
        self.failures.add(asked.number)
        self.questions += 1
        self.waited_s += said.latency_s
        return said


def _result(world: World, way: Variant, over: Finished, notes: Iterable[Note], asked: _Asked) -> Result:
    failures: Counter[str] = Counter()
    recoveries: Counter[str] = Counter()
    by_rule: dict[int, bool | None] = {}
    for note in notes:
        if isinstance(note, Failed):
            failures[f"{note.failure.leaf}:{note.failure.code}"] += 1
            if note.failure.depth == 0 and note.failure.code != TIME_UP:
                by_rule[note.number] = None
        elif isinstance(note, Recovered) and note.helped and note.number in by_rule:
            by_rule[note.number] = bool(note.recovery) and note.hint is not ResumeHint.NONE
        elif isinstance(note, Recovering):
            recoveries[note.recovery] += 1
    time_up = over.failure is not None and over.failure.code == TIME_UP
    alone = {number for number, each in by_rule.items() if each or (each is None and time_up)} - asked.failures
    return Result(
        variant=way.name,
        seed=world.state.seed,
        kits=world.kits,
        points=world.points,
        ending=over.ending,
        reason=over.reason,
        time_up=time_up,
        ended_s=world.clock.now_s(),
        starts=dict(world.starts),
        failures=dict(failures),
        recoveries=dict(recoveries),
        faults=len(by_rule),
        unresolved=len(by_rule) - len(alone),
        interventions=len(asked.failures) + (over.ending is not Ending.DONE and not time_up),
        questions=asked.questions,
        waited_s=asked.waited_s,
    )
