"""Who can be asked, and how much."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a person is to the robot."""

    RESIDENT = "resident"
    CAREGIVER = "caregiver"
    OPERATOR = "operator"
    DEVELOPER = "developer"


@dataclass(frozen=True, kw_only=True)
class QuietHours:
    """A part of every day in which a person is not asked; it may run past midnight.

    Args:
        start: When it begins, as HH:MM.
        end: When it ends.
        zone: The time zone, such as Europe/Berlin.
    """

    start: str
    end: str
    zone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much a person may be asked. What does not fit is held until it does, never dropped.

    Args:
        at_once: So many questions may be before them at a time.
        per_hour: So many may be put to them in any hour; no limit where it is None.
        load_per_hour: The query costs of those may add up to this.
        quiet: When they are not asked at all.
    """

    at_once: int = 1
    per_hour: int | None = None
    load_per_hour: float | None = None
    quiet: tuple[QuietHours, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who can be asked.

    Args:
        name: How the journal and the other people know them.
        role: What they are to the robot.
        limits: How much they may be asked.
        channels: Where questions reach them, by name of the channel; everywhere where it is empty.
    """

    name: str
    role: Role = Role.RESIDENT
    limits: Limits = Limits()
    channels: tuple[str, ...] = ()
