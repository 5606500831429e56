"""Train f_seg and f_ori on drawn plates. Needs torch and numpy only, so that it runs where there is a GPU.

f_seg is a pyramid of features as in the paper, but small, and learns the share of each pixel that food covers. f_ori
learns the direction of strands, as cosine and sine of twice the angle. Both see pictures that are moved, turned and
scaled, under other light than they were drawn. `python -m train.plate.vision FOLDER OUT` trains without exporting.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from train.feeding.data import varied
from train.feeding.networks import save_weights, step
from train.feeding.packing import UNFINISHED, packed, unpacked

SEEN, SIDE_M, VIEW_M = 128, 0.24, 0.284
CROP = 48
"""As in `handup.domains.plate.vision` and `train.plate.pictures`, which need more than torch; a test compares them."""
PART = 96
"""Side of the parts of a plate that f_seg learns from, in px: it sees any size, and a smaller one costs less."""
SCALES = (0.75, 1.6)
"""Sides of what a pixel shows while f_seg learns, in sides of what it shows later."""
SHIFT_M = 0.06
RATE, DECAY = 2e-3, 1e-2
DIFFERS, TRUE = "differs", "true"
"""Labels: difference from the empty plate, and the truth of the simulation."""
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Size:
    """How long to train: steps of each network, and pictures or crops in one step."""

    seg: int
    ori: int
    pictures: int
    crops: int


FULL = Size(seg=2_500, ori=1_500, pictures=8, crops=64)
SMALL = Size(seg=100, ori=100, pictures=8, crops=64)


class Pyramid(nn.Module):
    """f_seg: features at a half to a sixteenth of the picture's size, added up from coarse to fine."""

    widths = (16, 32, 48, 64)
    shared = 24

    def __init__(self) -> None:
        super().__init__()
        first, second, third, fourth = self.widths
        self.down = nn.ModuleList(
            [
                step(3, first, stride=2, kernel=5),
                nn.Sequential(step(first, second, stride=2), step(second, second)),
                nn.Sequential(step(second, third, stride=2), step(third, third)),
                nn.Sequential(step(third, fourth, stride=2), step(fourth, fourth)),
            ]
        )
        self.across = nn.ModuleList([nn.Conv2d(width, self.shared, 1) for width in self.widths])
        self.smooth = nn.ModuleList([step(self.shared, self.shared) for _ in range(3)])
        self.last = nn.Sequential(step(self.shared + 3, 8), nn.Conv2d(8, 1, 1))
        nn.init.constant_(self.last[1].bias, -2.0)

    def forward(self, picture: Tensor) -> Tensor:
        """Logits of the covered share of each pixel: batch × 1 × height × width."""
        features, maps = picture - 0.5, []
        for down in self.down:
            features = down(features)
            maps.append(features)
        merged = self.across[3](maps[3])
        for level in (2, 1, 0):
            finer = functional.interpolate(merged, scale_factor=2.0, mode="nearest")
            merged = self.smooth[level](self.across[level](maps[level]) + finer)
        whole = functional.interpolate(merged, scale_factor=2.0, mode="nearest")
        return self.last(torch.cat([whole, picture - 0.5], dim=1))


