"""Streams of scores made by chance, where a test needs some that nobody measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from handup.lab.chains import Stream, read_streams


def write_streams(folder: Path, count: int = 5, rows: int = 90, *, seed: int = 0) -> Path:
    """A folder of streams: four options each, the first of them right more often where its score is high."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    for number in range(count):
        scores = random.dirichlet(np.full(4, 0.8 + 0.2 * number), size=rows + 40 * number).round(6)
        scores /= scores.sum(axis=1, keepdims=True)
        target = [random.choice(4, p=each) for each in scores]
        lines = [
            ",".join(f"{each:.6f}" for each in row) + f",{right}" for row, right in zip(scores, target, strict=True)
        ]
        text = "\n".join(["p_a,p_b,p_c,p_d,target", *lines]) + "\n"
        (folder / f"stream_{number}.csv").write_text(text, encoding="utf-8")
    return folder


def made_streams(folder: Path) -> tuple[Stream, ...]:
    """Such streams, read."""
    return read_streams(write_streams(folder))
