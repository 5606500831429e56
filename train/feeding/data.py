"""Rendered plates as tensors, and how they are varied while training. Needs torch and numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

CROP, CONTEXT, MARGIN_PX = 64, 1.4, 8.0
"""As in `handup.domains.feeding.crops`, which needs what a machine for training may not have; a test compares them."""
SIZE = (320.0, 240.0)


@dataclass(frozen=True, kw_only=True)
class Plates:
    """A split.

    Args:
        rgb: Pictures × 240 × 320 × 3.
        whole: The same at 160 × 120: pictures × 3 × 120 × 160, still from 0 to 255.
        of: For every item the picture it is on.
        food: Its food.
        skill: Its best skill.
        box: Its box in fractions of the picture.
        best: The best parameters for each skill, nan where that does not fit.
    """

    rgb: Tensor
    whole: Tensor
    of: Tensor
    food: Tensor
    skill: Tensor
    box: Tensor
    best: Tensor

    @classmethod
    def read(cls, folder: Path, split: str, device: torch.device, *, most: int | None = None) -> Plates:
        """All files of a split, or the first few.

        Raises:
            SystemExit: There are none.
        """
        paths = sorted(path for path in folder.glob(f"{split}-*.npz") if not path.name.endswith(".part.npz"))[:most]
        if not paths:
            raise SystemExit(
                f"no plates of the split '{split}' in {folder}; run: python -m train.feeding.render {folder}"
            )
        parts = []
        for path in paths:
            with np.load(path) as file:
                parts.append({name: file[name] for name in ("rgb", "of", "food", "skill", "box", "best")})
        before = np.cumsum([0, *(len(part["rgb"]) for part in parts[:-1])])
        for part, shift in zip(parts, before, strict=True):
            part["of"] = part["of"] + shift
        found = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])).to(device) for name in parts[0]}
        halves = [functional.avg_pool2d(each.permute(0, 3, 1, 2).float(), 2).round().byte()
                  for each in found["rgb"].split(64)]  # fmt: skip
        return cls(whole=torch.cat(halves), **found)

    def present(self, foods: int) -> Tensor:
        """Pictures × foods: whether a food is on it."""
        found = torch.zeros(len(self.rgb), foods, device=self.rgb.device)
        found[self.of, self.food] = 1.0
        return found


def varied(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Other exposure, white balance, haze and noise. Pictures with colours from 0 to 1."""

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator).to(pictures.device)

    count = len(pictures)
    gain = torch.exp(0.12 * normal(count, 1, 1, 1) + 0.07 * normal(count, 3, 1, 1))
    lift = 0.03 * normal(count, 1, 1, 1)
    noise = torch.rand(pictures.shape, generator=generator).to(pictures.device).sub_(0.5)
    noise *= 0.07 * torch.rand((count, 1, 1, 1), generator=generator).to(pictures.device)
    return (pictures * gain + lift).add_(noise).clamp_(0.0, 1.0)


def mirrored(pictures: Tensor, boxes: Tensor, of: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures left to right and upside down, each by a coin, and the boxes of items on them."""
    across, down = (torch.rand((2, len(pictures)), generator=generator) < 0.5).to(pictures.device)
    pictures = torch.where(across[:, None, None, None], pictures.flip(3), pictures)
    pictures = torch.where(down[:, None, None, None], pictures.flip(2), pictures)
    left, top, right, bottom = boxes.unbind(1)
    by, on = across[of], down[of]
    left, right = torch.where(by, 1 - right, left), torch.where(by, 1 - left, right)
    top, bottom = torch.where(on, 1 - bottom, top), torch.where(on, 1 - top, bottom)
    return pictures, torch.stack([left, top, right, bottom], dim=1)


@dataclass(frozen=True, kw_only=True)
class Squares:
    """Squares around items.

    Args:
        crop: Squares × 3 × 64 × 64, colours from 0 to 1.
        side: In hundreds of px of the picture of 320 × 240.
        points: For each skill the two best points in halves of the square from its middle: squares × skills × 2 × 2.
    """

    crop: Tensor
    side: Tensor
    points: Tensor


def squares(plates: Plates, items: Tensor, generator: torch.Generator | None) -> Squares:
    """Cut items out; with a generator the boxes are shaken, and squares turned and mirrored."""
    device, count = plates.rgb.device, len(items)
    size = torch.tensor(SIZE, device=device)
    corners = plates.box[items].view(count, 2, 2) * size
    turn, mirror = torch.zeros(count, device=device), torch.ones(count, device=device)
    if generator is not None:
        spans = (corners[:, 1] - corners[:, 0])[:, None]
        corners = corners + 0.08 * spans * torch.randn((count, 2, 2), generator=generator).to(device)
        turn = (2 * torch.pi * torch.rand(count, generator=generator)).to(device)
        mirror = (1.0 - 2.0 * (torch.rand(count, generator=generator) < 0.5)).to(device)
    middle = corners.mean(dim=1)
    side = CONTEXT * (corners[:, 1] - corners[:, 0]).abs().amax(dim=1) + MARGIN_PX
    cos, sin = torch.cos(turn), torch.sin(turn)
    ways = torch.stack([torch.stack([cos * mirror, -sin], 1), torch.stack([sin * mirror, cos], 1)], 1)
    steps = (torch.arange(CROP, device=device) + 0.5) / CROP * 2.0 - 1.0
    grid = torch.stack(torch.meshgrid(steps, steps, indexing="xy"), dim=-1).view(1, -1, 2)
    at = middle[:, None] + (side / 2)[:, None, None] * (grid @ ways.transpose(1, 2))
    crops = _sampled(plates.rgb, plates.of[items], at.view(count, CROP, CROP, 2))
    offsets = plates.best[items].view(count, -1, 2, 2) * size - middle[:, None, None]
    points = (offsets @ ways[:, None]) / (side / 2)[:, None, None, None]
    return Squares(crop=crops, side=side / 100.0, points=points)


def _sampled(rgb: Tensor, of: Tensor, at: Tensor) -> Tensor:
    """Colours at points given in px, between the nearest four pixels; beyond the edge, those of the edge."""
    width, height = int(SIZE[0]), int(SIZE[1])
    x, y = (at[..., 0] - 0.5).clamp(0, width - 1), (at[..., 1] - 0.5).clamp(0, height - 1)
    left, top = x.floor().long(), y.floor().long()
    right, bottom = (left + 1).clamp(max=width - 1), (top + 1).clamp(max=height - 1)
    across, down = (x - left)[..., None], (y - top)[..., None]
    flat, first = rgb.view(-1, 3), (of * (width * height))[:, None, None]

    def colours(row: Tensor, column: Tensor) -> Tensor:
        return flat.index_select(0, (first + row * width + column).flatten()).float().view(*row.shape, 3)

    upper = torch.lerp(colours(top, left), colours(top, right), across)
    lower = torch.lerp(colours(bottom, left), colours(bottom, right), across)
    return (torch.lerp(upper, lower, down) / 255.0).permute(0, 3, 1, 2)
