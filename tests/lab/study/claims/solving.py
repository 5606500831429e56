"""Results that bear a claim out, or refute it, found by linear programming from the claim's own comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog

from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.study.claims.comparing import Comparison, Wanted
from handup.lab.study.claims.judging import Judge
from handup.lab.study.results import Results
from tests.lab.study.claims.rows import COUNT

MOST = {"task_cost": 1.0}
"""Amounts are at most 500."""
GAP = {"task_cost": 0.2}
"""What is apart is so by at least this; amounts by 2."""
FEW = np.arange(30)
Unknown = tuple[Cell, str]


def bearing_out(results: Results, judge: Judge) -> Results | None:
    """Results in which every comparison comes out as claimed; None where there are none."""
    return _solved(results, [(each, True) for each in _comparisons(results, judge)])


def refuting(results: Results, judge: Judge) -> Results | None:
    """Results in which so many comparisons come out otherwise that the claim cannot hold."""
    comparisons = _comparisons(results, judge)
    wanted = len(comparisons) - math.ceil(judge.share * len(comparisons) - 1e-9) + 1
    turned: list[tuple[Comparison, bool]] = []
    for each in comparisons:
        if _solved(results, [*turned, (each, False)]) is not None:
            turned.append((each, False))
        if len(turned) == wanted:
            return _solved(results, turned)
    return None


def noisy(results: Results, judge: Judge) -> Results:
    """Results of a few episodes that differ so much from each other that nothing can be told."""
    random = np.random.default_rng(1)
    targets = {
        place.cell(results.base): each.target
        for each in _comparisons(results, judge)
        for _, place in each.terms
        if len(each.terms) == 1
    }
    found = {}
    for cell in results.found:
        questions, executions = (random.permutation(FEW) * 20 for _ in range(2))
        lost = random.permutation(FEW) < 2
        recovered = lost if targets.get(cell, 0.0) == 1.0 else ~lost
        load = 0.96 + 50.0 * (random.permutation(FEW) - FEW.mean())
        found[cell] = Episodes(recovered, load, questions, executions, np.zeros(len(FEW)))
    return Results(results.base, found)


def _comparisons(results: Results, judge: Judge) -> list[Comparison]:
    return [each for each in judge.compare(results) if all(place.known(results) for _, place in each.terms)]


def _solved(results: Results, wishes: Sequence[tuple[Comparison, bool]]) -> Results | None:
    unknowns: dict[Unknown, int] = {}
    limits: list[tuple[dict[int, float], float]] = []
    for comparison, fulfilled in wishes:
        row: dict[int, float] = {}
        for sign, place in comparison.terms:
            index = unknowns.setdefault((place.cell(results.base), comparison.metric), len(unknowns))
            row[index] = row.get(index, 0.0) + sign
        limits += [(_signed(row, sign), bound) for sign, bound in _bounds(comparison, fulfilled)]
    matrix = np.zeros((len(limits), len(unknowns)))
    for index, (row, _) in enumerate(limits):
        matrix[index, list(row)] = list(row.values())
    found = linprog(
        np.zeros(len(unknowns)),
        A_ub=matrix,
        b_ub=[bound for _, bound in limits],
        bounds=[(0.0, MOST.get(metric, 500.0)) for _, metric in unknowns],
    )
    if not found.success or found.x is None:
        return None
    values = {key: float(found.x[index]) for key, index in unknowns.items()}
    return Results(results.base, {cell: _episodes(cell, values) for cell in results.found})


def _bounds(comparison: Comparison, fulfilled: bool) -> Iterable[tuple[int, float]]:
    """Upper bounds on the sum, or on its negative."""
    gap, target = GAP.get(comparison.metric, 2.0), comparison.target
    if comparison.wanted is Wanted.SAME:
        if fulfilled:
            return [(1, target), (-1, -target)]
        return [(1, target - gap)] if target >= gap else [(-1, -target - gap)]
    if fulfilled:
        return [(1, target - (gap if comparison.wanted is Wanted.LOWER else 0.0))]
    return [(-1, -target - gap)]


def _signed(row: dict[int, float], sign: int) -> dict[int, float]:
    return {index: sign * value for index, value in row.items()}


def _episodes(cell: Cell, values: dict[Unknown, float]) -> Episodes:
    """The same amounts in every episode, not always whole ones, and so many lost."""

    def value(metric: str, otherwise: float) -> float:
        return values.get((cell, metric), otherwise)

    recovered = np.arange(COUNT) >= round(value("task_cost", 0.0) * COUNT)
    executions: Any = value("failed_attempts", 0.0) + recovered
    questions: Any = value("timesteps", 4.0) - executions
    if (cell, "questions") in values:
        questions = np.full(COUNT, value("questions", 0.0))
    load = np.full(COUNT, value("query_cost", 0.0))
    if (cell, "overpaid") in values:
        load = value("overpaid", 0.0) + cell.query_cost * questions
    return Episodes(recovered, load, questions, executions, np.zeros(COUNT))
