"""Score streams to test on: synthetic ones always, the shared real ones where they are.

Where the real ones are looked for: `tests/data.py`.
"""

from __future__ import annotations

import numpy as np

from benchmarks.calibration import load_streams
from handup.confidence import Sample
from tests.data import data_folder


def real_streams() -> dict[str, Sample]:
    """The ten shared streams; skips the test where they are not at hand."""
    return load_streams(data_folder("module-scores"))


def synthetic_stream(rows: int, seed: int, *, sharpness: float = 1.0, signal: float = 1.0) -> Sample:
    """Four options whose true chances are known; the scores are those chances, made sharper or flatter."""
    generator = np.random.default_rng(seed)
    chances = generator.dirichlet([signal] * 4, rows)
    target = np.array([generator.choice(4, p=row) for row in chances])
    powered = np.maximum(chances, 1e-9) ** sharpness
    return Sample.of_options(powered / powered.sum(axis=1, keepdims=True), target)


def synthetic_streams(rows: int = 130) -> dict[str, Sample]:
    """Ten of them: calibrated, too sure, not sure enough, and of little signal."""
    shapes = [(1.0, 1.0), (2.0, 1.0), (0.5, 1.0), (1.0, 5.0), (1.5, 2.0)] * 2
    return {
        f"synthetic {number}": synthetic_stream(rows, number, sharpness=sharpness, signal=signal)
        for number, (sharpness, signal) in enumerate(shapes)
    }


def overconfident(rows: int, seed: int) -> Sample:
    """Single scores that are too sure: what is said at 0.9 is right at about 0.7."""
    generator = np.random.default_rng(seed)
    score = generator.beta(4.0, 1.5, rows)
    chance = 1.0 / (1.0 + np.exp(-(0.6 * np.log(score / (1.0 - score)) - 0.5)))
    return Sample.of_scores(score, generator.random(rows) < chance)
