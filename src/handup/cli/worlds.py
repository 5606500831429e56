"""What `handup run` and its kin run in: a world that handup brings, or the actions of installed packages alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handup.core import BadSetting, Clock
from handup.executive.action import ACTIONS
from handup.executive.around import Make
from handup.executive.checking import Abilities, abilities_of
from handup.executive.machine import Machine
from handup.executive.monitors import Monitor
from handup.executive.people import People
from handup.executive.sources import Sources

if TYPE_CHECKING:
    from handup.domains.kitting import World

WORLDS = ("kitting",)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A robot, and what is around it.

    Args:
        actions: What it can do.
        clock: Its time.
        monitors: What looks on.
        look_every_s: So often they look.
        simulated: Makes somebody simulated to ask; None where nobody is simulated here.
        with_hands: Gives real people eyes and hands in this world.
        result: What it came to, as plain data.
        in_words: The same in words; empty where there is nothing to say.
        ends_with: Codes of failures that are no failure here: the time is up.
        close: Let go of files.
    """

    actions: Mapping[str, Make]
    clock: Clock
    monitors: Sequence[Monitor] = ()
    look_every_s: float = 1.0
    simulated: Callable[[Machine], People] | None = None
    with_hands: Callable[[People, Machine], People] = lambda people, machine: people
    result: Callable[[], dict[str, Any]] = dict
    in_words: Callable[[], str] = str
    ends_with: tuple[str, ...] = ()
    close: Callable[[], None] = lambda: None


def check_world(world: str) -> None:
    """Refuse a world that is not there.

    Raises:
        BadSetting: There is none of this name.
    """
    if world not in WORLDS:
        raise BadSetting(f"there is no world '{world}'", hint=f"Known: {', '.join(WORLDS)}.")


def stage_of(world: str, *, seed: int = 0, path: Path | None = None, drills: bool = False) -> Stage:
    """What a run has around it.

    Args:
        world: Which world; empty for the actions of installed packages in real time.
        seed: Of the world.
        path: The file in which the world lives.
        drills: Whether failures may be injected.
    """
    if not world:
        from handup.journal.clock import WallClock  # noqa: PLC0415 - the help does without databases

        return Stage(actions={name: ACTIONS.maker(name) for name in ACTIONS.names()}, clock=WallClock())
    check_world(world)
    from handup.domains.kitting import World  # noqa: PLC0415 - a world is large, and most commands need none

    return _kitting(World(seed, path=path, drills=drills))


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
    check_world(world)
    from handup.domains.kitting.variants import sources, variant  # noqa: PLC0415 - as above

    return sources(variant("full + bystander" if asking else "full").rules)


def abilities_in(world: str) -> Abilities:
    """What the robot of a world brings.

    Raises:
        BadSetting: There is no such world.
    """
    check_world(world)
    stage = stage_of(world)
    return abilities_of(stage.actions, {each.name: each for each in stage.monitors})


def _kitting(world: World) -> Stage:
    from handup.domains.kitting.hall import WithHands, standing_by  # noqa: PLC0415 - as above
    from handup.domains.kitting.primitive import TIME_UP  # noqa: PLC0415
    from handup.domains.kitting.running import LOOK_EVERY_S  # noqa: PLC0415

    return Stage(
        actions=world.actions(),
        clock=world.clock,
        monitors=world.monitors(),
        look_every_s=LOOK_EVERY_S,
        simulated=lambda machine: standing_by(world, machine),
        with_hands=lambda people, machine: WithHands(people, world, machine),
        result=lambda: {"kits": world.kits, "points": world.points},
        in_words=lambda: f"{world.kits} kit{'' if world.kits == 1 else 's'}, {world.points} points",
        ends_with=(TIME_UP,),
        close=world.close,
    )
