"""Where a claim looks: a method in a cell, named for a reader, and the values of the paper's axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.study.results import Results

SELECTORS = ("never", "topo", "confidence", "brute-force", "binary-tree", "graph")
"""Those that both worlds know."""
BEST = ("brute-force", "graph", "confidence")
"""The selectors that the paper recommends."""
ASKING = ("confidence", "brute-force", "binary-tree", "graph")
"""Those whose questions depend on confidences."""
ALGORITHMS = ("execute-first", "query-then-execute", "until-confident", "workload-aware")
"""The paper's four, which claims about querying algorithms are read to be about; query-for-all is its baseline."""
BASELINE = "query-for-all"
CONFIDENT = ("until-confident", "workload-aware")
"""The two variants of query-until-confident, which the paper recommends."""
ALTERNATING = ("execute-first", "query-then-execute")

MODULES = (3, 5, 10, 15, 18, 25, 50, 75, 100)
STRUCTURES = (Structure.OR, Structure.AND, Structure.OR_THEN_AND, Structure.AND_THEN_OR)
NOT_ALL_OR = tuple(each for each in STRUCTURES if each is not Structure.OR)
CONFIDENCES = ((1.0, 0.1), (0.9, 0.2), (0.8, 0.3), (0.7, 0.4))
OVERLAPPING = (0.6, 0.5)
QUERY_COSTS = (0.08, 0.16, 0.32, 0.64)
EXPERTS = (1.0, 0.8, 0.6, 0.4)
BETAS = (0.0, 0.2, 0.4, 0.6)

AXES: Mapping[str, Callable[[Any], str]] = {
    "modules": lambda value: f"N = {value}",
    "structure": lambda value: f"all-{value}" if value in (Structure.AND, Structure.OR) else f"{value}",
    "confidences": lambda value: f"({value[0]:g}, {value[1]:g})",
    "query_cost": lambda value: f"q = {value:g}",
    "expert": lambda value: f"c_e = {value:g}",
    "beta": lambda value: f"β = {value:g}",
}


@dataclass(frozen=True)
class Place:
    """A method in a cell.

    Args:
        method: As in `Cell.method`.
        name: What a reader calls it here: the selector or the querying algorithm, whichever is compared.
        at: The settings that differ from the base cell.
    """

    method: str
    name: str
    at: tuple[tuple[str, Any], ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings for a reader; none for the base cell."""
        return tuple(AXES[key](value) for key, value in self.at)

    def known(self, results: Results) -> bool:
        """Whether the study has this cell."""
        return self.cell(results.base) in results.found

    def cell(self, base: Cell) -> Cell:
        """The cell itself."""
        return _changed(base, self.method, self.at)


def selector(name: str, **at: Any) -> Place:
    """A selector under the paper's fixed querying algorithm."""
    return Place(f"{name}+workload-aware", name, tuple(at.items()))


def algorithm(name: str, **at: Any) -> Place:
    """A querying algorithm with the paper's fixed selector."""
    return Place(f"graph+{name}", name, tuple(at.items()))


def replica(results: Results) -> bool:
    """Whether these are the replica's rows."""
    return results.base.world is WorldKind.REPLICA


@lru_cache(maxsize=10_000)
def _changed(base: Cell, method: str, at: tuple[tuple[str, Any], ...]) -> Cell:
    """Claims look at the same few hundred cells again and again, and making one costs more than comparing it."""
    return replace(base, method=method, **dict(at))
