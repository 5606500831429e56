"""One study of meals from its definition to its folder: rows, figures, claims, triage and the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handup.lab.files import write_whole
from handup.lab.meals import tables
from handup.lab.meals.definition import MealStudy, Size
from handup.lab.meals.eating import made_with
from handup.lab.meals.judging import Judged, judge, told_apart
from handup.lab.meals.results import Results
from handup.lab.meals.rows import bites_csv, meals_csv
from handup.lab.meals.runner import run_sittings
from handup.lab.meals.store import kept_meals
from handup.lab.meals.triage import Triage, triage
from handup.lab.study.batches import Watcher
from handup.lab.study.store import Store


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What a study of meals came to.

    Args:
        folder: Where it lies.
        results: The meals.
        judged: The claims.
        triages: The lost bites of every arm.
        stamp: Versions, code and networks.
        made_at: When the report was made.
    """

    folder: Path
    results: Results
    judged: tuple[Judged, ...]
    triages: tuple[Triage, ...]
    stamp: Mapping[str, str]
    made_at: datetime

    @property
    def study(self) -> MealStudy:
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
            "assumed": "people's skill, hands and workload",
            "participants": self.results.participants,
            "plates": self.results.plates,
            "looks": size.looks,
            "seed": size.seed_of(self.study),
            "quick": size.quick,
            "versions": dict(self.stamp),
            "made_at": self.made_at.isoformat(timespec="seconds"),
            "measures": self.results.to_json(),
            "triage": [each.to_json() for each in self.triages],
            "claims": [each.to_json() for each in self.judged],
        }


def run_meals(
    study: MealStudy,
    size: Size,
    out: Path,
    *,
    jobs: int = 1,
    watch: Watcher = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Outcome:
    """Run a study, or what an earlier run left of it, and write its folder.

    Args:
        study: One of `handup.lab.meals.studies`, or your own.
        size: How much of it.
        out: The folder; a folder with the study's name is made in it.
        jobs: Processes.
        watch: Told after each sitting.
        now: The time to put into the report.

    Raises:
        MissingExtra, NoPictures: The simulation or the drawing is missing; told before anything is run.
        BadSetting: Another run is at work in the folder, or a meal cannot be eaten.
    """
    from handup.lab.meals import figures, page  # noqa: PLC0415 - drawing is an extra

    kept = kept_meals(out, made_with())
    with Store(out).lock():
        kept.tidy()
        eaten = run_sittings(tuple(study.sittings(size)), kept, jobs=jobs, watch=watch)
        results = Results(study, size, eaten)
        judged = judge(study.claims, results)
        outcome = Outcome(
            folder=out / study.name,
            results=results,
            judged=judged,
            triages=tuple(triage(results)),
            stamp=kept.stamp,
            made_at=now(),
        )
        drawings = tuple(figures.draw(results, outcome.triages, told_apart(judged)))
        _write(outcome)
        for drawing in drawings:
            write_whole(outcome.folder / f"{drawing.name}.svg", drawing.svg)
            write_whole(outcome.folder / f"{drawing.name}.png", drawing.png)
        write_whole(outcome.report, page.page(outcome, drawings))
    return outcome


def _write(outcome: Outcome) -> None:
    rows: Sequence[Any] = [
        ({**sitting.to_json(), **outcome.stamp}, meal)
        for sitting, meals in outcome.results.eaten.items()
        for meal in meals
    ]
    text = tables.markdown(outcome.results, outcome.triages, outcome.judged)
    write_whole(outcome.folder / "rows.csv", meals_csv(rows))
    write_whole(outcome.folder / "bites.csv", bites_csv(rows))
    write_whole(outcome.folder / "tables.md", text)
    write_whole(outcome.folder / "study.json", json.dumps(outcome.to_json(), indent=2, ensure_ascii=False) + "\n")
