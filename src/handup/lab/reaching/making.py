"""Makes the trials of the study and keeps them; nothing is judged or drawn. Needs numpy, pydantic and ruamel.yaml.

`python -m handup.lab.reaching.making --out DIR --jobs 16` on a machine with many cores, then
`handup study run reaching --out DIR` where the rest of handup is, which finds the trials made. A stopped run goes on
where it was.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from handup.lab.files import locked
from handup.lab.reaching.definition import FIRST_TRYING, ReachingStudy, Sitting, Size
from handup.lab.reaching.rows import TrialRow, do, kept_trials
from handup.lab.reaching.studies import REACHING
from handup.lab.study.batches import Progress, Watcher, run_batches

EVERY_S = 10.0


def make(
    study: ReachingStudy, size: Size, out: Path, *, jobs: int = 1, watch: Watcher = lambda _: None
) -> dict[Sitting, tuple[TrialRow, ...]]:
    """All trials of the study, those that an earlier run left and the others. The caller holds the folder's lock.

    Args:
        study: What to run.
        size: How much of it.
        out: Where trials are kept.
        jobs: Processes.
        watch: Told after each sitting.

    Raises:
        KeyboardInterrupt: Stopped; what was done is kept.
    """
    kept = kept_trials(out)
    kept.tidy()
    return run_batches(tuple(study.sittings(size)), kept, do, jobs=jobs, watch=watch)


def estimate(study: ReachingStudy, size: Size) -> Iterator[str]:
    """How long the study takes on this machine: one trial of each scene, method and user is timed, on other seeds."""
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    for part in study.parts:
        for sitting in replace(study, parts=(replace(part, seeds=1),)).sittings(Size(seed=FIRST_TRYING)):
            start = time.process_time()
            do(sitting)
            seconds[sitting.part, sitting.method].append((time.process_time() - start) / sitting.expected)
    whole = 0.0
    for (name, method), found in seconds.items():
        part = study.part(name)
        trials = sum(each.expected for each in study.sittings(size) if (each.part, each.method) == (name, method))
        mean = sum(found) / len(found)
        whole += trials * mean
        yield f"{part.name:11} {method:24} {mean:7.3f} s per trial, {trials:6} trials, {trials * mean / 60.0:6.1f} min"
    yield f"{whole / 60.0:.0f} minutes of one core"


def main(given: Sequence[str] | None = None) -> None:
    """Make all trials, and say now and then how far it is."""
    parser = argparse.ArgumentParser(prog="python -m handup.lab.reaching.making", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("studies"), help="where trials are kept")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--quick", action="store_true", help="a first look, with few seeds")
    parser.add_argument("--seed", type=int, default=0, help=f"added to every seed; from {FIRST_TRYING} on, to try out")
    parser.add_argument("--estimate", action="store_true", help="only measure how long it would take")
    chosen = parser.parse_args(given)
    start = told = time.monotonic()

    def watch(step: Progress) -> None:
        nonlocal told
        if step.note is not None or time.monotonic() - told > EVERY_S or step.done == step.total:
            told = time.monotonic()
            sys.stderr.write(f"{told - start:6.0f} s  {step.done} of {step.total} trials  {step.note or ''}\n")
            sys.stderr.flush()

    size = Size(quick=chosen.quick, seed=chosen.seed)
    if chosen.estimate:
        sys.stderr.write("One trial of each scene, method and user is timed; that takes about 4 minutes.\n")
        sys.stderr.flush()
        sys.stderr.writelines(f"{line}\n" for line in estimate(REACHING, size))
        return
    with locked(chosen.out):
        make(REACHING, size, chosen.out, jobs=chosen.jobs, watch=watch)


if __name__ == "__main__":
    main()
