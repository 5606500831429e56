"""The study of recoveries from its definition to its folder: rows, figures, claims and the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handup.lab.files import write_whole
from handup.lab.recoveries import tables
from handup.lab.recoveries.definition import RecoveryStudy, Size
from handup.lab.recoveries.judging import Judged, judge
from handup.lab.recoveries.results import Results
from handup.lab.recoveries.rows import do, kept_runs, runs_csv
from handup.lab.study.batches import Watcher, run_batches
from handup.lab.study.store import Store


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What the study came to.

    Args:
        folder: Where it lies.
        results: The runs.
        judged: The claims.
        stamp: Versions and code.
        made_at: When the report was made.
    """

    folder: Path
    results: Results
    judged: tuple[Judged, ...]
    stamp: Mapping[str, str]
    made_at: datetime

    @property
    def study(self) -> RecoveryStudy:
        """What was run."""
        return self.results.study

    @property
    def report(self) -> Path:
        """The page for people."""
        return self.folder / "report.html"

    def to_json(self) -> dict[str, Any]:
        """A plain record, without the rows."""
        size = self.results.size
        return {
            "name": self.study.name,
            "command": size.command(self.study),
            "evidence": "simulated",
            "assumed": "rates of faults, durations, the bystander",
            "runs": self.results.count,
            "seed": size.seed_of(self.study),
            "days": {day.name: day.factor for day in self.study.days},
            "versions": dict(self.stamp),
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "measures": self.results.to_json(),
            "claims": [each.to_json() for each in self.judged],
            "tables": [asdict(each) for each in tables.everything(self.results, self.judged)],
        }


def run_recoveries(
    study: RecoveryStudy,
    size: Size,
    out: Path,
    *,
    jobs: int = 1,
    watch: Watcher = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Outcome:
    """Run the study, or what an earlier run left of it, and write its folder.

    Args:
        study: That of `handup.lab.recoveries.studies`, or your own.
        size: How much of it.
        out: The folder; a folder with the study's name is made in it.
        jobs: Processes.
        watch: Told after each shift.
        now: The time to put into the report.

    Raises:
        MissingExtra: The drawing is missing; told before anything is run.
        BadSetting: Another run is at work in the folder.
    """
    from handup.lab.recoveries import figures, page  # noqa: PLC0415 - drawing is an extra

    kept = kept_runs(out)
    with Store(out).lock():
        kept.tidy()
        done = run_batches(tuple(study.shifts(size)), kept, do, jobs=jobs, watch=watch)
        results = Results(study, size, done)
        outcome = Outcome(
            folder=out / study.name,
            results=results,
            judged=judge(study.claims, results),
            stamp=kept.stamp,
            made_at=now(),
        )
        drawings = tuple(figures.draw(results))
        rows = (({**shift.to_json(), **kept.stamp}, row) for shift, made in done.items() for row in made)
        write_whole(outcome.folder / "rows.csv", runs_csv(rows))
        write_whole(outcome.folder / "tables.md", tables.markdown(results, outcome.judged))
        write_whole(outcome.folder / "study.json", json.dumps(outcome.to_json(), indent=2, ensure_ascii=False) + "\n")
        for drawing in drawings:
            write_whole(outcome.folder / f"{drawing.name}.svg", drawing.svg)
            write_whole(outcome.folder / f"{drawing.name}.png", drawing.png)
        write_whole(outcome.report, page.page(outcome, drawings))
    return outcome
