"""One run of the kitting task in simulated time: the executive, the world, its monitors and its helpers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from handup.domains.kitting.helpers import standing_by
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.variants import Variant, recipes, variant
from handup.domains.kitting.world import KittingWorld
from handup.executive.events import Ending
from handup.executive.executive import Around, Executive
from handup.executive.human_help import People
from handup.executive.machine import Finished, Machine
from handup.executive.measures import Account, Measures, measured
from handup.executive.run import Run

LOOK_EVERY_S = 5.0
"""Seconds between two looks of the monitors."""
UNIT = "deliver_kit"
"""The action that is one unit of work."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """Result of one run.

    Args:
        variant: Name of the way of running.
        seed: Seed of the world.
        kits: Number of complete kits that were delivered in time.
        points: Points for these kits.
        ending: How the run ended.
        reason: Reason for the ending, one sentence.
        ended_s: Time of the end, in seconds.
        starts: Number of starts of each action.
        failures: Number of times that each action gave up with each code, as `action:code`, without the end of the
            time.
        recoveries: Number of uses of each rule.
        measures: Measures as of any run: how often people were needed, how long the robot waited for them, and the
            like.
    """

    variant: str
    seed: int
    kits: int
    points: int
    ending: Ending
    reason: str
    ended_s: float
    starts: Mapping[str, int]
    failures: Mapping[str, int]
    recoveries: Mapping[str, int]
    measures: Measures


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
        seed: Seed of the world.
        way: Variant, or its name: which rules hold and who can be asked.
        rates: Other numbers than the world's own, for tests and sweeps.
        drills: Failures to inject before the start, as (part, failure).

    Raises:
        UnknownName: There is no such variant or failure.
    """
    chosen = variant(way) if isinstance(way, str) else way
    drilled = tuple(drills)
    world = KittingWorld(seed, rates=rates, drills=bool(drilled))
    for part, failure in drilled:
        world.inject(part, failure)
    return run_in(world, chosen)


def run_in(world: KittingWorld, way: Variant) -> Result:
    """Run the task in a world that is there already, without a journal."""

    def people(machine: Machine) -> People | None:
        return standing_by(world, machine, way.helper) if way.helper else None

    started = KittingRun.of(world, way, people)
    return started.result(started.executive.to_the_end())


@dataclass(frozen=True, kw_only=True)
class KittingRun:
    """Run of the task without a journal, ready to be driven.

    Args:
        world: World that the robot is in.
        way: Way of running.
        executive: Executive of the run.
        account: Account of the run, which follows it.
    """

    world: KittingWorld
    way: Variant
    executive: Executive
    account: Account

    @classmethod
    def of(cls, world: KittingWorld, way: Variant, people: Callable[[Machine], People | None]) -> KittingRun:
        """Prepare a run.

        Args:
            world: World that the robot is in.
            way: Way of running.
            people: Function that returns the people who are asked, for the machine that knows what went wrong.
        """
        settings = replace(way.settings, lasts_s=world.rates.run_s, unit=UNIT)
        run = Run(recipes(), way.recoveries(), settings=settings)
        account = Account()
        run.follow(account.take)
        around = Around(
            actions=world.actions(),
            clock=world.clock,
            monitors=world.monitors() if way.beliefs else (),
            people=people(run.machine),
            look_every_s=LOOK_EVERY_S,
        )
        return cls(world=world, way=way, executive=Executive(run, around), account=account)

    def result(self, over: Finished) -> Result:
        """Return the result of a run that has ended."""
        cases = self.account.cases.values()
        return Result(
            variant=self.way.name,
            seed=self.world.state.seed,
            kits=self.world.kits,
            points=self.world.points,
            ending=over.ending,
            reason=over.reason,
            ended_s=self.world.clock.now_s(),
            starts=dict(self.world.starts),
            failures=dict(Counter(f"{case.failure.leaf}:{case.failure.code}" for case in cases)),
            recoveries=dict(Counter(rule for case in cases for rule in case.rules)),
            measures=measured([self.account]),
        )
