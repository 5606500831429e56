"""The plate's networks, one after the other: `python -m train.plate [--only seg,ori] [--small]`.

f_seg and f_ori: plates are drawn (MuJoCo), the networks trained (torch; a GPU where there is one), put where the
package ships them, and scored. What is drawn is not drawn again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from train.plate import pictures, vision, vision_report

SMALL_SHARE = 0.05
"""Share of the plates that is drawn for `--small`."""


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/plate"), help="for pictures and weights")
    parser.add_argument("--out", type=Path, default=vision_report.SHIPPED, help="for the networks and their card")
    parser.add_argument("--small", action="store_true", help="train for some minutes, on few plates")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", type=_names, default=[*STEPS], help=f"make only these of {', '.join(STEPS)}")
    asked = parser.parse_args()
    for name in (name for name in STEPS if name in asked.only):
        STEPS[name](asked)


def see(name: str) -> Callable[[argparse.Namespace], None]:
    """Return the step that makes f_seg, `seg`, or f_ori, `ori`, from the first of the seeds."""

    def made(asked: argparse.Namespace) -> None:
        size, seed = vision.SMALL if asked.small else vision.FULL, asked.seeds[0]
        pictures.draw(asked.folder, share=SMALL_SHARE if asked.small else 1.0)
        vision.fit(vision.pack(asked.folder), asked.folder / "weights", names=[name], seeds=[seed], size=size)
        vision_report.ship(asked.folder, asked.out, name=name, seed=seed, size=size)
        if name == "ori" and asked.out == vision_report.SHIPPED:
            vision_report.write(asked.folder)

    return made


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in STEPS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)} must be one of {', '.join(STEPS)}")
    return names


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {"seg": see("seg"), "ori": see("ori")}


if __name__ == "__main__":
    main()
