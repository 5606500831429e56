"""Rendered plates as tensors, and how they are varied while training. Needs torch and numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from train.feeding.packing import files_of, unpacked

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
        paths = files_of(folder, split)[:most]
        if not paths:
            raise SystemExit(
                f"no plates of the split '{split}' in {folder}; run: python -m train.feeding.render {folder}"
            )
        parts = []
        for path in paths:
            with np.load(path) as file:
                part = {name: file[name] for name in ("of", "food", "skill", "box", "best")}
                parts.append(part | {"rgb": file["rgb"] if "rgb" in file else unpacked(file)})
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
    """Pictures, with colours from 0 to 1, under other lamps and of other food.

    Exposure, white balance, haze and noise; hue, saturation and light that differ from place to place. Colours turn by
    some 12°, further than one food's own range is wide: whoever learns from this cannot go by colour alone.
    """
    count, _, rows, columns = pictures.shape

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, device=pictures.device)

    def field(everywhere: float, here_and_there: float) -> Tensor:
        """A number for each pixel that changes slowly: pictures × 1 × rows × columns."""
        rough = functional.interpolate(normal(count, 1, 4, 5), size=(rows, columns), mode="bicubic")
        return everywhere * normal(count, 1, 1, 1) + here_and_there * rough

    gain = torch.exp(field(0.25, 0.12) - 0.1 + 0.12 * normal(count, 3, 1, 1))
    lift = 0.03 * normal(count, 1, 1, 1)
    noise = torch.rand(pictures.shape, generator=generator, device=pictures.device).sub_(0.5)
    noise *= 0.10 * torch.rand((count, 1, 1, 1), generator=generator, device=pictures.device)
    turned = _turned(pictures, field(0.14, 0.16), torch.exp(field(0.15, 0.15)))
    return (turned * gain + lift).add_(noise).clamp_(0.0, 1.0)


def _turned(pictures: Tensor, hue: Tensor, saturation: Tensor) -> Tensor:
    """Colours turned about grey by an angle, and moved away from it or towards it."""
    grey = pictures.mean(dim=1, keepdim=True)
    colour = pictures - grey
    across = (colour.roll(1, dims=1) - colour.roll(-1, dims=1)) / 3**0.5
    return grey + saturation * (torch.cos(hue) * colour + torch.sin(hue) * across)


def littered(pictures: Tensor, boxes: Tensor, of: Tensor, generator: torch.Generator) -> Tensor:
    """Pictures with up to four spots of any colour on each that are no food and lie beside the items' boxes."""
    count, _, rows, columns = pictures.shape

    def drawn(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator, device=pictures.device)

    x = (torch.arange(columns, device=pictures.device) + 0.5) / columns
    y = (torch.arange(rows, device=pictures.device) + 0.5)[:, None] / rows
    items = torch.zeros(count, rows, columns, dtype=torch.bool, device=pictures.device)
    left, top, right, bottom = boxes[:, :, None, None].unbind(1)
    inside = (x > left) & (x < right) & (y > top) & (y < bottom)
    items.index_put_((of,), inside, accumulate=True)
    for _ in range(4):
        middle_x, middle_y, angle, shade = drawn(4, count, 1, 1)
        wide, high = 0.015 + 0.06 * drawn(2, count, 1, 1)
        cos, sin = torch.cos(3.15 * angle), torch.sin(3.15 * angle)
        along, over = (x - middle_x) * cos + (y - middle_y) * sin, (y - middle_y) * cos - (x - middle_x) * sin
        round_ = drawn(count, 1, 1) < 0.5
        near = torch.where(round_, (along / wide) ** 2 + (over / high) ** 2,
                           torch.maximum((along / wide).abs(), (over / high).abs()))  # fmt: skip
        spot = (near < 1.0) & ~items & (drawn(count, 1, 1) < 0.5)
        lit = (drawn(count, 3, 1, 1) * (1.0 - 0.3 * shade[:, None] * near[:, None])).clamp(0.0, 1.0)
        pictures = torch.where(spot[:, None], lit, pictures)
    return pictures


def mirrored(pictures: Tensor, boxes: Tensor, of: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures left to right and upside down, each by a coin, and the boxes of items on them."""
    across, down = torch.rand((2, len(pictures)), generator=generator, device=pictures.device) < 0.5
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
        corners = corners + 0.08 * spans * torch.randn((count, 2, 2), generator=generator, device=device)
        turn = 2 * torch.pi * torch.rand(count, generator=generator, device=device)
        mirror = 1.0 - 2.0 * (torch.rand(count, generator=generator, device=device) < 0.5)
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
