"""Selectors that weigh modules one at a time: `never`, `topo`, `confidence`, `brute-force` and `graph`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handup.core import Costs, OutOfRange
from handup.what.base import SELECTORS, TIE, Selection, Situation, first_best, none_left, only
from handup.what.objective import single_question_values


@SELECTORS.register
@dataclass(frozen=True)
class Never:
    """Selector of nothing: the baseline that shows what asking is worth."""

    name: ClassVar[str] = "never"

    def select(self, situation: Situation) -> Selection:
        """Return a selection of no module."""
        return Selection(None, "This selector never asks.", np.full(len(situation.open), np.nan), 0.0)


@SELECTORS.register
@dataclass(frozen=True)
class Topo:
    """Selector of the first open module in topological order: a baseline that needs no confidences.

    A module's value is its position.
    """

    name: ClassVar[str] = "topo"

    def select(self, situation: Situation) -> Selection:
        """Return the open module nearest to the input."""
        module = int(situation.open.argmax())
        if not situation.open[module]:
            return none_left(situation)
        positions = only(np.arange(len(situation.open), dtype=np.float64), situation.open)
        return Selection(module, f"'{situation.name(module)}' comes first of those not asked about yet.", positions)


@SELECTORS.register
@dataclass(frozen=True)
class Confidence:
    """Selector of the open module of lowest confidence, whatever the question costs.

    A module's value is its confidence.
    """

    name: ClassVar[str] = "confidence"

    def select(self, situation: Situation) -> Selection:
        """Return the least confident open module."""
        confidences = situation.belief.confidences
        module = first_best(confidences, situation.open)
        if module is None:
            return none_left(situation)
        reason = f"'{situation.name(module)}' has the lowest confidence, {confidences[module]:.3g}."
        return Selection(module, reason, only(confidences, situation.open))


@SELECTORS.register
@dataclass(frozen=True)
class BruteForce:
    """Selector of the open module minimising w·q + (1-w)(1 - r̂); none where asking nothing is strictly better."""

    name: ClassVar[str] = "brute-force"

    def select(self, situation: Situation) -> Selection:
        """Return the module of the best single question."""
        values, nothing = single_question_values(situation)
        module = first_best(values, situation.open)
        if module is None:
            return none_left(situation)
        best, shown = float(values[module]), only(values, situation.open)
        if nothing < best - TIE:
            reason = f"Asking nothing costs {nothing:.3g}; the best question, '{situation.name(module)}', {best:.3g}."
            return Selection(None, reason, shown, nothing)
        reason = f"Asking about '{situation.name(module)}' lowers the expected cost from {nothing:.3g} to {best:.3g}."
        return Selection(module, reason, shown, nothing)


@SELECTORS.register
@dataclass(frozen=True)
class Graph:
    """The paper's GraphQuery (Eq. 3): selects the first module worth asking about, else the one of least penalty.

    A module's value is its penalty ε·q - (c_e - c): below zero it is worth asking about. The paper builds a layered
    graph with a query edge of cost ε·q and an autonomous edge of cost 1 - c per module and runs Dijkstra on it. Its
    layers are independent, so the shortest path asks about a module exactly when ε·q < c_e - c. The literal graph is
    kept as a test oracle.

    Args:
        epsilon: Weight of a question against uncertainty, at least 0; w / (1 - w) where not given.
    """

    name: ClassVar[str] = "graph"
    epsilon: float | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None and not 0.0 <= self.epsilon < float("inf"):
            raise OutOfRange.of("epsilon", f"{self.epsilon:g}", "be finite and at least 0", hint="Give such a weight.")

    def weight(self, costs: Costs) -> float:
        """Return the ε in force."""
        if self.epsilon is not None:
            return self.epsilon
        return costs.w / (1.0 - costs.w) if costs.w < 1.0 else 1e12

    def select(self, situation: Situation) -> Selection:
        """Return the upstream-most open module with ε·q < c_e - c, or else the one of least penalty."""
        epsilon = self.weight(situation.costs)
        penalty = epsilon * situation.costs.query - situation.gain
        worth = situation.open & (penalty < -TIE)
        first = int(worth.argmax())
        module = first if worth[first] else first_best(penalty, situation.open)
        if module is None:
            return none_left(situation)
        cost, gain = epsilon * situation.costs.query[module], situation.gain[module]
        name = situation.name(module)
        reason = (
            f"'{name}' is the first worth asking about: an answer gains {gain:.3g} for {cost:.3g}."
            if worth[first]
            else f"No module is worth its question; '{name}' comes nearest: it gains {gain:.3g} for {cost:.3g}."
        )
        return Selection(module, reason, only(penalty, situation.open), 0.0)
