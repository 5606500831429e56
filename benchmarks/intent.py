"""Planning questions about goals: how long it takes by T, how often it asks, how tight the bounds at each depth are.

Problems come from the paper's scenes. Times are of one core. Run it with `python -m benchmarks.intent`; the comparison
with another solver is `handup bench intent`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from handup.domains.reaching.scenes import scene
from handup.intent import deepening
from handup.lab.bench.intent import SETUPS, instances, measure

LOOK_AHEADS = (0.1, 0.3, 1.0, 2.0)
DEPTHS = (0, 1, 2, 3)
INSTANCES = 100


def by_look_ahead(seed: int) -> list[dict[str, object]]:
    """The paper's decisive parameter: share of problems that ask, and time of a plan."""
    exact = [each for each in SETUPS if each[2] is None]
    return [
        {"look_ahead_s": look_ahead, **measure(*each, seed=seed, look_ahead_s=look_ahead, compare=False)}
        for look_ahead in LOOK_AHEADS
        for each in exact
    ]


def by_depth(seed: int) -> list[dict[str, object]]:
    """All 22 goals askable: the distance of the two bounds at each depth, in points."""
    goals = scene("U22").goals
    gaps: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    for problem in instances(goals, len(goals), seed=seed, look_ahead_s=2.0, count=INSTANCES):
        plans = list(deepening(problem, depth=max(DEPTHS)))
        for depth in DEPTHS:
            plan = plans[min(depth, len(plans) - 1)]
            gaps[depth].append(plan.upper - plan.lower)
    return [
        {"depth": depth, "mean_gap": float(np.mean(found)), "exact": float(np.mean(np.array(found) < 1e-9))}
        for depth, found in gaps.items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    times, gaps = by_look_ahead(options.seed), by_depth(options.seed)
    if options.json:
        print(json.dumps({"look_ahead": times, "depth": gaps}))
        return
    console = Console(width=100)
    for title, rows, columns in (
        ("Exact plans by T", times, ("look_ahead_s", "scene", "goals", "askable", "asks", "us_median", "us_p99")),
        ("U22, all 22 askable, T = 2 s", gaps, ("depth", "mean_gap", "exact")),
    ):
        table = Table(*columns, title=title)
        for row in rows:
            cells = (row[each] for each in columns)
            table.add_row(*(f"{each:.4g}" if isinstance(each, float) else f"{each}" for each in cells))
        console.print(table)


if __name__ == "__main__":
    main()
