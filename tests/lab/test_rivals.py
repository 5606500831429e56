"""In handup's world no pair of the paper is better than troubleshoot: every pair, at places of every study."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from handup.lab.cell import REPLICA_SELECTORS, REPLICA_WHENS, Cell
from handup.lab.simulate import simulate

PAIRS = tuple(f"{what}+{when}" for what in REPLICA_SELECTORS for when in REPLICA_WHENS)
PLACES: tuple[dict[str, Any], ...] = (
    {"modules": 10},
    {"structure": "or-then-and"},
    {"confidences": (0.9, 0.2)},
    {"query_cost": 0.64},
    {"expert": 0.8},
    {"beta": 0.6, "confidences": (0.8, 0.3)},
)
MORE: tuple[dict[str, Any], ...] = (
    {"modules": 3},
    {"modules": 100},
    {"modules": 50, "confidences": (0.9, 0.2), "episodes": 20},
    {"structure": "or"},
    {"structure": "and-then-or"},
    {"structure": "and-then-or", "confidences": (0.9, 0.2)},
    {"confidences": (0.7, 0.4)},
    {"query_cost": 0.08},
    {"query_cost": 0.64, "confidences": (0.7, 0.4)},
    {"expert": 0.4},
    {"beta": 0.6, "confidences": (0.6, 0.5)},
)
SURE = 4.0
"""Standard errors: some five hundred comparisons, and none may fail by chance."""


@pytest.mark.parametrize("place", [*PLACES, *(pytest.param(more, marks=pytest.mark.soak) for more in MORE)], ids=str)
def test_no_pair_beats_troubleshoot(place: dict[str, Any]) -> None:
    cell = Cell(**{"episodes": 60, "seed": 5, "method": "troubleshoot", **place})
    ours = simulate(cell).metric("J")
    beaten_by = []
    for pair in PAIRS:
        worse = ours - simulate(cell.with_method(pair)).metric("J")
        if worse.mean() > 1e-9 and worse.mean() > SURE * max(float(stats.sem(worse)), 1e-9):
            beaten_by.append((pair, float(np.mean(worse))))
    assert beaten_by == []
