"""Velocities: that which a person commands with a joystick, and that which the robot adds to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handup.core import BadPose
from handup.core.checks import shown
from handup.intent.pose import STILL, Vector, check_numbers

FULL_M_S, FULL_RAD_S = 0.06, 0.4
"""The velocity at a full push of one axis."""
REST = 0.05
"""Share of a full push below which a stick is at rest: real sticks drift, and a hand that lies on one trembles."""
MOST_M_S, MOST_RAD_S = 10.0, 100.0
"""Largest velocity that a person commands: a number beyond it is a fault of the device or of its driver."""
ALPHA = 0.5
"""Default of α, the share of the robot's velocity that is added to the stick."""


@dataclass(frozen=True)
class Joystick:
    """The velocity that a person commands, in the frame of the room.

    A stick of three axes moves the gripper in one mode and turns it in the other, so one of the two is zero; a device
    of six axes may give both.

    Args:
        linear: Velocity of the gripper in m/s.
        angular: Turning velocity of the gripper in rad/s.

    Raises:
        BadPose: A number is not finite, above 10 m/s or above 100 rad/s.
    """

    linear: Vector = STILL
    angular: Vector = STILL

    def __post_init__(self) -> None:
        for name, most in (("linear", MOST_M_S), ("angular", MOST_RAD_S)):
            velocity = check_numbers(f"{name} velocity of a stick", getattr(self, name), 3, most=most)
            object.__setattr__(self, name, velocity)

    @property
    def speed(self) -> float:
        """Speed of the gripper in m/s."""
        return math.hypot(*self.linear)

    @property
    def turning(self) -> float:
        """Turning speed of the gripper in rad/s."""
        return math.hypot(*self.angular)

    @property
    def moves(self) -> bool:
        """True if the person moves the hand, by more than a stick at rest does."""
        return self.speed >= REST * FULL_M_S

    @property
    def turns(self) -> bool:
        """True if the person turns the hand, by more than a stick at rest does."""
        return self.turning >= REST * FULL_RAD_S

    @property
    def idle(self) -> bool:
        """True if the stick is at rest."""
        return not (self.moves or self.turns)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"linear": list(self.linear), "angular": list(self.angular)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Joystick:
        """The stick that `to_json` wrote.

        Raises:
            BadPose: It is no such record.
        """
        if not isinstance(record, Mapping):
            raise BadPose(f"a stick must be a record, got {shown(record)}", hint="Give linear and angular.")
        return cls(record.get("linear", STILL), record.get("angular", STILL))


IDLE = Joystick()


@dataclass(frozen=True)
class Command:
    """The robot's own velocity, in the frame of the room. The gripper moves with stick + α · command.

    Args:
        linear: Velocity in m/s.
        angular: Turning velocity in rad/s.
        why: Reason in a few words, for records and people.
        gives_way: True if the helper promises never to work against the person. Then, until the next command,
            `beside(stick)` is added to the stick instead of the whole command.
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
        """True if it adds nothing to the stick."""
        return math.hypot(*self.linear, *self.angular) == 0.0

    def beside(self, stick: Joystick) -> Command:
        """Return the part that is added to the stick as it is now: all of it, where it does not give way."""
        if not self.gives_way or self.still:
            return self
        linear, angular = yielding(self.linear, self.angular, stick.linear, stick.angular)
        if (linear, angular) == (self.linear, self.angular):
            return self
        left = Command(linear, angular, self.why, gives_way=True)
        return Command(gives_way=True) if left.still else left

    def to_json(self) -> dict[str, Any]:
        """A plain record for logs and the page."""
        return {"linear": list(self.linear), "angular": list(self.angular), "why": self.why}


def yielding(linear: Vector, angular: Vector, pushed: Vector, turned: Vector) -> tuple[Vector, Vector]:
    """Return the part of a robot's velocity that agrees with a person's stick.

    It is zero in every axis in which it works against the stick, zero while the stick is at rest, and only turns while
    the person only turns the hand. It computes without arrays, since control needs it at every step.

    Args:
        linear: The robot's velocity in m/s.
        angular: The robot's turning velocity in rad/s.
        pushed: The person's velocity in m/s.
        turned: The person's turning velocity in rad/s.
    """
    moves = math.hypot(*pushed) >= REST * FULL_M_S
    turns = math.hypot(*turned) >= REST * FULL_RAD_S
    return _unopposed(linear, pushed) if moves else STILL, _unopposed(angular, turned) if moves or turns else STILL


def _unopposed(velocity: Vector, person: Vector) -> Vector:
    x, y, z = (0.0 if a * b < 0.0 else a for a, b in zip(velocity, person, strict=True))
    return (x, y, z)