class Grain(nn.Module):
    """f_ori: cosine and sine of twice the angle of the strands on a square, not normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            step(3, 24, stride=2, kernel=5), step(24, 32), step(32, 48, stride=2), step(48, 64, stride=2), step(64, 64)
        )
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(64 * 36, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, crop: Tensor) -> Tensor:
        """Batch × 2."""
        return self.head(self.body(crop - 0.5).flatten(1))


def joined(pictures: list[Arrays]) -> Arrays:
    """Return the arrays of pictures, one after the other; only noodles have crops."""
    names = dict.fromkeys(name for picture in pictures for name in picture)
    return {name: np.concatenate([picture[name] for picture in pictures if name in picture]) for name in names}


def read(folder: Path, split: str, food: str = "*") -> Arrays:
    """Return all pictures of a split, or those of one food.

    Raises:
        SystemExit: There are none.
    """
    parts = []
    for path in sorted(folder.glob(f"{split}-{food}-*.npz")):
        if not path.name.endswith(UNFINISHED):
            with np.load(path) as file:
                parts.append({name: file[name] for name in file.files})
    if not parts:
        raise SystemExit(f"there are no pictures of '{split}' in {folder}; draw them with python -m train.plate")
    return joined(parts)


def pack(folder: Path) -> Path:
    """Write what is learnt from into one small file, with pictures as `train.feeding.packing` makes them small."""
    arrays, path = read(folder, "train"), folder / "packed.npz"
    small = {f"{name} {part}": array for name in ("rgb", "crop") for part, array in packed(arrays[name]).items()}
    small |= {name: arrays[name] for name in ("grain", "agree")}
    small |= {name: np.rint(arrays[name] / 17.0).astype(np.uint8) for name in (TRUE, DIFFERS)}
    np.savez_compressed(path, allow_pickle=False, **small)
    return path


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Pictures and crops to learn from, on the device.

    Args:
        pictures: Pictures × 3 × 160 × 160, from 0 to 255.
        shares: For each kind of label, pictures × 1 × 160 × 160, in fifteenths.
        crops: Crops × 3 × 72 × 72.
        grain: Direction of the strands on each crop.
        agree: Share to which strands there agree.
    """

    pictures: Tensor
    shares: dict[str, Tensor]
    crops: Tensor
    grain: Tensor
    agree: Tensor

    @classmethod
    def read(cls, packed_file: Path, device: torch.device) -> Lesson:
        """Read what `pack` wrote."""
        with np.load(packed_file) as file:
            rgb, crop = (
                torch.from_numpy(
                    unpacked({part: file[f"{name} {part}"] for part in ("bright", "red", "blue")}).transpose(0, 3, 1, 2)
                ).to(device)
                for name in ("rgb", "crop")
            )
            return cls(
                pictures=rgb,
                shares={name: torch.from_numpy(file[name])[:, None].to(device) for name in (TRUE, DIFFERS)},
                crops=crop,
                grain=torch.from_numpy(file["grain"]).float().to(device),
                agree=torch.from_numpy(file["agree"]).float().to(device),
            )


def fit_seg(lesson: Lesson, size: Size, generator: torch.Generator, label: str = TRUE) -> nn.Module:
    """Train f_seg: the covered share of each pixel, by cross-entropy."""

    def loss(network: nn.Module) -> Tensor:
        device = lesson.pictures.device
        chosen = torch.randint(len(lesson.pictures), (size.pictures,), generator=generator, device=device)
        turn = _turns(size.pictures, generator, device)
        pictures = functional.grid_sample(lesson.pictures[chosen].float() / 255.0, turn, align_corners=False)
        shares = functional.grid_sample(lesson.shares[label][chosen].float() / 15.0, turn, align_corners=False)
        return functional.binary_cross_entropy_with_logits(_outputs(network, varied(pictures, generator)), shares)

    return _trained(Pyramid().to(lesson.pictures.device), loss, size.seg, f"seg by {label}")


def fit_ori(lesson: Lesson, size: Size, generator: torch.Generator) -> nn.Module:
    """Train f_ori: the direction of the strands; the less they agree the less a crop counts."""

    def loss(network: nn.Module) -> Tensor:
        crops, grain, agree = turned_crops(lesson, size.crops, generator)
        true = torch.stack([(2.0 * grain).cos(), (2.0 * grain).sin()], dim=1)
        seen = functional.normalize(_outputs(network, varied(crops, generator)), dim=1)
        return (agree * (seen - true).square().sum(dim=1)).mean()

    return _trained(Grain().to(lesson.crops.device), loss, size.ori, "ori")


