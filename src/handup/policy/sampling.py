"""Probabilities about policies too tangled to be exact, with a bound on the error that is stated and kept.

The general problem is #P-hard. States are drawn from the chances and kept with the probability of what was seen,
so that the kept ones are independent draws from the posterior, and Hoeffding's inequality bounds every estimate:
with `n` kept draws the error exceeds sqrt(ln(2/δ) / 2n) with probability at most δ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handup.core import RandomSource
from handup.policy.circuit import Circuit
from handup.policy.inference import NEVER, Execution, Impossible, Inference

MISS = 1e-9
"""The probability with which one estimate may be off by more than its stated error."""
BATCH = 1 << 13


def draw(
    circuit: Circuit,
    chances: Sequence[Sequence[float]],
    executions: Sequence[Execution],
    current: Sequence[int],
    *,
    random: RandomSource,
    wanted: int,
    most: int,
) -> NDArray[np.bool_]:
    """States of the current versions, drawn from the posterior.

    Args:
        circuit: When the policy succeeds.
        chances: For each module and version, the probability that it is right.
        executions: What was seen.
        current: The version of each module now.
        random: Where the numbers come from.
        wanted: Stop when this many are kept …
        most: … or when this many were drawn.

    Returns:
        One row per kept draw; possibly none.

    Raises:
        Impossible: One set of versions was seen to succeed and to fail, both for certain.
    """
    kept: list[NDArray[np.bool_]] = []
    have = drawn = 0
    ceiling = sum(max(each.log_if_right, each.log_if_wrong) for each in executions)
    if ceiling == NEVER:
        raise Impossible
    while have < wanted and drawn < most:
        drawn += BATCH
        versions = {
            (module, version)
            for each in (*(execution.versions for execution in executions), tuple(current))
            for module, version in enumerate(each)
        }
        order = sorted(versions)
        uniform = random.random((len(order), BATCH))
        states = {key: uniform[row] < chances[key[0]][key[1]] for row, key in enumerate(order)}
        weight = np.full(BATCH, -ceiling)
        for execution in executions:
            rows = np.array([states[module, version] for module, version in enumerate(execution.versions)])
            success = circuit.evaluate(rows.view(np.uint8)).view(np.bool_)
            weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
        keep = np.log(np.maximum(random.random((BATCH,)), 1e-300)) < weight
        now = np.array([states[module, version] for module, version in enumerate(current)])
        kept.append(now[:, keep].T)
        have += len(kept[-1])
    return np.concatenate(kept)


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
    states = draw(circuit, chances, executions, current, random=random, wanted=wanted, most=most)
    if not len(states):
        wrong = np.array([1.0 - row[version] for row, version in zip(chances, current, strict=True)])
        return Inference(math.log(0.5), math.log(0.5), wrong, error=1.0, method="sampled")
    success = circuit.evaluate(np.ascontiguousarray(states.T).view(np.uint8))
    right = float(success.mean())
    with np.errstate(divide="ignore"):
        return Inference(
            log_reliability=float(np.log(right)),
            log_failure=float(np.log1p(-right)),
            wrong=1.0 - states.mean(axis=0),
            error=min(1.0, math.sqrt(math.log(2.0 / MISS) / (2.0 * len(states)))),
            method="sampled",
        )
