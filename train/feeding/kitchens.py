"""Draw meals in homes, for the encoder: `python -m train.feeding.kitchens build/feeding`. Needs MuJoCo; goes on.

In each kitchen the same menu is served several times, then without one of its foods, then another menu; each plate is
seen as it is served, and after some bites, of which half come from one food, until that is gone. Kept are the whole
plate as networks see it, squares around some of its items, and what is on it. Seeds were fixed on 2026-11-16 before
anything was trained: a kitchen has twenty, its own number and those of its meals. Nothing else uses them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from handup.core import Box
from handup.domains.feeding import EASY, HARD, Item, Looks, Plate, PlateWorld, Skill, foods
from handup.domains.feeding.crops import Square, cut, standard, whole
from train.feeding.packing import UNFINISHED
from train.feeding.render import SIZE, drawn_by
from train.feeding.splits import plate_of

SEEDS_EACH, PER_PART = 20, 10
"""Seeds of one kitchen; kitchens in one file."""
CROPS = 5
"""So many items of a picture are cut out, at most."""
SHAKEN = 0.08
"""By so much of its size the box around such an item is off, as those of M2 are."""


@dataclass(frozen=True, kw_only=True)
class Homes:
    """A range of kitchens.

    Args:
        first: The number of the first; the next is twenty further.
        kitchens: How many.
        meals: How often each serves its menu; then once without one of its foods, and once another menu.
        looks_at: After how many bites each plate is looked at.
    """

    first: int
    kitchens: int
    meals: int = 2
    looks_at: tuple[int, ...] = (0, 4)

    @property
    def numbers(self) -> range:
        """The kitchens."""
        return range(self.first, self.first + SEEDS_EACH * self.kitchens, SEEDS_EACH)


HOMES: Mapping[str, Homes] = MappingProxyType(
    {
        "train": Homes(first=240_000, kitchens=400),
        "evaluation": Homes(first=260_000, kitchens=40, meals=4, looks_at=(0, 2, 4, 7)),
        "threshold": Homes(first=265_000, kitchens=40, meals=4, looks_at=(0, 2, 4, 7)),
    }
)


def main() -> None:
    """Draw what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--share", type=float, default=1.0, help="draw only this share of the kitchens")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[*HOMES], choices=[*HOMES])
    given = parser.parse_args()
    draw(given.folder, share=given.share, processes=given.processes, only=given.only)


def draw(folder: Path, *, share: float = 1.0, processes: int = 2, only: list[str] | None = None) -> None:
    """Draw the kitchens of all ranges, or of some, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [part for name in only or HOMES for part in _parts(folder, name, share) if not part[0].exists()]
    with get_context("spawn").Pool(processes) as pool:
        for _ in track(pool.imap_unordered(_draw_part, missing), "kitchens", total=len(missing)):
            pass


def parts_of(folder: Path, name: str) -> list[Path]:
    """The files of a range that are there, drawn by what draws now."""
    return [path for path, _, _ in _parts(folder, name, 1.0) if path.exists()]


def looks_of(kitchen: int) -> Looks:
    """Two in three kitchens look hard; of the others' plates some are eaten from already, too."""
    return HARD if kitchen // SEEDS_EACH % 3 else replace(EASY, eaten=(0.0, 0.4))


def menus_of(kitchen: int, meals: int) -> list[Plate]:
    """What is served there, meal by meal."""
    random = np.random.default_rng((kitchen, 78))
    index = kitchen // SEEDS_EACH
    menu, other = plate_of(kitchen + index % 10), plate_of(kitchen + 10 + (index + 3) % 10)
    gone = list(menu.pieces)[int(random.integers(len(menu.pieces)))]
    less = Plate("less", {name: count for name, count in menu.pieces.items() if name != gone})
    return [*[menu] * meals, less, other]


def _parts(folder: Path, name: str, share: float) -> list[tuple[Path, str, int]]:
    homes = HOMES[name]
    firsts = range(homes.first, homes.first + round(SEEDS_EACH * homes.kitchens * share), SEEDS_EACH * PER_PART)
    return [(folder / f"kitchens-{name}-{first}-{drawn_by()[:8]}.npz", name, first) for first in firsts]


