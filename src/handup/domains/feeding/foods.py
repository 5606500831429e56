"""The food table: read from `data/foods.yaml`, checked when read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from handup.core import BadSetting
from handup.core.files import shipped_data
from handup.domains.feeding.skills import Skill

Range = tuple[float, float]
ITEM_SHAPES = frozenset({"chunk", "ball", "leaf", "bean", "berry", "floret", "disc"})
HEAP_SHAPES = frozenset({"smooth", "grains", "pellets", "curds", "strands"})


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
    grain: float = 0.0
    strand: float = 0.0
    cohesion: float = 0.0

    def __post_init__(self) -> None:
        hint = f"Correct '{self.name}' in foods.yaml."
        if self.shape not in (HEAP_SHAPES if self.heap else ITEM_SHAPES):
            raise BadSetting(f"no {'heap' if self.heap else 'item'} has the shape '{self.shape}'", hint=hint)
        if not self.skills:
            raise BadSetting(f"no skill fits {self.name}", hint=hint)
        if any(not 0.0 < low <= high for low, high in self.size_mm):
            raise BadSetting(f"a size of {self.name} is no range", hint=hint)
        if not self.heap and self.hold_n_mm <= 0.0:
            raise BadSetting(f"nothing holds {self.name} on a tine", hint=hint)

    def colours(self, name: str) -> tuple[Range, Range, Range]:
        """Ranges of hue (degrees), saturation and value in the looks of this name, `easy` or `hard`."""
        return self.easy if name == "easy" else self.hard


@cache
def foods() -> Mapping[str, Food]:
    """All foods by name, in the table's order."""
    return MappingProxyType(
        {name: _food(name, entry) for name, entry in shipped_data(__file__, "data/foods.yaml").items()}
    )


def food(name: str) -> Food:
    """The food of this name.

    Raises:
        BadSetting: There is none.
    """
    found = foods().get(name)
    if found is None:
        raise BadSetting(f"there is no food '{name}'", hint=f"Choose among: {', '.join(foods())}.")
    return found


def _food(name: str, entry: dict[str, Any]) -> Food:
    ranges: dict[str, Any] = {}
    for key in ("size_mm", "easy", "hard"):
        ranges[key] = tuple((float(low), float(high)) for low, high in entry.pop(key))
    skills = tuple(Skill(each) for each in entry.pop("skills"))
    return Food(name=name, skills=skills, **ranges, **entry)
