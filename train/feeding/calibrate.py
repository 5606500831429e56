"""Draws the calibration sets, fits the calibrators and writes them: `python -m train.feeding.calibrate`.

The sets are drawn from easy and hard plates in turn; all come from seeds that nothing else has seen. They have the
paper's sizes, but for M4's, which is so seldom wrong that it needs more rows. Rows from further plates are for testing:
they say how far the calibrators can be trusted, on each sort. No plate is in a set and in a test.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from handup.confidence import Calibration, Sample, calibrate
from handup.confidence.calibrate import LEAST_PER_CLASS
from handup.confidence.metrics import Estimate, intervals, weighted_ece
from handup.confidence.sample import ScoreKind
from handup.domains.feeding import PlateWorld
from handup.domains.feeding.calibration import BEST, FILE, INTERVAL, PAPER, SCALED, SCHEMA, SIZES, Rows
from handup.domains.feeding.modules import Modules
from train.feeding.evaluate import clustered
from train.feeding.splits import SPLITS, bites_before, plate_of

OUT = Path(__file__).parents[2] / "src" / "handup" / "domains" / "feeding" / "models"
SORTS = ("easy", "hard")
TESTED = 200
"""At least so many rows of each module are for testing, from hard plates and from easy ones."""
Floats = NDArray[np.float64]


def drawn(
    modules: Modules,
    sorts: Sequence[str],
    enough: Mapping[str, int],
    progress: Progress,
    *,
    after: int = 0,
    least: int = 0,
) -> Rows:
    """Rows from whole plates, of each sort in turn, until there are enough.

    Args:
        modules: Whose.
        sorts: Of `easy` and `hard` plates, or of one of them.
        enough: So many of each module.
        progress: Shows how far it is.
        after: Leave out so many plates of each sort.
        least: Go on until every set of this size has so many right and wrong rows, without which nothing can be fitted.
    """
    rows, task = Rows(), progress.add_task(" and ".join(sorts), total=max(enough.values()))
    for number, sort in product(range(after, SPLITS["calibration hard"].plates), sorts):
        if rows.full(enough, least):
            break
        split = SPLITS[f"calibration {sort}"]
        seed = split.first + number
        with PlateWorld(plate_of(seed), seed=seed, looks=split.looks(seed), size=(320, 240)) as world:
            for _ in range(bites_before(seed)):
                items = world.truth()
                if items:
                    item = items[seed % len(items)]
                    world.execute(item.skill, item.best[item.skill])
                    world.clear_tool()
            rows.add(world, modules)
        progress.update(task, completed=min(len(rows.foods), len(rows.boxes), len(rows.skills), len(rows.aims)))
    return rows


def plates_in(rows: Rows) -> int:
    """How many plates of each sort the rows are from, at most."""
    firsts = [SPLITS[f"calibration {sort}"].first for sort in SORTS]
    seeds = {seed for plates in rows.plates.values() for seed in plates}
    return 1 + max(seed - max(first for first in firsts if first <= seed) for seed in seeds)


def fitted(samples: dict[str, Sample]) -> dict[str, dict[str, Calibration]]:
    """For each kind the calibrators, with what is known about them. Variances have one method only."""
    best = {module: calibrate(sample) for module, sample in samples.items()}
    found = {BEST: best}
    for kind in (INTERVAL, SCALED):
        found[kind] = {
            module: best[module] if sample.kind is ScoreKind.VARIANCE else calibrate(sample, kind)
            for module, sample in samples.items()
        }
    return found


def main() -> None:
    """Draw, fit, write, and print what the docs page has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=OUT, help="networks; the shipped ones unless given")
    parser.add_argument("--out", type=Path, default=None, help="where calibrators go: beside the networks unless given")
    parser.add_argument("--rows", type=Path, default=None, help="also write the sets as CSV, for handup calibrate")
    parser.add_argument("--tested", type=int, default=TESTED)
    options = parser.parse_args()
    write(options.models, options.out, rows=options.rows, tested=options.tested)


