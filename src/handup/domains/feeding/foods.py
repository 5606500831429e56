"""The food table and plates, read from `data/` and checked when read; and random plates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from handup.core import MissingSetting, OutOfRange, UnknownName
from handup.core.files import shipped_data, shipped_records
from handup.domains.feeding.skills import Skill

Range = tuple[float, float]
ITEM_SHAPES = frozenset({"chunk", "ball", "leaf", "bean", "berry", "floret", "disc"})
HEAP_SHAPES = frozenset({"smooth", "grains", "pellets", "curds", "strands"})
RANDOM = "random"
MOST_PIECES = 40
"""Most pieces on a plate: with more, steps would get slow and pieces would lie in heaps."""


@dataclass(frozen=True, kw_only=True)
class Food:
    """One food. Units and meaning of each field stand at the top of the table's file.

    Raises:
        BadSetting: A shape, skill or range that cannot be.
    """

    name: str
    shape: str
    size_mm: tuple[Range, Range, Range]
    texture: str
    density: float
    friction: float
    scoop: float
    skills: tuple[Skill, ...]
    easy: tuple[Range, Range, Range]
    hard: tuple[Range, Range, Range]
    heap: bool = False
    pierce_n: float = 0.2
    hold_n_mm: float = 0.0
    grain: float | int = 0.0  # whole numbers stay such: published rows carry a hash of the table
    strand: float = 0.0
    cohesion: float = 0.0

    def __post_init__(self) -> None:
        hint = f"Correct '{self.name}' in foods.yaml."
        shapes = HEAP_SHAPES if self.heap else ITEM_SHAPES
        if self.shape not in shapes:
            must = f"be one of {', '.join(sorted(shapes))}"
            raise UnknownName.of(f"shape of {self.name}", repr(self.shape), must, hint=hint)
        if not self.skills:
            raise MissingSetting(f"{self.name} must have a skill that fits it, got none", hint=hint)
        if any(not 0.0 < low <= high for low, high in self.size_mm):
            raise OutOfRange.of(f"each size of {self.name}", self.size_mm, "be a range above 0", hint=hint)
        if not self.heap and self.hold_n_mm <= 0.0:
            raise OutOfRange.of(f"hold_n_mm of {self.name}", self.hold_n_mm, "be more than 0", hint=hint)

    def colours(self, name: str) -> tuple[Range, Range, Range]:
        """Return ranges of hue (degrees), saturation and value in the looks of this name, `easy` or `hard`."""
        return self.easy if name == "easy" else self.hard


@cache
def foods() -> Mapping[str, Food]:
    """Return all foods by name, in the table's order."""
    return shipped_records(Food, shipped_data(__file__, "data/foods.yaml"))


def food(name: str) -> Food:
    """Return the food of this name.

    Raises:
        UnknownName: There is none.
    """
    if name not in foods():
        raise UnknownName(f"there is no food '{name}'", hint=f"Choose among: {', '.join(foods())}.")
    return foods()[name]


@dataclass(frozen=True)
class Plate:
    """A plate as it is served.

    Args:
        name: Name, as in the docs.
        pieces: Smallest and largest number of pieces of each food; a heap counts as one.

    Raises:
        UnknownName: A food does not exist.
        OutOfRange: There is nothing or too much on the plate.
    """

    name: str
    pieces: Mapping[str, tuple[int, int]]

    def __post_init__(self) -> None:
        for name, (low, high) in self.pieces.items():
            if not 1 <= low <= high or (food(name).heap and high > 1):
                must = "be 1 to 1 for a heap, and a range from 1 otherwise"
                raise OutOfRange.of(f"pieces of {name}", f"{low} to {high}", must, hint="Give such a range.")
        most = sum(high for _, high in self.pieces.values())
        if not 1 <= most <= MOST_PIECES:
            must = f"number 1 to {MOST_PIECES}"
            raise OutOfRange.of(f"pieces on plate '{self.name}'", most, must, hint="Put on fewer, or at least one.")

    def served(self, random: np.random.Generator) -> dict[str, int]:
        """Return how many pieces of each food there are this time."""
        return {name: int(random.integers(low, high + 1)) for name, (low, high) in self.pieces.items()}


PLATES: Mapping[str, Plate] = shipped_records(
    Plate, {name: {"pieces": pieces} for name, pieces in shipped_data(__file__, "data/plates.yaml").items()}
)
"""The plates of the paper's studies, and noodles, so that twirling is needed."""


def plate(name: str, *, seed: int = 0) -> Plate:
    """Return the plate of this name; `random` draws one from the food table by the seed.

    Raises:
        UnknownName: There is none.
    """
    if name == RANDOM:
        return random_plate(seed)
    if name not in PLATES:
        raise UnknownName(f"there is no plate '{name}'", hint=f"Choose among: {', '.join([*PLATES, RANDOM])}.")
    return PLATES[name]


def random_plate(seed: int, *, must: str | None = None) -> Plate:
    """Return a plate of a few random foods, at most one of them a heap, with `must` among them if given."""
    random = np.random.default_rng((seed, 11))
    heaps = [name for name, kind in foods().items() if kind.heap]
    items = [name for name, kind in foods().items() if not kind.heap]
    most_heaps = 0 if must in heaps else 1
    chosen_heaps = [name for name in _drawn(random, heaps, int(random.integers(0, 2))) if name != must][:most_heaps]
    chosen_items = [name for name in _drawn(random, items, int(random.integers(2, 4))) if name != must]
    names = [*([must] if must else []), *chosen_heaps, *chosen_items]
    return Plate(RANDOM, {name: (1, 1) if food(name).heap else (3, 5) for name in names})


def _drawn(random: np.random.Generator, names: list[str], count: int) -> list[str]:
    return [names[index] for index in random.permutation(len(names))[:count]]
