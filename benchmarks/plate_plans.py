"""Processor time of a plan on a plate: the tree with shared beginnings, beside the enumeration of all sequences.

`python -m benchmarks.plate_plans` takes the small model that is shipped; with `--folder` another one, such as an RSSM
that `python -m train.plate` left there. One thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from handup.domains.plate.low_level import PIXELS
from handup.domains.plate.plate_models import LatentModel, plan
from handup.domains.plate.policies import PlateSight
from handup.lab.bench.harness import in_turn
from tests.oracles.plate_plans import enumerated

SEQUENCES = {256: 15, 1024: 60}
"""Sequences of a plan, and the milliseconds that it may take."""


def plans(model: LatentModel, rounds: int) -> Table:
    """Return a table of processor times, in milliseconds."""
    random = np.random.default_rng(0)
    table = Table("sequences", "tree", "enumeration", "may take", title="one plan, ms of processor time, median")
    for sequences, most in SEQUENCES.items():
        mask = random.random((PIXELS, PIXELS)) < 0.08
        sight = PlateSight(masks=(mask,), done=(), left=sequences.bit_length())
        contenders: list[Callable[[], object]] = [partial(plan, model, sight), partial(enumerated, model, sight)]
        ours, naive = in_turn(*(partial(_prepared, contender) for contender in contenders), rounds=rounds)
        table.add_row(str(sequences), f"{1e3 * ours.processor:.1f}", f"{1e3 * naive.processor:.0f}", str(most))
    return table


def _prepared(contender: Callable[[], object]) -> Callable[[], object]:
    return contender


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("small", "rssm"), default="small")
    parser.add_argument("--food", default="beans")
    parser.add_argument("--folder", type=Path, help="Place of the model. Default: the shipped ones.")
    parser.add_argument("--rounds", type=int, default=5, help="Plans of each kind.")
    given = parser.parse_args()
    Console().print(plans(LatentModel.load(given.model, given.food, given.folder), given.rounds))
