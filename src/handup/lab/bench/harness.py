"""Timing harness of `handup bench` and of the scripts in `benchmarks/`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BUDGET_S = 0.2
MOST_CALLS = 2_000
Row = Mapping[str, Any]
"""A measurement, as in the JSON record."""
Columns = Sequence[tuple[str, str, str | Callable[[Any], str]]]
"""Headings, each with a key of the row and a format of its value, such as `"{:,.1f}"`, or a function that writes it."""


@dataclass
class TimedCalls:
    """Calls that were timed, one after the other.

    Args:
        clock: Clock of processor time: of all threads by default, of one with `time.thread_time`.
        processor_s: Processor time of every call, in seconds.
        wall_s: Wall time of every call, in seconds.
        results: Return values.
    """

    clock: Callable[[], float] = time.process_time
    processor_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)

    def call(self, do: Callable[[], Any]) -> None:
        """Call a function and keep its times and its result."""
        processor, wall = self.clock(), time.perf_counter()
        result = do()
        self.wall_s.append(time.perf_counter() - wall)
        self.processor_s.append(self.clock() - processor)
        self.results.append(result)

    @property
    def processor(self) -> float:
        """Median processor time of a call, in seconds."""
        return float(np.median(self.processor_s))

    @property
    def wall(self) -> float:
        """Median wall time of a call, in seconds."""
        return float(np.median(self.wall_s))


def in_turn(*prepares: Callable[[], Callable[[], Any]], rounds: int, warm_up: int = 1) -> list[TimedCalls]:
    """Time contenders in rounds in which all take turns, so that other programs slow all of them alike.

    Args:
        prepares: For every contender a function that prepares a call, untimed, and returns it.
        rounds: Timed calls of every contender.
        warm_up: Untimed rounds before these.
    """
    results = [TimedCalls() for _ in prepares]
    for number in range(warm_up + rounds):
        for timed, prepare in zip(results, prepares, strict=True):
            (timed if number >= warm_up else TimedCalls()).call(prepare())
    return results


def median_us(do: Callable[[], object]) -> float:
    """Return the median wall time of a call in microseconds, over as many as fit a small budget after a first one."""
    do()
    timed = TimedCalls()
    while not timed.wall_s or (sum(timed.wall_s) < BUDGET_S and len(timed.wall_s) < MOST_CALLS):
        timed.call(do)
    return 1e6 * timed.wall