def turned_crops(lesson: Lesson, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Return crops that are turned and a little moved, with the direction of their strands, and how much they agree."""
    device = lesson.crops.device
    chosen = torch.randint(len(lesson.crops), (count,), generator=generator, device=device)
    angle = 2.0 * torch.pi * torch.rand(count, generator=generator, device=device)
    share = CROP / lesson.crops.shape[-1]
    matrix = share * torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], dim=1).view(-1, 2, 2)
    middle = 0.04 * torch.randn(count, 2, 1, generator=generator, device=device)
    grid = functional.affine_grid(torch.cat([matrix, middle], dim=2), [count, 3, CROP, CROP], align_corners=False)
    crops = functional.grid_sample(lesson.crops[chosen].float() / 255.0, grid, align_corners=False)
    # Rows go down and y goes up: what is looked up under a turned grid has turned by the same angle on the table.
    return crops, lesson.grain[chosen] + angle, lesson.agree[chosen]


def _turns(count: int, generator: torch.Generator, device: torch.device) -> Tensor:
    """Return where to look up the pixels of moved, turned, mirrored and scaled pictures."""

    def drawn(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator, device=device)

    low, high = (float(np.log(scale)) for scale in SCALES)
    scale = torch.exp(low + (high - low) * drawn(count)) * PART / SEEN * SIDE_M / VIEW_M
    angle = 2.0 * torch.pi * drawn(count)
    mirror = torch.where(drawn(count) < 0.5, -1.0, 1.0)
    matrix = torch.stack([mirror * angle.cos(), -angle.sin(), mirror * angle.sin(), angle.cos()], dim=1)
    middle = SHIFT_M / VIEW_M * 2.0 * (2.0 * drawn(count, 2, 1) - 1.0)
    theta = torch.cat([(scale[:, None] * matrix).view(-1, 2, 2), middle], dim=2)
    return functional.affine_grid(theta, [count, 3, PART, PART], align_corners=False)


def _outputs(network: nn.Module, pictures: Tensor) -> Tensor:
    """Return what a network makes of pictures; within it numbers are short, a third of the time on a processor."""
    with torch.autocast(pictures.device.type, dtype=torch.bfloat16):
        return network(pictures.contiguous(memory_format=torch.channels_last)).float()


def _trained(network: nn.Module, loss: Callable[[nn.Module], Tensor], steps: int, name: str) -> nn.Module:
    network = network.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.15)
    network.train()
    began = time.monotonic()
    for number in range(steps):
        optimiser.zero_grad(set_to_none=True)
        error = loss(network)
        error.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        if number % 100 == 0 or number == steps - 1:
            passed = time.monotonic() - began
            print(f"{name}: step {number} of {steps}, loss {error.item():.4f}, {passed:.0f} s", flush=True)
    return network


FITS: dict[str, Callable[[Lesson, Size, torch.Generator], nn.Module]] = {
    "seg": fit_seg,
    "seg-differs": lambda lesson, size, generator: fit_seg(lesson, size, generator, DIFFERS),
    "ori": fit_ori,
}
"""Networks by the names of their weights; the second one learns from the paper's labels, for comparison."""


def fit(packed_file: Path, out: Path, *, names: list[str], seeds: list[int], size: Size) -> None:
    """Train networks of some seeds, and write their weights as `out/NAME-SEED.npz`."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(1)
    lesson = Lesson.read(packed_file, device)
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        for seed in seeds:
            torch.manual_seed(seed)
            generator = torch.Generator(device).manual_seed(seed)
            save_weights(FITS[name](lesson, size, generator), out / f"{name}-{seed}.npz")
    (out / "torch.txt").write_text(f"{torch.__version__}\n", encoding="utf-8")


def main() -> None:
    """Train from a packed file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packed", type=Path, help="what pack wrote")
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", default=[*FITS], choices=[*FITS])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--small", action="store_true", help="for a processor, in some minutes")
    asked = parser.parse_args()
    fit(asked.packed, asked.out, names=asked.only, seeds=asked.seeds, size=SMALL if asked.small else FULL)


if __name__ == "__main__":
    main()
