"""Writes `examples/scores/food.csv`: scores of a food detector that is too sure of itself. Synthetic.

Four labels per picture. The true chances are drawn at random; what the detector says is sharper than they are. Run it
with `python -m examples.food_scores`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

PLACE = Path(__file__).parent / "scores" / "food.csv"
ROWS, SEED, SHARPNESS = 100, 4, 2.5
LABELS = ("grape", "melon", "cheese", "tofu")


def table(rows: int = ROWS, seed: int = SEED) -> str:
    """The file's text."""
    generator = np.random.default_rng(seed)
    chances = generator.dirichlet([0.35] * len(LABELS), rows)
    target = [int(generator.choice(len(LABELS), p=row)) for row in chances]
    powered = np.maximum(chances, 1e-4) ** SHARPNESS
    scores = np.round(powered / powered.sum(axis=1, keepdims=True), 3)
    heading = ",".join([*(f"p_{label}" for label in LABELS), "target"])
    lines = [",".join(f"{each:.3f}" for each in row) + f",{place}" for row, place in zip(scores, target, strict=True)]
    return "\n".join([heading, *lines]) + "\n"


if __name__ == "__main__":
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(table(), encoding="utf-8")
    print(f"{ROWS} rows in {PLACE.name}")
