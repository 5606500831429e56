"""A small study, and simulators that are quick, leave marks, get stuck or fail."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import numpy as np

from handup.core import NotSolvable
from handup.lab.cell import Cell
from handup.lab.episodes import Episodes
from handup.lab.study.claim import Claim, Finding, Verdict
from handup.lab.study.definition import Axis, Grid, Study
from handup.lab.study.results import Results

METHODS = ("graph+workload-aware", "confidence+workload-aware", "never+workload-aware", "graph+execute-first")
TINY = Study(
    name="tiny",
    title="Tiny <study>",
    figure="none",
    question="Does it run?",
    grids=(Grid((Axis("modules", "N", (3, 4), quick=(4,)),), (*METHODS, "troubleshoot")),),
)
MARKS = "HANDUP_TEST_MARKS"
"""Names a folder in which each simulated cell is noted, with the process that did it."""
STUCK_AFTER = 5


def simulate(cell: Cell) -> Episodes:
    """Numbers that depend on every setting, and on nothing else."""
    random = np.random.default_rng([int(cell.config, 16), cell.seed])
    executions = random.integers(1, 4, cell.episodes)
    questions = random.integers(0, cell.modules, cell.episodes)
    load = questions * cell.query_cost * random.random(cell.episodes)
    recovered = random.random(cell.episodes) < 0.7
    return Episodes(recovered, load, questions, executions, 0.5 * load + executions - recovered)


def marking(cell: Cell) -> Episodes:
    """The same, with a mark for each cell."""
    (Path(os.environ[MARKS]) / cell.config).write_text(str(os.getpid()))
    return simulate(cell)


def stuck(cell: Cell) -> Episodes:
    """The same for a few cells; then it waits for ever."""
    done = len(list(Path(os.environ[MARKS]).iterdir()))
    if done >= STUCK_AFTER:
        threading.Event().wait()
    return marking(cell)


def broken(cell: Cell) -> Episodes:
    """A simulator with a mistake in it."""
    if cell.method == "troubleshoot":
        raise ZeroDivisionError("a mistake")
    return simulate(cell)


def refusing(cell: Cell) -> Episodes:
    """A simulator that does not take on everything."""
    if cell.method == "troubleshoot":
        raise NotSolvable("too large", hint="Take a smaller one.")
    return simulate(cell)


def _never_fails(results: Results) -> Finding:
    mean = results.measure("task_cost", "graph+workload-aware", modules=3).mean
    return Finding(Verdict.FAILS, (("task cost at N = 3", f"{mean:.2f} | <b>"),), "It fails & fails.")


CLAIMS = (
    Claim("never fails", "section <1>", "It never fails.", _never_fails),
    Claim("runs", "section 2", "It runs.", lambda results: Finding(Verdict.HOLDS, (), "It ran.")),
)


def ended(cell: Cell) -> Episodes:
    """A process that the system ends, as it does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
