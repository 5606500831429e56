"""Eq. 4 over sets of questions as a mixed-integer linear programme.

Success is the flow that reaches the good end of the decision diagram. A question about module i moves a share
c_e - c_i of every flow through its tests from "wrong" to "right"; flow times yes/no is linear with one extra
variable. So the programme is linear for chains, series-parallel graphs and shared inputs alike.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from handup.core import MissingExtra, NotSolvable
from handup.policy.diagram import FAILS, SUCCEEDS, Diagram
from handup.what.base import Situation


@dataclass(frozen=True)
class Programme:
    """Minimise `objective @ x` with `low <= rows @ x <= high`, 0 <= x <= 1 and the first variables whole numbers."""

    objective: NDArray[np.float64]
    rows: sparse.csr_array
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    whole: int

    @classmethod
    def of(cls, situation: Situation, diagram: Diagram, open_modules: NDArray[np.intp]) -> Programme:
        """The programme of a situation: yes/no per open module, then flow and moved flow per test."""
        costs, confidences = situation.costs, situation.belief.confidences
        yes_no = {int(module): column for column, module in enumerate(open_modules)}
        tests = len(diagram)
        flow = {node: len(yes_no) + node for node in range(tests)}
        moved = {node: len(yes_no) + tests + node for node in range(tests)}
        entries: list[tuple[int, int, float]] = []
        low: list[float] = []
        high: list[float] = []

        def row(terms: list[tuple[int, float]], least: float, most: float) -> None:
            entries.extend((len(low), column, factor) for column, factor in terms)
            low.append(least)
            high.append(most)

        incoming: list[list[tuple[int, float]]] = [[] for _ in range(tests)]
        for node in range(2, tests):
            module = diagram.module[node]
            chance, gain = float(confidences[module]), float(situation.gain[module])
            incoming[diagram.if_wrong[node]] += [(flow[node], -(1.0 - chance)), (moved[node], gain)]
            incoming[diagram.if_right[node]] += [(flow[node], -chance), (moved[node], -gain)]
            if module in yes_no:
                asked = yes_no[module]
                row([(moved[node], 1.0), (flow[node], -1.0)], -np.inf, 0.0)
                row([(moved[node], 1.0), (asked, -1.0)], -np.inf, 0.0)
                row([(moved[node], 1.0), (flow[node], -1.0), (asked, -1.0)], -1.0, np.inf)
            else:
                row([(moved[node], 1.0)], 0.0, 0.0)
        row([(flow[diagram.root], 1.0)], 1.0, 1.0)
        for node in range(tests):
            if node not in (FAILS, diagram.root):
                row([(flow[node], 1.0), *incoming[node]], 0.0, 0.0)
        objective = np.zeros(len(yes_no) + 2 * tests)
        objective[: len(yes_no)] = costs.w * costs.query[open_modules]
        objective[flow[SUCCEEDS]] = -costs.time_price
        at_row, at_column, factors = zip(*entries, strict=True)
        rows = sparse.coo_array((factors, (at_row, at_column)), shape=(len(low), len(objective))).tocsr()
        return cls(objective, rows, np.array(low), np.array(high), len(yes_no))


def solve_highs(programme: Programme, time_limit_s: float) -> NDArray[np.bool_]:
    """Which yes/no variables are yes, by HiGHS."""
    whole = np.zeros(len(programme.objective), dtype=np.intp)
    whole[: programme.whole] = 1
    with _quiet():
        result = milp(
            programme.objective,
            integrality=whole,
            bounds=Bounds(0.0, 1.0),
            constraints=LinearConstraint(programme.rows, programme.low, programme.high),
            options={"mip_rel_gap": 0.0, "time_limit": time_limit_s},
        )
    if result.status != 0 or result.x is None:
        raise _gave_up("HiGHS", time_limit_s)
    return np.asarray(result.x[: programme.whole] > 0.5)


def solve_scip(programme: Programme, time_limit_s: float) -> NDArray[np.bool_]:
    """Which yes/no variables are yes, by SCIP."""
    try:
        from pyscipopt import Model, quicksum  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise MissingExtra.of("mip", "The SCIP solver") from None
    model = Model()
    model.hideOutput()
    model.setParam("limits/time", time_limit_s)
    variables = [
        model.addVar(vtype="B" if column < programme.whole else "C", lb=0.0, ub=1.0)
        for column in range(len(programme.objective))
    ]
    rows = programme.rows
    for index in range(rows.shape[0]):
        part = slice(rows.indptr[index], rows.indptr[index + 1])
        total = quicksum(
            float(factor) * variables[column]
            for factor, column in zip(rows.data[part], rows.indices[part], strict=True)
        )
        if programme.low[index] == programme.high[index]:
            model.addCons(total == programme.low[index])
        elif np.isfinite(programme.high[index]):
            model.addCons(total <= programme.high[index])
        else:
            model.addCons(total >= programme.low[index])
    model.setObjective(
        quicksum(float(factor) * variable for factor, variable in zip(programme.objective, variables, strict=True))
    )
    model.optimize()
    if model.getStatus() != "optimal":
        raise _gave_up("SCIP", time_limit_s)
    return np.array([model.getVal(variable) > 0.5 for variable in variables[: programme.whole]])


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what HiGHS prints past Python onto standard output, in the middle of somebody's JSON."""
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        saved = os.dup(1)
    except OSError:  # standard output is closed: nobody is disturbed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)
        os.close(nowhere)


def _gave_up(solver: str, time_limit_s: float) -> NotSolvable:
    return NotSolvable(
        f"{solver} found no proven optimum within {time_limit_s:g} s",
        hint="Use 'binary-tree' on chains or 'hybrid' elsewhere, or raise time_limit_s.",
    )
