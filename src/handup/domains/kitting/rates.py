"""Numbers of the kitting world, read from `data/rates.yaml` and checked: durations, and what goes wrong how often."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from handup.core import Malformed, MissingSetting, check_probability
from handup.core.files import shipped_data

FILE = "data/rates.yaml"
FORMAT = 1
HINT = "Correct rates.yaml."


@dataclass(frozen=True, kw_only=True)
class Rate:
    """Rate at which one hidden cause comes up, and what takes it away.

    Args:
        rate: Probability at one opportunity.
        luck: Probability that an action that it spoils works all the same.
        removed_by: For each action that takes it away, the probability that one try does.
        reason: Reason for these numbers.
    """

    rate: float
    luck: float
    removed_by: Mapping[str, float]
    reason: str = ""

    def __post_init__(self) -> None:
        for what, value in (("rate", self.rate), ("luck", self.luck), *self.removed_by.items()):
            check_probability(f"{what} of a cause", value)
        if not self.removed_by:
            raise MissingSetting("a cause must have something that removes it, got nothing", hint=HINT)


@dataclass(frozen=True, kw_only=True)
class Rates:
    """All numbers of the world. Immutable; `without_faults` and `times` make others for tests and sweeps.

    Args:
        run_s: Duration of a run, in seconds.
        points: Points for a complete kit.
        machine_s: Seconds that the machine needs for one gear.
        drive_m_s: Speed of the base, in m/s.
        turn_s: Seconds that every drive costs beside its way.
        spread: Share by which every duration varies evenly either way.
        stations: Places of the stations, in metres.
        durations_s: Duration of each action, in seconds.
        causes: Hidden causes, by name.
        seeing: Probabilities with which monitors see.
        people: Numbers of the helpers: when they come, and what they can do.
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
        """Return the same world, in which nothing goes wrong and no monitor is mistaken."""
        causes = {name: replace(cause, rate=0.0) for name, cause in self.causes.items()}
        return replace(self, causes=causes, seeing={**self.seeing, "false_alarm": 0.0})

    def times(self, factor: float) -> Rates:
        """Return a world in which everything goes wrong so many times as often."""
        causes = {name: replace(cause, rate=min(1.0, factor * cause.rate)) for name, cause in self.causes.items()}
        return replace(self, causes=causes)

    def way_s(self, start: str, end: str) -> float:
        """Return the duration of a drive between two stations, in seconds."""
        (x0, y0), (x1, y1) = self.stations[start], self.stations[end]
        return self.turn_s + float(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5) / self.drive_m_s


@cache
def rates() -> Rates:
    """Return the numbers that the world comes with.

    Raises:
        BadSetting: The file was changed into something that cannot be.
    """
    table = shipped_data(__file__, FILE)
    if table.get("format") != FORMAT:
        raise Malformed.of(
            "format of the rates",
            repr(table.get("format")),
            f"be {FORMAT}",
            hint="Use the rates that came with this handup.",
        )
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
        causes=MappingProxyType({name: Rate(**entry) for name, entry in table["causes"].items()}),
        seeing=_values(table["seeing"]),
        people=_values(table["people"]),
    )


@cache
def rates_digest() -> str:
    """Return a hash of all numbers of the file, without their reasons: studies keep it with their results."""
    return hashlib.sha256(json.dumps(_numbers(shipped_data(__file__, FILE)), sort_keys=True).encode()).hexdigest()


def _numbers(entry: Any) -> Any:
    if isinstance(entry, dict):
        return {key: _numbers(value) for key, value in entry.items() if key != "reason"}
    return entry


def _value(entry: Mapping[str, Any]) -> float:
    if not entry["reason"]:
        raise MissingSetting("a number of the world must have a reason, got none", hint=HINT)
    return float(entry["value"])


def _values(entries: Mapping[str, Mapping[str, Any]]) -> Mapping[str, float]:
    return MappingProxyType({name: _value(entry) for name, entry in entries.items()})
