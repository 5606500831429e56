"""How long things take in the kitting world and what goes wrong there: read from `data/rates.yaml`, and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from handup.core import BadSetting, check_probability
from handup.core.files import shipped_data

FILE = "data/rates.yaml"
FORMAT = 1
HINT = "Correct rates.yaml."


@dataclass(frozen=True, kw_only=True)
class Rate:
    """How often one hidden cause comes up, and what takes it away.

    Args:
        rate: Probability at one opportunity.
        luck: Probability that an action that it spoils works all the same.
        removed_by: For each action that takes it away, the probability that one try does.
        reason: Why these numbers.
    """

    rate: float
    luck: float
    removed_by: Mapping[str, float]
    reason: str = ""

    def __post_init__(self) -> None:
        for what, value in (("rate", self.rate), ("luck", self.luck), *self.removed_by.items()):
            check_probability(f"{what} of a cause", value)
        if not self.removed_by:
            raise BadSetting("nothing removes a cause", hint=HINT)


@dataclass(frozen=True, kw_only=True)
class Rates:
    """All numbers of the world. Immutable; `without_faults`, `only` and `times` make others for tests and sweeps.

    Args:
        run_s: How long a run lasts.
        points: For a complete kit.
        machine_s: How long the machine is busy with one gear.
        drive_m_s: Speed of the base.
        turn_s: What every drive costs beside its way.
        spread: Every duration varies evenly by this share either way.
        stations: Where they stand, in metres.
        durations_s: Of each action.
        causes: What goes wrong.
        seeing: How well monitors see.
        people: How helpers come and what they can do.
    """

    run_s: float
    points: int
    machine_s: float
    drive_m_s: float
    turn_s: float
    spread: float
    stations: Mapping[str, tuple[float, float]]
    durations_s: Mapping[str, float]
    causes: Mapping[str, Rate]
    seeing: Mapping[str, float]
    people: Mapping[str, float]

    def without_faults(self) -> Rates:
        """The same world, in which nothing goes wrong and no monitor is mistaken."""
        causes = {name: replace(each, rate=0.0) for name, each in self.causes.items()}
        return replace(self, causes=causes, seeing={**self.seeing, "false_alarm": 0.0})

    def only(self, cause: str, rate: float) -> Rates:
        """The world in which nothing but one cause comes up, so often.

        Raises:
            BadSetting: There is no such cause, or the rate is no probability.
        """
        quiet = self.without_faults()
        if cause not in quiet.causes:
            raise BadSetting(f"there is no cause '{cause}'", hint=f"Choose among: {', '.join(quiet.causes)}.")
        return replace(quiet, causes={**quiet.causes, cause: replace(quiet.causes[cause], rate=rate)})

    def times(self, factor: float) -> Rates:
        """The world in which everything goes wrong so many times as often."""
        causes = {name: replace(each, rate=min(1.0, factor * each.rate)) for name, each in self.causes.items()}
        return replace(self, causes=causes)

    def way_s(self, start: str, end: str) -> float:
        """How long a drive between two stations takes."""
        (x0, y0), (x1, y1) = self.stations[start], self.stations[end]
        return self.turn_s + float(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5) / self.drive_m_s


@cache
def rates() -> Rates:
    """The numbers that the world comes with.

    Raises:
        BadSetting: The file was changed into something that cannot be.
    """
    table = shipped_data(__file__, FILE)
    if table.get("format") != FORMAT:
        raise BadSetting(f"format of the rates is {table.get('format')!r}", hint=f"This handup reads {FORMAT}.")
    arena = table["arena"]
    return Rates(
        run_s=_value(table["rules"]["run_s"]),
        points=int(_value(table["rules"]["points"])),
        machine_s=_value(table["rules"]["machine_s"]),
        drive_m_s=_value(arena["drive_m_s"]),
        turn_s=_value(arena["turn_s"]),
        spread=_value(arena["spread"]),
        stations=MappingProxyType({name: (float(x), float(y)) for name, (x, y) in arena["stations"].items()}),
        durations_s=_values(table["durations_s"]),
        causes=MappingProxyType({name: Rate(**each) for name, each in table["causes"].items()}),
        seeing=_values(table["seeing"]),
        people=_values(table["people"]),
    )


@cache
def rates_digest() -> str:
    """A hash of all numbers of the file, without their reasons: studies keep it with what they found."""
    return hashlib.sha256(json.dumps(_numbers(shipped_data(__file__, FILE)), sort_keys=True).encode()).hexdigest()


def _numbers(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {key: _numbers(each) for key, each in entry.items() if key != "reason"}
    return entry


def _value(entry: Mapping[str, Any]) -> float:
    if not entry["reason"]:
        raise BadSetting("a number of the world has no reason", hint=HINT)
    return float(entry["value"])


def _values(entries: Mapping[str, Mapping[str, Any]]) -> Mapping[str, float]:
    return MappingProxyType({name: _value(each) for name, each in entries.items()})
