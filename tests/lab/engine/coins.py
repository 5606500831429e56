"""A study of an outside package, installed for a test without pip: a module, and the metadata that announces it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import outside

SOURCE = '''
"""Which of two coins shows more heads?"""

import random
import time

from handup.lab.engine import (
    Bar,
    Batch,
    Claim,
    Columns,
    Measure,
    Note,
    Study,
    StudyOption,
    Verdict,
    columns_of,
    seed_option,
)

CHANCES = {"fair": 0.5, "bent": 0.65}


def toss(batch: Batch) -> Columns:
    time.sleep(SECONDS)  # long enough that somebody can be killed in between
    rows = []
    for seed in range(batch.first, batch.first + batch.count):
        draw = random.Random(seed)
        heads = sum(draw.random() < CHANCES[batch.arm] for _ in range(20))
        rows.append({"seed": seed, "heads": heads, "share": heads / 20 / 3})
    return columns_of(rows)


STUDY = Study(
    name="coins",
    title="Coins",
    figure="ours",
    question="Which coin shows more heads?",
    make=toss,
    arms=("fair", "bent"),
    measures=(Measure(name="heads", label="heads of 20", alike=0.5),),
    claims=(
        Claim(name="bent", source="handup", text="The bent coin shows more heads.",
              bars=(Bar(measure="heads", arm="bent", than="fair"),),
              notes=(Note(Verdict.HOLDS, "It was bent to that side."),)),
    ),
    options=(
        StudyOption(name="tosses", help="Number of seeds.", default=100, quick=24, least=1, most=1000),
        seed_option(7),
    ),
    units="seeds",
    block=5,
)
'''


def install(folder: Path, *, seconds: float = 0.0, twist: str = "") -> Path:
    """Put the package into a folder, which then belongs on `PYTHONPATH`; `twist` is code that makes it another one."""
    source = SOURCE.replace("SECONDS", f"{seconds}") + twist
    return outside.install(folder, "coins", source, "handup.studies", "coins = coins:STUDY")


@contextmanager
def installed(folder: Path, *, seconds: float = 0.0) -> Iterator[Path]:
    """Install the package for this process and those that it starts."""
    install(folder, seconds=seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", outside.environment(folder)["PYTHONPATH"])
        sys.modules.pop("coins", None)
        yield folder
    sys.modules.pop("coins", None)
