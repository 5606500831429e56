"""What `handup run` and its kin run in: a world that handup brings, or the actions of installed packages alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.domains.stage import Home, Simulation, Stage
    from handup.executive.checking import Abilities
    from handup.executive.sources import Sources

WORLDS: Mapping[str, str] = MappingProxyType({"kitting": "handup.domains.kitting.staging"})
"""The worlds that handup brings, and where they lie: one is large, and most commands need none."""


def simulation(world: str) -> Simulation:
    """The world of this name.

    Raises:
        BadSetting: There is none.
    """
    check_world(world)
    found: Simulation = import_module(WORLDS[world]).SIMULATION
    return found


def check_world(world: str) -> None:
    """Refuse a world that is not there.

    Raises:
        BadSetting: There is none of this name.
    """
    if world not in WORLDS:
        raise BadSetting(f"there is no world '{world}'", hint=f"Known: {', '.join(WORLDS)}.")


def stage_of(world: str, *, seed: int = 0, home: Home | None = None, drills: bool = False) -> Stage:
    """What a run has around it.

    Args:
        world: Which world; empty for the actions of installed packages in real time.
        seed: Of the world.
        home: Where the world is kept.
        drills: Whether failures may be injected.

    Raises:
        BadSetting: There is no such world.
        StoreUnavailable, BadRecord: The world is not where it should be, or it is another run's.
    """
    if not world:
        from handup.domains.stage import Stage  # noqa: PLC0415 - the help does without worlds and databases
        from handup.executive.action import ACTIONS  # noqa: PLC0415
        from handup.journal.clock import WallClock  # noqa: PLC0415

        return Stage(actions={name: ACTIONS.maker(name) for name in ACTIONS.names()}, clock=WallClock())
    return simulation(world).stage(seed=seed, home=home, drills=drills)


def own_files(world: str, *, asking: bool) -> Sources:
    """The recipe, recoveries and database that a world brings.

    Args:
        world: Which.
        asking: Whether there is somebody to ask when recoveries run out.

    Raises:
        BadSetting: No world is named, and so nothing to run.
    """
    if not world:
        raise BadSetting("nothing to run is named", hint=f"Name a recipe file, or a --world: {', '.join(WORLDS)}.")
    return simulation(world).sources(asking=asking)


def with_endings(world: str, named: Sources) -> Sources:
    """Files, and behind them the rules that end a world's work, which people are not to be asked about.

    A rule of the same name in the files that are named holds in their place, and so does one for the same failure.
    Where nobody is asked they are left out: they match everywhere, and with them a run could no longer say that no rule
    was for what failed.

    Args:
        world: Which.
        named: What is named.
    """
    known = {each.name for each in named.scanned.recoveries or ()}
    ending = simulation(world).endings()
    if known.intersection(each.name for each in ending.scanned.recoveries or ()):
        return named
    return replace(named, recoveries={**named.recoveries, **ending.recoveries})


def abilities_in(world: str) -> Abilities:
    """What the robot of a world brings.

    Raises:
        BadSetting: There is no such world.
    """
    from handup.executive.checking import abilities_of  # noqa: PLC0415 - slow to import

    check_world(world)
    stage = stage_of(world)
    return abilities_of(stage.actions, {each.name: each for each in stage.monitors})
