"""Everything that the plates learn: `python -m train.plate --only episodes branches --food beans`.

Each step of `--only` takes what the steps before it left in the folder; what is recorded is not recorded again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from handup.domains.plate.primitives import PlateFood
from train.plate.difference import GreedyValues, fit, read
from train.plate.episodes import branches, random_episodes, record

FIRST = {"branches": 950_000, "episodes": 970_000, "again": 980_000}
"""Seed of the first plate of each step."""


def main() -> None:
    """Take the steps that were named, in order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("build/plate"), help="for what is recorded and learned")
    parser.add_argument("--food", choices=[*PlateFood], default="beans")
    parser.add_argument("--plates", type=int, default=2000, help="plates that a recording step plays")
    parser.add_argument("--only", nargs="*", default=[*STEPS], choices=[*STEPS], help="take only these steps")
    given = parser.parse_args()
    for name in (name for name in STEPS if name in given.only):
        STEPS[name](given)


def _folder(given: argparse.Namespace) -> Path:
    return Path(given.folder) / str(given.food)


def record_branches(given: argparse.Namespace) -> None:
    """Pairs that part, and acquire from then on."""
    food = PlateFood(given.food)
    record(_folder(given), "branches", FIRST["branches"], given.plates, partial(branches, food))


def record_episodes(given: argparse.Namespace) -> None:
    """Random episodes."""
    food = PlateFood(given.food)
    record(_folder(given), "episodes", FIRST["episodes"], given.plates, partial(random_episodes, food))


def record_again(given: argparse.Namespace) -> None:
    """Pairs that part, and then do what the first pairs taught: one policy iteration."""
    food = PlateFood(given.food)
    follow = GreedyValues(fit(read(_folder(given), food, ["branches"]), seed=0), food)
    record(_folder(given), "again", FIRST["again"], given.plates, partial(branches, food, follow=follow))


STEPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "branches": record_branches,
    "episodes": record_episodes,
    "again": record_again,
}


if __name__ == "__main__":
    main()
