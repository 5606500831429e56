"""How far M4 may be off, from the published sweep: `python -m train.feeding.tolerance` writes the package's table.

Run it whenever `docs/feeding/sweep.csv` was measured again: judging, calibration and evaluation all go by that table.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from handup.domains.feeding.truth import FILE, KIND, SCHEMA

ROOT = Path(__file__).parents[2]
SWEEP = ROOT / "docs" / "feeding" / "sweep.csv"
OUT = ROOT / "src" / "handup" / "domains" / "feeding" / FILE
LEFT = 0.75
"""Share of the perfect success that has to be left."""


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sweep", type=Path, default=SWEEP)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    given.out.write_text(json.dumps(table(given.sweep), indent=1) + "\n", encoding="utf-8")


def table(sweep: Path = SWEEP) -> dict[str, Any]:
    """The record that the package ships: for every food and fitting skill what it bears."""
    rows: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    with sweep.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "fitting":
                share = int(row["ok"]) / int(row["tries"])
                found = rows.setdefault(row["food"], {}).setdefault(row["skill"], [])
                found.append((float(row["error_mm"]), float(row["error_deg"]), share))
    tolerances = {food: {skill: _borne(found) for skill, found in skills.items()} for food, skills in rows.items()}
    return {"schema": SCHEMA, "kind": KIND, "left": LEFT, "tolerances": tolerances}


def _borne(found: list[tuple[float, float, float]]) -> dict[str, float]:
    place_mm = borne([(mm, share) for mm, deg, share in found if deg == 0.0])
    angle_deg = borne([(deg, share) for mm, deg, share in found if mm == 0.0])
    return {"place_mm": round(place_mm, 2), "angle_deg": round(angle_deg, 1)}


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


if __name__ == "__main__":
    main()
