"""What the encoders recall, on kitchens they have not seen: `python -m train.feeding.recall build/feeding`.

One answer is remembered, about one plate of a kitchen's menu or one piece on it; then everything that comes later in
that kitchen is looked up. Writes docs/feeding/memory.json and the tables of docs/feeding/memory.md. The threshold was
chosen on the kitchens called `threshold`, which are in the file, too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup.domains.feeding import foods
from handup.domains.feeding.crops import boxes_at_peaks
from handup.domains.feeding.memory_modules import SETTINGS
from handup.domains.feeding.modules import CROPPED, PLATE, WRITTEN, folder_of
from handup.models.onnx import session_of
from train.feeding.kitchens import HOMES, parts_of
from train.feeding.packing import pictures_in

DOCS = Path(__file__).parents[2] / "docs" / "feeding"
BEGIN, END = "<!-- tables: written by train.feeding.recall -->", "<!-- end of tables -->"
THRESHOLDS = (0.8, 0.85, 0.9, 0.93, 0.95)
DRAWS, LEVEL = 1_000, 0.95
FEWEST_PIXELS = 30
"""As in `train.feeding.encode`."""
SAME_MEAL, SAME_MENU, LESS, OTHER = (
    "later in the same meal",
    "another meal of the menu",
    "one food less",
    "another menu",
)
PIECE, MISTAKEN = "a piece of the same food", "another food, called so"
Floats = NDArray[np.float64]


@dataclass
class LookUps:
    """Look-ups of one situation: where each was, how similar it was, and how likely the label is right then."""

    kitchen: list[int] = field(default_factory=list)
    similarity: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    """The share of the labels for which M2 finds a box; of squares always 1."""
    both: list[float] = field(default_factory=list)
    """The share of the labels that are right and found."""

    def add(self, kitchen: int, similarity: float, right: float, found: float = 1.0, both: float | None = None) -> None:
        """One more."""
        self.kitchen.append(kitchen)
        self.similarity.append(similarity)
        self.right.append(right)
        self.found.append(found)
        self.both.append(right if both is None else both)


def main() -> None:
    """Look up, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where train.feeding.kitchens wrote")
    parser.add_argument(
        "--models", type=Path, default=None, help="where the encoders lie; the shipped ones, if not given"
    )
    parser.add_argument("--print", action="store_true", dest="shown", help="only print the tables")
    given = parser.parse_args()
    found = evaluate(given.folder, given.models)
    if given.shown:
        print("\n".join(lines(found)))
    else:
        publish(found)


def evaluate(folder: Path, models: Path | None = None) -> dict[str, Any]:
    """Numbers for each situation and threshold, on the kitchens for the threshold and on those for the test."""
    with folder_of(models) as place:
        card = json.loads((place / "encode.json").read_text(encoding="utf-8"))
        runs = {
            name: session_of((place / f"{name}.onnx").read_bytes(), name, hint=WRITTEN)
            for name in ("encode_plate", "encode_crop")
        }
    with folder_of() as place:
        runs["find"] = session_of((place / "find.onnx").read_bytes(), "find", hint=WRITTEN)
    made: dict[str, Any] = {}
    for homes in ("threshold", "evaluation"):
        parts = parts_of(folder, homes)
        if not parts:
            raise SystemExit(f"no kitchens for '{homes}' in {folder}; run: python -m train.feeding.kitchens {folder}")
        ups: dict[str, dict[str, LookUps]] = {PLATE: {}, CROPPED: {}}
        for path in parts:
            with np.load(path) as file:
                part = dict(file)
            _plates(part, runs, ups[PLATE], HOMES[homes].meals)
            _crops(part, runs, ups[CROPPED])
        made[homes] = {
            kind: {name: _summary(each) for name, each in situations.items()} for kind, situations in ups.items()
        }
    return {
        "schema": 1, "kind": "feeding-recall", "evidence": "simulated", "digest": card["digest"],
        "threshold": SETTINGS.threshold, "homes": made,
    }  # fmt: skip


def _vectors(run: Any, pictures: NDArray[np.uint8]) -> Floats:
    given = (np.float32(each[None]) / np.float32(255.0) for each in pictures)
    return np.concatenate([run.run(None, {"picture": each})[0] for each in given]).astype(np.float64)


def _plates(part: dict[str, Any], runs: dict[str, Any], ups: dict[str, LookUps], meals: int) -> None:
    """What is said of one plate of the menu, looked up on all that come later."""
    pictures = pictures_in(part, "whole")
    vectors, has = _vectors(runs["encode_plate"], pictures), part["pixels"] >= FEWEST_PIXELS
    boxes = np.stack([_boxes(runs["find"], each) for each in pictures])
    for stored in np.flatnonzero(part["meal"] < meals):
        later = (part["kitchen"] == part["kitchen"][stored]) & (np.arange(len(has)) > stored)
        for seen in np.flatnonzero(later):
            meal, labels = int(part["meal"][seen]), has[stored]
            situation = SAME_MEAL if meal == part["meal"][stored] else SAME_MENU
            situation = {meals: LESS, meals + 1: OTHER}.get(meal, situation)
            cosine = float(vectors[stored] @ vectors[seen])
            right, found = has[seen][labels].mean(), boxes[seen][labels].mean()
            both = (has[seen] & boxes[seen])[labels].mean()
            ups.setdefault(situation, LookUps()).add(int(part["kitchen"][seen]), cosine, right, found, both)


