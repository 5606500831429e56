"""The four networks. Small, so that four of them see a plate within a few hundredths of a second on one core."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

DROPOUT = 0.25
HIDDEN = 128
CELL_PX = 4
"""A cell of M2's map, in px of the picture of 160 × 120."""


def step(inputs: int, outputs: int, *, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """A convolution, normalised, then rectified."""
    layer = nn.Conv2d(inputs, outputs, kernel, stride=stride, padding=kernel // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs), nn.ReLU())


class Trunk(nn.Module):
    """What M1 and M2 make of a plate first: maps of 40 × 30, 20 × 15 and 10 × 8 places."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(step(3, 16, stride=2, kernel=5), step(16, 32, stride=2))
        self.middle = nn.Sequential(step(32, 64, stride=2), step(64, 64))
        self.coarse = nn.Sequential(step(64, 96, stride=2), step(96, 96))

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The three maps, the finest first."""
        fine = self.fine(picture - 0.5)
        middle = self.middle(fine)
        return fine, middle, self.coarse(middle)


class Find(nn.Module):
    """M2: for every food a map of 40 × 30 cells that is hot at the middles of items, and the way to their sides."""

    def __init__(self, foods: int) -> None:
        super().__init__()
        self.trunk = Trunk()
        self.up = step(96, 64, kernel=1)
        self.back = step(64, 32)
        self.last = step(32, 48)
        self.heat = nn.Conv2d(48, foods, 1)
        self.sides = nn.Conv2d(48, 4, 1)
        nn.init.constant_(self.heat.bias, -3.0)

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the heat, batch × foods × 30 × 40, and distances in cells, batch × 4 × 30 × 40."""
        fine, middle, coarse = self.trunk(picture)
        coarse = functional.interpolate(self.up(coarse), size=(15, 20), mode="nearest")
        back = functional.interpolate(self.back(middle + coarse), size=(30, 40), mode="nearest")
        last = self.last(fine + back)
        return self.heat(last), functional.softplus(self.sides(last) + 3.0)


class Name(nn.Module):
    """M1: for every food a logit at each of 10 × 8 places; a food is on the plate if it is at any of them."""

    def __init__(self, foods: int) -> None:
        super().__init__()
        self.trunk = Trunk()
        self.head = nn.Sequential(step(96, 96), nn.Dropout2d(0.1), nn.Conv2d(96, foods, 1))

    def forward(self, picture: Tensor) -> Tensor:
        """Logits: batch × foods."""
        places = self.head(self.trunk(picture)[2])
        return torch.logsumexp(places.flatten(2).float(), dim=2) - 4.0


class Crop(nn.Module):
    """What M3 and M4 see of a square of 64 × 64 px: 1,024 numbers."""

    features = 1024

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            step(3, 24, stride=2), step(24, 48, stride=2), step(48, 64, stride=2), step(64, 64), step(64, 64, stride=2)
        )

    def forward(self, crop: Tensor) -> Tensor:
        """Batch × 1,024."""
        return self.body(crop - 0.5).flatten(1)


class Choose(nn.Module):
    """M3: a logit for every skill, from the square, the food it is said to show, and the square's size."""

    def __init__(self, foods: int, skills: int) -> None:
        super().__init__()
        self.crop = Crop()
        self.head = nn.Sequential(
            nn.Linear(Crop.features + foods + 1, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, skills)
        )
        self.features = nn.Dropout(0.2)

    def forward(self, crop: Tensor, given: Tensor) -> Tensor:
        """Logits: batch × skills."""
        return self.head(torch.cat([self.features(self.crop(crop)), given], dim=1))


class Aim(nn.Module):
    """M4: middle, log of half the length, and direction, from the square, the skill and the square's size.

    What is dropped is an input, so that dropout stays at work in the exported graph and follows a seed.
    """

    masks = Crop.features + HIDDEN

    def __init__(self, skills: int) -> None:
        super().__init__()
        self.crop = Crop()
        self.hidden = nn.Linear(Crop.features + skills + 1, HIDDEN)
        self.out = nn.Linear(HIDDEN + skills, 5)

    def forward(self, crop: Tensor, given: Tensor, masks: Tensor) -> Tensor:
        """Passes × 5; one square is seen once however many passes there are, or there is one pass for each square."""
        features = self.crop(crop) * masks[:, : Crop.features]
        given = given.expand(features.shape[0], -1)
        hidden = torch.relu(self.hidden(torch.cat([features, given], dim=1))) * masks[:, Crop.features :]
        return self.out(torch.cat([hidden, given[:, :-1]], dim=1))


def drawn_masks(rows: int, generator: torch.Generator, device: torch.device) -> Tensor:
    """Masks as `handup.domains.feeding.Modules` draws them."""
    kept = torch.rand((rows, Aim.masks), generator=generator, device=device) >= DROPOUT
    return kept.float() / (1.0 - DROPOUT)


def save_weights(network: nn.Module, path: Path) -> None:
    """Write all numbers of a network, by name."""
    np.savez(path, **{name: each.float().cpu().numpy() for name, each in network.state_dict().items()})


def made(name: str, *, foods: int, skills: int) -> nn.Module:
    """A new network: `name`, `find`, `choose` or `aim`."""
    match name:
        case "name":
            return Name(foods)
        case "find":
            return Find(foods)
        case "choose":
            return Choose(foods, skills)
        case _:
            return Aim(skills)


def load_weights(network: nn.Module, path: Path) -> nn.Module:
    """A network with the numbers that `save_weights` wrote."""
    with np.load(path) as file:
        network.load_state_dict({name: torch.from_numpy(file[name]) for name in file.files})
    return network
