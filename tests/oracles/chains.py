"""Linear chains by enumeration of all paths."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def paths(scores: Floats, moves: Floats) -> dict[tuple[int, ...], float]:
    """Return the weight of every path of states."""
    length, states = scores.shape
    found = {}
    for path in product(range(states), repeat=length):
        here = sum(scores[at, state] for at, state in enumerate(path))
        steps = sum(moves[path[at], path[at + 1]] for at in range(length - 1))
        found[path] = float(np.exp(here + steps))
    return found


def node_marginals(scores: Floats, moves: Floats) -> Floats:
    """Return the probability of each state at each place, given the whole chain."""
    found = np.zeros_like(scores)
    for path, weight in paths(scores, moves).items():
        found[np.arange(len(path)), path] += weight
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def step_marginals(scores: Floats, moves: Floats) -> Floats:
    """Return the expected number of steps between states."""
    found, weights = np.zeros_like(moves), paths(scores, moves)
    for path, weight in weights.items():
        np.add.at(found, (path[:-1], path[1:]), weight)
    return np.asarray(found / sum(weights.values()))
