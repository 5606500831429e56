"""A faulty food detector, as in the core paper's appendix D: mostly wrong, and sure of it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from handup.core import BadSetting, Box
from handup.domains.feeding.seeing import Aimed, Chosen, Found, Named, Picture, Sees
from handup.domains.feeding.skills import Skill

FAULTY, CLAIMED = 0.9, 0.65
"""How often it is faulty, and the confidence that it claims then."""


@dataclass(frozen=True, kw_only=True)
class Faulty:
    """Modules whose M1 names a random food that is not on the plate, with probability 0.9 for each picture.

    Use it with the `scaled` calibrators (`calibration.load("scaled")`): they divide by the highest score of the
    calibration set, as appendix D does for M1, M2 and M3. A faulty label comes with the score whose confidence is 0.65;
    otherwise M1 speaks as before. The same picture is always seen the same way.

    Args:
        modules: The sound ones.
        on_plate: What is on the plate.
        highest: M1's highest score in the calibration set.
        seed: Decides when and how it errs.
        share: How often.

    Raises:
        BadSetting: Every food is on the plate, or the share is none.
    """

    modules: Sees
    on_plate: frozenset[str]
    highest: float
    seed: int = 0
    share: float = FAULTY

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise BadSetting(f"a share of {self.share:g}", hint="Give a number from 0 to 1.")
        if not set(self.foods) - self.on_plate:
            raise BadSetting("every food is on the plate", hint="Leave one off, so that a label can be wrong.")

    @property
    def foods(self) -> tuple[str, ...]:
        """What M1 can name."""
        return self.modules.foods

    def name(self, rgb: Picture) -> Named:
        """M1, faulty."""
        random = np.random.default_rng((self.seed, 17, zlib.crc32(rgb.tobytes())))
        if random.random() >= self.share:
            return self.modules.name(rgb)
        others = sorted(set(self.foods) - self.on_plate)
        label = others[int(random.integers(len(others)))]
        return Named(label, {label: CLAIMED * self.highest})

    def find(self, rgb: Picture, label: str) -> Found:
        """M2, as it is."""
        return self.modules.find(rgb, label)

    def choose(self, rgb: Picture, label: str, box: Box) -> Chosen:
        """M3, as it is."""
        return self.modules.choose(rgb, label, box)

    def aim(self, rgb: Picture, box: Box, skill: Skill, *, seed: int) -> Aimed:
        """M4, as it is."""
        return self.modules.aim(rgb, box, skill, seed=seed)
