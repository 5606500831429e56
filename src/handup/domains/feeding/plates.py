"""Plates: which foods, how much of each. The paper's three, noodles, and random ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from handup.core import BadSetting
from handup.domains.feeding.foods import food, foods

RANDOM = "random"
MOST_PIECES = 40
"""A plate holds no more: steps would get slow and pieces would lie in heaps."""


@dataclass(frozen=True)
class Plate:
    """A plate as it is served.

    Args:
        name: As in the docs.
        pieces: For each food the smallest and the largest number of pieces; a heap counts as one.

    Raises:
        BadSetting: An unknown food, or a plate with nothing or too much on it.
    """

    name: str
    pieces: Mapping[str, tuple[int, int]]

    def __post_init__(self) -> None:
        for name, (low, high) in self.pieces.items():
            if not 1 <= low <= high or (food(name).heap and high > 1):
                raise BadSetting(f"{low} to {high} of {name}", hint="Give 1 to 1 for a heap, and a range otherwise.")
        if not self.pieces or sum(high for _, high in self.pieces.values()) > MOST_PIECES:
            raise BadSetting(f"plate '{self.name}' is empty or too full", hint=f"Put 1 to {MOST_PIECES} pieces on it.")

    def served(self, random: np.random.Generator) -> dict[str, int]:
        """How many pieces of each food there are this time."""
        return {name: int(random.integers(low, high + 1)) for name, (low, high) in self.pieces.items()}


PLATES: Mapping[str, Plate] = MappingProxyType(
    {
        each.name: each
        for each in (
            Plate("savory salad", {"chicken": (5, 6), "lettuce": (4, 5), "cherry tomatoes": (5, 6)}),
            Plate("thanksgiving", {"mashed potatoes": (1, 1), "chicken": (5, 6), "green beans": (6, 8)}),
            Plate(
                "mixed salad",
                {"watermelon": (4, 5), "cantaloupe": (4, 5), "honeydew": (4, 5), "green beans": (4, 5)},
            ),
            Plate("noodles", {"noodles": (1, 1), "broccoli": (3, 4), "chicken": (3, 4)}),
        )
    }
)
"""The plates of the paper's studies, and noodles, so that twirling is needed."""


def plate(name: str, *, seed: int = 0) -> Plate:
    """The plate of this name; `random` draws one from the food table by the seed.

    Raises:
        BadSetting: There is none.
    """
    if name == RANDOM:
        return random_plate(seed)
    found = PLATES.get(name)
    if found is None:
        raise BadSetting(f"there is no plate '{name}'", hint=f"Choose among: {', '.join([*PLATES, RANDOM])}.")
    return found


def random_plate(seed: int, *, must: str | None = None) -> Plate:
    """Three or four foods, among them one or no heap more than one; with `must` on it where wanted."""
    random = np.random.default_rng((seed, 11))
    heaps = [name for name, each in foods().items() if each.heap]
    items = [name for name, each in foods().items() if not each.heap]
    most_heaps = 0 if must in heaps else 1
    chosen_heaps = [name for name in _drawn(random, heaps, int(random.integers(0, 2))) if name != must][:most_heaps]
    chosen_items = [name for name in _drawn(random, items, int(random.integers(2, 4))) if name != must]
    names = [*([must] if must else []), *chosen_heaps, *chosen_items]
    return Plate(RANDOM, {name: (1, 1) if food(name).heap else (3, 5) for name in names})


def _drawn(random: np.random.Generator, names: list[str], count: int) -> list[str]:
    return [names[index] for index in random.permutation(len(names))[:count]]
