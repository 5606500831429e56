"""`mip`: Eq. 4 over sets of questions as a mixed-integer programme, exact for any policy with a small diagram.

Success is the flow that reaches the good end of the decision diagram. A question about module i moves a share
c_e - c_i of every flow through its tests from "wrong" to "right"; flow times yes/no is linear with one extra
variable. So the programme is linear for chains, series-parallel graphs and shared inputs alike. SCIP is the paper's
solver; HiGHS comes with scipy and is the default.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from handup.core import MissingExtra, NotSolvable, OutOfRange, UnknownName
from handup.policy.circuit import FAILS, SUCCEEDS, Diagram
from handup.what.base import SELECTORS, Selection, Situation, none_left, questions
from handup.what.objective import set_value

if TYPE_CHECKING:
    from scipy import sparse

MAX_OPEN = 20
MAX_TESTS = 2000


class Solver(StrEnum):
    """Name of the solver of the programme."""

    HIGHS = "highs"
    SCIP = "scip"


@SELECTORS.register
@dataclass(frozen=True)
class Mip:
    """Selector of the upstream-most module of the set of questions that minimises Eq. 4; none where it is empty.

    A module's value is Eq. 4 for the best set with this module put in (or left in). Sets within the solver's
    tolerance of each other count as equal, and which of them is returned is the solver's choice.

    Args:
        solver: "highs" (in the base install) or "scip" (extra `mip`).
        time_limit_s: Seconds after which it gives up with `NotSolvable`, at least 0.
    """

    name: ClassVar[str] = "mip"
    solver: Solver = Solver.HIGHS
    time_limit_s: float = 60.0

    def __post_init__(self) -> None:
        if self.solver not in tuple(Solver):
            raise UnknownName.of("solver", repr(self.solver), f"be one of {', '.join(Solver)}", hint="Choose one.")
        if not self.time_limit_s >= 0.0:
            raise OutOfRange.of("time_limit_s", f"{self.time_limit_s:g}", "be at least 0", hint="Give seconds.")

    def select(self, situation: Situation) -> Selection:
        """Return the first module of the best set.

        Raises:
            NotSolvable: More than `MAX_OPEN` open modules, a diagram of more than `MAX_TESTS` tests, or time-out.
        """
        open_modules = np.flatnonzero(situation.open)
        if not len(open_modules):
            return none_left(situation)
        graph = situation.belief.graph
        if len(open_modules) > MAX_OPEN or graph.diagram is None or len(graph.diagram) > MAX_TESTS:
            raise NotSolvable(
                f"'mip' does not take on {len(open_modules)} open modules of this structure",
                hint=f"It takes up to {MAX_OPEN}; use 'binary-tree' on chains or 'hybrid' elsewhere.",
            )
        programme = Programme.of(situation, graph.diagram, open_modules)
        solve = solve_scip if Solver(self.solver) is Solver.SCIP else solve_highs
        best = open_modules[solve(programme, self.time_limit_s)]
        values = np.full(len(situation.open), np.nan)
        for candidate in open_modules:
            values[candidate] = set_value(situation, np.union1d(best, [candidate]))
        nothing = set_value(situation, [])
        if not len(best):
            return Selection(None, f"Asking nothing is the best set of questions, at {nothing:.3g}.", values, nothing)
        module = int(best.min())
        reason = (
            f"'{situation.name(module)}' is the first of the best set of {questions(len(best))}, "
            f"at {set_value(situation, best):.3g} against {nothing:.3g} for none."
        )
        return Selection(module, reason, values, nothing)


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
        """Return the programme of a situation: yes/no per open module, then flow and moved flow per test."""
        from scipy import sparse  # noqa: PLC0415 - slow to import

        costs, confidences = situation.costs, situation.belief.confidences
        yes_no = {int(module): column for column, module in enumerate(open_modules)}
        tests = len(diagram)
        flow = {node: len(yes_no) + node for node in range(tests)}
        moved = {node: len(yes_no) + tests + node for node in range(tests)}
        entries: list[tuple[int, int, float]] = []
        low: list[float] = []
        high: list[float] = []

        def row(terms: list[tuple[int, float]], lowest: float, highest: float) -> None:
            entries.extend((len(low), column, factor) for column, factor in terms)
            low.append(lowest)
            high.append(highest)

        incoming: list[list[tuple[int, float]]] = [[] for _ in range(tests)]
        for node in range(2, tests):
            module = diagram.module[node]
            chance, gain = float(confidences[module]), float(situation.gain[module])
            incoming[diagram.if_wrong[node]] += [(flow[node], -(1.0 - chance)), (moved[node], gain)]
            incoming[diagram.if_right[node]] += [(flow[node], -chance), (moved[node], -gain)]
            if module in yes_no:
                asked = yes_no[module]
                # These three rows say: moved flow is flow times yes/no, the usual linear form of such a product.
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
    """Return a mask of the yes/no variables that are yes, by HiGHS."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - slow to import

    integrality = np.zeros(len(programme.objective), dtype=np.intp)
    integrality[: programme.whole] = 1
    with _quiet():
        result = milp(
            programme.objective,
            integrality=integrality,
            bounds=Bounds(0.0, 1.0),
            constraints=LinearConstraint(programme.rows, programme.low, programme.high),
            options={"mip_rel_gap": 0.0, "time_limit": time_limit_s},
        )
    if result.status != 0 or result.x is None:
        raise _gave_up("HiGHS", time_limit_s)
    return np.asarray(result.x[: programme.whole] > 0.5)


def solve_scip(programme: Programme, time_limit_s: float) -> NDArray[np.bool_]:
    """Return a mask of the yes/no variables that are yes, by SCIP."""
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
    """Suppress the text that HiGHS prints to standard output past Python: a program may expect JSON there."""
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        saved = os.dup(1)
    except OSError:  # standard output is closed: nothing can be printed
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
