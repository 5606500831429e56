"""All sequences of actions on a plate, one after the other, each imagined from its beginning."""

from __future__ import annotations

from itertools import product

import numpy as np

from handup.domains.plate.plate_models import PlateModel
from handup.domains.plate.policies import PlateSight
from handup.domains.plate.primitives import ALPHA


def enumerated(
    model: PlateModel, sight: PlateSight, *, alpha: float = ALPHA
) -> dict[tuple[int, ...], tuple[float, float]]:
    """Reward and share taken of each sequence that ends with an acquisition."""
    found = {}
    start = model.encode(sight)
    for pushes in product((0, 1), repeat=sight.left - 1):
        states, sums = start, np.zeros(2)
        for primitive in (*pushes, 0):
            states, gains = model.imagine(states, np.array([primitive]))
            sums += gains[0]
        found[*pushes, 0] = (float(alpha * sums[0] + (1.0 - alpha) * sums[1]), float(sums[0]))
    return found
