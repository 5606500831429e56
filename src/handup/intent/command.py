"""What the robot does now, where it does not ask."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from handup.intent.pose import STILL, Vector, check_numbers

ALPHA = 0.5
"""α: how much of the robot's velocity is added to the stick, where nobody says otherwise."""


@dataclass(frozen=True)
class Command:
    """The robot's own velocity, in the frame of the room. What moves the gripper is stick + α · command.

    Args:
        linear: m/s.
        angular: rad/s.
        why: In a few words, for a strip of actions or a person.
    """

    linear: Vector = STILL
    angular: Vector = STILL
    why: str = "no-assist"

    def __post_init__(self) -> None:
        for name in ("linear", "angular"):
            object.__setattr__(self, name, check_numbers(f"{name} velocity of a command", getattr(self, name), 3))

    @property
    def still(self) -> bool:
        """Whether it adds nothing to the stick."""
        return math.hypot(*self.linear, *self.angular) == 0.0

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"linear": list(self.linear), "angular": list(self.angular), "why": self.why}