def write(models: Path = OUT, out: Path | None = None, *, rows: Path | None = None, tested: int = TESTED) -> None:
    """Draw, fit, write, and print what the docs page has.

    Args:
        models: The folder of the networks.
        out: Where the calibrators go; beside the networks unless given.
        rows: The sets go here as CSV.
        tested: At least so many rows are for testing.
    """
    modules = Modules.load(models)
    with Progress() as progress:
        few, many = (drawn(modules, SORTS, size, progress, least=LEAST_PER_CLASS) for size in (PAPER, SIZES))
        enough, seen = dict.fromkeys(SIZES, tested), plates_in(many)
        new = {sort: drawn(modules, (sort,), enough, progress, after=seen) for sort in SORTS}
    papers = few.samples(PAPER)
    samples = {
        module: papers[module] if size == PAPER[module] else many.samples(SIZES)[module]
        for module, size in SIZES.items()
    }
    found = fitted(samples)
    path = (out or models) / FILE
    path.write_text(json.dumps(record_of(found, modules.networks), indent=1, allow_nan=False) + "\n", "utf-8")
    if rows is not None:
        write_rows(rows, samples)
    small = {module: calibrate(papers[module]) for module in SIZES if samples[module] is not papers[module]}
    show_fit({**found, "paper's size": {**found[BEST], **small}})
    show_new(found[BEST], new)


def record_of(found: dict[str, dict[str, Calibration]], networks: str) -> dict[str, Any]:
    """What is shipped: the calibrators, and which networks' scores they are for."""
    calibrators = {
        kind: {module: each.calibrator.to_json() for module, each in of.items()} for kind, of in found.items()
    }
    return {
        "schema": SCHEMA,
        "kind": "feeding-calibrators",
        "networks": networks,
        "sizes": dict(SIZES),
        "calibrators": calibrators,
    }


def write_rows(folder: Path, samples: dict[str, Sample]) -> None:
    """One CSV per module, as `handup calibrate` reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, sample in samples.items():
        name = "variance" if sample.kind is ScoreKind.VARIANCE else "score"
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
                f"{each.calibrator.name} | {brier:.4f} ({low:.3f}–{high:.3f}) | {each.base_rate_brier:.4f} | "
                f"{each.metrics['ece'].value:.3f} | {'no' if each.warnings else 'yes'} |"
            )


def show_new(best: dict[str, Calibration], new: dict[str, Rows]) -> None:
    """The docs' second table: plates that nothing was fitted on, beside saying the set's rate to each row."""
    print("\n| module | looks | rows | plates | right | mean confidence | Brier | the set's rate | difference | ECE |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for module, each in best.items():
        for looks, rows in new.items():
            sample, plates = rows.samples()[module], rows.plates[module]
            chances = each.calibrator.probabilities(sample.raw)
            rate = float(each.right.mean())
            found = on_new(chances, sample.right, rate, plates)
            less = found["difference"]
            print(
                f"| {module} | {looks} | {len(plates)} | {len(set(plates))} | {sample.right.mean():.2f} | "
                f"{chances.mean():.2f} | {found['brier'].value:.4f} | {((rate - sample.right) ** 2).mean():.4f} | "
                f"{less.value:+.4f} ({less.ci[0]:+.4f} to {less.ci[1]:+.4f}) | {found['ece'].value:.3f} |"
            )


def on_new(chances: Floats, right: NDArray[np.bool_], rate: float, plates: list[int]) -> dict[str, Estimate]:
    """What probabilities are worth on new rows, with 95 % intervals from resampled plates.

    Args:
        chances: Of each row.
        right: Whether it was right.
        rate: What one would say to every row instead.
        plates: The plate of each row.

    Returns:
        `brier`, `ece`, and `difference`: the Brier score less that of saying the rate.
    """
    _, plate = np.unique(plates, return_inverse=True)
    brier, plain = (chances - right) ** 2, (rate - right) ** 2
    statistics = {
        "brier": lambda weights: weights @ brier / weights.sum(axis=1),
        "difference": lambda weights: weights @ (brier - plain) / weights.sum(axis=1),
        "ece": lambda weights: weighted_ece(chances, right, weights),
    }
    by_plate = {name: clustered(each, plate) for name, each in statistics.items()}
    return intervals(by_plate, int(plate.max()) + 1, reflected=("ece",))


if __name__ == "__main__":
    main()
