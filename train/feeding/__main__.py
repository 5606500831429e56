"""Everything, one after the other: `python -m train.feeding [--small]`.

Draws the plates (MuJoCo), trains three seeds (torch; a GPU where there is one), evaluates them, puts the seed that is
best on the validation plates where the package ships it, and calibrates it. Plates that are there are not drawn again.
Eat the meals of `python -m examples.feeding_meals` again afterwards: their rows say which networks ate.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch

from handup.domains.feeding.calibration import FILE as CALIBRATORS
from train.feeding import calibrate, evaluate
from train.feeding.export import export_seed
from train.feeding.fit import FULL, PARTS, SMALL, fit
from train.feeding.render import render
from train.feeding.report import write

SHIPPED = Path(__file__).parents[2] / "src" / "handup" / "domains" / "feeding" / "models"


def main() -> None:
    """Draw, train, evaluate, ship, calibrate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/feeding"), help="for plates and networks")
    parser.add_argument("--small", action="store_true", help="train for a few minutes on a processor")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    render(given.folder, processes=given.threads)
    fit(given.folder, seeds=given.seeds, size=SMALL if given.small else FULL, only=[*PARTS])
    for seed in given.seeds:
        export_seed(given.folder / f"seed-{seed}")
    found = evaluate.evaluate(given.folder, given.seeds, ["validation", "easy", "hard"])
    evaluate.OUT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write()
    ignored = shutil.ignore_patterns("*.npz", CALIBRATORS)
    shutil.copytree(given.folder / f"seed-{found['shipped']}", SHIPPED, ignore=ignored, dirs_exist_ok=True)
    calibrate.write(SHIPPED)


if __name__ == "__main__":
    main()
