"""Episodes that the batch simulator lives through in a second, beside one episode at a time in the same run."""

from __future__ import annotations

from functools import partial

from handup.lab.bench.harness import Columns, Row, in_turn
from handup.lab.cell import Cell, WorldKind
from handup.lab.replica.stepper import step_through
from handup.lab.simulate import simulate

SIZES = (10, 25, 50, 100)
WORK = 1_000_000
"""Episodes times modules of one timed run."""
REPEATS = 5
STEPPED = 50
"""Episodes that are lived through one by one."""
COLUMNS: Columns = (
    ("modules", "modules", "{}"),
    ("episodes/s", "episodes_per_s", "{:,.0f}"),
    ("one by one", "baseline_episodes_per_s", "{:,.0f}"),
    ("ratio", "ratio", "{:,.0f}×"),
)
CLOSING = "graph+workload-aware in the replica, confidences (1, 0.1), every module needed; one core."


def measure(modules: int, seed: int = 0) -> Row:
    """Time the replica with graph+workload-aware at the paper's fixed settings, graph generation included."""
    cell, small = (
        Cell(modules=modules, world=WorldKind.REPLICA, seed=seed, episodes=count)
        for count in (WORK // modules, STEPPED)
    )
    batch, stepped = in_turn(lambda: partial(simulate, cell), lambda: partial(step_through, small), rounds=REPEATS)
    ours, theirs = cell.episodes / batch.processor, small.episodes / stepped.processor
    row = {"modules": modules, "world": str(cell.world), "method": cell.method, "episodes_per_s": ours}
    return {**row, "baseline": "one by one", "baseline_episodes_per_s": theirs, "ratio": ours / theirs}
