"""Surroundings of a robot that runs a recipe, and the contract of a world in which recipes run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from handup.executive.executive import Around
from handup.executive.human_help import People
from handup.executive.machine import Machine
from handup.executive.sources import Sources


@dataclass(frozen=True, kw_only=True)
class Stage(Around):
    """A robot in a world, and everything that a run has around it there.

    Args:
        simulated: Makes a simulated person to ask; None where this world has none.
        with_hands: Gives real people eyes and hands in this world.
        result: Returns the result of the work, as plain data.
        in_words: Returns the same in words; empty where there is nothing to say.
        lasts_s: Seconds that the world's own task is to last; None where nobody said.
        unit: The action that is one unit of its work; empty where there is none.
        close: Closes files.
    """

    simulated: Callable[[Machine], People] | None = None
    with_hands: Callable[[People, Machine], People] = lambda people, machine: people
    result: Callable[[], dict[str, Any]] = dict
    in_words: Callable[[], str] = str
    lasts_s: float | None = None
    unit: str = ""
    close: Callable[[], None] = lambda: None


@dataclass(frozen=True, kw_only=True)
class Home:
    """Place where the world of one run is kept.

    Args:
        path: The file.
        whose: Name of the run; a file with the world of another run is refused.
        new: Whether the world begins now; otherwise the file must exist.
    """

    path: Path
    whose: str
    new: bool = False


@dataclass(frozen=True, kw_only=True)
class Drill:
    """A failure that can be brought about, for practice.

    Args:
        part: Part of the world that fails.
        failure: Name of the failure.
        words: Description of what a person there would see.
    """

    part: str
    failure: str
    words: str


class Simulation(Protocol):
    """A world in which recipes run: a `Domain` brings it as its `world`."""

    def stage(self, *, seed: int = 0, home: Home | None = None, drills: bool = False) -> Stage:
        """Return a stage to run in.

        Args:
            seed: All chance comes from it.
            home: Place where the world is kept; None to keep nothing.
            drills: Whether failures may be injected.

        Raises:
            StoreUnavailable, BadRecord: The world is not where it should be, or it is another one's.
        """
        ...

    def sources(self, *, asking: bool) -> Sources:
        """Return the recipe, recoveries and database that the world brings.

        Args:
            asking: Whether there is somebody to ask when recoveries run out.
        """
        ...

    def endings(self) -> Sources:
        """Return those rules that end the work: the end of its time is no fault to ask people about."""
        ...

    def drills(self) -> Sequence[Drill]:
        """Return every failure that can be brought about."""
        ...

    def inject(self, home: Home, part: str, failure: str) -> None:
        """Bring about a failure at its next opportunity, in the world of a run that may be under way.

        Raises:
            BadSetting: There is no such part, or no such failure of it, or this world takes no drills.
            StoreUnavailable, BadRecord: The world is not where it should be, or it is another one's.
        """
        ...
