"""What a study's cells came to, looked up by their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import BadSetting
from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Episodes, Measure


@dataclass(frozen=True, eq=False)
class Results:
    """Episodes of every cell of a study.

    Args:
        base: A cell with the settings that all share; others are named by what they change.
        found: The episodes of each cell.
        timings: Seconds per decision of our own code, for the cells where they were measured.
    """

    base: Cell
    found: Mapping[Cell, Episodes]
    timings: Mapping[Cell, float] = field(default_factory=dict)

    def of(self, world: WorldKind) -> Results:
        """The results in one world: look-ups start from its cells."""
        return Results(replace(self.base, world=world), self.found, self.timings)

    def episodes(self, method: str, **changes: Any) -> Episodes:
        """The episodes of a method under some changes of the base settings.

        Raises:
            BadSetting: The study has no such cell.
        """
        cell = replace(self.base, method=method, **changes)
        if cell not in self.found:
            raise BadSetting(f"the study has no cell {cell}", hint="Name one of its methods and values.")
        return self.found[cell]

    def has(self, method: str, **changes: Any) -> bool:
        """Whether the study has such a cell."""
        return replace(self.base, method=method, **changes) in self.found

    def measure(self, metric: str, method: str, **changes: Any) -> Measure:
        """One metric of one cell."""
        return Measure.of(self.episodes(method, **changes).metric(metric), share=metric == "task_cost")

    def difference(self, metric: str, method: str, other: str, **changes: Any) -> Measure:
        """A method less another, episode by episode: both lived through the same ones."""
        first, second = (self.episodes(each, **changes).metric(metric) for each in (method, other))
        return Measure.of(first - second)

    def change(self, metric: str, method: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Measure:
        """A method under one setting less the same method under another, episode by episode of the same number."""
        first, second = (self.episodes(method, **each).metric(metric) for each in (after, before))
        return Measure.of(first - second)
