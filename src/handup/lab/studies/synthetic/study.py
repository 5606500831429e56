"""Synthetic studies: grids of cells in two worlds, the paper's claims judged in each, and troubleshoot beside them."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from handup.lab.cell import MAX_EPISODES, Cell, WorldKind
from handup.lab.engine import Batch, Columns, Drawing, JudgedClaim, Measure, Section, Size, Study, StudyOption, Table
from handup.lab.engine.judge import MeansClaim
from handup.lab.engine.report import Part, counted
from handup.lab.engine.study import Files, count_option, seed_option
from handup.lab.engine.table import csv_text
from handup.lab.episodes import Episodes
from handup.lab.studies.synthetic import decision_times
from handup.lab.studies.synthetic.cells import FAMILY, CellBatch, episodes_of, make
from handup.lab.studies.synthetic.decision_times import COMPUTATION_TIME
from handup.lab.studies.synthetic.results import FILE, MEASURES, CellResults, Grid, WorldsJudged, rivals_table
from handup.when import DEFAULT

BASE = Cell()
"""The paper's fixed values."""
BY_MEAN = ("task_cost", "J")
"""Metrics of which the mean and its interval are shown; of the others the median and the quartiles, as in the paper."""
WORLD_LABELS: Mapping[str, str] = {"default": "handup's world", "replica": "replica"}
READING = Path(__file__).with_name("reading.md").read_text(encoding="utf-8").strip()
EPISODES = count_option("Episodes in each cell", 1000, 100, least=1, most=MAX_EPISODES)


class FigureLayout(StrEnum):
    """Layout of a figure: a column per metric, per pair of confidences, or per variable."""

    ROWS = "rows"
    BETA = "beta"
    SUMMARY = "summary"


