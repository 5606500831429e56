"""How many episodes the batch simulator lives through in a second, beside one episode at a time in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Episodes
from handup.lab.replica.stepper import step_through
from handup.lab.simulate import simulate

SIZES = (10, 25, 50, 100)
WORK = 1_000_000
"""Episodes times modules of one timed run."""
REPEATS = 5
STEPPED = 50
"""Episodes that are lived through one by one."""


@dataclass(frozen=True, kw_only=True)
class Speed:
    """One measurement, graph generation included.

    Args:
        modules: N.
        world: Whose rules.
        method: The method.
        episodes_per_s: Median over some runs.
        baseline: What it is compared with.
        baseline_episodes_per_s: Its speed.
        ratio: How many times faster ours is.
    """

    modules: int
    world: str
    method: str
    episodes_per_s: float
    baseline: str
    baseline_episodes_per_s: float
    ratio: float

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return asdict(self)


def measure(modules: int, seed: int = 0) -> Speed:
    """The replica with graph+workload-aware at the paper's fixed settings, on one core."""
    cell = Cell(modules=modules, world=WorldKind.REPLICA, seed=seed, episodes=WORK // modules)
    small = Cell(modules=modules, world=WorldKind.REPLICA, seed=seed, episodes=STEPPED)
    rates = list(_rates(simulate, cell, REPEATS))
    stepped = next(_rates(step_through, small, 1))
    ours = statistics.median(rates)
    return Speed(
        modules=modules,
        world=str(cell.world),
        method=cell.method,
        episodes_per_s=ours,
        baseline="one by one",
        baseline_episodes_per_s=stepped,
        ratio=ours / stepped,
    )


def _rates(run: Callable[[Cell], Episodes], cell: Cell, repeats: int) -> Iterator[float]:
    for _ in range(repeats):
        start = time.process_time()
        run(cell)
        yield cell.episodes / (time.process_time() - start)
