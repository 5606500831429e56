"""What a person's joystick commands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handup.core import BadPose
from handup.intent.pose import STILL, Vector, check_numbers

FULL_M_S, FULL_RAD_S = 0.06, 0.4
"""The velocity at a full push of one axis."""
REST = 0.05
"""Below this share of a full push a stick is at rest: real sticks drift, and a hand that lies on one trembles."""
MOST_M_S, MOST_RAD_S = 10.0, 100.0
"""No person commands more: a number beyond this is a fault of the device or of its driver."""


@dataclass(frozen=True)
class Joystick:
    """The velocity that a person commands, in the frame of the room.

    A stick of three axes moves the gripper in one mode and turns it in the other, so one of the two is zero; a device
    of six axes may give both.

    Args:
        linear: Of the gripper, m/s.
        angular: Of the gripper, rad/s.

    Raises:
        BadPose: A number is not finite, or beyond what a person commands.
    """

    linear: Vector = STILL
    angular: Vector = STILL

    def __post_init__(self) -> None:
        for name, most in (("linear", MOST_M_S), ("angular", MOST_RAD_S)):
            found = check_numbers(f"{name} velocity of a stick", getattr(self, name), 3, most=most)
            object.__setattr__(self, name, found)

    @property
    def speed(self) -> float:
        """m/s."""
        return math.hypot(*self.linear)

    @property
    def turning(self) -> float:
        """rad/s."""
        return math.hypot(*self.angular)

    @property
    def moves(self) -> bool:
        """Whether the person moves the hand, by more than a stick at rest does."""
        return self.speed >= REST * FULL_M_S

    @property
    def turns(self) -> bool:
        """Whether the person turns the hand, by more than a stick at rest does."""
        return self.turning >= REST * FULL_RAD_S

    @property
    def idle(self) -> bool:
        """Whether the stick is at rest."""
        return not (self.moves or self.turns)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"linear": list(self.linear), "angular": list(self.angular)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Joystick:
        """The stick that `to_json` wrote.

        Raises:
            BadPose: It is none.
        """
        if not isinstance(record, Mapping):
            raise BadPose("a stick is no record", hint="Give linear and angular, three numbers each.")
        return cls(record.get("linear", STILL), record.get("angular", STILL))


IDLE = Joystick()
