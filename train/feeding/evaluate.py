"""How good the networks are: `python -m train.feeding.evaluate build/feeding`. Needs onnxruntime, not torch.

Each module is given the truth about what comes before it. Rows are clustered by plate in every interval. The seed to be
shipped is chosen on the validation plates alone; the numbers go to `docs/feeding/models.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from handup.confidence.metrics import intervals, weighted_aurc, weighted_ece
from handup.core import Box
from handup.domains.feeding.crops import overlap
from handup.domains.feeding.foods import foods
from handup.domains.feeding.modules import NAMES, Modules
from handup.domains.feeding.skills import Skill
from handup.domains.feeding.truth import SAME_BOX, PoseError, off_by, tolerance
from train.feeding.packing import files_of

OUT = Path(__file__).parents[2] / "docs" / "feeding" / "models.json"
Floats = NDArray[np.float64]


@dataclass
class Rows:
    """What one module said on a split, row by row.

    Args:
        plate: Which plate; rows of one are no independent evidence.
        score: The raw score; for M4 the variance with its sign turned.
        right: Whether it was right.
        pair: Truth and answer, for tables of confusion.
        off: For M4, how far.
    """

    plate: list[int] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)
    pair: list[tuple[str, str]] = field(default_factory=list)
    off: list[PoseError] = field(default_factory=list)

    def add(self, plate: int, score: float, right: bool, pair: tuple[str, str]) -> None:
        """One more."""
        self.plate.append(plate)
        self.score.append(score)
        self.right.append(right)
        self.pair.append(pair)


def main() -> None:
    """Evaluate every seed in the folder and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where train.feeding.render and train.feeding.fit wrote")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--splits", nargs="+", default=["validation", "easy", "hard"])
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    found = evaluate(given.folder, given.seeds, given.splits)
    given.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for seed, splits in found["seeds"].items():
        for split, modules in splits.items():
            print(seed, split, {name: round(each["accuracy"]["value"], 3) for name, each in modules.items()})
    print("shipped:", found["shipped"])


def evaluate(folder: Path, seeds: list[int], splits: list[str]) -> dict[str, Any]:
    """Numbers for every seed and split, and which seed is best on validation."""
    found: dict[str, dict[str, Any]] = {}
    networks: dict[str, str] = {}
    for seed in seeds:
        modules = Modules.load(folder / f"seed-{seed}", threads=2)
        networks[str(seed)] = modules.networks
        found[str(seed)] = {
            split: {name: summary(name, each) for name, each in rows_of(modules, folder, split).items()}
            for split in splits
        }
    chosen = max(found, key=lambda seed: _mean_accuracy(found[seed]["validation"]))
    return {
        "schema": 2,
        "kind": "feeding-models",
        "evidence": "simulated",
        "shipped": int(chosen),
        "networks": networks,
        "seeds": found,
    }


def _mean_accuracy(modules: dict[str, Any]) -> float:
    return float(np.mean([each["accuracy"]["value"] for each in modules.values()]))


def rows_of(modules: Modules, folder: Path, split: str) -> dict[str, Rows]:
    """Run all modules over a split: M1 once a picture, M2 once for each food on it, M3 and M4 on one item of each."""
    found = {name: Rows() for name in NAMES}
    names = list(foods())
    for path in track(files_of(folder, split), split):
        with np.load(path) as file:
            part = dict(file)
        for number, rgb in enumerate(part["rgb"]):
            items = np.flatnonzero(part["of"] == number)
            present = sorted({names[each] for each in part["food"][items]})
            plate = int(part["seed"][number])
            said = modules.name(rgb)
            there = said.label if said.label in present else _mistaken(modules, rgb, said.label, part, items, names)
            found["name"].add(plate, said.score, said.label in present, (there, said.label))
            random = np.random.default_rng((plate, 13))
            for food in present:
                mine = items[part["food"][items] == names.index(food)]
                _find(found["find"], modules, rgb, food, part["box"][mine], plate)
                item = int(random.choice(mine))
                box = _box(part["box"][item])
                choice = modules.choose(rgb, food, box)
                fitting = foods()[food].skills
                found["choose"].add(plate, choice.score, choice.skill in fitting, (str(fitting[0]), str(choice.skill)))
                skill = fitting[0]
                aimed = modules.aim(rgb, box, skill, seed=plate)
                best = part["best"][item, list(Skill).index(skill)]
                said_mm, best_mm = (
                    np.array(each, np.float64).reshape(2, 2) * part["mm"][number]
                    for each in (aimed.params.numbers, best)
                )
                off = off_by(said_mm, best_mm)
                found["aim"].add(plate, -aimed.variance, tolerance(food, skill).bears(off), (food, "aimed"))
                found["aim"].off.append(off)
    return found