@dataclass(frozen=True, kw_only=True)
class CellStudy(Study):
    """A question that cells answer, under the rules of each world.

    `grids` are run and drawn, `extra` is run for the claims only. `base` has the settings that are not varied; episodes
    and seed are given with each run.
    """

    grids: tuple[Grid, ...]
    extra: tuple[Grid, ...] = ()
    layout: FigureLayout = FigureLayout.ROWS
    base: Cell = BASE
    worlds: tuple[WorldKind, ...] = (WorldKind.DEFAULT, WorldKind.REPLICA)
    make: Callable[[Batch], Columns] = field(default=make, repr=False)
    arms: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = field(default=MEASURES, repr=False)
    claims: tuple[MeansClaim, ...] = field(default=(), repr=False)
    options: tuple[StudyOption, ...] = (EPISODES, seed_option())
    unit: tuple[str, ...] = ("episode",)
    units: str = "episodes"
    reading: str = READING
    sources: str = FAMILY
    libraries: tuple[str, ...] = ("numpy", "scipy")  # mip's solver is scipy's
    store_name: str = FAMILY
    ours: str = DEFAULT
    in_all: bool = True

    @property
    def cells(self) -> int:
        """Number of cells, for `handup study list`."""
        return len(self.batches(self.size()))

    def base_of(self, size: Size, world: WorldKind) -> Cell:
        """Return the base cell of a run in one world, which its other cells vary."""
        return replace(self.base, world=world, episodes=size["episodes"], seed=size["seed"])

    def batches(self, size: Size) -> Sequence[CellBatch]:
        """Return all batches, one per cell, always in the same order."""
        bases = [self.base_of(size, world) for world in self.worlds]
        grids = (*self.grids, *self.extra)
        cells = (cell for grid in grids for base in bases for cell in grid.cells(base, quick=size.quick))
        return tuple(CellBatch.of(cell) for cell in dict.fromkeys(cells))

    def results(self, size: Size, made: Mapping[Batch, Columns]) -> CellResults:
        """Return the episodes in a form that can be queried, and time the decisions that the figures show."""
        found = {batch.cell: episodes_of(columns) for batch, columns in made.items() if isinstance(batch, CellBatch)}
        results = CellResults(self, size, made, found=found)
        shown = [grid for grid in self.grids if self.layout is FigureLayout.ROWS or grid.highlight == COMPUTATION_TIME]
        cells = [cell for grid in shown for cell in grid.cells(results.base, quick=size.quick) if cell in found]
        timings = decision_times.measure(cells, found, time.perf_counter)
        return replace(results, timings={timed.cell: timed for timed in timings})

    def verdicts(self, judged: Sequence[JudgedClaim]) -> tuple[Part, ...]:
        """Return the number of claims that hold in each world, with those about computation time apart."""
        plain, about_code = _apart(judged)
        parts = [f"{len(plain)} claim{'s' if len(plain) != 1 else ''} tested.", _tallies(plain)]
        if about_code:
            parts += ["About computation time, by the times of our own code:", _tallies(about_code)]
        return tuple(parts)

    def claim_tables(self, judged: Sequence[JudgedClaim]) -> tuple[Part, ...]:
        """Return the claims one by one, with the finding in each world."""
        return claim_tables([claimed.to_json() for claimed in judged])

    def answer(self, results: Any, judged: Sequence[JudgedClaim]) -> str:
        """Return the number of claims that hold, and of places where troubleshoot is beaten."""
        plain, _ = _apart(judged)
        rivals = results.rivalries
        held = {world: sum(claimed.findings[world].verdict == "holds" for claimed in plain) for world in self.worlds}
        counts = (f"{count} hold{'s' if count == 1 else ''} in {_the(world)}" for world, count in held.items())
        beaten = sum(bool(rival.beaten_by) for rival in rivals)
        parts = [f"Of {len(plain)} claims of the paper that rows can test, {' and '.join(counts)}"] if plain else []
        if rivals:
            parts.append(f"`troubleshoot` is beaten in J, beyond the interval, at {beaten} of {len(rivals)} places")
        return f"{'; '.join(parts)}." if parts else ""

    def facts(self, results: Any) -> Mapping[str, str]:
        """Return facts about the run."""
        return {
            "Episodes": f"{results.size['episodes']:,} in each of {len(results.made):,} cells",
            "Seed": str(results.size["seed"]),
            "Rows": "`rows.csv`, one line per episode; `cells.csv`, all numbers of a cell; `timings.csv`, of its times",
            **({"Quick": FILE["captions"]["quick"]} if results.size.quick else {}),
        }

    def figures(self, results: Any, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw one figure for each world."""
        from handup.lab.studies.synthetic.figures import draw  # noqa: PLC0415 - drawing is an extra

        return tuple(draw(results))

    def sections(self, results: Any, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the figures, and troubleshoot's rivals; all numbers are in `cells.csv` and `timings.csv`."""
        sections = [Section("What came out", tuple(drawings))]
        if results.rivalries:
            sections.append(Section("troubleshoot against the paper's pairs", (rivals_table(results.rivalries),)))
        return sections

    def record(self, results: Any, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return further keys of `study.json`."""
        rivals = [rival for rival in results.rivalries if rival.beaten_by]
        return {
            "settings": self.base.to_json(),
            "versions": {**self.stamp(), "python": platform.python_version()},
            "cells": [batch.config for batch in results.made],
            "troubleshoot_beaten_at": [{**rival.place, "by": list(rival.beaten_by)} for rival in rivals],
        }

    def shown(self, judged: Sequence[Any], sections: Sequence[Section]) -> Sequence[Table]:
        """Return the table that the command prints: the verdicts in each world."""
        rows = tuple(
            (claimed.claim.name, claimed.claim.source, *(str(found.verdict) for found in claimed.findings.values()))
            for claimed in judged
        )
        columns = ("claim", "source", *(WORLD_LABELS[world] for world in self.worlds))
        return (Table("Claims", columns, rows),) if rows else ()

    def printed(self, record: Mapping[str, Any], judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return the part of a record that `--json` prints, and the claims."""
        return {**record, "cells": len(record["cells"]), "claims": [claimed.to_json() for claimed in judged]}

    def files(self, results: Any, stamp: Mapping[str, str]) -> Files:
        """Return rows, cells and timings as tables, and the verdicts."""
        claims = {"study": self.name, "claims": [claimed.to_json() for claimed in results.judged]}
        return {
            **super().files(results, {name: stamp[name] for name in ("handup", "code", "numpy")}),
            "cells.csv": csv_text(_summary(cell, found) for cell, found in results.found.items()),
            "timings.csv": decision_times.table(results.timings.values()),
            "claims.json": json.dumps(claims, indent=2, ensure_ascii=False) + "\n",
        }

    def closing(self, results: Any) -> str:
        """Return the last line that the command prints, without the time."""
        return f"Simulated, {results.size['episodes']:,} episodes per cell, seed {results.size['seed']}"


def claim_tables(claims: Sequence[Mapping[str, Any]], most: int = 99) -> tuple[Table, ...]:
    """Return the records in `claims.json` as tables, one line per claim; those about computation time apart.

    Args:
        claims: The records.
        most: Comparisons that are shown of a finding, the worst; `claims.json` has them all.
    """
    tables = []
    for about_code, caption in ((False, FILE["captions"]["claims"]), (True, FILE["captions"]["times"])):
        listed = [claim for claim in claims if claim["about_code"] is about_code]
        worlds = list(listed[0]["worlds"]) if listed else []
        rows = tuple(
            (claim["text"], claim["source"], *(_finding(claim["worlds"][world], most) for world in worlds))
            for claim in listed
        )
        if rows:
            tables.append(Table(caption, ("Claim", "Source", *(WORLD_LABELS[world] for world in worlds)), rows))
    return tuple(tables)


def _finding(finding: Mapping[str, Any], most: int) -> str:
    told = f"**{finding['verdict']}**. {finding['why']}"
    if not finding["numbers"]:
        return told
    counts, *worst = finding["numbers"].items()
    numbers = "<br>".join([counts[1], *(f"{name}: {value}" for name, value in worst[:most])])
    return f"{told} <details><summary>numbers</summary>{numbers}</details>"


def _apart(judged: Sequence[Any]) -> tuple[list[WorldsJudged], list[WorldsJudged]]:
    """Return the claims that rows can test, and those about computation time, which our code cannot settle."""
    plain, about_code = ([found for found in judged if found.claim.about_code is about] for about in (False, True))
    return plain, about_code


def _tallies(judged: Sequence[WorldsJudged]) -> str:
    worlds = judged[0].findings if judged else ()
    return "\n".join(f"- In {_the(world)}: {counted(claim.findings[world] for claim in judged)}." for world in worlds)


def _summary(cell: Cell, found: Episodes) -> dict[str, Any]:
    """Return the settings of a cell, and a summary of each metric."""
    confidences = ",".join(f"{part!r}" for part in cell.confidences)
    summary = {"config": cell.config, **cell.to_json(), "confidences": confidences}
    for name, measure in found.summary().items():
        numbers = (measure.mean, *measure.ci, measure.median, measure.q1, measure.q3)
        parts = ("mean", "ci_low", "ci_high", "median", "q1", "q3")
        summary |= {f"{name}_{part}": number for part, number in zip(parts, numbers, strict=True)}
    return summary


def _the(world: str) -> str:
    return WORLD_LABELS[world] if world == WorldKind.DEFAULT else f"the {WORLD_LABELS[world]}"
