"""Success of a policy as a monotone circuit of gates over the modules' own states, and as a decision diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FAILS, SUCCEEDS = 0, 1
MAX_STEPS = 300_000


class Gate(StrEnum):
    """Rule by which a module depends on its inputs."""

    AND = "and"
    """Every input must be right."""
    OR = "or"
    """One right input is enough."""


@dataclass(frozen=True)
class Circuit:
    """A list of gates, each after the nodes that it takes.

    Node `i < leaves` is the own state of module `i`; node `leaves + j` is gate `j`; the last node is the policy's
    success.
    """

    leaves: int
    gates: tuple[tuple[Gate, tuple[int, ...]], ...]

    @property
    def is_series(self) -> bool:
        """True if every module is needed, so that products of chances and sums of logarithms are exact."""
        return all(gate is Gate.AND for gate, _ in self.gates)

    @cached_property
    def _folds(self) -> list[tuple[np.ufunc, NDArray[np.intp]]]:
        """The gates, ready for numpy."""
        folds = {Gate.AND: np.bitwise_and, Gate.OR: np.bitwise_or}
        return [(folds[gate], np.array(children, dtype=np.intp)) for gate, children in self.gates]

    def evaluate(self, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the policy's success for many states at once.

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
    """Builder of a circuit, gate by gate. A gate over a single node is that node."""

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
        """Return the circuit whose success is the node `root`, which becomes the last node."""
        if root != self._leaves + len(self._gates) - 1:
            self._gates.append((Gate.AND, (root,)))
        return Circuit(self._leaves, tuple(self._gates))


class _TooWide(Exception):
    pass


class Diagram:
    """A policy's success as a reduced ordered binary decision diagram.

    Every module is tested at most once on the way from the root to an end, so probabilities are sums of products
    without double counting, however often inputs are shared. Later modules are tested first: a module's own state is
    then put on top of its inputs' diagram at no cost, and chains stay as long as they are. Nodes are three parallel
    lists. Nodes 0 and 1 are the ends; children have smaller numbers than parents.
    """

    def __init__(self) -> None:
        self.module: list[int] = [-1, -1]
        self.if_wrong: list[int] = [FAILS, SUCCEEDS]
        self.if_right: list[int] = [FAILS, SUCCEEDS]
        self.root = SUCCEEDS
        self._unique: dict[tuple[int, int, int], int] = {}
        self._steps = 0

    def __len__(self) -> int:
        return len(self.module)

    @classmethod
    def of(cls, circuit: Circuit) -> Diagram | None:
        """Return the diagram of a circuit, or None when building it takes more than `MAX_STEPS` steps."""
        diagram = cls()
        if circuit.is_series:
            for leaf in range(circuit.leaves):
                diagram.root = diagram._node(leaf, FAILS, diagram.root)
            return diagram
        memos: dict[Gate, dict[tuple[int, int], int]] = {Gate.AND: {}, Gate.OR: {}}
        nodes = [diagram._node(leaf, FAILS, SUCCEEDS) for leaf in range(circuit.leaves)]
        try:
            for gate, children in circuit.gates:
                parts = sorted((nodes[child] for child in children), key=diagram.module.__getitem__)
                result = parts[0]
                for part in parts[1:]:
                    result = diagram._apply(gate, result, part, memos[gate])
                nodes.append(result)
        except _TooWide:
            return None
        diagram.root = nodes[-1]
        return diagram

    def _node(self, module: int, if_wrong: int, if_right: int) -> int:
        if if_wrong == if_right:
            return if_wrong
        key = (module, if_wrong, if_right)
        node = self._unique.get(key)
        if node is None:
            node = len(self.module)
            self.module.append(module)
            self.if_wrong.append(if_wrong)
            self.if_right.append(if_right)
            self._unique[key] = node
        return node

    def _apply(self, gate: Gate, first: int, second: int, memo: dict[tuple[int, int], int]) -> int:
        """Return the node of two diagrams joined by a gate. Not recursive: policies may be deeper than the stack."""
        absorbing, neutral = (FAILS, SUCCEEDS) if gate is Gate.AND else (SUCCEEDS, FAILS)
        module, if_wrong, if_right = self.module, self.if_wrong, self.if_right

        def resolve(a: int, b: int) -> tuple[int, tuple[int, int]]:
            """Return the combined node, or -1 where it is not known yet, and the memo's key."""
            if a in (absorbing, b) or b == neutral:
                return a, (a, b)
            if b == absorbing or a == neutral:
                return b, (a, b)
            key = (a, b) if a < b else (b, a)
            return memo.get(key, -1), key

        node, key = resolve(first, second)
        if node >= 0:
            return node
        stack = [key]
        while stack:
            # A pair stays on the stack until both of its branches are in the memo, and is then looked at again.
            a, b = stack[-1]
            top = max(module[a], module[b])
            a0, a1 = (if_wrong[a], if_right[a]) if module[a] == top else (a, a)
            b0, b1 = (if_wrong[b], if_right[b]) if module[b] == top else (b, b)
            low, low_key = resolve(a0, b0)
            high, high_key = resolve(a1, b1)
            if low >= 0 and high >= 0:
                self._steps += 1
                if self._steps > MAX_STEPS:
                    raise _TooWide
                memo[stack.pop()] = self._node(top, low, high)
                continue
            if low < 0:
                stack.append(low_key)
            if high < 0:
                stack.append(high_key)
        return memo[key]
