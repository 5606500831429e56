"""The study of reaching from its definition to its folder: rows, figures, claims and the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handup.lab.files import locked, write_whole
from handup.lab.reaching import chosen, tables
from handup.lab.reaching.claims import CLAIMS
from handup.lab.reaching.definition import ReachingStudy, Sitting, Size
from handup.lab.reaching.judging import Judged, judge
from handup.lab.reaching.making import make
from handup.lab.reaching.record import record
from handup.lab.reaching.results import Results
from handup.lab.reaching.rows import TrialRow, kept_trials
from handup.lab.study.batches import Watcher

CLOSE: Mapping[str, tuple[str, Callable[[Results], chosen.Close]]] = {
    "fig-4": ("Fig. 4 again: a cup from the top, with each method", chosen.fig_4),
    "fig-6": ("Fig. 6 again: a cup from the top, a question answered with no", chosen.fig_6),
    "fig-14": ("Fig. 14 again: a drill among 22 goals", chosen.fig_14),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What the study came to.

    Args:
        folder: Where it lies.
        results: The trials.
        judged: The claims.
        found: The record that tables and words are made of.
    """

    folder: Path
    results: Results
    judged: tuple[Judged, ...]
    found: Mapping[str, Any]

    @property
    def report(self) -> Path:
        """The page for people."""
        return self.folder / "report.html"


def run_reaching(
    study: ReachingStudy,
    size: Size,
    out: Path,
    *,
    jobs: int = 1,
    watch: Watcher = lambda _: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Outcome:
    """Run the study, or what an earlier run left of it, and write its folder.

    Args:
        study: That of `handup.lab.reaching.studies`.
        size: How much of it.
        out: The folder; a folder with the study's name is made in it.
        jobs: Processes.
        watch: Told after each sitting.
        now: The time to put into the report.

    Raises:
        MissingExtra: The drawing is missing; told before anything is run.
        BadSetting: Another run is at work in the folder.
    """
    from handup.lab.reaching import figures, page, strips  # noqa: PLC0415 - drawing is an extra

    with locked(out):
        done = make(study, size, out, jobs=jobs, watch=watch)
        results = Results(study, size, done)
        judged = judge(CLAIMS, results)
        close = {name: choose(results) for name, (_, choose) in CLOSE.items()}
        versions = kept_trials(out).stamp
        made = {"versions": dict(versions), "made_at": now().isoformat(timespec="seconds")}
        found = {**record(results, judged, close), **made}
        folder = out / study.name
        drawings = [
            *figures.draw(found),
            *(
                strips.strips(f"reaching-{name}", CLOSE[name][0], chosen.all_of(some))
                for name, some in close.items()
                if chosen.all_of(some)
            ),
        ]
        write_whole(folder / "rows.jsonl", "".join(_lines(done, versions)))
        write_whole(folder / "tables.md", "\n\n".join(each.markdown() for each in tables.tables(found)) + "\n")
        write_whole(folder / "study.json", json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        for drawing in drawings:
            write_whole(folder / f"{drawing.name}.svg", drawing.svg)
            write_whole(folder / f"{drawing.name}.png", drawing.png)
        outcome = Outcome(folder=folder, results=results, judged=judged, found=found)
        write_whole(outcome.report, page.page(found, judged, drawings, versions))
    return outcome


def _lines(done: Mapping[Sitting, tuple[TrialRow, ...]], versions: Mapping[str, str]) -> Iterator[str]:
    for sitting, rows in done.items():
        before = {**sitting.to_json(), **versions}
        for row in rows:
            yield json.dumps({**before, **row.to_json()}, ensure_ascii=False) + "\n"
