"""Inputs for the tests: embeddings at chosen angles, and plain comparison of all with all."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from handup.memory import Embedding, Encoder, Match
from handup.memory.index import Vector

ENCODER = Encoder("test-1", 8, "0123456789abcdef")
OTHER = Encoder("test-1", 8, "fedcba9876543210")
MENU = ("plum", "pear", "fig")


def plate(number: int = 0, alike: float = 1.0, *, aside: int = 7, encoder: Encoder = ENCODER) -> Embedding:
    """The input of a number, or one that is so similar to it, turned towards another axis."""
    vector = np.zeros(encoder.dimension)
    vector[number] = alike
    vector[aside] += math.sqrt(1.0 - alike * alike)
    return Embedding(vector, encoder)


def brute(
    vectors: Mapping[int, Vector],
    query: Vector,
    floor: float,
    groups: Mapping[int, int],
    wanted: Collection[int] | None,
) -> list[Match]:
    """Every vector compared on its own: products in float64, halves folded onto each other in plain Python."""
    found = []
    for key, vector in vectors.items():
        sums = [float(a) * float(b) for a, b in zip(vector, query, strict=True)]
        while len(sums) > 1:
            half = (len(sums) + 1) // 2
            sums = [each + (sums[half + at] if half + at < len(sums) else 0.0) for at, each in enumerate(sums[:half])]
        similarity = min(sums[0], 1.0)
        if similarity >= floor and (wanted is None or groups[key] in wanted):
            found.append(Match(key, similarity))
    return sorted(found, key=lambda match: (-match.similarity, -match.key))
