"""Hidden causes, from `data/causes.yaml`: what they spoil, and what they go away with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from handup.core import BadSetting
from handup.core.files import shipped_data


class Hangs(StrEnum):
    """What a cause goes away with: when that changes, it is gone, and drawn anew at its next opportunity, as often."""

    ROBOT = "robot"
    """Nothing but its removal."""
    VISIT = "visit"
    """The base stands somewhere else."""
    HAND = "hand"
    """Something else is in the hand."""
    KIT = "kit"
    """Another kit is on the robot."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One way in which the world is not as the recipe takes it to be.

    Args:
        name: As in the rates.
        part: The part of the robot or the world it sits in, for drills.
        at: The actions at which it may come up.
        spoils: For each action that it makes give up, the code. Causes that spoil nothing here are silent: the action
            is done, but not what it was for.
        hangs: What it goes away with.
        stations: Where it may come up; everywhere where it is empty.
        words: What a person who sees it would call it.
    """

    name: str
    part: str
    at: tuple[str, ...]
    spoils: Mapping[str, str] = field(default_factory=dict)
    hangs: Hangs = Hangs.ROBOT
    stations: tuple[str, ...] = ()
    words: str


_TABLE: Mapping[str, Any] = shipped_data(__file__, "data/causes.yaml")
CAUSES: Mapping[str, Cause] = MappingProxyType(
    {
        name: Cause(
            name=name,
            part=entry["part"],
            at=tuple(entry["at"]),
            spoils=entry.get("spoils", {}),
            hangs=Hangs(entry.get("hangs", Hangs.ROBOT)),
            stations=tuple(entry.get("stations", ())),
            words=entry["words"],
        )
        for name, entry in _TABLE["causes"].items()
    }
)
"""All hidden causes by name, in the order in which they would be noticed."""
WHY: Mapping[str, str] = MappingProxyType(_TABLE["codes"])
"""What the robot says of each code: what it noticed, never the cause."""


def cause_of(part: str, failure: str) -> Cause:
    """The cause for a drill.

    Raises:
        BadSetting: There is no such failure of that part.
    """
    parts = sorted({cause.part for cause in CAUSES.values()})
    if part not in parts:
        raise BadSetting(f"nothing is known to fail at '{part}'", hint=f"Choose among: {', '.join(parts)}.")
    among = [cause.name for cause in CAUSES.values() if cause.part == part]
    if failure not in among:
        hint = f"At the {part}: {', '.join(among)}."
        raise BadSetting(f"'{failure}' is no failure of the {part}", hint=hint)
    return CAUSES[failure]
