"""Everything that the plates learn: `python -m train.plate [--only branches,again,difference] [--food noodles]`.

Planners: plates are recorded (`branches`, `episodes`, `again`), models are trained on them (`difference`, `small`,
`rssm`; torch, a GPU where there is one), calibrated by the fair oracle (`calibrate`) and compared (`evaluate`). What is
recorded is not recorded again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from handup.domains.plate.primitives import PlateFood
from train.plate import planning

SHIPPED = Path(__file__).parents[2] / "src" / "handup" / "domains" / "plate" / "models"


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/plate"), help="for recordings and weights")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="for the networks and their cards")
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


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in STEPS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)} must be one of {', '.join(STEPS)}")
    return names


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {**planning.STEPS}


if __name__ == "__main__":
    main()
