"""Train the encoders of the robot's memory: `python -m train.feeding.encode build/feeding`. Needs torch and numpy only.

Two pictures of plates are to be near when the same foods are on them in the same kitchen, rearranged or half eaten, and
the less near the fewer foods they share; squares around items, when they show the same food in the same kitchen. The
loss is contrastive (SupCon, with the other pictures of the same kitchens as the hardest negatives) and, since a
similarity is used as a probability, pulls the cosine of two plates towards the share of foods that they have in common.
A kitchen is seen each time under other lamps and with other colours, all of its pictures alike: so there are many more
than were drawn. Uses a GPU where there is one. Writes weights; `export` makes the shipped files of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from train.feeding.networks import step
from train.feeding.packing import files_of, pictures_in

SCHEMA, KIND = 1, "feeding-encoders"
"""As in `handup.domains.feeding.modules`, which needs what a training machine may not have; a test compares them."""
FEWEST_PIXELS = 30
"""A food that shows fewer, of a picture of 320 × 240, is not counted as being there."""
WARMTH = 0.1
"""The temperature of the contrastive loss."""
ALIKE = 12.0
"""So much more a pair counts that shows the same foods: fewer than others, and what a memory lives by."""
RATE, DECAY = 2e-3, 1e-2


@dataclass(frozen=True, kw_only=True)
class Size:
    """How long to train: steps of each encoder, and kitchens in one step."""

    plate: int
    crop: int
    kitchens: int = 16


FULL = Size(plate=2_400, crop=1_200)
SMALL = Size(plate=150, crop=100, kitchens=6)


class EncodePlate(nn.Module):
    """A plate of 3 × 120 × 160 as a unit vector: what is anywhere on it, and what all of it looks like."""

    dimension = 64

    def __init__(self, foods: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            step(3, 24, stride=2, kernel=5), step(24, 48, stride=2), step(48, 64), step(64, 96, stride=2), step(96, 96)
        )
        self.detect = nn.Conv2d(96, 128, 1)
        self.head = nn.Linear(256, self.dimension)
        self.foods = nn.Linear(128, foods)

    def forward(self, picture: Tensor) -> Tensor:
        """Batch × 64."""
        return self.both(picture)[0]

    def both(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """The vectors, and logits of the foods, which only help to learn."""
        places = self.detect(self.body(picture - 0.5))
        most = places.amax(dim=(2, 3))
        made = self.head(torch.cat([most, places.mean(dim=(2, 3))], dim=1))
        return functional.normalize(made, dim=1), self.foods(most)


class EncodeCrop(nn.Module):
    """A square of 3 × 64 × 64 as a unit vector."""

    dimension = 64

    def __init__(self, foods: int) -> None:
        super().__init__()
        self.body = nn.Sequential(step(3, 24, stride=2), step(24, 48, stride=2), step(48, 64, stride=2), step(64, 96))
        self.head = nn.Linear(192, self.dimension)
        self.foods = nn.Linear(192, foods)

    def forward(self, picture: Tensor) -> Tensor:
        """Batch × 64."""
        return self.both(picture)[0]

    def both(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """The vectors, and logits of the foods, which only help to learn."""
        places = self.body(picture - 0.5)
        seen = torch.cat([places.amax(dim=(2, 3)), places.mean(dim=(2, 3))], dim=1)
        return functional.normalize(self.head(seen), dim=1), self.foods(seen)


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """Whole plates or squares, with the kitchen each is from and what is on it: pictures × foods."""

    pictures: Tensor
    kitchen: Tensor
    has: Tensor

    def batches(self, steps: int, kitchens: int, generator: torch.Generator) -> Iterator[Tensor]:
        """Numbers of pictures: all of some kitchens, or forty of each."""
        every = [torch.nonzero(self.kitchen == each)[:, 0] for each in self.kitchen.unique()]
        for _ in range(steps):
            chosen = torch.randperm(len(every), generator=generator)[:kitchens]
            parts = [every[int(each)] for each in chosen]
            yield torch.cat([part[torch.randperm(len(part), generator=generator)[:40]] for part in parts])


def read(folder: Path, homes: str) -> tuple[Pictures, Pictures]:
    """The plates and the squares of a range of kitchens.

    Raises:
        SystemExit: There are none, or different code drew them.
    """
    paths = files_of(folder, f"kitchens-{homes}")
    if not paths:
        raise SystemExit(f"no kitchens for '{homes}' in {folder}; run: python -m train.feeding.kitchens {folder}")
    if len({path.stem.rpartition("-")[2] for path in paths}) > 1:
        raise SystemExit(f"the kitchens in {folder} were not all drawn by the same; give another folder")
    plates: list[tuple[Any, ...]] = []
    crops: list[tuple[Any, ...]] = []
    for path in paths:
        with np.load(path) as file:
            plates.append((pictures_in(file, "whole"), file["kitchen"], file["pixels"] >= FEWEST_PIXELS))
            one = np.eye(file["pixels"].shape[1], dtype=bool)[file["food"]]
            crops.append((pictures_in(file, "crop"), file["kitchen"][file["of"]], one))
    return tuple(
        Pictures(**dict(zip(("pictures", "kitchen", "has"), map(_joined, zip(*parts, strict=True)), strict=True)))
        for parts in (plates, crops)
    )  # type: ignore[return-value]


def _joined(parts: tuple[Any, ...]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts))


def shared(has: Tensor) -> Tensor:
    """For each two pictures the share of their foods that they have in common: of both, not of one."""
    has = has.float()
    both = has @ has.T
    either = has.sum(dim=1)[:, None] + has.sum(dim=1)[None] - both
    return both / either.clamp(min=1.0)


def loss(vectors: Tensor, kitchen: Tensor, has: Tensor) -> Tensor:
    """How far similarities are from what they should be: contrastive, and as shares of foods in common."""
    cosine = vectors @ vectors.T
    home, common = kitchen[:, None] == kitchen[None], shared(has)
    others = ~torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    alike = home & (common == 1.0) & others
    chance = (cosine / WARMTH).masked_fill(~others, -1e9).log_softmax(dim=1)
    pulled = -(chance * alike).sum(dim=1) / alike.sum(dim=1).clamp(min=1)
    contrast = pulled[alike.any(dim=1)].mean()
    at_home, away = home & others, ~home
    weights = 1.0 + ALIKE * alike[at_home]
    exact = (weights * (cosine - common)[at_home] ** 2).sum() / weights.sum()
    apart = (functional.relu(cosine[away] - 0.3) ** 2).mean() if away.any() else cosine.new_zeros(())
    return 0.2 * contrast + 6.0 * exact + 2.0 * apart


def other_homes(pictures: Tensor, kitchen: Tensor, generator: torch.Generator) -> Tensor:
    """Pictures from 0 to 255 under another lamp, with other colours, alike for all of one kitchen; flipped, noisy."""
    device, (_, which) = pictures.device, torch.unique(kitchen, return_inverse=True)
    homes, count = int(which.max()) + 1, len(pictures)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator).to(device)

    gain = torch.exp(0.18 * normal(homes, 1, 1, 1) + 0.10 * normal(homes, 3, 1, 1))[which]
    hue, saturation = 0.25 * normal(homes, 1, 1, 1)[which], torch.exp(0.2 * normal(homes, 1, 1, 1))[which]
    seen = pictures.float() / 255.0
    grey = seen.mean(dim=1, keepdim=True)
    colour = seen - grey
    across = (colour.roll(1, dims=1) - colour.roll(-1, dims=1)) / 3**0.5
    seen = (grey + saturation * (torch.cos(hue) * colour + torch.sin(hue) * across)) * gain
    seen = seen * torch.exp(0.02 * normal(count, 1, 1, 1)) + 0.015 * normal(*seen.shape)
    flips = torch.rand((2, count), generator=generator).to(device) < 0.5
    seen = torch.where(flips[0][:, None, None, None], seen.flip(3), seen)
    seen = torch.where(flips[1][:, None, None, None], seen.flip(2), seen)
    return seen.clamp(0.0, 1.0).contiguous(memory_format=torch.channels_last)


def train(
    network: EncodePlate | EncodeCrop, pictures: Pictures, steps: int, kitchens: int, seed: int, device: torch.device
) -> None:
    """Train one encoder."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    network.to(device, memory_format=torch.channels_last).train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.15)
    began, total = time.monotonic(), 0.0
    for number, chosen in enumerate(pictures.batches(steps, kitchens, generator), 1):
        kitchen, has = pictures.kitchen[chosen].to(device), pictures.has[chosen].to(device)
        seen = other_homes(pictures.pictures[chosen].to(device), kitchen, generator)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            vectors, foods = network.both(seen)
        found = loss(vectors.float(), kitchen, has)
        found = found + 0.3 * functional.binary_cross_entropy_with_logits(foods.float(), has.float())
        optimiser.zero_grad()
        found.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        plan.step()
        total += float(found.detach())
        if number % 50 == 0:
            print(f"{type(network).__name__} {number}: {total / 50:.4f}, {time.monotonic() - began:.0f} s", flush=True)
            total = 0.0


