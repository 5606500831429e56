"""Decision times of methods: measurements of one machine, apart from the rows, which anyone can repeat."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from handup.core import Action, Costs
from handup.lab.cell import Cell
from handup.lab.engine.table import csv_text
from handup.lab.episodes import Episodes
from handup.lab.world import Truths, blocks
from handup.policy import Belief, ModuleGraph
from handup.when.plan import gates as gate_planner
from handup.when.plan import series

POLICIES = 5
DECISIONS = 8
"""Largest number of decisions of an episode that are timed."""
ROUNDS = 5
"""Number of rounds in which all cells are timed in turn. The fastest counts: other programs slow some rounds."""
BUDGET_S = 0.01
"""Time for decisions in a cell's first round, in seconds, after which no further policy is begun."""
COMPUTATION_TIME = "computation_time"


@dataclass(frozen=True)
class Timing:
    """Computation time of a cell of the default world; the replica is not made to be fast or slow.

    `decision_us` is the median time of a decision in the fastest of some rounds, `decisions` the mean number of them in
    an episode, from the rows.
    """

    cell: Cell
    decision_us: float
    decisions: float

    @property
    def episode_ms(self) -> float:
        """Computation time as in the paper: of all decisions of an episode, in milliseconds."""
        return self.decision_us * self.decisions / 1000.0


def measure(cells: Iterable[Cell], found: Mapping[Cell, Episodes], clock: Callable[[], float]) -> Iterator[Timing]:
    """Time the decisions of cells, round by round in this process.

    Args:
        cells: Cells of the default world.
        found: Episodes by cell.
        clock: Function that returns seconds, such as `time.perf_counter`.
    """
    timed = {cell: _rounds(cell, clock) for cell in cells}
    rounds = [[next(seconds) for seconds in timed.values()] for _ in range(ROUNDS)]
    for cell, seconds in zip(timed, zip(*rounds, strict=True), strict=True):
        yield Timing(cell, min(seconds) * 1e6, float(found[cell].metric("timesteps").mean()))


def table(timings: Iterable[Timing]) -> str:
    """Return timings as CSV; only the header if there are none."""
    numbers = ("decision_us", "decisions", "episode_ms")
    records = (
        {"config": timing.cell.config, **timing.cell.to_json(), **{name: getattr(timing, name) for name in numbers}}
        for timing in timings
    )
    return csv_text(records) or ",".join(("config", *Cell().to_json(), *numbers)) + "\n"


def _rounds(cell: Cell, clock: Callable[[], float]) -> Iterator[float]:
    """Yield the median time of a decision, round by round: of the first ones of a few episodes, always the same."""
    block, budget_s = next(blocks(replace(cell, episodes=POLICIES))), BUDGET_S
    policies = [(block.graph(number), block.works[:, number]) for number in range(POLICIES)]
    while True:
        times: list[float] = []
        for number, (graph, works) in enumerate(policies, start=1):
            times += _episode(cell, graph, works, clock)
            if sum(times) > budget_s:
                policies = policies[:number]
                break
        budget_s = math.inf  # the first round has fixed the number of policies
        yield float(np.median(times))


def _episode(cell: Cell, graph: ModuleGraph, works: Truths, clock: Callable[[], float]) -> Iterator[float]:
    """Yield the times of an episode's first decisions, none helped by what an earlier one left in a planner."""
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
