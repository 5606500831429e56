"""What looks on beside the task: at the base's place, the hand, the machine. Monitors see most things, not all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from handup.domains.kitting.rates import Rates
from handup.domains.kitting.state import State
from handup.domains.kitting.turn import chance
from handup.executive.monitors import Fault, Monitor, Sees

if TYPE_CHECKING:
    from handup.domains.kitting.world import World

See = Callable[[State, Rates, float], bool | None]
"""What a monitor sees at a time: true, false, or nothing."""


@dataclass(frozen=True)
class Watcher:
    """A monitor of the world: it holds the belief of its name, as long as it sees anything."""

    codes: ClassVar[tuple[str, ...]] = ()
    name: str
    see: See
    world: World

    def look(self, now_s: float) -> Iterable[Sees | Fault]:
        """Say what it sees, while the robot is at something: between two actions nothing has settled yet."""
        if self.world.state.goal is None:
            return ()
        seen = self.see(self.world.state, self.world.rates, now_s)
        return () if seen is None else (Sees(key=self.name, value=seen),)


def on_place(state: State, rates: Rates, now_s: float) -> bool:
    """Laser against map: whether the base stands where the robot thinks. Most offsets show, all the time."""
    if "mislocalised" in state.causes:
        return chance(state.seed, f"base_monitor/{state.visits}") >= rates.seeing["base_monitor"]
    return not _mistaken("base", state, rates, now_s)


def holding(state: State, rates: Rates, now_s: float) -> bool:
    """The width of the gripper: whether anything is in it. Now and then it does not show that a part has slipped."""
    if _mistaken("gripper", state, rates, now_s):
        return not state.hand
    if state.hand or "slip" not in state.causes:
        return bool(state.hand)
    return chance(state.seed, f"gripper_monitor/{state.handled}") >= rates.seeing["gripper_monitor"]


def loaded(state: State, rates: Rates, now_s: float) -> bool | None:
    """What the machine says of its chuck; nothing while the link is down."""
    return None if "lost_link" in state.causes else state.loaded


def _mistaken(which: str, state: State, rates: Rates, now_s: float) -> bool:
    return chance(state.seed, f"false_alarm/{which}/{round(10 * now_s)}") < rates.seeing["false_alarm"]


def monitors_of(world: World) -> tuple[Monitor, ...]:
    """All monitors of a world, by the belief that each holds."""
    return (Watcher("on_place", on_place, world), Watcher("holding", holding, world), Watcher("loaded", loaded, world))
