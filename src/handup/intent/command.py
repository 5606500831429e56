"""Velocities: what a person's joystick commands, and what the robot adds to it where it does not ask."""

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
ALPHA = 0.5
"""α: how much of the robot's velocity is added to the stick, where nobody says otherwise."""


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


@dataclass(frozen=True)
class Command:
    """The robot's own velocity, in the frame of the room. What moves the gripper is stick + α · command.

    Args:
        linear: m/s.
        angular: rad/s.
        why: In a few words, for a strip of actions or a person.
        gives_way: Whether the helper promises never to work against the person. Then what is added to a stick that has
            changed since is `beside(stick)`, at every moment until the next command.
    """

    linear: Vector = STILL
    angular: Vector = STILL
    why: str = "no-assist"
    gives_way: bool = False

    def __post_init__(self) -> None:
        for name in ("linear", "angular"):
            object.__setattr__(self, name, check_numbers(f"{name} velocity of a command", getattr(self, name), 3))

    @property
    def still(self) -> bool:
        """Whether it adds nothing to the stick."""
        return math.hypot(*self.linear, *self.angular) == 0.0

    def beside(self, stick: Joystick) -> Command:
        """What of it is added to the stick as it is now: all, where it does not give way."""
        if not self.gives_way or self.still:
            return self
        linear, angular = yielding(self.linear, self.angular, stick.linear, stick.angular)
        if (linear, angular) == (self.linear, self.angular):
            return self
        left = Command(linear, angular, self.why, gives_way=True)
        return Command(gives_way=True) if left.still else left

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"linear": list(self.linear), "angular": list(self.angular), "why": self.why}


def yielding(linear: Vector, angular: Vector, pushed: Vector, turned: Vector) -> tuple[Vector, Vector]:
    """What of a velocity goes with a stick.

    Nothing in an axis that it works against, nothing while the stick is at rest, and nothing along a way while the
    person only turns the hand. In plain numbers, since control needs it at every step.

    Args:
        linear: The robot's, m/s.
        angular: The robot's, rad/s.
        pushed: The person's, m/s.
        turned: The person's, rad/s.
    """
    moves = math.hypot(*pushed) >= REST * FULL_M_S
    turns = math.hypot(*turned) >= REST * FULL_RAD_S
    return _unopposed(linear, pushed) if moves else STILL, _unopposed(angular, turned) if moves or turns else STILL


def _unopposed(velocity: Vector, person: Vector) -> Vector:
    x, y, z = (0.0 if a * b < 0.0 else a for a, b in zip(velocity, person, strict=True))
    return (x, y, z)
