"""Which plates are for what: fixed on 2026-11-15, before anything was trained, and not changed since.

The ranges keep off every other use of seeds: below 10,000 (constants of the capture model), 50,000, 70,000 and 200,000
on (its sweep), 80,000 and 210,000 on (meals with perfect answers), 170,000 to 190,000 and 220,000 on (meals). Nothing
is learnt from hard looks. How long M1 learns was chosen on hard calibration plates (160,100 to 160,239), nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from handup.domains.feeding import EASY, HARD, PLATES, Looks, Plate, foods, random_plate

PER_PART = 50
"""Plates in one file of rendered pictures."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """A range of seeds.

    Args:
        first: The first seed.
        plates: How many seeds; one plate each.
        hard: Whether plates look hard.
        leftovers: Whether every second plate has up to 60 % eaten already, in easy looks.
        both: Whether a plate that was eaten from gives a picture from before, too.
    """

    first: int
    plates: int
    hard: bool = False
    leftovers: bool = False
    both: bool = False

    def looks(self, seed: int) -> Looks:
        """How the plate of this seed may look."""
        if self.hard:
            return HARD
        return replace(EASY, eaten=(0.0, 0.6)) if self.leftovers and seed % 2 else EASY


SPLITS: Mapping[str, Split] = MappingProxyType(
    {
        "train": Split(first=100_000, plates=1_600, leftovers=True, both=True),
        "validation": Split(first=120_000, plates=150, leftovers=True),
        "easy": Split(first=130_000, plates=300),
        "hard": Split(first=140_000, plates=300, hard=True),
        "calibration easy": Split(first=150_000, plates=1_000),
        "calibration hard": Split(first=160_000, plates=1_000, hard=True),
    }
)
RENDERED = ("train", "validation", "easy", "hard")
"""Splits that the networks are trained, chosen and tested on; the others are for calibrating their scores later."""


def plate_of(seed: int) -> Plate:
    """Two in five plates are named ones, the others random, with each food in turn on them."""
    if seed % 5 < 2:
        return list(PLATES.values())[seed // 5 % len(PLATES)]
    names = list(foods())
    return random_plate(seed, must=names[seed % len(names)])


def bites_before(seed: int) -> int:
    """How many bites are taken before the picture: none from two plates in four, else one to three."""
    return seed // 7 % 3 + 1 if seed % 4 >= 2 else 0
