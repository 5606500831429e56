"""`mip`: Eq. 4 over sets of questions as a mixed-integer programme, exact for any policy with a small diagram.

SCIP is the paper's solver; HiGHS comes with scipy and is the default.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from handup.core import BadSetting, NotSolvable
from handup.what.base import SELECTORS, Selection, Situation, none_left, questions
from handup.what.objective import set_value

MAX_OPEN = 20
MAX_TESTS = 2000


class Solver(StrEnum):
    """Who solves the programme."""

    HIGHS = "highs"
    SCIP = "scip"


@SELECTORS.register
@dataclass(frozen=True)
class Mip:
    """Selects the upstream-most module of the set of questions that minimises Eq. 4; none where it is empty.

    A module's value is Eq. 4 for the best set with this module put in (or left in). Sets within the solver's
    tolerance of each other count as equal, and which of them is returned is the solver's choice.

    Args:
        solver: "highs" (in the base install) or "scip" (extra `mip`).
        time_limit_s: Then it is given up with `NotSolvable`.
    """

    name: ClassVar[str] = "mip"
    solver: Solver = Solver.HIGHS
    time_limit_s: float = 60.0

    def __post_init__(self) -> None:
        if self.solver not in tuple(Solver):
            raise BadSetting(f"solver is {self.solver!r}", hint=f"Use one of: {', '.join(Solver)}.")
        if not self.time_limit_s >= 0.0:
            raise BadSetting(f"time_limit_s is {self.time_limit_s:g}", hint="Give a number of at least 0.")

    def select(self, situation: Situation) -> Selection:
        """The first module of the best set.

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
        from handup.what.programme import Programme, solve_highs, solve_scip  # noqa: PLC0415 - scipy is slow to import

        programme = Programme.of(situation, graph.diagram, open_modules)
        solve = solve_scip if Solver(self.solver) is Solver.SCIP else solve_highs
        best = open_modules[solve(programme, self.time_limit_s)]
        values = np.full(len(situation.open), np.nan)
        for each in open_modules:
            values[each] = set_value(situation, np.union1d(best, [each]))
        nothing = set_value(situation, [])
        if not len(best):
            return Selection(None, f"Asking nothing is the best set of questions, at {nothing:.3g}.", values, nothing)
        module = int(best.min())
        reason = (
            f"'{situation.name(module)}' is the first of the best set of {questions(len(best))}, "
            f"at {set_value(situation, best):.3g} against {nothing:.3g} for none."
        )
        return Selection(module, reason, values, nothing)
