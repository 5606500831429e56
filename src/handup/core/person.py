"""People who can be asked: their role, what they can do, and the limits of asking them."""

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
from handup.core.errors import BadSetting, ConflictingSettings, Malformed, OutOfRange, UnknownName

SCHEMA = 1
"""Schema number of a person in JSON."""
MAX_QUIET = 20
"""The most quiet parts of a day."""
MAX_CHANNELS = 20
MAX_ABILITIES = 20
BY_ROLE: Any = None
"""Abilities of a person of whom nothing else was said: those of the role."""
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
            UnknownName: No role has this name.
        """
        try:
            return cls(value)
        except ValueError:
            cause = f"{what} must be one of {', '.join(cls)}, got {shown(value)}"
            raise UnknownName(cause, hint="Give one of these names.") from None

    @classmethod
    def _missing_(cls, value: object) -> Role | None:
        return cls.OPERATOR if value == "remote" else None


class Ability(StrEnum):
    """Something that a person can do for a robot."""

    SEE = "see"
    """Sees the robot and what is before it."""
    HANDS = "hands"
    """Can lend the robot a hand."""
    GOAL = "goal"
    """Knows what is wanted, such as the next bite."""
    DIAGNOSE = "diagnose"
    """Can find out what went wrong with the robot."""

    @classmethod
    def of(cls, value: str, what: str = "ability") -> Ability:
        """Return the ability of a name that comes from outside.

        Raises:
            UnknownName: No ability has this name.
        """
        try:
            return cls(value)
        except ValueError:
            cause = f"{what} must be one of {', '.join(cls)}, got {shown(value)}"
            raise UnknownName(cause, hint="Give one of these names.") from None


ABILITIES: Mapping[Role, tuple[Ability, ...]] = {
    Role.RESIDENT: (Ability.SEE, Ability.GOAL),
    Role.CAREGIVER: (Ability.SEE, Ability.HANDS, Ability.GOAL),
    Role.BYSTANDER: (Ability.SEE, Ability.HANDS),
    Role.OPERATOR: (Ability.DIAGNOSE,),
    Role.DEVELOPER: (Ability.DIAGNOSE,),
}
"""Abilities of a person of whom only the role is known. Evidence: assumed."""


@dataclass(frozen=True, kw_only=True)
class QuietHours:
    """A part of every day in which a person is not asked; it may run past midnight.

    Args:
        start: Time of day at which it begins, as HH:MM.
        end: Time of day at which it ends, as HH:MM.
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
                hint = "Give a time such as 22:30."
                raise Malformed.of(f"{name} of quiet hours", shown(value), "be a time of day", hint=hint)
        if self.start == self.end:
            raise ConflictingSettings(f"quiet hours begin and end at {self.start}", hint="Give two times of the day.")
        check_name("zone of quiet hours", self.zone, MAX_NAME, error=BadSetting)
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            hint = "Name a time zone such as Europe/Berlin or UTC."
            raise UnknownName(f"nobody knows the time zone {shown(self.zone)}", hint=hint) from None

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> QuietHours:
        """Return the quiet hours that `to_json` wrote."""
        return from_record(cls, "quiet hours", record, newest=SCHEMA, error=BadSetting)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of asking a person. A question beyond a limit is held until it fits, never dropped.

    Args:
        at_once: The most questions that may be open for them at a time, at least 1.
        per_hour: The most questions in any hour, at least 1; no limit where it is None.
        load_per_hour: The most that the query costs of one hour may add up to, above 0; no limit where it is None.
        quiet: Parts of the day in which they are not asked at all.

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
                raise OutOfRange.of("load_per_hour", f"{load:g}", "be above 0", hint="Give more, or leave it out.")
            object.__setattr__(self, "load_per_hour", load)
        parts = check_list("quiet", self.quiet, MAX_QUIET, error=BadSetting)
        quiet = tuple(part if isinstance(part, QuietHours) else QuietHours.from_json(part) for part in parts)
        object.__setattr__(self, "quiet", quiet)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {**asdict(self), "quiet": [quiet.to_json() for quiet in self.quiet]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Limits:
        """Return the limits that `to_json` wrote."""
        return from_record(cls, "limits", record, newest=SCHEMA, error=BadSetting)


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who can be asked.

    Args:
        name: Name in the journal and for other people. Kept in Unicode's form NFC.
        role: Their role for the robot.
        limits: Limits of asking them.
        channels: Names of the channels on which questions reach them; all channels where it is empty.
        abilities: What they can do for the robot, each once and in the order of `Ability`; what `ABILITIES` assumes of
            their role where nothing is given.

    Raises:
        BadSetting: A field breaks its rule.

    Example:
        >>> Person(name="Ben", role=Role.CAREGIVER).abilities
        (<Ability.SEE: 'see'>, <Ability.HANDS: 'hands'>, <Ability.GOAL: 'goal'>)
        >>> Ability.HANDS in Person(name="Ada", abilities=("goal",)).abilities
        False
    """

    name: str
    role: Role = Role.RESIDENT
    limits: Limits = Limits()
    channels: tuple[str, ...] = ()
    abilities: tuple[Ability, ...] = BY_ROLE

    def __post_init__(self) -> None:
        name = check_person("name of a person", self.name, MAX_NAME, error=BadSetting)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "role", Role.of(self.role, f"role of '{self.name}'"))
        limits: Any = self.limits
        object.__setattr__(self, "limits", limits if isinstance(limits, Limits) else Limits.from_json(limits))
        channels = check_list(f"channels of '{self.name}'", self.channels, MAX_CHANNELS, error=BadSetting)
        for channel in channels:
            check_name(f"a channel of '{self.name}'", channel, MAX_NAME, error=BadSetting)
        object.__setattr__(self, "channels", channels)
        abilities = ABILITIES[self.role] if self.abilities is BY_ROLE else self._known_abilities()
        object.__setattr__(self, "abilities", abilities)

    def _known_abilities(self) -> tuple[Ability, ...]:
        given = check_list(f"abilities of '{self.name}'", self.abilities, MAX_ABILITIES, error=BadSetting)
        known = {Ability.of(ability, f"an ability of '{self.name}'") for ability in given}
        return tuple(ability for ability in Ability if ability in known)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back. Abilities that are those of the role are left out."""
        record = {
            "schema": SCHEMA,
            "name": self.name,
            "role": str(self.role),
            "limits": self.limits.to_json(),
            "channels": list(self.channels),
        }
        if self.abilities != ABILITIES[self.role]:
            record["abilities"] = [str(ability) for ability in self.abilities]
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Person:
        """Return the person that `to_json` wrote.

        Raises:
            BadSetting: It is no person.
            BadRecord: It is of a newer schema.
        """
        return from_record(cls, "a person", record, newest=SCHEMA, error=BadSetting)
