"""Grids of cells of the synthetic studies: every method at every value of the settings that are varied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from handup.core.files import shipped_data
from handup.lab.cell import REPLICA_SELECTORS, REPLICA_WHENS, Cell, WorldKind

MOST_MODULES: Mapping[str, int] = {"mip": 15}
"""Largest number of modules for selectors that are slow."""
NOT_QUICK = ("mip",)
"""Selectors that `--quick` leaves out."""
TROUBLESHOOT = "troubleshoot"
FILE = shipped_data(__file__, "studies.yaml")
METHODS = tuple(FILE["methods"])


@dataclass(frozen=True)
class Axis:
    """A field of `Cell` that a study varies: its label, and its values in the figure's order; others with `--quick`."""

    key: str
    label: str
    values: tuple[Any, ...]
    quick: tuple[Any, ...] | None = None

    def taken(self, quick: bool) -> tuple[Any, ...]:
        """Return the values of an ordinary or a quick run."""
        return self.values if self.quick is None or not quick else self.quick


@dataclass(frozen=True)
class Grid:
    """Every method that a world knows at every value of one or two axes; other settings keep the study's base.

    `highlight` is the metric that the paper's summary shows of it. Worlds that are not listed leave the grid out.
    """

    axes: tuple[Axis, ...]
    methods: tuple[str, ...]
    highlight: str = "J"
    worlds: tuple[WorldKind, ...] = tuple(WorldKind)

    def cells(self, base: Cell, *, quick: bool = False) -> Iterator[Cell]:
        """Yield all cells of one world, place by place, the first axis outermost."""
        if base.world not in self.worlds:
            return
        for values in product(*(axis.taken(quick) for axis in self.axes)):
            here = replace(base, **dict(zip((axis.key for axis in self.axes), values, strict=True)))
            for method in self.methods:
                if _fits(method, here) and not (quick and method.partition("+")[0] in NOT_QUICK):
                    yield here.with_method(method)


def _fits(method: str, base: Cell) -> bool:
    """Return True if the world of a cell has a method that is fast enough for its size."""
    what, plus, when = method.partition("+")
    if base.modules > MOST_MODULES.get(what, base.modules):
        return False
    return base.world is WorldKind.DEFAULT or bool(plus and what in REPLICA_SELECTORS and when in REPLICA_WHENS)


def value_label(value: Any) -> str:
    """Return a value of an axis for people."""
    return " / ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else f"{value}"


def place_label(place: Mapping[str, Any]) -> str:
    """Return the settings of a place for people."""
    return ", ".join(f"{key.replace('_', ' ').strip()} {value_label(value)}" for key, value in place.items())
