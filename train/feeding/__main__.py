"""Everything, one after the other: `python -m train.feeding [--small]`.

For the modules it draws the plates (MuJoCo), trains three seeds (torch; a GPU where there is one), evaluates them, puts
the seed that is best on the validation plates where the package ships it, and calibrates it. For the encoders of the
memory it draws kitchens, trains both, ships them, and measures what they recall. What is drawn is not drawn again.
Eat the meals of `python -m examples.feeding_meals` again afterwards: their rows say which networks ate.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import torch

from handup.domains.feeding.calibration import FILE as CALIBRATORS
from train.feeding import calibrate, encode, evaluate, kitchens, recall
from train.feeding.export import export_seed
from train.feeding.fit import FULL, PARTS, SMALL, fit
from train.feeding.render import render
from train.feeding.report import write

SMALL_SHARE = 0.1
"""So many of the kitchens are drawn where the encoders are trained for a few minutes only."""
SHIPPED = Path(__file__).parents[2] / "src" / "handup" / "domains" / "feeding" / "models"


def main() -> None:
    """Draw, train, evaluate, ship, calibrate: the modules, the encoders, or both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/feeding"), help="for plates and networks")
    parser.add_argument("--small", action="store_true", help="train for a few minutes on a processor")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[*STEPS], choices=[*STEPS], help="make only these")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    for name in (each for each in STEPS if each in given.only):
        STEPS[name](given)


def modules(given: argparse.Namespace) -> None:
    """M1 to M4."""
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


def encoders(given: argparse.Namespace) -> None:
    """Those of the memory."""
    kitchens.draw(given.folder, share=SMALL_SHARE if given.small else 1.0, processes=given.threads)
    size = encode.SMALL if given.small else encode.FULL
    encode.encode(given.folder, SHIPPED, size=size, seed=given.seeds[0])
    recall.publish(recall.evaluate(given.folder))


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {"modules": modules, "encoders": encoders}


if __name__ == "__main__":
    main()