def _mistaken(
    modules: Modules,
    rgb: NDArray[np.uint8],
    label: str,
    part: dict[str, Any],
    items: NDArray[np.intp],
    names: list[str],
) -> str:
    """What lies where M2 sees the food that M1 named in error."""
    found = modules.find(rgb, label)
    if not found.boxes:
        return "nothing like it"
    shares = [overlap(found.boxes[0], _box(part["box"][item])) for item in items]
    return names[part["food"][items[int(np.argmax(shares))]]] if max(shares) > 0.1 else "no food"


def _box(corners: Floats) -> Box:
    left, top, right, bottom = (float(each) for each in corners)
    return Box(left=left, top=top, right=right, bottom=bottom)


def _find(rows: Rows, modules: Modules, rgb: NDArray[np.uint8], food: str, true: Floats, plate: int) -> None:
    found = modules.find(rgb, food)
    right = bool(found.boxes) and max(overlap(found.boxes[0], _box(each)) for each in true) >= SAME_BOX
    rows.add(plate, found.score, right, (food, "found" if right else "missed"))


def summary(name: str, rows: Rows) -> dict[str, Any]:
    """Accuracy, what the raw score is worth, and what is mistaken for what."""
    score, right = np.array(rows.score), np.array(rows.right)
    _, plate = np.unique(rows.plate, return_inverse=True)
    statistics: dict[str, Callable[[Floats], Floats]] = {
        "accuracy": lambda weights: np.asarray(weights @ right / weights.sum(axis=1)),
        "aurc": lambda weights: weighted_aurc(score, right, weights),
        "aurc_less_random": lambda weights: (
            weighted_aurc(score, right, weights) - weights @ ~right / weights.sum(axis=1)
        ),
    }
    if name == "aim":
        place, angle = np.array([(each.place_mm, each.angle_deg) for each in rows.off]).T
        statistics["rank_correlation"] = lambda weights: rank_correlations(-score, place, weights)
    else:
        statistics["ece"] = lambda weights: weighted_ece(score, right, weights)
    by_plate = {key: clustered(each, plate) for key, each in statistics.items()}
    found: dict[str, Any] = {
        key: each.to_json() for key, each in intervals(by_plate, int(plate.max()) + 1, reflected=("ece",)).items()
    }
    found |= {"rows": len(right), "plates": int(plate.max()) + 1}
    if name == "aim":
        found["place_mm"] = {"median": float(np.median(place)), "q90": float(np.quantile(place, 0.9))}
        found["angle_deg"] = {"median": float(np.median(angle)), "q90": float(np.quantile(angle, 0.9))}
    else:
        found["score_mean"] = float(score.mean())
    wrong: dict[str, int] = {}
    for (truth, said), good in zip(rows.pair, rows.right, strict=True):
        if not good:
            key = f"{said} for {truth}" if name in {"name", "choose"} else truth
            wrong[key] = wrong.get(key, 0) + 1
    found["wrong"] = dict(sorted(wrong.items(), key=lambda each: -each[1])[:12])
    return found


def clustered(statistic: Callable[[Floats], Floats], plate: NDArray[np.intp]) -> Callable[[Floats], Floats]:
    """A statistic of weighted rows as one of weighted plates.

    Args:
        statistic: Takes weights of rows, a line of them per resample.
        plate: The number of each row's plate.
    """
    return lambda weights: statistic(weights[:, plate])


def rank_correlations(one: Floats, other: Floats, weights: Floats) -> Floats:
    """Spearman's, of each resample: its own ranks, ties in the middle; 0 where one of the two never changes."""
    first, second = (_ranks(each, weights) for each in (one, other))
    total = weights.sum(axis=1, keepdims=True)
    a, b = (each - (weights * each).sum(axis=1, keepdims=True) / total for each in (first, second))
    below = np.sqrt((weights * a * a).sum(axis=1) * (weights * b * b).sum(axis=1))
    top = (weights * a * b).sum(axis=1)
    found: Floats = np.divide(top, below, out=np.zeros_like(top), where=below > 1e-9 * total[:, 0])
    return found


def _ranks(values: Floats, weights: Floats) -> Floats:
    """For each resample the rank of every row among the rows drawn: how many are lower, and half of those as high."""
    _, which = np.unique(values, return_inverse=True)
    order = np.argsort(which, kind="stable")
    starts = np.flatnonzero(np.diff(which[order], prepend=-1))
    drawn = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks: Floats = (np.cumsum(drawn, axis=1) - drawn / 2.0)[:, which]
    return ranks


if __name__ == "__main__":
    main()
