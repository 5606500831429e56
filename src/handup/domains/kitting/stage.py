"""The kitting hall as a stage, so that the commands for recipes run in it as in any other world."""

from __future__ import annotations

from collections.abc import Sequence

from handup.domains.domain import Domain
from handup.domains.kitting.causes import CAUSES
from handup.domains.kitting.helpers import put_right, standing_by
from handup.domains.kitting.kitting_run import LOOK_EVERY_S, UNIT
from handup.domains.kitting.variants import COMMON, sources, variant
from handup.domains.kitting.world import KittingWorld
from handup.domains.stage import Drill, Home, Stage
from handup.executive.sources import Sources

ALONE, ASKING = "full", "full + bystander"
"""Variants of the rules used by default: with nobody to ask, and with somebody to ask."""


class Kitting:
    """The kitting hall. See `Simulation`."""

    def stage(self, *, seed: int = 0, home: Home | None = None, drills: bool = False) -> Stage:
        """Return a hall to run in."""
        if home is None:
            return hall(KittingWorld(seed, drills=drills))
        return hall(KittingWorld(seed, path=home.path, drills=drills, whose=home.whose, create=home.new))

    def sources(self, *, asking: bool) -> Sources:
        """Return the tree of kits, its database, and all rules."""
        return sources(variant(ASKING if asking else ALONE).rules)

    def endings(self) -> Sources:
        """Return the rule for the end of the time."""
        return Sources(recipes={}, recoveries=sources(COMMON).recoveries)

    def drills(self) -> Sequence[Drill]:
        """Return the faults that can be put into the hall for practice."""
        return [Drill(part=cause.part, failure=cause.name, words=cause.words) for cause in CAUSES.values()]

    def inject(self, home: Home, part: str, failure: str) -> None:
        """Put a fault into the file of a hall; the robot that runs there meets it."""
        world = KittingWorld(path=home.path, whose=home.whose, create=False)
        try:
            world.inject(part, failure)
        finally:
            world.close()


DOMAIN = Domain(
    name="kitting",
    about="A mobile robot builds kits, and its failures have hidden causes that recoveries remove.",
    world=Kitting(),
    speed=20.0,
    studies=("recoveries", "recovery-rules"),
)


def hall(world: KittingWorld) -> Stage:
    """Return a world as a stage."""
    return Stage(
        actions=world.actions(),
        clock=world.clock,
        monitors=world.monitors(),
        look_every_s=LOOK_EVERY_S,
        simulated=lambda machine: standing_by(world, machine),
        sights=lambda: f"Simulated: in the hall you would see: {' '.join(world.sights) or 'Nothing that looks wrong.'}",
        put_right=lambda failure: put_right(world, failure),
        result=lambda: {"kits": world.kits, "points": world.points},
        in_words=lambda: f"{world.kits} kit{'' if world.kits == 1 else 's'}, {world.points} points",
        lasts_s=world.rates.run_s,
        unit=UNIT,
        close=world.close,
    )
