"""What a person's joystick commands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handup.core import BadPose
from handup.intent.pose import STILL, Vector, check_numbers


@dataclass(frozen=True)
class Joystick:
    """The velocity that a person commands, in the frame of the room.

    A stick of three axes moves the gripper in one mode and turns it in the other, so one of the two is zero; a device
    of six axes may give both.

    Args:
        linear: Of the gripper, m/s.
        angular: Of the gripper, rad/s.

    Raises:
        BadPose: A number is not finite.
    """

    linear: Vector = STILL
    angular: Vector = STILL

    def __post_init__(self) -> None:
        for name in ("linear", "angular"):
            object.__setattr__(self, name, check_numbers(f"{name} velocity of a stick", getattr(self, name), 3))

    @property
    def speed(self) -> float:
        """m/s."""
        return math.hypot(*self.linear)

    @property
    def turning(self) -> float:
        """rad/s."""
        return math.hypot(*self.angular)

    @property
    def idle(self) -> bool:
        """Whether the person commands nothing at all."""
        return self.speed == 0.0 and self.turning == 0.0

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
