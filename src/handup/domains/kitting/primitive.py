"""The robot's actions: each is one function on a `Turn`, and one class with the interface of the executive."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from handup.domains.kitting.modules import modules_of
from handup.domains.kitting.turn import Turn
from handup.executive.action import Call, NotStarted, Outcome, Working
from handup.executive.failure import Failure
from handup.policy import ModuleGraph

if TYPE_CHECKING:
    from handup.domains.kitting.world import World

Effect = Callable[[Turn], Outcome]
TIME_UP = "time_up"
"""The code of everything that is begun after the end of the run."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is known of an action.

    Args:
        name: As recipes call it.
        takes: Its inputs; one with a `?` at the end may be missing.
        gives: Its results.
        codes: Of its aborts.
        touches: Whether it may change the world, so that its effects are counted.
        effect: What it does.
    """

    name: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    codes: tuple[str, ...]
    touches: bool
    effect: Effect


KINDS: dict[str, Kind] = {}
"""All actions by name, in the order of the files."""


def primitive(
    *,
    takes: tuple[str, ...] = (),
    gives: tuple[str, ...] = (),
    codes: tuple[str, ...] = (),
    touches: bool = True,
) -> Callable[[Effect], Effect]:
    """Make a function on a turn an action of the robot, under the function's name."""

    def known(effect: Effect) -> Effect:
        name = effect.__name__
        KINDS[name] = Kind(name=name, takes=takes, gives=gives, codes=(*codes, TIME_UP), touches=touches, effect=effect)
        return effect

    return known


class Primitive:
    """One start of an action. The controllers take it on at `start` and do it at the end of its time.

    `actions_of` makes a class of this for every action of a world. None is `repeatable`: looks, too, ask chance
    here, and the controllers always know what became of the last start, so that nothing ever needs to be repeated.
    """

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]
    gives: ClassVar[tuple[str, ...]]
    repeatable: ClassVar[bool]
    codes: ClassVar[tuple[str, ...]]
    about: ClassVar[str]
    world: ClassVar[World]

    def __init__(self) -> None:
        self._number: int | None = None
        self._lasts_s = 0.0

    def start(self, call: Call) -> None:
        """Hand the goal to the robot's controllers."""
        self._number = call.number
        self._lasts_s = self.world.accept(self.name, call)

    def step(self) -> Generator[Working, None, Outcome]:
        """Let its time pass, then see what became of it."""
        if self._lasts_s > 0.0:
            yield Working(self._lasts_s, self.about)
        assert self._number is not None, "an action is started before it steps"
        return self.world.finish(self._number)

    def stop(self) -> None:
        """Take the goal back from the controllers, where they are still at it."""
        if self._number is not None:
            self.world.cancel(self._number)

    def sense(self, call: Call) -> Outcome | NotStarted | None:
        """Ask the controllers what became of a start: they know how their last one ended."""
        return self.world.sensed(call.number)

    def modules(self, failure: Failure) -> ModuleGraph | None:
        """What may be wrong, as far as the robot can see itself; None for actions that no module stands behind."""
        return modules_of(self.name, self.world.state, self.world.rates)


def actions_of(world: World) -> Mapping[str, type[Primitive]]:
    """All actions of the robot in this world, by name."""
    return {
        kind.name: type(
            kind.name,
            (Primitive,),
            {
                "__doc__": kind.effect.__doc__,
                "name": kind.name,
                "takes": kind.takes,
                "gives": kind.gives,
                "codes": kind.codes,
                "repeatable": False,
                "about": kind.name.replace("_", " "),
                "world": world,
            },
        )
        for kind in KINDS.values()
    }
