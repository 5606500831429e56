"""Sittings on disk, `DIR/meals/CONFIG.json`: the meals of one sitting. See `lab.study.keeping`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from handup import __version__
from handup.lab.meals.definition import SCHEMA
from handup.lab.meals.rows import MealRow
from handup.lab.study.keeping import Kept, digest

ROOMS = ("core", "confidence", "policy", "people", "what", "when", "whom", "recover", "memory", "journal", "desk")
ROOMS_AND_ROBOT = (*ROOMS, "domains/feeding")
OWN = ("participants", "definition", "eating", "blame", "rows")
"""What of this folder makes rows; the rest judges and draws them."""


@cache
def code_digest() -> str:
    """A hash of everything in the package that decides what the rows of a meal are."""
    own = [Path(__file__).with_name(f"{name}.py") for name in OWN]
    return digest(Path(__file__).parents[2], ROOMS_AND_ROBOT, own)


def kept_meals(folder: Path, made_with: Mapping[str, str]) -> Kept[MealRow]:
    """Those of a folder for the code as it is now, and for these networks and libraries."""
    stamp = {"handup": __version__, "code": code_digest(), **made_with}
    return Kept(folder=folder, kind="meals", schema=SCHEMA, read=MealRow.from_json, stamp=stamp)
