"""Cleared shares of policies on the same plates: `python -m train.plate --only evaluate --food beans`.

Rows are kept in the folder, so that a policy clears a plate once; a policy that was trained anew needs a new name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import engine_of
from handup.domains.plate.policies import PlatePolicy, clear
from handup.domains.plate.primitives import Floats, PlateFood, PlatePrimitive

NORMAL_95 = 1.96


def cleared_by(
    food: PlateFood, policies: Mapping[str, PlatePolicy], seeds: Iterable[int], folder: Path
) -> dict[str, Floats]:
    """Return the share that each policy clears of each plate, and the pushes, n × 2.

    Args:
        food: The food.
        policies: By name.
        seeds: Plates.
        folder: Place of the rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    seeds, engine = list(seeds), engine_of(food)
    rows = {}
    for name, policy in policies.items():
        path = folder / f"{name}.npz"
        known = dict(zip(*np.load(path).values(), strict=True)) if path.exists() else {}
        for seed in seeds:
            if seed not in known:
                outcomes = clear(ClearingWorld(engine, seed=seed), policy)
                pushes = sum(outcome.primitive is PlatePrimitive.GROUP for outcome in outcomes)
                known[seed] = np.array([sum(outcome.moved.taken for outcome in outcomes), pushes])
        np.savez(path, seeds=np.array([*known]), rows=np.array([*known.values()]))
        rows[name] = np.array([known[seed] for seed in seeds])
    return rows


def paired(rows: Mapping[str, Floats], name: str, against: str) -> tuple[float, float]:
    """Return the mean difference of the cleared shares, and half its 95 % interval."""
    gaps = rows[name][:, 0] - rows[against][:, 0]
    return float(gaps.mean()), float(NORMAL_95 * gaps.std(ddof=1) / np.sqrt(len(gaps)))


def table(rows: Mapping[str, Floats], against: Iterable[str]) -> list[str]:
    """Return a line of each policy: cleared, pushes, and what it is better by than those named, with 95 % intervals."""
    against = list(against)
    lines = [f"| policy | cleared | pushes | {' | '.join(f'over {name}' for name in against)} |"]
    lines.append("|" + "---|" * (3 + len(against)))
    for name, found in rows.items():
        gains = ["{:+.3f} ± {:.3f}".format(*paired(rows, name, base)) if name != base else "" for base in against]
        lines.append(f"| {name} | {found[:, 0].mean():.3f} | {found[:, 1].mean():.2f} | {' | '.join(gains)} |")
    return lines
