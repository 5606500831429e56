"""Training plates made small, for a machine to which little can be sent: `python -m train.feeding.packing FROM TO`.

A fifth of the size, with loss: brightness in steps of 6 of 255, colour in steps of 8 at half the resolution. That is
about the noise of the camera. `train.feeding.fit` and `train.feeding.encode` read a folder of these as they read the
pictures themselves.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

BRIGHT, COLOUR = 6, 8
"""Steps of brightness and of colour, of 255."""
WEIGHTS = np.array([0.299, 0.587, 0.114], np.float32)
UNFINISHED = ".part.npz"
"""How the name of a file ends that is being written."""
PICTURES = ("whole", "crop")
"""What of a file of kitchens is pictures, with their colours first."""
Bytes = NDArray[np.int8]


def main() -> None:
    """Pack the training plates of a folder, and its kitchens."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where train.feeding.render wrote")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if (given.folder / "known.json").exists():
        shutil.copy(given.folder / "known.json", given.out)
    for path in files_of(given.folder, "kitchens-train"):
        with np.load(path) as file:
            kept = {name: file[name] for name in file.files if name not in PICTURES}
            small = {f"{name} {part}": each for name in PICTURES for part, each in packed(_last(file[name])).items()}
            np.savez_compressed(given.out / path.name, **kept, **small)
    for path in files_of(given.folder, "train"):
        with np.load(path) as file:
            kept = {name: file[name] for name in file.files if name != "rgb"}
            np.savez_compressed(given.out / path.name, **kept, **packed(file["rgb"]))


def files_of(folder: Path, split: str) -> list[Path]:
    """The finished files of a split, in order."""
    return sorted(path for path in folder.glob(f"{split}-*.npz") if not path.name.endswith(UNFINISHED))


def packed(rgb: NDArray[np.uint8]) -> dict[str, Any]:
    """Pictures of even width and height, as differences from one pixel to the next, which compress well."""
    colours = rgb.astype(np.float32)
    bright = colours @ WEIGHTS
    coarse = [_halved(colours[..., channel] - bright) for channel in (0, 2)]
    found = {"bright": np.rint(bright / BRIGHT)}
    found |= {name: np.rint(each / COLOUR) for name, each in zip(("red", "blue"), coarse, strict=True)}
    return {name: np.diff(each, axis=2, prepend=0).astype(np.int8) for name, each in found.items()}


def unpacked(file: Mapping[str, Bytes]) -> NDArray[np.uint8]:
    """The pictures, nearly."""
    bright, red, blue = (np.cumsum(file[name], axis=2, dtype=np.int16) for name in ("bright", "red", "blue"))
    light = BRIGHT * bright.astype(np.float32)
    first, third = (light + COLOUR * each.repeat(2, axis=1).repeat(2, axis=2) for each in (red, blue))
    second = (light - WEIGHTS[0] * first - WEIGHTS[2] * third) / WEIGHTS[1]
    colours: NDArray[np.uint8] = np.clip(np.rint(np.stack([first, second, third], axis=-1)), 0, 255).astype(np.uint8)
    return colours


def pictures_in(file: Mapping[str, Any], name: str) -> NDArray[np.uint8]:
    """The pictures of this name in a file of kitchens, packed or not, with their colours first."""
    if name in file:
        whole: NDArray[np.uint8] = file[name]
        return whole
    parts = {part: file[f"{name} {part}"] for part in ("bright", "red", "blue")}
    return np.ascontiguousarray(unpacked(parts).transpose(0, 3, 1, 2))


def _last(pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """With colours last."""
    return pictures.transpose(0, 2, 3, 1)


def _halved(channel: NDArray[np.float32]) -> NDArray[np.float32]:
    count, rows, columns = channel.shape
    halves: NDArray[np.float32] = channel.reshape(count, rows // 2, 2, columns // 2, 2).mean(axis=(2, 4))
    return halves


if __name__ == "__main__":
    main()
