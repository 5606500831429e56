"""What a run has around it: what the robot can do, time, monitors, people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from handup.core import Clock
from handup.executive.action import Action
from handup.executive.monitors import Monitor
from handup.executive.people import People

Make = Callable[[], Action]
"""An action's class, or what makes one."""


@dataclass(frozen=True, kw_only=True)
class Around:
    """What a run has around it.

    Args:
        actions: What the robot can do, by name.
        clock: Where time comes from. A `ManualClock` is moved on instead of waited for.
        monitors: What looks on.
        people: Whom to ask; nobody where it is None.
        look_every_s: So often monitors look, and a stop is heard, while an action works.
    """

    actions: Mapping[str, Make]
    clock: Clock
    monitors: Sequence[Monitor] = ()
    people: People | None = None
    look_every_s: float = 1.0
