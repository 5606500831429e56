"""Train the shipped model of interruptibility on simulated people: `python -m train.interruptibility`.

Writes `src/handup/people/data/interruptibility.npz` (the trees) and `.json` (all other numbers, where they come from,
and the scores on people that were not trained on), and prints those scores. The studies use other people.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from handup.lab.studies.interrupt.classification import STATISTICS, row_of
from handup.lab.studies.interrupt.level_models import BaseRate, DefaultModel, LevelClassifier, Stretches, stretches
from handup.lab.studies.interrupt.watched_person import SENSINGS, watch, world
from handup.people.interruptibility import KIND, FeatureSet, Forest
from handup.people.workload import SCHEMA

OUT = Path(__file__).parents[1] / "src" / "handup" / "people" / "data"
WORLD = Path(__file__).parents[1] / "src" / "handup" / "lab" / "studies" / "interrupt" / "world.yaml"
SENSING = "noisy"
"""Sensing that is trained on: a model that is used to errors is hurt less by sensing without them than the reverse."""
FIRST_SEED, RUNS = 5000, 24
FIRST_HELD_OUT = 6000


def main() -> None:
    """Train, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT, help="folder that the files are written to")
    folder = parser.parse_args().out
    record, forest = trained()
    arrays = {name.name: getattr(forest, name.name) for name in fields(Forest)}
    np.savez_compressed(folder / "interruptibility.npz", **arrays)
    (folder / "interruptibility.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(record["held_out"], indent=1))


def world_digest() -> str:
    """Return the digest of the simulation's numbers."""
    return hashlib.sha256(WORLD.read_bytes()).hexdigest()[:12]


def runs(first: int, count: int, sensing: str) -> list[Stretches]:
    """Return simulated runs with the features of the default."""
    seeds, segments = range(first, first + count), world()["run_segments"]
    people = (watch(seed, sensing, segments=segments) for seed in seeds)
    return [stretches(person, FeatureSet.STD, objects=True) for person in people]


def trained(count: int = RUNS) -> tuple[dict[str, Any], Forest]:
    """Return everything that is shipped but the trees, and these."""
    known, default, base = runs(FIRST_SEED, count, SENSING), DefaultModel(), BaseRate()
    default.fit(known)
    base.fit(known)
    model = default.model
    held_out = {sensing: runs(FIRST_HELD_OUT, count, sensing) for sensing in SENSINGS}
    provenance = {
        "script": "python -m train.interruptibility",
        "people": f"{count} simulated people of ten minutes each, seeds {FIRST_SEED} to {FIRST_SEED + count - 1}",
        "sensing": SENSING,
        "world": world_digest(),
    }
    record = {
        "schema": SCHEMA,
        "kind": KIND,
        "evidence": "simulated",
        "provenance": provenance,
        "kind_of_features": str(model.kind),
        "objects": model.objects,
        "prior": model.prior.round(6).tolist(),
        "rates": model.rates.tolist(),
        "segment_s": model.segment_s,
        "slope": round(model.slope, 6),
        "intercept": round(model.intercept, 6),
        "held_out": {
            sensing: {"default": scores(default, others), "base rate": scores(base, others)}
            for sensing, others in held_out.items()
        },
    }
    return record, model.forest


def scores(model: LevelClassifier, others: list[Stretches]) -> Mapping[str, float]:
    """Return the measures of the study on runs."""
    rows = [row_of(0, run, [model.probabilities(stretch.features) for stretch in run]) for run in others]
    sums = {name: np.sum([row[name] for row in rows], axis=0).reshape(1, -1).astype(np.float64) for name in rows[0]}
    return {name: round(float(of(sums)[0]), 4) for name, (_, of) in STATISTICS.items()}


if __name__ == "__main__":
    main()
