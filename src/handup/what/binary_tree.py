"""`binary-tree`: the paper's BinaryTreeQuery. Product of confidences (Eq. 2) over all sets of questions.

The paper builds a tree of 2^N leaves and runs Dijkstra on it. The objective is w·Σq plus a concave function of
Σ log(c_e/c) over the asked set, so its minimum lies at a corner: a prefix of the modules sorted by
q / log(c_e/c). That is one sort. The literal tree is kept as a test oracle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handup.core import objective_of
from handup.what.base import SELECTORS, TIE, Selection, Situation, none_left, questions

LEAST = 1e-300
"""Stands for a confidence of 0, whose logarithm would be infinite; no objective can tell the two apart."""


@dataclass(frozen=True)
class PrefixPlan:
    """The best set of questions for the product objective.

    Args:
        members: Positions of the set, cheapest gain first; empty: ask nothing.
        values: For each module in a useful order, the objective of the prefix that ends with it; nan elsewhere.
        nothing: The objective of asking nothing.
    """

    members: NDArray[np.intp]
    values: NDArray[np.float64]
    nothing: float


def best_prefix(situation: Situation, among: NDArray[np.bool_], within: NDArray[np.bool_] | None = None) -> PrefixPlan:
    """The optimal set for Eq. 2.

    Args:
        situation: What is known.
        among: Which modules may be asked about.
        within: Which modules the product runs over; all where not given.
    """
    costs = situation.costs
    logs = np.log(np.maximum(situation.belief.confidences, LEAST))
    gains = np.log(np.maximum(costs.expert, LEAST)) - logs
    useful = (among & (gains > 0.0)).nonzero()[0]
    query, gains = costs.query[useful], gains[useful]
    order = (query / gains).argsort(kind="stable")
    log_product = np.empty(len(order) + 1)
    log_product[0] = (logs if within is None else logs[within]).sum()
    log_product[1:] = log_product[0] + gains[order].cumsum()
    paid = np.zeros(len(order) + 1)
    paid[1:] = query[order].cumsum()
    objective = objective_of(costs.w, paid, 1.0 - np.exp(log_product))
    length = len(order) - int((objective[::-1] <= objective.min() + TIE).argmax())
    modules = useful[order]
    values = np.full(len(logs), np.nan)
    values[modules] = objective[1:]
    return PrefixPlan(modules[:length], values, float(objective[0]))


@SELECTORS.register
@dataclass(frozen=True)
class BinaryTree:
    """Selects the first module, in topological order, of the best set of questions; none where that set is empty.

    A module's value is the objective of the cheapest-gain-first prefix that ends with it. Of equally good prefixes
    the longest is taken, so asking nothing wins only strictly.
    """

    name: ClassVar[str] = "binary-tree"

    def select(self, situation: Situation) -> Selection:
        """The upstream-most member of the optimal set."""
        if not situation.open.any():
            return none_left(situation)
        plan = best_prefix(situation, situation.open)
        if not len(plan.members):
            reason = "Asking nothing is the best set of questions."
            return Selection(None, reason, plan.values, plan.nothing)
        module = int(plan.members.min())
        reason = f"'{situation.name(module)}' is the first of the best set of {questions(len(plan.members))}."
        return Selection(module, reason, plan.values, plan.nothing)
