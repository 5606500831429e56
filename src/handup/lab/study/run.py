"""One study from its definition to its folder: rows, figures, claims and the report."""

from __future__ import annotations

import csv
import io
import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import METRICS, Episodes
from handup.lab.files import write_whole
from handup.lab.simulate import simulate
from handup.lab.study import markdown, timing
from handup.lab.study.claim import Claim
from handup.lab.study.claims import CLAIMS
from handup.lab.study.definition import EPISODES, QUICK_EPISODES, Layout, Study
from handup.lab.study.results import Results
from handup.lab.study.runner import Simulator, Watcher, run_cells
from handup.lab.study.store import Store
from handup.lab.study.timing import COMPUTATION_TIME, Timing
from handup.lab.study.verdicts import Judged, Rivalry, judge, rivalries


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a study is run.

    Args:
        out: The folder; a folder with the study's name is made in it.
        episodes: Per cell; fewer with `quick` where not given.
        seed: Which episodes.
        quick: Coarser axes and fewer episodes, for a first look.
        jobs: Processes.
    """

    out: Path
    episodes: int | None = None
    seed: int = 0
    quick: bool = False
    jobs: int = 1

    @property
    def episodes_per_cell(self) -> int:
        """How many episodes each cell gets."""
        return self.episodes if self.episodes is not None else QUICK_EPISODES if self.quick else EPISODES

    def command(self, study: Study) -> str:
        """The command that runs it again."""
        quick = " --quick" if self.quick else ""
        return f"handup study run {study.name} --episodes {self.episodes_per_cell} --seed {self.seed}{quick}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What a run came to; everything that the report tells.

    Args:
        study: What was run.
        options: How.
        versions: Of handup, Python and numpy.
        made_at: When, in universal time.
        results: The episodes.
        judged: The claims.
        rivals: Troubleshoot against the paper's pairs.
        timings: Of the cells whose decisions were timed.
    """

    study: Study
    options: Options
    versions: Mapping[str, str]
    made_at: datetime
    results: Results
    judged: tuple[Judged, ...]
    rivals: tuple[Rivalry, ...]
    timings: Mapping[Cell, Timing]

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self.options.out / self.study.name

    @property
    def report(self) -> Path:
        """The page for people."""
        return self.folder / "report.html"

    def to_json(self) -> dict[str, Any]:
        """A plain record, without the rows."""
        return {
            "name": self.study.name,
            "command": self.options.command(self.study),
            "evidence": "simulated",
            "seed": self.options.seed,
            "episodes": self.options.episodes_per_cell,
            "quick": self.options.quick,
            "settings": self.study.base.to_json(),
            "versions": dict(self.versions),
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "cells": [cell.config for cell in self.results.found],
        }


def run_study(
    study: Study,
    options: Options,
    *,
    claims: Sequence[Claim] | None = None,
    simulator: Simulator = simulate,
    watch: Watcher = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Outcome:
    """Run a study, or what an earlier run left of it, and write its folder.

    Args:
        study: One of `handup.lab.study.studies`, or your own.
        options: How.
        claims: What to judge; where not given, those that the paper makes of the study of this name.
        simulator: Gives the episodes of a cell.
        watch: Told after each cell.
        now: The time to put into the report.

    Raises:
        MissingExtra: The figures cannot be drawn; told before anything is run.
        BadSetting: Another run is at work in the folder, or a cell cannot be simulated.
    """
    from handup.lab.study import figures, report  # noqa: PLC0415 - drawing is an extra

    cells = study.cells(episodes=options.episodes_per_cell, seed=options.seed, quick=options.quick)
    store = Store(options.out)
    with store.lock():
        found = run_cells(cells, store, simulator, jobs=options.jobs, watch=watch)
        base = replace(study.base, episodes=options.episodes_per_cell, seed=options.seed)
        timings = _timings(study, base, found, quick=options.quick)
        results = Results(base, found, {cell: each.decision_us / 1e6 for cell, each in timings.items()})
        outcome = Outcome(
            study=study,
            options=options,
            versions={"handup": store.handup, "python": platform.python_version(), "numpy": store.numpy},
            made_at=now(),
            results=results,
            judged=judge(CLAIMS.get(study.name, ()) if claims is None else claims, results, study.worlds),
            rivals=tuple(rivalries(results)),
            timings=timings,
        )
        drawings = tuple(figures.draw(study, results, outcome.timings, quick=options.quick))
        store.write_rows(outcome.folder / "rows.csv", cells)
        _write(outcome)
        for drawing in drawings:
            write_whole(outcome.folder / f"{drawing.name}.svg", drawing.svg)
            write_whole(outcome.folder / f"{drawing.name}.png", drawing.png)
        write_whole(outcome.report, report.page(outcome, drawings))
    return outcome


def cell_table(found: Mapping[Cell, Episodes]) -> str:
    """One line per cell as CSV: its settings, and what each metric came to."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    parts = ("mean", "ci_low", "ci_high", "median", "q1", "q3")
    writer.writerow(("config", *Cell().to_json(), *(f"{metric}_{part}" for metric in METRICS for part in parts)))
    for cell, episodes in found.items():
        settings = {**cell.to_json(), "confidences": ",".join(f"{each!r}" for each in cell.confidences)}
        measures = episodes.summary().values()
        numbers = [(each.mean, *each.ci, each.median, each.q1, each.q3) for each in measures]
        writer.writerow((cell.config, *settings.values(), *(number for row in numbers for number in row)))
    return file.getvalue()


def _timings(study: Study, base: Cell, found: Mapping[Cell, Episodes], *, quick: bool) -> dict[Cell, Timing]:
    """The decision times that the study's figures show, in the default world."""
    shown = [grid for grid in study.grids if study.layout is Layout.ROWS or grid.highlight == COMPUTATION_TIME]
    ours = replace(base, world=WorldKind.DEFAULT)
    cells = [cell for grid in shown for cell in grid.cells(ours, quick=quick) if cell in found]
    return {each.cell: each for each in timing.measure(cells, found, time.perf_counter)}


def _write(outcome: Outcome) -> None:
    claims = [each.to_json() for each in outcome.judged]
    write_whole(outcome.folder / "cells.csv", cell_table(outcome.results.found))
    write_whole(outcome.folder / "timings.csv", timing.table(outcome.timings.values()))
    write_whole(outcome.folder / "study.json", _json(outcome.to_json()))
    write_whole(outcome.folder / "claims.json", _json({"study": outcome.study.name, "claims": claims}))
    write_whole(outcome.folder / "claims.md", markdown.claim_table(claims))


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"
