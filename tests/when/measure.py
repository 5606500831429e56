"""How far a planner is from the optimum, on seeded policies small enough for brute force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from handup.when import Troubleshoot
from handup.when.troubleshoot import Planner
from tests.when.episodes import average, pomdp_of, random_graph


@dataclass(frozen=True)
class Gap:
    """Expected cost over the optimum's, over many policies."""

    mean: float
    worst: float


def gap(planner: Planner, *, series: bool, expert: float, modules: Iterable[int], seeds: Iterable[int]) -> Gap:
    """Follow the planner through every course of each policy's episode and compare with brute force."""
    ratios = []
    for count in modules:
        for seed in seeds:
            random = np.random.default_rng([seed, count, round(100 * expert)])
            graph = random_graph(random, count, series=series)
            pomdp = pomdp_of(graph, expert=expert, w=float(random.uniform(0.2, 0.8)))
            ratios.append(average(Troubleshoot(planner), graph, pomdp).cost / pomdp.optimum())
    assert min(ratios) >= 1.0 - 1e-9, "nothing beats the optimum: the yardstick is wrong"
    return Gap(float(np.mean(ratios)), max(ratios))
