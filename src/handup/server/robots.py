"""What robots say of themselves, the latest only, and whether anything was heard of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from handup.core.panels import RobotState

EACH_S = 0.01
"""Of each robot people are told at most once in so long a time for every robot there is: of one, a hundred times a
second; of two hundred, every two seconds. Whether it is alive they are told at once."""
EACH_TURN_S = 1.0
"""Whether a robot is alive changes at most once in so long a time, the first change at once: where a network lags,
nobody can read what changes with every heartbeat."""
MOST_ROBOTS = 2000
"""So many are remembered; one that is gone for longest is forgotten first."""


@dataclass
class Robot:
    """One robot."""

    name: str
    heard_s: float
    last_s: float
    alive: bool = True
    state: dict[str, Any] | None = None
    told_s: float = 0.0
    untold: bool = False
    turned_s: float = -math.inf

    def view(self) -> dict[str, Any]:
        """What people see."""
        return {"robot": self.name, "alive": self.alive, "last_s": self.last_s, "state": self.state}


class Robots:
    """All robots that this process has heard of. Use it in the event loop only.

    Args:
        hold_s: One that was silent for so long is not alive.
        now_s: The time that people are shown.
        changed: Called with each robot that people should see anew.
    """

    def __init__(self, hold_s: float, now_s: Callable[[], float], changed: Callable[[Robot], None]) -> None:
        self._hold_s = hold_s
        self._now_s = now_s
        self._changed = changed
        self._known: dict[str, Robot] = {}

    def __iter__(self) -> Iterator[Robot]:
        return iter(tuple(self._known.values()))

    @property
    def alive(self) -> int:
        """How many are alive."""
        return sum(each.alive for each in self._known.values())

    def heard(self, name: str) -> Robot:
        """A robot gave a sign of life."""
        known = self._known.get(name)
        if known is None:
            if len(self._known) >= MOST_ROBOTS:
                del self._known[min(self._known, key=lambda each: self._known[each].heard_s)]
            known = self._known[name] = Robot(name, time.monotonic(), self._now_s())
            self._tell(known)
        known.heard_s, known.last_s = time.monotonic(), self._now_s()
        self._turn(known, alive=True)
        return known

    def put(self, name: str, state: RobotState) -> None:
        """A robot said how it is."""
        robot = self.heard(name)
        robot.state = state.model_dump(mode="json")
        if time.monotonic() - robot.told_s >= EACH_S * len(self._known):
            self._tell(robot)
        else:
            robot.untold = True

    def tick(self, *, slept: bool) -> None:
        """See who has fallen silent, which nobody has where this process itself slept; tell what was not told yet."""
        now_s = time.monotonic()
        for robot in self._known.values():
            if slept and robot.alive:
                robot.heard_s = now_s
            self._turn(robot, alive=now_s - robot.heard_s <= self._hold_s)
            if robot.untold and now_s - robot.told_s >= EACH_S * len(self._known):
                self._tell(robot)

    def _turn(self, robot: Robot, *, alive: bool) -> None:
        """Show a robot as alive or not; where that changed just before, the next tick will."""
        now_s = time.monotonic()
        if alive != robot.alive and now_s - robot.turned_s >= EACH_TURN_S:
            robot.alive, robot.turned_s = alive, now_s
            self._tell(robot)

    def _tell(self, robot: Robot) -> None:
        robot.told_s, robot.untold = time.monotonic(), False
        self._changed(robot)
