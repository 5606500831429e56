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


def test_real_times_are_above_nothing() -> None:
    (timing,) = measure(CELLS[:1], {CELLS[0]: simulate(CELLS[0])}, time.perf_counter)
    assert timing.decision_us > 0.0
