"""How far M4 may be off, from the published sweep: up to where three quarters of the perfect success are left."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SWEEP = Path(__file__).parents[2] / "docs" / "feeding" / "sweep.csv"
LEFT = 0.75


@dataclass(frozen=True)
class Tolerance:
    """What a food bears under a skill: an error of place in mm and one of angle in degrees."""

    place_mm: float
    angle_deg: float


def tolerances(path: Path = SWEEP) -> dict[tuple[str, str], Tolerance]:
    """For every food and fitting skill."""
    rows: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "fitting":
                share = int(row["ok"]) / int(row["tries"])
                key = row["food"], row["skill"]
                rows.setdefault(key, []).append((float(row["error_mm"]), float(row["error_deg"]), share))
    return {
        key: Tolerance(
            borne([(mm, share) for mm, deg, share in found if deg == 0.0]),
            borne([(deg, share) for mm, deg, share in found if mm == 0.0]),
        )
        for key, found in rows.items()
    }


def borne(curve: list[tuple[float, float]]) -> float:
    """The largest error with enough success left, between measured points; noise that lets success rise is smoothed."""
    errors, shares = np.array(sorted(curve)).T
    falling = np.maximum.accumulate(shares[::-1])[::-1]
    least = LEFT * falling[0]
    beyond = np.flatnonzero(falling < least)
    if not len(beyond):
        return float(errors[-1])
    after = int(beyond[0])
    part = (falling[after - 1] - least) / (falling[after - 1] - falling[after])
    return float(errors[after - 1] + part * (errors[after] - errors[after - 1]))
