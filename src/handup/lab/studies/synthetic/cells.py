"""Cells as batches: one file of rows for each cell, shared by all synthetic studies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from handup.lab.cell import Cell
from handup.lab.engine import Batch, Columns
from handup.lab.episodes import METRICS, Episodes
from handup.lab.simulate import simulate
from handup.when import Pair

FAMILY = "cells"
EFFORT = {"mip": 1.8, "troubleshoot": 0.5, "hybrid": 0.08}
"""Milliseconds per module and episode, roughly; for the order of work and the estimate of the time left only."""
LITTLE_EFFORT = 0.005


@dataclass(frozen=True, kw_only=True)
class CellBatch(Batch):
    """The episodes of one cell."""

    cell: Cell

    @classmethod
    def of(cls, cell: Cell) -> CellBatch:
        """Return the batch of a cell, the same for every study that has it."""
        return cls(study=FAMILY, arm=cell.method, count=cell.episodes, rows=cell.episodes, cell=cell)

    @cached_property
    def config(self) -> str:
        """Short name of all settings."""
        return self.cell.config

    @property
    def label(self) -> str:
        """The cell in the words of `handup study cell --set`: what differs from the defaults."""
        usual = Cell().to_json()
        changed = (f"{key}={_text(value)}" for key, value in self.cell.to_json().items() if value != usual[key])
        return " ".join(("cell", *changed))

    @property
    def effort(self) -> float:
        """Time that it takes, roughly, in milliseconds of some machine."""
        cell = self.cell
        return cell.episodes * cell.modules * EFFORT.get(cell.method.partition("+")[0], LITTLE_EFFORT)

    @property
    def is_reusable(self) -> bool:
        """True if the method is handup's own: methods of others may change without our seeing it."""
        chosen = self.cell.strategy
        parts = (chosen.what, chosen.when) if isinstance(chosen, Pair) else (chosen,)
        return all(type(part).__module__.partition(".")[0] == "handup" for part in parts)

    def to_json(self) -> dict[str, Any]:
        """Return what every row of the cell begins with."""
        return {"config": self.config, "seed": self.cell.seed}


def make(batch: Batch) -> Columns:
    """Simulate the episodes of a cell."""
    assert isinstance(batch, CellBatch)
    return columns_of(simulate(batch.cell))


def columns_of(episodes: Episodes) -> Columns:
    """Return episodes as they are kept."""
    return {
        "episode": list(range(len(episodes))),
        **{name: episodes.metric(name).tolist() for name in METRICS},
        "questions": episodes.questions.tolist(),
        "executions": episodes.executions.tolist(),
    }


def episodes_of(columns: Columns) -> Episodes:
    """Return episodes as they were before they were kept, number for number."""
    return Episodes(
        recovered=np.array(columns["task_cost"]) == 0.0,
        load=np.array(columns["query_cost"], dtype=np.float64),
        questions=np.array(columns["questions"], dtype=np.int64),
        executions=np.array(columns["executions"], dtype=np.int64),
        objective=np.array(columns["J"], dtype=np.float64),
    )


def _text(value: object) -> str:
    return ",".join(f"{part:g}" for part in value) if isinstance(value, list) else str(value)