def _boxes(run: Any, picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """For each food whether M2 finds a box."""
    heat, sides = run.run(None, {"picture": np.float32(picture[None]) / np.float32(255.0)})
    return np.array([bool(boxes_at_peaks(heat[0, number], sides[0]).boxes) for number in range(len(foods()))])


def _crops(part: dict[str, Any], runs: dict[str, Any], ups: dict[str, LookUps]) -> None:
    """A skill that was said of one piece, looked up for later ones of the same name, which may be another food."""
    vectors = _vectors(runs["encode_crop"], pictures_in(part, "crop"))
    kitchen, meal = part["kitchen"][part["of"]], part["meal"][part["of"]]
    first = meal == 0
    for number in np.unique(kitchen):
        stored, seen = np.flatnonzero((kitchen == number) & first), np.flatnonzero((kitchen == number) & ~first)
        cosine = vectors[stored] @ vectors[seen].T
        for row, one in enumerate(stored):
            for column, other in enumerate(seen):
                same = part["food"][one] == part["food"][other]
                fits = part["fits"][other][part["fits"][one]].mean()
                ups.setdefault(PIECE if same else MISTAKEN, LookUps()).add(
                    int(number), float(cosine[row, column]), fits
                )


def _summary(ups: LookUps) -> dict[str, Any]:
    kitchen, similarity, right, found, both = (
        np.array(each, np.float64) for each in (ups.kitchen, ups.similarity, ups.right, ups.found, ups.both)
    )
    names, which = np.unique(kitchen, return_inverse=True)
    random = np.random.default_rng(0)
    draws = random.multinomial(len(names), np.full(len(names), 1.0 / len(names)), size=DRAWS)
    rows = {}
    for threshold in THRESHOLDS:
        hit = (similarity >= threshold).astype(np.float64)
        rows[f"{threshold:g}"] = {
            "recalled": _ratio(hit, np.ones(len(hit)), which, draws),
            "right": _ratio(hit * right, hit, which, draws),
            "used": _ratio(hit * found, np.ones(len(hit)), which, draws),
            "used_right": _ratio(hit * both, hit * found, which, draws),
            "similarity": float((hit @ similarity) / hit.sum()) if hit.any() else None,
        }
    return {"look_ups": len(kitchen), "kitchens": len(names), "thresholds": rows}


def _ratio(above: Floats, below: Floats, which: NDArray[np.intp], draws: NDArray[np.int64]) -> dict[str, Any] | None:
    """A share with its interval over kitchens; None where there is nothing to share."""
    if not below.sum():
        return None
    tops, bottoms = (draws @ np.bincount(which, weights=each, minlength=draws.shape[1]) for each in (above, below))
    shares = tops[bottoms > 0] / bottoms[bottoms > 0]
    low, high = np.quantile(shares, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {"value": float(above.sum() / below.sum()), "low": float(low), "high": float(high)}


def publish(found: dict[str, Any]) -> None:
    """Write the numbers, and put the tables between the marks in `memory.md`."""
    (DOCS / "memory.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    page = DOCS / "memory.md"
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(lines(found)) + "\n\n" + END + after, encoding="utf-8")


def lines(found: dict[str, Any]) -> Iterator[str]:
    """All tables, line by line."""
    yield "| said of a plate, looked up | threshold | recalled | on the plate | … and found by M2 | on the plate |"
    yield "|---|---|---|---|---|---|"
    for situation in (SAME_MEAL, SAME_MENU, LESS, OTHER):
        for threshold, row in found["homes"]["evaluation"][PLATE][situation]["thresholds"].items():
            cells = " | ".join(_cell(row[name]) for name in ("recalled", "right", "used", "used_right"))
            yield f"| {situation} | {threshold} | {cells} |"
    yield ""
    yield "| said of a piece, looked up for | threshold | recalled | the skill fits |"
    yield "|---|---|---|---|"
    for situation in (PIECE, MISTAKEN):
        for threshold, row in found["homes"]["evaluation"][CROPPED][situation]["thresholds"].items():
            yield f"| {situation} | {threshold} | {_cell(row['recalled'])} | {_cell(row['right'])} |"


def _cell(estimate: dict[str, float] | None) -> str:
    if estimate is None:
        return "–"
    return f"{estimate['value']:.2f} ({estimate['low']:.2f}–{estimate['high']:.2f})"


if __name__ == "__main__":
    main()
