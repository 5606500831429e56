"""How far M4's two points may be off: the one table by which parameters are judged right.

`python -m train.feeding.tolerance` writes it from the published sweep (`docs/feeding/sweep.csv`): up to where three
quarters of the perfect success are left.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from handup.core import BadRecord, BadSetting
from handup.domains.feeding.skills import Skill

SCHEMA = 1
KIND = "feeding-tolerances"
FILE = "data/tolerances.json"
"""Beside the code."""
MAKE = "Make it: python -m train.feeding.tolerance."
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Off:
    """How far two lines are apart: their middles in mm, their directions in degrees, whichever way they run."""

    place_mm: float
    angle_deg: float


@dataclass(frozen=True)
class Tolerance:
    """What a food bears under a skill: an error of place in mm and one of angle in degrees, up to 90."""

    place_mm: float
    angle_deg: float

    def bears(self, off: Off) -> bool:
        """Whether parameters that are so far off are right all the same."""
        return off.place_mm <= self.place_mm and off.angle_deg <= self.angle_deg


def off_by(said: Floats, best: Floats) -> Off:
    """How far a line is from the best one, each given as its two points in mm."""
    one, two = said[1] - said[0], best[1] - best[0]
    cross, dot = float(one[0] * two[1] - one[1] * two[0]), float(one @ two)
    place_mm = float(np.hypot(*(said.mean(axis=0) - best.mean(axis=0))))
    return Off(place_mm, math.degrees(math.atan2(abs(cross), abs(dot))))


@cache
def tolerances() -> Mapping[tuple[str, Skill], Tolerance]:
    """For every food and each skill that fits it.

    Raises:
        BadRecord: The table is missing or damaged.
    """
    try:
        record = json.loads((files("handup.domains.feeding") / FILE).read_text(encoding="utf-8"))
        if (record["kind"], record["schema"]) != (KIND, SCHEMA):
            raise BadRecord("the table of tolerances is of another version", hint=MAKE)
        found = {
            (name, Skill(skill)): Tolerance(float(each["place_mm"]), float(each["angle_deg"]))
            for name, by_skill in record["tolerances"].items()
            for skill, each in by_skill.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRecord(f"the table of tolerances cannot be read ({error})", hint=MAKE) from error
    return MappingProxyType(found)


def tolerance(food: str, skill: Skill) -> Tolerance:
    """What a food bears under a skill that fits it.

    Raises:
        BadSetting: The sweep has no such pair.
    """
    found = tolerances().get((food, skill))
    if found is None:
        raise BadSetting(f"nothing is known of how exactly to {skill} {food}", hint=MAKE)
    return found
