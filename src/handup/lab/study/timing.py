"""How long methods compute.

These are measurements of one machine; they stay apart from the rows, which anyone can repeat.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from handup.core import Action, Costs
from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.world import Truths, blocks
from handup.policy import Belief, ModuleGraph
from handup.when.plan import gates as gate_planner
from handup.when.plan import series

POLICIES = 5
DECISIONS = 8
"""So many decisions of an episode are timed at most."""
BUDGET_S = 0.05
"""After so much deciding no further policy is begun."""
COMPUTATION_TIME = "computation_time"


@dataclass(frozen=True)
class Timing:
    """How long the decisions of a cell take.

    Args:
        cell: The cell; always of the default world, for the replica is not made to be fast or slow.
        decision_us: Median time of one decision in microseconds.
        decisions: Median number of decisions in an episode, from the rows.
    """

    cell: Cell
    decision_us: float
    decisions: float

    @property
    def episode_ms(self) -> float:
        """The paper's computation time: all decisions of an episode, in milliseconds."""
        return self.decision_us * self.decisions / 1000.0


def measure(cells: Iterable[Cell], found: Mapping[Cell, Episodes], clock: Callable[[], float]) -> Iterator[Timing]:
    """Time the decisions of cells, one after the other in this process.

    Args:
        cells: Of the default world.
        found: Their episodes.
        clock: Seconds, such as `time.perf_counter`.
    """
    for cell in cells:
        times = _decision_times(cell, clock)
        decisions = float(np.median(found[cell].metric("timesteps")))
        yield Timing(cell, float(np.median(times)) * 1e6, decisions)


def table(timings: Iterable[Timing]) -> str:
    """Timings as CSV."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("config", *Cell().to_json(), "decision_us", "decisions", "episode_ms"))
    for each in timings:
        settings = each.cell.to_json().values()
        writer.writerow((each.cell.config, *settings, each.decision_us, each.decisions, each.episode_ms))
    return file.getvalue()


def _decision_times(cell: Cell, clock: Callable[[], float]) -> list[float]:
    """Seconds of the first decisions of a few episodes; the first one is gone through twice, to warm up."""
    block = next(blocks(replace(cell, episodes=POLICIES)))
    list(_episode(cell, block.graph(0), block.works[:, 0], clock))
    times: list[float] = []
    for episode in range(POLICIES):
        times += _episode(cell, block.graph(episode), block.works[:, episode], clock)
        if sum(times) > BUDGET_S:
            break
    return times


def _episode(cell: Cell, graph: ModuleGraph, works: Truths, clock: Callable[[], float]) -> Iterator[float]:
    """The times of an episode's first decisions, each without what an earlier one may have left in a planner."""
    belief = Belief.of(graph)
    for step in range(min(DECISIONS, cell.horizon)):
        costs = Costs.of(graph.query_costs, expert=cell.expert, w=cell.w, time_left=cell.horizon - step)
        series.plan_series.cache_clear()
        gate_planner.plan_gates.cache_clear()
        fresh = replace(belief)
        start = clock()
        decision = cell.strategy.decide(fresh, costs, 0.0)
        yield clock() - start
        if decision.action is Action.ASK and decision.module is not None:
            module = graph.index(decision.module)
            belief = belief.after_answer(module, changed=not works[module], expert=cell.expert)
            works = works | (np.arange(len(works)) == module)
        elif decision.action is Action.ACT and not graph.circuit.evaluate(works.astype(np.uint8)[:, None]).all():
            belief = belief.after_execution(False)
        else:
            return
