"""Probabilities about a policy given what was seen: exact over decision diagrams, or sampled with an error bound.

The own state of a module has *versions*: version 0 is what the module computed first; each answer, and each forward
pass that brings a new confidence, starts another one. An execution tests the versions of its time. Several executions
are followed through the diagram side by side, so that their joint evidence is exact. All probabilities are logarithms:
nothing underflows at any number of modules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import RandomSource
from handup.policy.circuit import SUCCEEDS, Circuit, Diagram

MAX_STATES = 100_000
NEVER = -math.inf
MISS = 1e-9
"""Probability with which an estimate may be off by more than its stated error."""
BATCH = 1 << 13
LEAST_BATCH = 1 << 6
NUMBERS = 1 << 21
"""Most random numbers in a batch: large policies are drawn in smaller batches."""


@dataclass(frozen=True)
class Execution:
    """Evidence from the executions of one set of versions.

    Args:
        versions: The version of each module that was executed.
        log_if_wrong: Log-probability of what was seen, had the policy's output been wrong.
        log_if_right: The same, had it been right.
    """

    versions: tuple[int, ...]
    log_if_wrong: float
    log_if_right: float


@dataclass(frozen=True)
class Inference:
    """Probabilities of success and of blame, with the size of their error.

    Args:
        log_reliability: Log-probability that acting now succeeds.
        log_failure: Log-probability that it fails.
        wrong: For each module, the probability that its own state is wrong now.
        error: Largest error of these probabilities; 0 means exact, up to rounding.
        method: "exact" or "sampled".
    """

    log_reliability: float
    log_failure: float
    wrong: NDArray[np.float64]
    error: float = 0.0
    method: str = "exact"

    @property
    def reliability(self) -> float:
        """Probability that acting now succeeds."""
        return math.exp(self.log_reliability)


class Impossible(Exception):
    """The evidence has probability zero."""


def exact(
    diagram: Diagram,
    chances: Sequence[Sequence[float]],
    executions: Sequence[Execution],
    current: Sequence[int],
) -> Inference | None:
    """Return probabilities given the executions, or None when following them takes more than `MAX_STATES` nodes.

    Args:
        diagram: The policy's success as a decision diagram.
        chances: For each module and version, the probability that it is right (0 or 1 once shown).
        executions: Evidence from the executions.
        current: The version of each module that acting now would use.

    Raises:
        Impossible: The evidence has probability zero under these chances.
    """
    product = _Product.of(diagram, chances, [*(execution.versions for execution in executions), tuple(current)])
    if product is None:
        return None
    return product.infer(chances, executions, current)


class _Product:
    """Several copies of one diagram, over different versions, walked together. Children come before parents.

    A state is the node that each copy has reached. The last copy is of the versions that acting now would use.
    """

    def __init__(self) -> None:
        self.variable: list[tuple[int, int]] = []
        self.if_wrong: list[int] = []
        self.if_right: list[int] = []
        self.ends: dict[int, tuple[int, ...]] = {}
        self.root = 0

    @classmethod
    def of(
        cls, diagram: Diagram, chances: Sequence[Sequence[float]], copies: Sequence[tuple[int, ...]]
    ) -> _Product | None:
        self = cls()
        module, if_wrong, if_right = diagram.module, diagram.if_wrong, diagram.if_right
        number: dict[tuple[int, ...], int] = {}
        start = (diagram.root,) * len(copies)
        stack = [start]
        while stack:
            state = stack[-1]
            if state in number:
                stack.pop()
                continue
            # The latest module is tested first, as in the diagram: copies that test the same version move together.
            tested = max((module[node], copy[module[node]]) for node, copy in zip(state, copies, strict=True))
            top, version = tested
            if top < 0:
                self.ends[len(self.variable)] = state
                number[stack.pop()] = len(self.variable)
                self._append(tested, -1, -1)
                continue
            moves = [module[node] == top and copy[top] == version for node, copy in zip(state, copies, strict=True)]
            low = tuple(if_wrong[node] if moved else node for node, moved in zip(state, moves, strict=True))
            high = tuple(if_right[node] if moved else node for node, moved in zip(state, moves, strict=True))
            chance = chances[top][version]
            needed = [branch for branch, share in ((low, 1.0 - chance), (high, chance)) if share > 0.0]
            unknown = [branch for branch in needed if branch not in number]
            if unknown:
                stack.extend(unknown)
                continue
            if len(self.variable) >= MAX_STATES:
                return None
            if len(needed) == 1:  # a certain state needs no test
                number[stack.pop()] = number[needed[0]]
                continue
            number[stack.pop()] = len(self.variable)
            self._append(tested, number[low], number[high])
        self.root = number[start]
        return self

    def _append(self, variable: tuple[int, int], if_wrong: int, if_right: int) -> None:
        self.variable.append(variable)
        self.if_wrong.append(if_wrong)
        self.if_right.append(if_right)

    def infer(
        self, chances: Sequence[Sequence[float]], executions: Sequence[Execution], current: Sequence[int]
    ) -> Inference:
        logs = [[_logs(chance) for chance in row] for row in chances]
        seen, seen_right, seen_wrong = self._upwards(logs, executions)
        total = seen[self.root]
        if total == NEVER:
            raise Impossible
        wrong = np.array([1.0 - row[version] for row, version in zip(chances, current, strict=True)])
        reach = [NEVER] * len(self.variable)
        reach[self.root] = 0.0
        # Downwards from the root: the log-probability of coming to each node. With that of the evidence below it, each
        # test of a current version says how much a wrong state explains beyond a right one.
        for node in range(self.root, -1, -1):
            arriving = reach[node]
            if arriving == NEVER or node in self.ends:
                continue
            top, version = self.variable[node]
            log_wrong, log_right = logs[top][version]
            low, high = self.if_wrong[node], self.if_right[node]
            reach[low] = _log_add(reach[low], arriving + log_wrong)
            reach[high] = _log_add(reach[high], arriving + log_right)
            if version == current[top]:
                weight = arriving + log_wrong + log_right - total
                wrong[top] += math.exp(weight + seen[low]) - math.exp(weight + seen[high])
        return Inference(
            log_reliability=seen_right[self.root] - total,
            log_failure=seen_wrong[self.root] - total,
            wrong=np.clip(wrong, 0.0, 1.0),
        )

    def _upwards(
        self, logs: Sequence[Sequence[tuple[float, float]]], executions: Sequence[Execution]
    ) -> tuple[list[float], list[float], list[float]]:
        """Return the log-probability of the evidence below each node: in all, with success now, with failure now."""
        seen: list[float] = []
        seen_right: list[float] = []
        seen_wrong: list[float] = []
        for node, (top, version) in enumerate(self.variable):
            if node in self.ends:
                *past, now = self.ends[node]
                weight = sum(
                    execution.log_if_right if end == SUCCEEDS else execution.log_if_wrong
                    for execution, end in zip(executions, past, strict=True)
                )
                right, wrong = (weight, NEVER) if now == SUCCEEDS else (NEVER, weight)
            else:
                log_wrong, log_right = logs[top][version]
                low, high = self.if_wrong[node], self.if_right[node]
                right = _log_add(log_wrong + seen_right[low], log_right + seen_right[high])
                wrong = _log_add(log_wrong + seen_wrong[low], log_right + seen_wrong[high])
            seen_right.append(right)
            seen_wrong.append(wrong)
            seen.append(_log_add(right, wrong))
        return seen, seen_right, seen_wrong


def _log_add(first: float, second: float) -> float:
    if first < second:
        first, second = second, first
    if second == NEVER:
        return first
    return first + math.log1p(math.exp(second - first))


def _logs(chance: float) -> tuple[float, float]:
    """Return the logarithms of wrong and right; certainties are never tested, so theirs do not matter."""
    return (math.log1p(-chance), math.log(chance)) if 0.0 < chance < 1.0 else (NEVER, NEVER)


def draws(
    circuit: Circuit,
    chances: Sequence[Sequence[float]],
    executions: Sequence[Execution],
    current: Sequence[int],
    *,
    random: RandomSource,
    wanted: int,
    most: int,
) -> Iterator[NDArray[np.bool_]]:
    """Draw states of the current versions from the posterior, by rejection.

    Args:
        circuit: The policy's success as a circuit.
        chances: For each module and version, the probability that it is right.
        executions: Evidence from the executions.
        current: The version of each module now.
        random: Source of chance.
        wanted: Number of kept draws at which to stop.
        most: Number of draws, kept or not, at which to stop.

    Yields:
        Batches with one row per module and one column per kept draw; possibly none.

    Raises:
        Impossible: One set of versions was seen to succeed and to fail, both for certain.
    """
    # The likeliest evidence that any state could give: relative to it, draws are kept as often as possible.
    ceiling = sum(max(execution.log_if_right, execution.log_if_wrong) for execution in executions)
    if ceiling == NEVER:
        raise Impossible
    versions = sorted(
        {
            (module, version)
            for tested in (*(execution.versions for execution in executions), tuple(current))
            for module, version in enumerate(tested)
        }
    )
    batch = max(LEAST_BATCH, min(BATCH, NUMBERS // len(versions)))
    have = drawn = 0
    while have < wanted and drawn < most:
        drawn += batch
        uniform = random.random((len(versions), batch))
        states = {key: uniform[row] < chances[key[0]][key[1]] for row, key in enumerate(versions)}
        weight = np.full(batch, -ceiling)
        for execution in executions:
            rows = np.array([states[module, version] for module, version in enumerate(execution.versions)])
            success = circuit.evaluate(rows.view(np.uint8)).view(np.bool_)
            weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
        keep = np.log(np.maximum(random.random((batch,)), 1e-300)) < weight
        kept = np.array([states[module, version] for module, version in enumerate(current)])[:, keep]
        have += kept.shape[1]
        yield kept


def sampled(
    circuit: Circuit,
    chances: Sequence[Sequence[float]],
    executions: Sequence[Execution],
    current: Sequence[int],
    *,
    random: RandomSource,
    wanted: int = 1 << 17,
    most: int = 1 << 20,
) -> Inference:
    """Estimate probabilities of policies that are too tangled for `exact`, which is #P-hard in general.

    States are drawn from the chances and kept with the probability of what was seen, so that the kept ones are
    independent draws from the posterior, and Hoeffding's inequality bounds every estimate: with `n` kept draws the
    error exceeds sqrt(ln(2/δ) / 2n) with probability at most δ. Where none is kept, the bound is 1: nothing is known.
    """
    kept, succeeded, right = 0, 0, np.zeros(len(current))
    for states in draws(circuit, chances, executions, current, random=random, wanted=wanted, most=most):
        kept += states.shape[1]
        succeeded += int(circuit.evaluate(np.ascontiguousarray(states).view(np.uint8)).sum())
        right += states.sum(axis=1)
    if not kept:
        wrong = np.array([1.0 - row[version] for row, version in zip(chances, current, strict=True)])
        return Inference(math.log(0.5), math.log(0.5), wrong, error=1.0, method="sampled")
    with np.errstate(divide="ignore"):
        return Inference(
            log_reliability=float(np.log(succeeded / kept)),
            log_failure=float(np.log1p(-succeeded / kept)),
            wrong=1.0 - right / kept,
            error=min(1.0, math.sqrt(math.log(2.0 / MISS) / (2.0 * kept))),
            method="sampled",
        )
