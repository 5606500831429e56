"""Worlds of the commands that run recipes, and problems of the files of recipes on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rich.console import Console

from handup.cli.output import err
from handup.core import BadRecipe, ConflictingSettings
from handup.domains.domain import DOMAINS, Domain
from handup.domains.stage import Home, Simulation, Stage
from handup.executive.action import ACTIONS
from handup.executive.problem import Problem
from handup.executive.sources import Sources
from handup.executive.validator import Abilities, abilities_of
from handup.journal.clock import WallClock

TELLS = "; 'handup recipe check' tells it, too"


def simulation(name: str) -> Simulation:
    """Return the world of this name, in which recipes run.

    Raises:
        UnknownName: There is no such world.
        ConflictingSettings: Its robot has a task of its own instead of recipes.
    """
    domain = DOMAINS.get(name)
    if domain.world is None:
        raise ConflictingSettings(
            f"no recipes run in '{name}': it has a task of its own", hint=f"Run: handup run --world {name}."
        )
    return domain.world


def recipe_worlds() -> Sequence[Domain]:
    """Return the domains in which recipes run."""
    return [domain for domain in map(DOMAINS.get, DOMAINS.names()) if domain.world is not None]


def stage_of(world: str, *, seed: int = 0, home: Home | None = None, drills: bool = False) -> Stage:
    """Return the stage of a run: its actions, monitors and clock.

    Args:
        world: Name of the world; empty for the actions of installed packages in real time.
        seed: Seed of the world.
        home: File of the world; None keeps none.
        drills: Whether failures may be injected.

    Raises:
        UnknownName: There is no such world.
        StoreUnavailable, BadRecord: The file of the world is missing, or it is another run's.
    """
    if not world:
        return Stage(actions={name: ACTIONS.maker(name) for name in ACTIONS.names()}, clock=WallClock())
    return simulation(world).stage(seed=seed, home=home, drills=drills)


def with_endings(world: str, named: Sources) -> Sources:
    """Return files, and behind them the rules that end a world's work, so that people are not asked about its end.

    A named rule of the same name, or for the same failure, replaces them. Callers leave them out where nobody is asked:
    they match everywhere, and with them a run could no longer say that no rule was for the failure.

    Args:
        world: Name of the world.
        named: Files that the caller named.
    """
    known = {recovery.name for recovery in named.scanned.recoveries or ()}
    ending = simulation(world).endings()
    if known.intersection(recovery.name for recovery in ending.scanned.recoveries or ()):
        return named
    return replace(named, recoveries={**named.recoveries, **ending.recoveries})


def abilities_in(world: str) -> Abilities:
    """Return the abilities of the robot of a world: its actions and monitors.

    Raises:
        UnknownName: There is no such world.
    """
    stage = stage_of(world)
    return abilities_of(stage.actions, {monitor.name: monitor for monitor in stage.monitors})


# -- problems ----------------------------------------------------------------------------------------------------------


def print_problems(problems: Iterable[Problem], console: Console) -> None:
    """Print each problem in one line."""
    for problem in problems:
        console.print(str(problem), markup=False, soft_wrap=True)


@contextmanager
def all_problems() -> Iterator[None]:
    """Print every problem of files or inputs, where the error alone would name only the first one.

    Raises:
        BadRecipe: There is one problem, which it names with its column; or several, which were printed before.
    """
    try:
        yield
    except BadRecipe as error:
        if not error.problems:
            raise
        first, *more = error.problems
        where = str(first.place)
        if not more:
            cause = f"{where}: {first.cause}" if where else first.cause
            raise BadRecipe(cause, hint=first.hint, problems=error.problems) from None
        print_problems(error.problems, err)
        raise BadRecipe(
            f"there are {len(error.problems)} problems in the {'files' if where else 'inputs'}",
            hint=f"Correct what is told above{TELLS if where else ''}.",
            problems=error.problems,
        ) from None
