"""The timing harness: turns, budgets, percentiles and tables."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import pytest
from rich.console import Console

from benchmarks import percentiles_ms
from handup.cli.bench import table_of
from handup.lab.bench import harness
from handup.lab.bench.harness import TimedCalls, in_turn, median_us


def test_contenders_take_turns_and_the_warm_up_does_not_count() -> None:
    order: list[str] = []

    def call(name: str) -> int:
        order.append(name)
        return len(order)

    def prepare(name: str) -> partial[int]:
        order.append(f"prepare {name}")
        return partial(call, name)

    ours, theirs = in_turn(partial(prepare, "ours"), partial(prepare, "theirs"), rounds=2, warm_up=1)
    assert order == ["prepare ours", "ours", "prepare theirs", "theirs"] * 3
    assert (ours.results, theirs.results) == ([6, 10], [8, 12])
    assert len(ours.wall_s) == len(ours.processor_s) == 2


def test_medians_are_of_the_calls_by_both_clocks() -> None:
    ticks = itertools.count(step=2.5)
    timed = TimedCalls(lambda: next(ticks))
    for _ in range(3):
        timed.call(lambda: None)
    assert timed.processor_s == [2.5] * 3
    assert timed.processor == 2.5
    assert timed.wall == sorted(timed.wall_s)[1]


@pytest.mark.parametrize(("budget_s", "most", "calls"), [(0.0, 9, 2), (9.0, 3, 4)])
def test_calls_are_repeated_within_a_budget(
    budget_s: float, most: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "BUDGET_S", budget_s)
    monkeypatch.setattr(harness, "MOST_CALLS", most)
    made: list[None] = []
    assert median_us(lambda: made.append(None)) > 0.0
    assert len(made) == calls


def test_percentiles_are_in_milliseconds() -> None:
    assert percentiles_ms([0.003, 0.001, 0.002], 50, 100) == pytest.approx([2.0, 3.0])
    assert math.isnan(percentiles_ms([], 50)[0])


def test_a_table_has_a_dash_where_there_is_no_value() -> None:
    rows: list[dict[str, Any]] = [{"name": "ours", "us": 1234.5}, {"name": "theirs", "us": None}]
    known = ("known", "us", lambda us: "no" if us is None else "yes")
    columns = (("who", "name", "{}"), ("µs", "us", "{:,.0f}"), known)
    console = Console(width=60)
    with console.capture() as printed:
        console.print(table_of(rows, columns))
    assert [line.split() for line in printed.get().splitlines()] == [
        ["who", "µs", "known"],
        ["ours", "1,234", "yes"],
        ["theirs", "–", "no"],
    ]
