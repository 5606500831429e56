"""What a robot has around it while it runs a recipe, and what a world must bring so that recipes can run in it."""

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
        simulated: Makes somebody simulated to ask; None where nobody is simulated here.
        with_hands: Gives real people eyes and hands in this world.
        result: Returns what it came to, as plain data.
        in_words: Returns the same in words; empty where there is nothing to say.
        lasts_s: Seconds that the world's own task is to last; None where nobody said.
        unit: The action that is one unit of its work; empty where there is none.
        close: Lets go of files.
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
    """Where the world of one run is kept.

    Args:
        path: The file.
        whose: Whose world it is; a file that holds another one's is refused.
        new: Whether it begins; one in which a run goes on must be there.
    """

    path: Path
    whose: str
    new: bool = False


@dataclass(frozen=True, kw_only=True)
class Drill:
    """Something that can be made to fail.

    Args:
        part: Where.
        failure: What.
        words: What somebody there would see.
    """

    part: str
    failure: str
    words: str


class Simulation(Protocol):
    """A world in which recipes run: a `Domain` brings it as its `world`."""

    def stage(self, *, seed: int = 0, home: Home | None = None, drills: bool = False) -> Stage:
        """A world to run in.

        Args:
            seed: All chance comes from it.
            home: Where it is kept; nothing is kept where it is None.
            drills: Whether failures may be injected.

        Raises:
            StoreUnavailable, BadRecord: The world is not where it should be, or it is another one's.
        """
        ...

    def sources(self, *, asking: bool) -> Sources:
        """The recipe, recoveries and database that the world brings.

        Args:
            asking: Whether there is somebody to ask when recoveries run out.
        """
        ...

    def endings(self) -> Sources:
        """Of these, the rules that end the work: the end of its time is no fault to ask people about."""
        ...

    def drills(self) -> Sequence[Drill]:
        """Everything that can be made to fail."""
        ...

    def inject(self, home: Home, part: str, failure: str) -> None:
        """Let something go wrong at its next opportunity, in the world of a run that may be under way.

        Raises:
            BadSetting: There is no such part, or no such failure of it, or this world takes no drills.
            StoreUnavailable, BadRecord: The world is not where it should be, or it is another one's.
        """
        ...
