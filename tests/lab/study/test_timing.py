"""Decision times, with a clock that counts."""

from __future__ import annotations

import csv
import io
import time
from itertools import count

import pytest

from handup.lab.cell import Cell, Structure
from handup.lab.study.timing import measure, table
from tests.lab.study.fakes import simulate

CELLS = [
    Cell(modules=4, method=method, structure=structure, episodes=5, confidences=(0.9, 0.2), beta=0.3)
    for method in ("graph+workload-aware", "troubleshoot", "never+workload-aware")
    for structure in (Structure.AND, Structure.OR_THEN_AND)
]


def test_an_episode_takes_as_long_as_its_decisions() -> None:
    ticks = count()
    found = {cell: simulate(cell) for cell in CELLS}
    for timing in measure(CELLS, found, lambda: next(ticks) * 0.001):
        assert timing.decision_us == pytest.approx(1000.0)
        assert timing.episode_ms == pytest.approx(timing.decisions)
    rows = list(csv.DictReader(io.StringIO(table(measure(CELLS, found, lambda: next(ticks) * 0.001)))))
    assert [row["config"] for row in rows] == [cell.config for cell in CELLS]
    assert [float(row["decision_us"]) for row in rows] == pytest.approx([1000.0] * len(CELLS))


def test_what_slows_the_machine_for_a_while_does_not_count() -> None:
    """The first round of both cells is slow: up to 8 decisions of one policy each, with two looks at the clock."""
    now, looks = 0.0, count()

    def clock() -> float:
        nonlocal now
        now += 0.1 if next(looks) < 2 * 8 * 2 else 0.001
        return now

    found = {cell: simulate(cell) for cell in CELLS[:2]}
    assert [each.decision_us for each in measure(CELLS[:2], found, clock)] == pytest.approx([1000.0] * 2)


def test_the_decisions_of_an_episode_are_their_mean() -> None:
    (timing,) = measure(CELLS[:1], {CELLS[0]: simulate(CELLS[0])}, time.perf_counter)
    assert timing.decisions == pytest.approx(simulate(CELLS[0]).metric("timesteps").mean())


def test_real_times_are_above_nothing() -> None:
    (timing,) = measure(CELLS[:1], {CELLS[0]: simulate(CELLS[0])}, time.perf_counter)
    assert timing.decision_us > 0.0
