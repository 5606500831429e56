"""When a policy succeeds, as a monotone circuit of and-gates and or-gates over the modules' own states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handup.policy.module import Gate


@dataclass(frozen=True)
class Circuit:
    """A list of gates in an order in which each comes after what it takes.

    Node `i < leaves` is the own state of module `i`; node `leaves + j` is gate `j`; the last node is the policy's
    success.
    """

    leaves: int
    gates: tuple[tuple[Gate, tuple[int, ...]], ...]

    @property
    def is_series(self) -> bool:
        """Whether success means that every module works, so that products and sums of logarithms are exact."""
        return all(gate is Gate.AND for gate, _ in self.gates)

    @cached_property
    def _folds(self) -> list[tuple[np.ufunc, NDArray[np.intp]]]:
        """The gates, ready for numpy."""
        folds = {Gate.AND: np.bitwise_and, Gate.OR: np.bitwise_or}
        return [(folds[gate], np.array(children, dtype=np.intp)) for gate, children in self.gates]

    def evaluate(self, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Success for many states at once.

        Args:
            states: Axis 0 is the module; the other axes are free. Each bit of each number is a state of its own.

        Returns:
            The success bits, in the shape of the free axes.
        """
        values: NDArray[np.uint8] = np.empty((self.leaves + len(self.gates), *states.shape[1:]), dtype=np.uint8)
        values[: self.leaves] = states
        for node, (fold, children) in enumerate(self._folds, start=self.leaves):
            fold.reduce(values[children], axis=0, out=values[node, ...])
        return np.asarray(values[-1])


class CircuitBuilder:
    """Collects gates; a gate over one node is that node."""

    def __init__(self, leaves: int) -> None:
        self._leaves = leaves
        self._gates: list[tuple[Gate, tuple[int, ...]]] = []

    def add(self, gate: Gate, children: Sequence[int]) -> int:
        """Add a gate and return its node."""
        distinct = tuple(dict.fromkeys(children))
        if len(distinct) == 1:
            return distinct[0]
        self._gates.append((gate, distinct))
        return self._leaves + len(self._gates) - 1

    def finish(self, root: int) -> Circuit:
        """The circuit whose success is `root`, which becomes the last node."""
        if root != self._leaves + len(self._gates) - 1:
            self._gates.append((Gate.AND, (root,)))
        return Circuit(self._leaves, tuple(self._gates))
