"""Draws the calibration sets, fits the calibrators and writes them: `python -m train.feeding.calibrate`.

Half of the plates look easy, half hard; all come from seeds that the networks have not seen. Rows beyond the paper's
sizes are for testing: they say how far the calibrators can be trusted.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

from handup.confidence import Calibration, Sample, calibrate
from handup.confidence.bootstrap import estimates
from handup.confidence.sample import Kind
from handup.domains.feeding import World
from handup.domains.feeding.calibration import BEST, INTERVAL, SCALED, SCHEMA, SIZES, Rows
from handup.domains.feeding.modules import Modules
from train.feeding.splits import SPLITS, bites_before, plate_of

OUT = Path(__file__).parents[2] / "src" / "handup" / "domains" / "feeding" / "models"
HALVES = ("calibration easy", "calibration hard")
TESTED = 200
"""So many rows beyond the set are for testing, at most."""


def drawn(modules: Modules, enough: dict[str, int]) -> Rows:
    """Rows from easy and hard plates in turn, until there are enough."""
    rows = Rows()
    for number in range(2 * min(SPLITS[half].plates for half in HALVES)):
        if rows.full(enough):
            break
        split = SPLITS[HALVES[number % 2]]
        seed = split.first + number // 2
        with World(plate_of(seed), seed=seed, looks=split.looks(seed), size=(320, 240)) as world:
            for _ in range(bites_before(seed)):
                items = world.truth()
                if items:
                    item = items[seed % len(items)]
                    world.execute(item.skill, item.best[item.skill])
                    world.clear_tool()
            rows.add(world, modules)
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


def judged(calibration: Calibration, test: Sample) -> dict[str, Any]:
    """How the calibrator does on rows that it was not fitted on."""
    chances = calibration.calibrator.probabilities(test.raw)
    found = estimates(chances[None, :], test.right, seed=0)
    return {name: each.to_json() for name, each in found.items()}


def main() -> None:
    """Draw, fit, write, and print what the docs page has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--models", type=Path, default=None, help="networks; the shipped ones unless given")
    parser.add_argument("--rows", type=Path, default=None, help="also write the sets as CSV, for handup calibrate")
    parser.add_argument("--tested", type=int, default=TESTED)
    options = parser.parse_args()
    enough = {module: size + options.tested for module, size in SIZES.items()}
    rows = drawn(Modules.load(options.models), enough)
    found = fitted(rows.samples())
    record: dict[str, Any] = {"schema": SCHEMA, "kind": "feeding-calibrators", "sizes": dict(SIZES)}
    record["calibrators"] = {
        kind: {module: each.calibrator.to_json() for module, each in of.items()} for kind, of in found.items()
    }
    (options.out / "calibrators.json").write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", "utf-8")
    if options.rows is not None:
        write_rows(options.rows, rows.samples())
    for offset, module in enumerate(SIZES):
        sizes = {each: (options.tested if each == module else 0) for each in SIZES}
        show(module, found, rows, sizes, first=SIZES[module], heading=not offset)


def write_rows(folder: Path, samples: dict[str, Sample]) -> None:
    """One CSV per module, as `handup calibrate` reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    for module, sample in samples.items():
        name = "variance" if sample.kind is Kind.VARIANCE else "score"
        with (folder / f"{module}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([name, "right"])
            writer.writerows(zip(sample.raw.tolist(), sample.right.astype(int).tolist(), strict=True))


def show(
    module: str,
    found: dict[str, dict[str, Calibration]],
    rows: Rows,
    sizes: dict[str, int],
    *,
    first: int,
    heading: bool,
) -> None:
    """One line of the docs' table for each kind."""
    if heading:
        print("| module | rows | right | kind | method | Brier (cross-validated) | base rate | Brier, new rows | ECE |")
        print("|---|---|---|---|---|---|---|---|---|")
    test = rows.samples(sizes, first)[module]
    for kind, of in found.items():
        each = of[module]
        if kind != BEST and each is found[BEST][module]:
            continue
        new = judged(each, test)
        brier, low, high = (each.metrics["brier"].value, *each.metrics["brier"].ci)
        print(
            f"| {module} | {SIZES[module]} | {each.metrics['accuracy'].value:.2f} | {kind} | {each.calibrator.name} | "
            f"{brier:.3f} ({low:.3f}–{high:.3f}) | {each.base_rate_brier:.3f} | {new['brier']['value']:.3f} | "
            f"{new['ece']['value']:.3f} |"
        )
        for warning in each.warnings:
            print(f"<!-- {module}, {kind}: {warning} -->")


if __name__ == "__main__":
    main()
