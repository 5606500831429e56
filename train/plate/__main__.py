"""Everything that the plates learn: `python -m train.plate [--only branches,again,difference] [--food noodles]`.

Sight: plates are drawn, f_seg and f_ori are trained on them and scored (`seg`, `ori`; with `--small` in minutes).

Planners: plates are recorded (`branches`, `episodes`, `again`), models are trained on them (`difference`, `small`,
`rssm`; torch, a GPU where there is one), calibrated by the fair oracle (`calibrate`) and compared (`evaluate`). What is
recorded is not recorded again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from handup.domains.plate.primitives import PlateFood
from train.plate import SHIPPED, planning

SMALL_SHARE = 0.05
"""Share of the plates that is drawn for `--small`."""


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/plate"), help="for recordings and weights")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="for the networks and their cards")
    parser.add_argument("--small", action="store_true", help="train `seg` and `ori` for some minutes, on few plates")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--food", choices=[str(food) for food in PlateFood], default="beans")
    parser.add_argument("--plates", type=int, default=2000, help="plates that a step plays")
    parser.add_argument("--first", type=int, help="seed of the first plate of `evaluate`")
    parser.add_argument("--steps", type=int, default=2250, help="updates of a latent model")
    parser.add_argument("--kl-steps", type=int, default=10, help="steps over which the RSSM's transition is compared")
    parser.add_argument(
        "--labels", type=Path, help="lines of `python -m benchmarks.plate gate --json`, to calibrate by"
    )
    parser.add_argument("--only", type=_names, default=[*STEPS], help=f"make only these of {', '.join(STEPS)}")
    asked = parser.parse_args()
    for name in (name for name in STEPS if name in asked.only):
        STEPS[name](asked)


def see(name: str) -> Callable[[argparse.Namespace], None]:
    """Return the step that makes f_seg, `seg`, or f_ori, `ori`, from the first of the seeds."""

    def made(asked: argparse.Namespace) -> None:
        from train.plate import pictures, vision, vision_report  # noqa: PLC0415 - needs torch

        size, seed = vision.SMALL if asked.small else vision.FULL, asked.seeds[0]
        pictures.draw(asked.folder, share=SMALL_SHARE if asked.small else 1.0)
        vision.fit(vision.pack(asked.folder), asked.folder / "weights", names=[name], seeds=[seed], size=size)
        vision_report.ship(asked.folder, asked.out, name=name, seed=seed, size=size)
        if name == "ori" and asked.out == SHIPPED:
            vision_report.write(asked.folder)

    return made


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in STEPS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)} must be one of {', '.join(STEPS)}")
    return names


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {"seg": see("seg"), "ori": see("ori"), **planning.STEPS}


if __name__ == "__main__":
    main()
