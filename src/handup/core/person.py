"""Who can be asked, and how much."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from handup.core.checks import (
    MAX_NAME,
    check_count,
    check_list,
    check_name,
    check_number,
    check_person,
    from_record,
    shown,
)
from handup.core.errors import BadSetting

SCHEMA = 1
"""Of a person in JSON."""
MAX_QUIET = 20
"""The most quiet parts of a day."""
MAX_CHANNELS = 20
TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


class Role(StrEnum):
    """Role of a person: what they are to the robot. An old record may call the operator `remote`."""

    RESIDENT = "resident"
    """Lives or works with the robot."""
    CAREGIVER = "caregiver"
    """Looks after the resident, and comes by."""
    BYSTANDER = "bystander"
    """Happens to be near the robot and can lend a hand."""
    OPERATOR = "operator"
    """At a console elsewhere."""
    DEVELOPER = "developer"
    """Looks after the program. A device of theirs is not asked."""

    @classmethod
    def of(cls, value: str, what: str = "role") -> Role:
        """Return the role of a name that comes from outside.

        Raises:
            BadSetting: No role has this name.
        """
        try:
            return cls(value)
        except ValueError:
            cause = f"{what} must be one of {', '.join(cls)}, got {shown(value)}"
            raise BadSetting(cause, hint="Give one of these names.") from None

    @classmethod
    def _missing_(cls, value: object) -> Role | None:
        return cls.OPERATOR if value == "remote" else None


@dataclass(frozen=True, kw_only=True)
class QuietHours:
    """A part of every day in which a person is not asked; it may run past midnight.

    Args:
        start: When it begins, as HH:MM.
        end: When it ends.
        zone: The time zone, such as Europe/Berlin.

    Raises:
        BadSetting: A time is no time of day, both are the same, or nobody knows the zone.
    """

    start: str
    end: str
    zone: str = "UTC"

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            value = getattr(self, name)
            if not isinstance(value, str) or not TIME.fullmatch(value):
                raise BadSetting(f"{name} of quiet hours is {shown(value)}", hint="Give a time such as 22:30.")
        if self.start == self.end:
            raise BadSetting(f"quiet hours begin and end at {self.start}", hint="Give two times of the day.")
        check_name("zone of quiet hours", self.zone, MAX_NAME, error=BadSetting)
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            hint = "Name a time zone such as Europe/Berlin or UTC."
            raise BadSetting(f"nobody knows the time zone {shown(self.zone)}", hint=hint) from None

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> QuietHours:
        """The quiet hours that `to_json` wrote."""
        return from_record(cls, "quiet hours", record, newest=SCHEMA, error=BadSetting)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much a person may be asked. What does not fit is held until it does, never dropped.

    Args:
        at_once: So many questions may be before them at a time.
        per_hour: So many may be put to them in any hour; no limit where it is None.
        load_per_hour: The query costs of those may add up to this.
        quiet: When they are not asked at all.

    Raises:
        BadSetting: A limit under which nobody could ever be asked.
    """

    at_once: int = 1
    per_hour: int | None = None
    load_per_hour: float | None = None
    quiet: tuple[QuietHours, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_once", check_count("at_once", self.at_once, least=1, error=BadSetting))
        if self.per_hour is not None:
            object.__setattr__(self, "per_hour", check_count("per_hour", self.per_hour, least=1, error=BadSetting))
        if self.load_per_hour is not None:
            load = check_number("load_per_hour", self.load_per_hour, error=BadSetting)
            if load <= 0.0:
                raise BadSetting(f"load_per_hour is {load:g}", hint="Give a number above 0.")
            object.__setattr__(self, "load_per_hour", load)
        given = check_list("quiet", self.quiet, MAX_QUIET, error=BadSetting)
        quiet = tuple(each if isinstance(each, QuietHours) else QuietHours.from_json(each) for each in given)
        object.__setattr__(self, "quiet", quiet)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {**asdict(self), "quiet": [quiet.to_json() for quiet in self.quiet]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Limits:
        """The limits that `to_json` wrote."""
        return from_record(cls, "limits", record, newest=SCHEMA, error=BadSetting)


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who can be asked.

    Args:
        name: How the journal and the other people know them. Kept in the one form of Unicode, NFC.
        role: What they are to the robot.
        limits: How much they may be asked.
        channels: Where questions reach them, by name of the channel; everywhere where it is empty.

    Raises:
        BadSetting: A field is none of this.
    """

    name: str
    role: Role = Role.RESIDENT
    limits: Limits = Limits()
    channels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        name = check_person("name of a person", self.name, MAX_NAME, error=BadSetting)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "role", Role.of(self.role, f"role of '{self.name}'"))
        given: Any = self.limits
        object.__setattr__(self, "limits", given if isinstance(given, Limits) else Limits.from_json(given))
        channels = check_list(f"channels of '{self.name}'", self.channels, MAX_CHANNELS, error=BadSetting)
        for each in channels:
            check_name(f"a channel of '{self.name}'", each, MAX_NAME, error=BadSetting)
        object.__setattr__(self, "channels", channels)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "role": str(self.role),
            "limits": self.limits.to_json(),
            "channels": list(self.channels),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Person:
        """The person that `to_json` wrote.

        Raises:
            BadSetting: It is no person.
            BadRecord: It is of a newer schema.
        """
        return from_record(cls, "a person", record, newest=SCHEMA, error=BadSetting)
