"""Five small networks that learn from branches what acquiring is worth (V), and how much better a push is (D).

`python -m train.plate --only difference`. The target is half what the roll-out brought and half what its first action
brought plus the value of the plate after it. Needs torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from handup.domains.plate.policies import PlateSight
from handup.domains.plate.primitives import Floats, PlateFood, PlatePrimitive
from handup.domains.plate.push_features import NAMES, features_at, features_of
from train.plate.episodes import Episodes

MEMBERS = 5
HIDDEN = 32
STEPS = 400
ROUNDS = 3
"""Fits, each but the first with values of the one before it in its targets."""
MIX = 0.5
"""Share of a target that is the roll-out's own."""
WEIGHTS = torch.tensor([1.0, 4.0])
"""Of errors of V and of D in the loss."""
DECAY = 1e-2


@dataclass(frozen=True, kw_only=True)
class Branches:
    """Pairs of roll-outs, n of them; acquired first, then pushed, along the axis of two.

    Args:
        features: Features of the plates where they part, n × 16.
        left: Number of actions that were left there.
        first: What the first action of either brought, n × 2.
        total: What either brought in all, n × 2.
        after: Features after that first action, n × 2 × 16.
        over: Pairs whose plate is empty, or has no action left, after it, n × 2.
        seeds: Seeds of the plates.
    """

    features: Floats
    left: NDArray[np.int64]
    first: Floats
    total: Floats
    after: Floats
    over: NDArray[np.bool_]
    seeds: NDArray[np.int64]

    @classmethod
    def of(cls, episodes: Episodes, food: PlateFood) -> Branches:
        """Return the pairs of recorded branches."""
        rows = np.arange(0, len(episodes.done), 2)
        at = episodes.branched[rows].astype(np.int64)
        left = food.actions - at
        parted = zip(rows.tolist(), at.tolist(), strict=True)
        pairs = [(row + side, action) for row, action in parted for side in (0, 1)]
        first = np.array([episodes.taken[row, action] for row, action in pairs], np.float64).reshape(-1, 2)
        total = np.array([episodes.taken[row, action:].sum() for row, action in pairs], np.float64).reshape(-1, 2)
        masks = np.stack([episodes.mask(row, action + 1) for row, action in pairs])
        behind = np.maximum(left - 1, 1).repeat(2)
        return cls(
            features=features_of(np.stack([episodes.mask(row, action) for row, action in pairs[::2]]), left, food),
            left=left,
            first=first,
            total=total,
            after=features_of(masks, behind, food).reshape(len(rows), 2, -1),
            over=(left[:, None] < 2) | ~masks.any(axis=(1, 2)).reshape(-1, 2),
            seeds=episodes.seeds[rows],
        )

    def rows(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Branches:
        """Return some of the pairs."""
        return Branches(**{name: array[which] for name, array in vars(self).items()})


class Values(nn.Module):
    """Networks with the same inputs: features in, V and D of each out."""

    mean: Tensor
    std: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(len(NAMES)))
        self.register_buffer("std", torch.ones(len(NAMES)))
        self.members = nn.ModuleList(
            nn.Sequential(
                nn.Linear(len(NAMES), HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 2)
            )
            for _ in range(MEMBERS)
        )

    def forward(self, features: Tensor) -> Tensor:
        """Return V and D, n × members × 2."""
        inputs = (features - self.mean) / self.std
        return torch.stack([member(inputs) for member in self.members], 1) * 0.1

    def values(self, features: Floats) -> Floats:
        """Return the means of V and D over the members, n × 2."""
        with torch.no_grad():
            values: Floats = self(torch.from_numpy(features.astype(np.float32))).mean(1).double().numpy()
        return values


def targets(branches: Branches, values: Values | None) -> Floats:
    """Return V and D to be learned, n × 2."""
    total = branches.total
    if values is not None:
        ahead = values.values(branches.after.reshape(-1, len(NAMES))).reshape(*total.shape, 2)
        may_push = branches.left[:, None] > 2
        worth = ahead[..., 0] + np.where(may_push, np.maximum(ahead[..., 1], 0.0), 0.0)
        total = MIX * total + (1.0 - MIX) * (branches.first + np.where(branches.over, 0.0, worth))
    return np.stack([total[:, 0], total[:, 1] - total[:, 0]], axis=1)


def fit(branches: Branches, *, seed: int) -> Values:
    """Return trained networks; each has seen its own draw of the plates."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    values: Values | None = None
    count = len(branches.left)
    draws = [random.integers(count, size=count) for _ in range(MEMBERS)]
    counts = torch.from_numpy(np.stack([np.bincount(drawn, minlength=count) for drawn in draws], 1)).float()
    # The plates after the first actions teach V alone; without them it would never have seen a last action.
    inputs = torch.from_numpy(np.concatenate([branches.features, *branches.after.swapaxes(0, 1)]).astype(np.float32))
    behind = np.where(branches.over, 0.0, branches.total - branches.first)
    weights = WEIGHTS * torch.ones(3 * count, 1)
    weights[count:, 1] = 0.0
    counts = counts.repeat(3, 1)
    counts[count:] *= torch.from_numpy(~branches.over.T.reshape(-1, 1))
    for _ in range(ROUNDS):
        rows = np.concatenate([targets(branches, values), np.stack([behind.T.ravel(), 0.0 * behind.ravel()], axis=1)])
        wanted = torch.from_numpy(rows.astype(np.float32))[:, None]
        values = Values()
        values.mean, values.std = inputs.mean(0), inputs.std(0) + 1e-6
        optimiser = torch.optim.AdamW(values.parameters(), lr=5e-3, weight_decay=DECAY)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
        for _ in range(STEPS):
            optimiser.zero_grad()
            wrong = ((values(inputs) - wanted) * 10.0) ** 2 * weights[:, None]
            (wrong.sum(2) * counts).mean().backward()
            optimiser.step()
            schedule.step()
    assert values is not None
    values.eval()
    return values


@dataclass(frozen=True)
class GreedyValues:
    """Policy that pushes where D is above 0.

    Args:
        values: Trained networks.
        food: The food.
    """

    values: Values
    food: PlateFood

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        """Return the better primitive; the last action is never a push."""
        if sight.left < 2:
            return PlatePrimitive.ACQUIRE
        gap = self.values.values(features_at(sight.mask, sight.left, self.food)[None])[0, 1]
        return PlatePrimitive.GROUP if gap > 0.0 else PlatePrimitive.ACQUIRE


def read(folder: Path, food: PlateFood, names: Sequence[str] = ("branches", "again")) -> Branches:
    """Return all recorded pairs."""
    paths = [path for name in names for path in sorted(folder.glob(f"{name}-*.npz")) if ".part" not in path.name]
    return Branches.of(Episodes.read(paths), food)
