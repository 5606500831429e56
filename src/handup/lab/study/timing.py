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
ROUNDS = 5
"""Each cell is timed so often, all cells in turn, and its fastest round counts: what slows a machine passes."""
BUDGET_S = 0.01
"""After so much deciding in its first round no further policy of a cell is begun."""
COMPUTATION_TIME = "computation_time"


@dataclass(frozen=True)
class Timing:
    """How long the decisions of a cell take.

    Args:
        cell: The cell; always of the default world, for the replica is not made to be fast or slow.
        decision_us: Median time of one decision in microseconds, in the fastest of some rounds.
        decisions: Mean number of decisions in an episode, from the rows.
    """

    cell: Cell
    decision_us: float
    decisions: float

    @property
    def episode_ms(self) -> float:
        """The paper's computation time: all decisions of an episode, in milliseconds."""
        return self.decision_us * self.decisions / 1000.0


def measure(cells: Iterable[Cell], found: Mapping[Cell, Episodes], clock: Callable[[], float]) -> Iterator[Timing]:
    """Time the decisions of cells, round by round in this process.

    Args:
        cells: Of the default world.
        found: Their episodes.
        clock: Seconds, such as `time.perf_counter`.
    """
    courses = [_Course(cell, clock) for cell in cells]
    rounds = [[course.round_s() for course in courses] for _ in range(ROUNDS)]
    for course, seconds in zip(courses, zip(*rounds, strict=True), strict=True):
        decisions = float(found[course.cell].metric("timesteps").mean())
        yield Timing(course.cell, min(seconds) * 1e6, decisions)


def table(timings: Iterable[Timing]) -> str:
    """Timings as CSV."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("config", *Cell().to_json(), "decision_us", "decisions", "episode_ms"))
    for each in timings:
        settings = each.cell.to_json().values()
        writer.writerow((each.cell.config, *settings, each.decision_us, each.decisions, each.episode_ms))
    return file.getvalue()


class _Course:
    """The decisions of a cell that are timed in each round: the first of a few episodes, always the same."""

    def __init__(self, cell: Cell, clock: Callable[[], float]) -> None:
        self.cell = cell
        self._clock = clock
        block = next(blocks(replace(cell, episodes=POLICIES)))
        self._policies = [(block.graph(each), block.works[:, each]) for each in range(POLICIES)]
        self._timed = 0

    def round_s(self) -> float:
        """The median time of a decision in one round."""
        times: list[float] = []
        for number, (graph, works) in enumerate(self._policies[: self._timed or None], start=1):
            times += _episode(self.cell, graph, works, self._clock)
            if not self._timed and (sum(times) > BUDGET_S or number == POLICIES):
                self._timed = number
                break
        return float(np.median(times))


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
