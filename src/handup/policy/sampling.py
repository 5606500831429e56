"""Probabilities about policies too tangled to be exact, with a bound on the error that is stated and kept.

The general problem is #P-hard. States are drawn from the chances and kept with the probability of what was seen,
so that the kept ones are independent draws from the posterior, and Hoeffding's inequality bounds every estimate:
with `n` kept draws the error exceeds sqrt(ln(2/δ) / 2n) with probability at most δ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from handup.core import RandomSource
from handup.policy.circuit import Circuit
from handup.policy.inference import NEVER, Execution, Impossible, Inference

MISS = 1e-9
"""The probability with which one estimate may be off by more than its stated error."""
BATCH = 1 << 13
LEAST_BATCH = 1 << 6
NUMBERS = 1 << 21
"""So many random numbers a batch takes at the most: large policies are drawn in smaller batches."""


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
    """States of the current versions, drawn from the posterior.

    Args:
        circuit: When the policy succeeds.
        chances: For each module and version, the probability that it is right.
        executions: What was seen.
        current: The version of each module now.
        random: Where the numbers come from.
        wanted: Stop when this many are kept …
        most: … or when this many were drawn.

    Yields:
        Batches with one row per module and one column per kept draw; possibly none.

    Raises:
        Impossible: One set of versions was seen to succeed and to fail, both for certain.
    """
    ceiling = sum(max(each.log_if_right, each.log_if_wrong) for each in executions)
    if ceiling == NEVER:
        raise Impossible
    versions = sorted(
        {
            (module, version)
            for each in (*(execution.versions for execution in executions), tuple(current))
            for module, version in enumerate(each)
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
    """An estimate with its error bound. Where no draw agrees with what was seen, that bound is 1: nothing is known."""
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
