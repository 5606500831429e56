"""A small study, and rows that are made at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handup.lab.cell import Cell
from handup.lab.engine import Batch, Columns
from handup.lab.engine.judge import MeansClaim
from handup.lab.episodes import Episodes
from handup.lab.studies.synthetic import studies
from handup.lab.studies.synthetic.cells import CellBatch, columns_of
from handup.lab.studies.synthetic.results import TROUBLESHOOT, Axis, CellResults, Grid
from handup.lab.studies.synthetic.studies import claim_of
from handup.lab.studies.synthetic.study import CellStudy

STUDIES = {study.name: study for study in vars(studies).values() if isinstance(study, CellStudy)}
METHODS = ("graph+workload-aware", "confidence+workload-aware", "never+workload-aware", "graph+execute-first")


def simulate(cell: Cell) -> Episodes:
    """Return numbers that depend on every setting, and on nothing else."""
    random = np.random.default_rng([int(cell.config, 16), cell.seed])
    executions = random.integers(1, 4, cell.episodes)
    questions = random.integers(0, cell.modules, cell.episodes)
    load = questions * cell.query_cost * random.random(cell.episodes)
    recovered = random.random(cell.episodes) < 0.7
    return Episodes(recovered, load, questions, executions, 0.5 * load + executions - recovered)


def make(batch: Batch) -> Columns:
    """Make the rows of a cell without simulating it."""
    assert isinstance(batch, CellBatch)
    return columns_of(simulate(batch.cell))


def claimed(does: str, **fields: Any) -> MeansClaim:
    return claim_of({"name": does, "source": "section <1>", "text": f"It {does}.", **fields})


FAILS = {"metric": "task_cost", "selector": "graph", "modules": 3, "target": 0.0}
NOTES = {"does not hold": "It fails & fails | often.", "holds": {"replica": "It runs."}}
LESS = {"metric": "questions", "selector": "graph", "modules": 3, "than": {"modules": 4}}
TINY = CellStudy(
    name="tiny",
    title="Tiny <study>",
    figure="none",
    question="Does it run?",
    make=make,
    grids=(Grid((Axis("modules", "N", (3, 4), quick=(4,)),), (*METHODS, TROUBLESHOOT)),),
    claims=(
        claimed("never fails", **{"the same": FAILS}, notes=NOTES),
        claimed("takes long", slower={"modules": 4, "selector": "graph", "than": {"selector": "never"}}),
        claimed("asks less", lower=LESS),
    ),
)


def results(study: CellStudy, found: Mapping[Cell, Episodes], *, episodes: int, quick: bool = False) -> CellResults:
    """Return results that hold these episodes."""
    return CellResults(study, study.size(quick=quick, episodes=episodes), {}, found=found)


def all_alike(study: CellStudy, made: Episodes, *, quick: bool = False) -> CellResults:
    """Return results in which every cell has the same episodes."""
    batches = study.batches(study.size(quick=quick, episodes=len(made)))
    return results(study, {batch.cell: made for batch in batches}, episodes=len(made), quick=quick)