def export(network: nn.Module, path: Path, shape: tuple[int, int]) -> None:
    """Write an encoder as the robot reads it."""
    picture = torch.zeros(1, 3, *shape)
    torch.onnx.export(
        network.cpu().float().eval(), (picture,), str(path), input_names=["picture"], output_names=["vector"],
        opset_version=17, dynamo=False,
    )  # fmt: skip


def encode(folder: Path, out: Path, *, size: Size, seed: int, only: tuple[str, ...] = ("plate", "crop")) -> None:
    """Train both encoders and put them where the package ships them, with a card."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    plates, crops = read(folder, "train")
    foods = plates.has.shape[1]
    print(f"{len(plates.pictures)} plates, {len(crops.pictures)} squares", flush=True)
    for name, network, pictures, steps in (
        ("plate", EncodePlate(foods), plates, size.plate),
        ("crop", EncodeCrop(foods), crops, size.crop),
    ):
        if name in only:
            train(network, pictures, steps, size.kitchens, seed, device)
            rows, columns = pictures.pictures.shape[2:]
            export(network, out / f"encode_{name}.onnx", (int(rows), int(columns)))
    card = {
        "schema": SCHEMA,
        "kind": KIND,
        "dimension": {"plate": EncodePlate.dimension, "crop": EncodeCrop.dimension},
        "digest": {
            name: hashlib.sha256((out / f"encode_{name}.onnx").read_bytes()).hexdigest() for name in ("plate", "crop")
        },
        "command": f"python -m train.feeding.encode FOLDER --seed {seed}",
        "seed": seed,
        "steps": {"plate": size.plate, "crop": size.crop},
        "kitchens": [int(plates.kitchen.min()), int(plates.kitchen.max())],
        "pictures": {"plate": len(plates.pictures), "crop": len(crops.pictures)},
        "torch": str(torch.__version__),
        "date": datetime.now(UTC).date().isoformat(),
    }
    (out / "encode.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Train, and write the shipped files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where train.feeding.kitchens wrote")
    parser.add_argument("--out", type=Path, default=None, help="where the networks go; the folder, if not given")
    parser.add_argument("--small", action="store_true", help="for a processor, in a few minutes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=["plate", "crop"], choices=["plate", "crop"])
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    size = SMALL if given.small else FULL
    encode(given.folder, given.out or given.folder, size=size, seed=given.seed, only=tuple(given.only))


if __name__ == "__main__":
    main()
