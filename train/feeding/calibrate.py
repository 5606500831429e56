"""Draws the calibration sets, fits the calibrators and writes them: `python -m train.feeding.calibrate`.

The sets are drawn from hard plates, where the networks err often enough that a few dozen rows tell what a score is
worth; all come from seeds that nothing else has seen. Rows beyond the paper's sizes, and rows from easy plates, are
for testing: they say how far the calibrators can be trusted.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from handup.confidence import Calibration, Sample, calibrate
from handup.confidence.bootstrap import estimates
from handup.confidence.sample import Kind
from handup.domains.feeding import World
from handup.domains.feeding.calibration import BEST, INTERVAL, SCALED, SCHEMA, SIZES, Rows
from handup.domains.feeding.modules import Modules
from train.feeding.splits import SPLITS, bites_before, plate_of

OUT = Path(__file__).parents[2] / "src" / "handup" / "domains" / "feeding" / "models"
FITTED, ALSO = "calibration hard", "calibration easy"
TESTED = 200
"""So many rows of each module are for testing, from hard plates and from easy ones."""


def drawn(modules: Modules, split: str, enough: dict[str, int], progress: Progress) -> Rows:
    """Rows from the plates of a split, until there are enough."""
    rows, task = Rows(), progress.add_task(split, total=max(enough.values()))
    for seed in range(SPLITS[split].first, SPLITS[split].first + SPLITS[split].plates):
        if rows.full(enough):
            break
        with World(plate_of(seed), seed=seed, looks=SPLITS[split].looks(seed), size=(320, 240)) as world:
            for _ in range(bites_before(seed)):
                items = world.truth()
                if items:
                    item = items[seed % len(items)]
                    world.execute(item.skill, item.best[item.skill])
                    world.clear_tool()
            rows.add(world, modules)
        progress.update(task, completed=min(len(rows.foods), len(rows.boxes), len(rows.skills), len(rows.aims)))
    return rows


def fitted(samples: dict[str, Sample]) -> dict[str, dict[str, Calibration]]:
    """For each kind the calibrators, with what is known about them. Variances have one method only."""
    best = {module: calibrate(sample) for module, sample in samples.items()}
    found = {BEST: best}
    for kind in (INTERVAL, SCALED):
        found[kind] = {
            module: best[module] if sample.kind is Kind.VARIANCE else calibrate(sample, kind)
            for module, sample in samples.items()
        }
    return found


def main() -> None:
    """Draw, fit, write, and print what the docs page has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--models", type=Path, default=None, help="networks; the shipped ones unless given")
    parser.add_argument("--rows", type=Path, default=None, help="also write the sets as CSV, for handup calibrate")
    parser.add_argument("--tested", type=int, default=TESTED)
    options = parser.parse_args()
    modules = Modules.load(options.models)
    tested = dict.fromkeys(SIZES, options.tested)
    with Progress() as progress:
        rows = drawn(modules, FITTED, {module: size + options.tested for module, size in SIZES.items()}, progress)
        easy = drawn(modules, ALSO, tested, progress)
    found = fitted(rows.samples())
    record: dict[str, Any] = {"schema": SCHEMA, "kind": "feeding-calibrators", "sizes": dict(SIZES)}
    record["calibrators"] = {
        kind: {module: each.calibrator.to_json() for module, each in of.items()} for kind, of in found.items()
    }
    (options.out / "calibrators.json").write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", "utf-8")
    if options.rows is not None:
        write_rows(options.rows, rows.samples())
    show_fit(found)
    new = {module: rows.samples(tested, SIZES[module])[module] for module in SIZES}
    show_new(found[BEST], {"hard": new, "easy": easy.samples(tested)})


def write_rows(folder: Path, samples: dict[str, Sample]) -> None:
    """One CSV per module, as `handup calibrate` reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, sample in samples.items():
        name = "variance" if sample.kind is Kind.VARIANCE else "score"
        with (folder / f"{module}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([name, "right"])
            writer.writerows(zip(sample.raw.tolist(), sample.right.astype(int).tolist(), strict=True))


def show_fit(found: dict[str, dict[str, Calibration]]) -> None:
    """The docs' first table: what `handup calibrate` says of the sets."""
    print("| module | rows | right | kind | method | Brier (cross-validated) | base rate | ECE | passes |")
    print("|---|---|---|---|---|---|---|---|---|")
    for module in SIZES:
        for kind, of in found.items():
            each = of[module]
            if kind != BEST and each is found[BEST][module]:
                continue
            brier, low, high = (each.metrics["brier"].value, *each.metrics["brier"].ci)
            print(
                f"| {module} | {len(each.right)} | {each.metrics['accuracy'].value:.2f} | {kind} | "
                f"{each.calibrator.name} | {brier:.3f} ({low:.3f}–{high:.3f}) | {each.base_rate_brier:.3f} | "
                f"{each.metrics['ece'].value:.3f} | {'no' if each.warnings else 'yes'} |"
            )


def show_new(best: dict[str, Calibration], new: dict[str, dict[str, Sample]]) -> None:
    """The docs' second table: rows that nothing was fitted on, beside saying the set's rate to each."""
    print("\n| module | looks | right | mean confidence | Brier | the set's rate | difference | ECE |")
    print("|---|---|---|---|---|---|---|---|")
    for module, each in best.items():
        rate = float(each.right.mean())
        for looks, samples in new.items():
            right = samples[module].right
            chances = each.calibrator.probabilities(samples[module].raw)
            less = (chances - right) ** 2 - (rate - right) ** 2
            draws = np.random.default_rng(0).integers(len(less), size=(4000, len(less)))
            low, high = np.quantile(less[draws].mean(axis=1), (0.025, 0.975))
            metrics = estimates(chances[None, :], right, seed=0)
            print(
                f"| {module} | {looks} | {right.mean():.2f} | {chances.mean():.2f} | {metrics['brier'].value:.3f} | "
                f"{((rate - right) ** 2).mean():.3f} | {less.mean():+.3f} ({low:+.3f} to {high:+.3f}) | "
                f"{metrics['ece'].value:.3f} |"
            )


if __name__ == "__main__":
    main()
