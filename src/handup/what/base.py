"""The protocol of module selectors: *what* to ask about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.core import Costs, Registry
from handup.policy import Belief

TIE = 1e-12
"""Values nearer than this are equal; the upstream module wins."""


@dataclass(frozen=True)
class Situation:
    """What a selector or querying algorithm looks at.

    Args:
        belief: What is believed about the policy.
        costs: What things cost now.
        open: Which modules may be selected: not answered, and free to be asked about now.
    """

    belief: Belief
    costs: Costs
    open: NDArray[np.bool_]

    @cached_property
    def gain(self) -> NDArray[np.float64]:
        """How much an answer would raise each module's confidence: c_e - c."""
        return self.costs.expert - self.belief.confidences

    def name(self, module: int) -> str:
        """A module's name."""
        return self.belief.graph.names[module]


@dataclass(frozen=True)
class Selection:
    """A selector's choice.

    Args:
        module: Position of the module to ask about; None: ask nothing.
        reason: One sentence for a person.
        values: What the rule says of asking about each module (lower is better), nan where it says nothing.
        nothing: What it says of asking nothing, where it weighs that.
    """

    module: int | None
    reason: str
    values: NDArray[np.float64]
    nothing: float | None = None


class Selector(Protocol):
    """Chooses a module. Implementations are frozen dataclasses whose fields are their settings."""

    @property
    def name(self) -> str:
        """What the selector is called on the command line; a `ClassVar[str]` in most."""
        ...

    def select(self, situation: Situation) -> Selection:
        """The module to ask about among the open ones, or none. Pure: the same situation, the same answer."""
        ...


SELECTORS: Registry[Selector] = Registry("selector", "handup.selectors")


def first_best(values: NDArray[np.float64], among: NDArray[np.bool_]) -> int | None:
    """The upstream-most of the smallest values; None when there is nothing to choose from."""
    masked = np.where(among, values, np.inf)
    best = int(masked.argmin()) if len(masked) else 0
    if not among[best]:
        best_open = np.flatnonzero(among)
        return int(best_open[0]) if len(best_open) else None
    return int((masked <= masked[best] + TIE).argmax())


def only(values: NDArray[np.float64], among: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Values of the open modules, nan elsewhere."""
    return np.where(among, values, np.nan)


def questions(count: int) -> str:
    """A number of questions in words."""
    return "1 question" if count == 1 else f"{count} questions"


def none_left(situation: Situation) -> Selection:
    """The selection when no module is open."""
    return Selection(None, "Every module has been asked about or may not be now.", np.full(len(situation.open), np.nan))