def _draw_part(part: tuple[Path, str, int]) -> None:
    path, name, first = part
    homes = HOMES[name]
    numbers = [each for each in homes.numbers if first <= each < first + SEEDS_EACH * PER_PART]
    taken = [
        picture
        for kitchen in numbers
        for meal, menu in enumerate(menus_of(kitchen, homes.meals))
        for picture in _pictures(kitchen, meal, menu, homes.looks_at)
    ]
    crops = [(number, each) for number, picture in enumerate(taken) for each in picture["crops"]]
    unfinished = path.with_suffix(UNFINISHED)
    np.savez_compressed(
        unfinished,
        whole=np.stack([each["whole"] for each in taken]),
        kitchen=np.array([each["kitchen"] for each in taken]),
        meal=np.array([each["meal"] for each in taken]),
        bites=np.array([each["bites"] for each in taken]),
        pixels=np.stack([each["pixels"] for each in taken]),
        crop=np.stack([each["crop"] for _, each in crops]),
        of=np.array([number for number, _ in crops]),
        food=np.array([each["food"] for _, each in crops]),
        fits=np.stack([each["fits"] for _, each in crops]),
    )
    unfinished.rename(path)


def _pictures(kitchen: int, meal: int, menu: Plate, looks_at: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """One plate, before and after some bites."""
    seed, names = kitchen + meal, list(foods())
    random = np.random.default_rng((seed, 79))
    with PlateWorld(menu, seed=seed, looks=looks_of(kitchen), size=SIZE, kitchen=kitchen) as world:
        favourite = list(menu.pieces)[int(random.integers(len(menu.pieces)))] if random.random() < 0.5 else None
        for bites in looks_at:
            while world.executions < bites and (items := world.truth()):
                _take(world, items, favourite, random)
            items = world.truth()
            if not items:
                break
            pixels = np.zeros(len(names), np.int32)
            for item in items:
                pixels[names.index(item.food)] += item.pixels
            rgb = world.view().rgb
            yield {
                "whole": _bytes(whole(standard(rgb))[0]), "kitchen": kitchen, "meal": meal, "bites": bites,
                "pixels": pixels, "crops": [_crop(rgb, each, random) for each in _some(items, random)],
            }  # fmt: skip


def _take(world: PlateWorld, items: tuple[Item, ...], favourite: str | None, random: np.random.Generator) -> None:
    """One bite, of the favourite while there is any."""
    wanted = [each for each in items if each.food == favourite] or list(items)
    item = wanted[int(random.integers(len(wanted)))]
    world.execute(item.skill, item.best[item.skill])
    world.clear_tool()


def _some(items: tuple[Item, ...], random: np.random.Generator) -> list[Item]:
    """Some items, one of each food first."""
    mixed = [items[index] for index in random.permutation(len(items))]
    firsts = list({each.food: each for each in reversed(mixed)}.values())
    return [*firsts, *(each for each in mixed if each not in firsts)][:CROPS]


def _crop(rgb: NDArray[np.uint8], item: Item, random: np.random.Generator) -> dict[str, Any]:
    left, top, right, bottom = item.box
    wide, high = right - left, bottom - top
    off = SHAKEN * random.standard_normal(4) * np.array([wide, high, wide, high])
    left, top, right, bottom = np.clip(np.array(item.box) + off, 0.0, 1.0).tolist()
    box = Box(left=min(left, right - 0.01), top=min(top, bottom - 0.01), right=right, bottom=bottom)
    return {
        "crop": _bytes(cut(standard(rgb), Square.around(box))[0]),
        "food": list(foods()).index(item.food),
        "fits": np.array([each in item.best for each in Skill]),
    }


def _bytes(picture: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A picture as a network takes it, of whole numbers."""
    made: NDArray[np.uint8] = np.rint(255.0 * picture).astype(np.uint8)
    return made


if __name__ == "__main__":
    main()
