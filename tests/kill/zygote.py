"""A process that has everything imported and nothing open, and forks the lives of an episode.

`python -m tests.kill.zygote` reads jobs from its input, one JSON object in a line, and writes one report for each.
Forking takes milliseconds; a program that starts anew would take a second.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.kill.episode import Episode, Report
from tests.kill.mutants import MUTANTS
from tests.kill.scenario import Scenario
from tests.kill.shared import Place, SharedClock

ROOT = Path(__file__).parents[2]
LONGEST_JOB_S = 500.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """One episode to play.

    Args:
        seed: Which one.
        store: A store that is not there yet.
        folder: An empty folder for what lies outside the journal.
        dry_store: Another store, for an undisturbed episode before; empty for none.
        every: Whether all points inside transactions are deadly, also those like earlier ones.
        mutant: What is broken; empty for nothing.
    """

    seed: int
    store: str
    folder: str
    dry_store: str = ""
    every: bool = False
    mutant: str = ""


def play(job: Job, clock: SharedClock) -> Report:
    """Play one episode, and an undisturbed one before it to see which points there are."""
    scenario = Scenario.of(job.seed)
    expected: set[str] = set()
    if job.dry_store:
        clock.reset()
        folder = Path(job.folder) / "dry"
        folder.mkdir()
        dry = Episode(scenario, Place(store=job.dry_store, folder=folder, clock=clock), deadly=False)
        undisturbed = dry.play()
        expected = dry.met
        if undisturbed.wrong:
            return undisturbed
    clock.reset()
    place = Place(store=job.store, folder=Path(job.folder), clock=clock)
    report = Episode(scenario, place, every=job.every, mutation=MUTANTS.get(job.mutant)).play()
    report.missed = sorted(expected - report.died)
    return report


def warm_up(clock: SharedClock) -> None:
    """Do everything once, so that what is made at first use is there in every child."""
    from tests.kill.warming import warm

    with tempfile.TemporaryDirectory() as folder:
        warm(Path(folder), clock)
    gc.collect()
    gc.freeze()


def main() -> None:
    """Play what is asked for until the input ends."""
    clock = SharedClock()
    warm_up(clock)
    for line in sys.stdin:
        report = play(Job(**json.loads(line)), clock)
        sys.stdout.write(json.dumps(report.to_json()) + "\n")
        sys.stdout.flush()


class Zygote:
    """The process from outside. Use it in a `with` block; it and all its children are gone afterwards."""

    def __init__(self) -> None:
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.kill.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )

    def play(self, job: Job) -> Report:
        """Have an episode played."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write((json.dumps(asdict(job)) + "\n").encode())
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], LONGEST_JOB_S)
        line = self._process.stdout.readline() if ready else b""
        assert line, f"seed {job.seed} was never over"
        return Report.from_json(json.loads(line))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


if __name__ == "__main__":
    main()
