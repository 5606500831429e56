"""Poses of a gripper, the way between two of them, and arrays of many.

Everything is in the frame of the room, also velocities: `moved` turns a pose about the axes of the room.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.core import BadPose
from handup.core.checks import shown

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
"""A rotation as w, x, y, z."""
Array = NDArray[np.float64]
UNTURNED: Quaternion = (1.0, 0.0, 0.0, 0.0)
STILL: Vector = (0.0, 0.0, 0.0)
UNIT_WITHIN = 1e-3
"""Error of a quaternion's length that is corrected; a larger one is a fault of the sender."""
FURTHEST_M = 100.0
"""Largest coordinate of a place: no arm reaches further, so a larger one is a fault of the sender."""


@dataclass(frozen=True)
class Pose:
    """A place and a rotation.

    Args:
        position: x, y, z in metres.
        rotation: A unit quaternion w, x, y, z.

    Raises:
        BadPose: A number is not finite, a coordinate is beyond 100 m, or the quaternion is not of length one.

    Example:
        >>> from handup.intent import Pose
        >>> a, b = Pose((0.0, 0.0, 0.0)), Pose.turned((0.3, 0.0, 0.4), (0.0, 0.0, 1.5))
        >>> round(a.distance_m(b), 3), round(a.angle_rad(b), 3)
        (0.5, 1.5)
    """

    position: Vector
    rotation: Quaternion = UNTURNED

    def __post_init__(self) -> None:
        x, y, z = check_numbers("position of a pose", self.position, 3, most=FURTHEST_M)
        turn = check_numbers("rotation of a pose", self.rotation, 4)
        length = math.sqrt(sum(part * part for part in turn))
        if abs(length - 1.0) > UNIT_WITHIN:
            raise BadPose(
                f"rotation of a pose must have length 1, got {length:g}", hint="Give a unit quaternion w, x, y, z."
            )
        object.__setattr__(self, "position", (x, y, z))
        object.__setattr__(self, "rotation", tuple(part / length for part in turn))

    @classmethod
    def turned(cls, position: Vector, rotation_vector: Vector) -> Pose:
        """Return the pose with a rotation vector: the axis, as long as the angle in radians."""
        return cls(position, exponential(rotation_vector))

    def distance_m(self, other: Pose) -> float:
        """Return the distance between the two places in metres."""
        return math.dist(self.position, other.position)

    def angle_rad(self, other: Pose) -> float:
        """Return the angle between the two rotations in radians, 0 to π."""
        return math.hypot(*self.twist_to(other)[1])

    def twist_to(self, other: Pose) -> tuple[Vector, Vector]:
        """Return the way (metres) and the turn (a rotation vector, radians) to another pose."""
        x, y, z = (end - start for start, end in zip(self.position, other.position, strict=True))
        return (x, y, z), logarithm(product(other.rotation, conjugate(self.rotation)))

    def moved(self, linear: Vector, angular: Vector, dt: float) -> Pose:
        """Return the pose after `dt` seconds at a velocity (m/s) and a turning velocity (rad/s)."""
        x, y, z = (start + speed * dt for start, speed in zip(self.position, linear, strict=True))
        wx, wy, wz = angular
        return Pose((x, y, z), _unit(product(exponential((wx * dt, wy * dt, wz * dt)), self.rotation)))

    def after(self, first: Pose) -> Pose:
        """Return first ∘ self: this pose, given in the frame of `first`, in the frame in which `first` is given."""
        x, y, z = (a + b for a, b in zip(first.position, rotated(first.rotation, self.position), strict=True))
        return Pose((x, y, z), _unit(product(first.rotation, self.rotation)))

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"position": list(self.position), "rotation": list(self.rotation)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Pose:
        """The pose that `to_json` wrote.

        Raises:
            BadPose: It is no pose.
        """
        if not isinstance(record, Mapping) or "position" not in record:
            hint = "Give position (x, y, z) and rotation (w, x, y, z)."
            raise BadPose(f"a pose must be a record with a position, got {shown(record)}", hint=hint)
        return cls(record["position"], record.get("rotation", UNTURNED))


