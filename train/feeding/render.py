"""Draw labelled plates: `python -m train.feeding.render build/feeding`. Needs MuJoCo; goes on where it stopped.

Writes one compressed file for every fifty plates: pictures of 320 × 240 px and, for every item on them, its food, box,
and best parameters for each skill that fits. `known.json` says by a hash what drew them; a folder of plates that were
drawn by something else is refused.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from handup.domains.feeding import Params, PlateWorld, Skill, foods
from train.feeding.packing import UNFINISHED
from train.feeding.splits import PER_PART, RENDERED, SPLITS, Split, bites_before, plate_of

SIZE = (320, 240)
DRAWING = (
    *("data/foods.yaml", "data/looks.yaml", "data/plates.yaml", "foods.py", "looks.py", "scene.py", "shapes.py"),
    *("capture.py", "camera.py"),
)
"""Files of the package that decide how a plate looks."""


def main() -> None:
    """Draw what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--share", type=float, default=1.0, help="draw only this share of the training plates")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    render(given.folder, share=given.share, processes=given.processes)


def render(folder: Path, *, share: float = 1.0, processes: int = 2) -> None:
    """Draw the plates of all splits into a folder, a like share of each at any time."""
    folder.mkdir(parents=True, exist_ok=True)
    refuse_mixing(folder)
    known = {"foods": list(foods()), "skills": [str(each) for each in Skill], "drawn": drawn_by()}
    (folder / "known.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    ordered = []
    for name in RENDERED:
        parts = _parts(folder, name, share if name == "train" else 1.0)
        ordered += [(number / len(parts), part) for number, part in enumerate(parts)]
    missing = [part for _, part in sorted(ordered) if not part[0].exists()]
    with get_context("spawn").Pool(processes) as pool:
        for _ in track(pool.imap_unordered(_draw_part, missing), "plates", total=len(missing)):
            pass


def drawn_by() -> str:
    """A hash of what draws plates: the food table, the looks, and the code that puts and shows things."""
    package, own = files("handup.domains.feeding"), Path(__file__).parent
    parts = [package.joinpath(name).read_bytes() for name in DRAWING]
    parts += [(own / name).read_bytes() for name in ("render.py", "splits.py")]
    return hashlib.sha256(b"".join(hashlib.sha256(each).digest() for each in parts)).hexdigest()[:16]


def refuse_mixing(folder: Path) -> None:
    """Make sure that the plates in a folder, if there are any, were drawn by what draws now.

    Raises:
        SystemExit: They were not, or nobody knows.
    """
    if not any(folder.glob("*.npz")):
        return
    known = folder / "known.json"
    before = json.loads(known.read_text(encoding="utf-8")).get("drawn") if known.exists() else None
    if before != drawn_by():
        raise SystemExit(
            f"the plates in {folder} were drawn by {before or 'nobody knows what'}, not by {drawn_by()}; "
            "give another folder, or delete them"
        )


def _parts(folder: Path, name: str, share: float) -> list[tuple[Path, str, int]]:
    split = SPLITS[name]
    firsts = range(split.first, split.first + round(split.plates * share), PER_PART)
    return [(folder / f"{name}-{first}.npz", name, first) for first in firsts]


def _draw_part(part: tuple[Path, str, int]) -> None:
    path, name, first = part
    split = SPLITS[name]
    seeds = range(first, min(first + PER_PART, split.first + split.plates))
    taken = [picture for seed in seeds for picture in _pictures(seed, split)]
    items = [(number, item) for number, picture in enumerate(taken) for item in picture["items"]]
    names = list(foods())
    best = np.full((len(items), len(Skill), 4), np.nan, np.float32)
    for row, (_, item) in enumerate(items):
        for column, skill in enumerate(Skill):
            if skill in item.best:
                best[row, column] = item.best[skill].numbers
    unfinished = path.with_suffix(UNFINISHED)
    np.savez_compressed(
        unfinished,
        rgb=np.stack([picture["rgb"] for picture in taken]),
        seed=np.array([picture["seed"] for picture in taken]),
        bites=np.array([picture["bites"] for picture in taken]),
        mm=np.array([picture["mm"] for picture in taken], np.float32),
        of=np.array([number for number, _ in items]),
        food=np.array([names.index(item.food) for _, item in items]),
        skill=np.array([list(Skill).index(item.skill) for _, item in items]),
        box=np.array([item.box for _, item in items], np.float32),
        best=best,
    )
    unfinished.rename(path)


def _pictures(seed: int, split: Split) -> list[dict[str, Any]]:
    """One picture of a plate, or one from before some bites and one from after them."""
    bites = bites_before(seed)
    taken = []
    with PlateWorld(plate_of(seed), seed=seed, looks=split.looks(seed), size=SIZE) as world:
        if split.both or not bites:
            taken.append(_picture(world, seed))
        items = taken[0]["items"] if taken else world.truth()
        order = np.random.default_rng((seed, 77)).permutation(len(items))[: min(bites, len(items) - 1)]
        for item in [items[number] for number in order]:
            world.execute(item.skill, item.best[item.skill])
            world.clear_tool()
        if bites:
            taken.append(_picture(world, seed))
    return [picture for picture in taken if picture["items"]]


def _picture(world: PlateWorld, seed: int) -> dict[str, Any]:
    first, second = world.on_plate(Skill.SCOOP, Params(0.25, 0.5, 0.75, 0.5))
    third, fourth = world.on_plate(Skill.SCOOP, Params(0.5, 0.25, 0.5, 0.75))
    mm = (2e3 * float(np.hypot(*(second - first))), 2e3 * float(np.hypot(*(fourth - third))))
    return {"rgb": world.view().rgb, "items": world.truth(), "seed": seed, "bites": world.executions, "mm": mm}


if __name__ == "__main__":
    main()
