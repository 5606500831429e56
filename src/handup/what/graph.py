"""`graph`: the paper's GraphQuery. Sum of uncertainties (Eq. 3) along the modules, solved in one pass.

The paper builds a layered graph with a query edge of cost ε·q and an autonomous edge of cost 1 - c per module and
runs Dijkstra on it. Its layers are independent, so the shortest path asks about a module exactly when
ε·q < c_e - c. The literal graph is kept as a test oracle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from handup.core import BadSetting, Costs
from handup.what.base import SELECTORS, TIE, Selection, Situation, first_best, none_left, only


@SELECTORS.register
@dataclass(frozen=True)
class Graph:
    """Selects the first module worth asking about; where none is, the one with the least penalty.

    A module's value is its penalty ε·q - (c_e - c): below zero it is worth asking about.

    Args:
        epsilon: Weight of a question against uncertainty; w / (1 - w) where not given.
    """

    name: ClassVar[str] = "graph"
    epsilon: float | None = None

    def __post_init__(self) -> None:
        if self.epsilon is not None and not 0.0 <= self.epsilon < float("inf"):
            raise BadSetting(f"epsilon is {self.epsilon:g}", hint="Give a finite number of at least 0.")

    def weight(self, costs: Costs) -> float:
        """The ε in force."""
        if self.epsilon is not None:
            return self.epsilon
        return costs.w / (1.0 - costs.w) if costs.w < 1.0 else 1e12

    def select(self, situation: Situation) -> Selection:
        """The upstream-most open module with ε·q < c_e - c, or the least bad one."""
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