@dataclass(frozen=True, eq=False)
class PoseArray:
    """Many poses as arrays, for computations at every step of control.

    Args:
        positions: One row x, y, z per pose.
        rotations: One row w, x, y, z per pose, of length one.
    """

    positions: Array
    rotations: Array

    @classmethod
    def of(cls, poses: Iterable[Pose]) -> PoseArray:
        """Return the poses as rows of an array."""
        rows = tuple(poses)
        positions = np.array([pose.position for pose in rows], dtype=np.float64).reshape(-1, 3)
        return cls(positions, np.array([pose.rotation for pose in rows], dtype=np.float64).reshape(-1, 4))

    def taken(self, index: NDArray[np.intp]) -> PoseArray:
        """Return the poses of these rows."""
        return PoseArray(self.positions[index], self.rotations[index])

    def ways_from(self, pose: Pose) -> tuple[Array, Array]:
        """Return the way (metres) and the turn (a rotation vector) from a pose to each, one row per pose."""
        return self.positions - np.array(pose.position), rotation_vectors(pose.rotation, self.rotations)


def lengths(rows: Array) -> Array:
    """Return the length of each row."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def rotation_vectors(rotation: Quaternion, rotations: Array) -> Array:
    """Return the turns from one rotation to each of many, as rotation vectors of length 0 to π."""
    w, x, y, z = rotation
    # The product of each row with the conjugate (w, −x, −y, −z), as one matrix.
    turn = rotations @ np.array(((w, -x, -y, -z), (x, w, z, -y), (y, -z, w, x), (z, y, -x, w)))
    # q and −q are one rotation; the one with w ≥ 0 has the angle below π.
    turn *= np.where(turn[:, :1] < 0.0, -1.0, 1.0)
    sine = lengths(turn[:, 1:])
    angle = 2.0 * np.arctan2(sine, turn[:, 0])
    factor = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)
    return np.asarray(turn[:, 1:] * factor[:, None])


def check_numbers(what: str, values: object, count: int, *, most: float = math.inf) -> tuple[float, ...]:
    """Return exactly `count` finite numbers, each between −`most` and `most`, or raise `BadPose`."""
    numbers: tuple[float, ...] = ()
    if isinstance(values, Sequence | np.ndarray) and not isinstance(values, (str, bytes)) and len(values) == count:
        with suppress(TypeError, ValueError, OverflowError):
            numbers = tuple(float(value) for value in values)
    if not numbers or not all(map(math.isfinite, numbers)):
        raise BadPose(f"{what} must be {count} finite numbers, got {shown(values)}", hint="Give such numbers.")
    if max(map(abs, numbers)) > most:
        raise BadPose(f"{what} must lie between {-most:g} and {most:g}, got {shown(numbers)}", hint="Check its unit.")
    return numbers


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the rotation a · b: first b, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(rotation: Quaternion) -> Quaternion:
    """Return the inverse rotation."""
    w, x, y, z = rotation
    return (w, -x, -y, -z)


def rotated(rotation: Quaternion, vector: Vector) -> Vector:
    """Return a vector after a rotation."""
    _, x, y, z = product(product(rotation, (0.0, *vector)), conjugate(rotation))
    return (x, y, z)


def exponential(rotation_vector: Vector) -> Quaternion:
    """Return the rotation of a rotation vector."""
    angle = math.hypot(*rotation_vector)
    share = math.sin(angle / 2.0) / angle if angle > 1e-12 else 0.5
    x, y, z = (part * share for part in rotation_vector)
    return _unit((math.cos(angle / 2.0), x, y, z))


def logarithm(rotation: Quaternion) -> Vector:
    """Return the rotation vector of a rotation, of length 0 to π."""
    w, x, y, z = rotation if rotation[0] >= 0.0 else tuple(-part for part in rotation)
    sine = math.hypot(x, y, z)
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
    return (x * factor, y * factor, z * factor)


def _unit(rotation: Quaternion) -> Quaternion:
    w, x, y, z = rotation
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length)
