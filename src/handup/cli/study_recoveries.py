"""`handup study run recoveries` and `recovery-rules`: runs of the kitting task, and what its rules are made of."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handup.cli.output import out, print_json
from handup.cli.study_showing import show, show_claims, with_bar

if TYPE_CHECKING:
    from handup.lab.recoveries.definition import Size
    from handup.lab.recoveries.run import Outcome

RECOVERIES = "recoveries"
RECOVERY_RULES = "recovery-rules"


def run_recovery_study(
    out_dir: Path, runs: int | None, seed: int | None, *, quick: bool, jobs: int, as_json: bool
) -> None:
    """Run `recoveries` with a bar on stderr, and say what it found."""
    from handup.lab.recoveries import tables  # noqa: PLC0415 - slow to import
    from handup.lab.recoveries.definition import QUICK_RUNS, RUNS, Size  # noqa: PLC0415

    usual = QUICK_RUNS if quick else RUNS
    size = Size(runs=usual if runs is None else runs, seed=seed)
    start = time.perf_counter()
    outcome = _run(size, out_dir, jobs)
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"seconds": round(seconds, 1), "studies": [{**outcome.to_json(), "report": str(outcome.report)}]})
        return
    results = outcome.results
    out.print(f"[bold]{outcome.study.name}[/bold]: {outcome.study.question}")
    for day in outcome.study.days:
        show(tables.measures(results, day))
        show(tables.reliability(results, day))
    show_claims(outcome.judged)
    out.print(f"Report: {outcome.report}\n", markup=False, soft_wrap=True)
    seeds = f"seeds from {size.seed_of(outcome.study)}"
    out.print(f"Simulated, {results.count} runs of each way on each day, {seeds}, in {seconds:.1f} s.")


def run_rules(out_dir: Path, *, as_json: bool) -> None:
    """Run `recovery-rules`, and say what it found."""
    from handup.lab.recoveries import rules  # noqa: PLC0415 - slow to import

    outcome = rules.run(out_dir)
    if as_json:
        print_json({"studies": [{**outcome.to_json(), "report": str(outcome.report)}]})
        return
    out.print(f"[bold]{rules.NAME}[/bold]: {rules.QUESTION}")
    for each in outcome.tables:
        show(each)
    out.print(f"Report: {outcome.report}\n", markup=False, soft_wrap=True)
    out.print("Counted in the rules as they are: nothing was simulated.")


def listed_recoveries() -> list[dict[str, Any]]:
    """How `handup study list` names them; their cells are ways of running on each day, and rules."""
    from handup.lab.recoveries import rules  # noqa: PLC0415 - slow to import
    from handup.lab.recoveries.studies import RECOVERIES as STUDY  # noqa: PLC0415

    return [
        {
            "name": STUDY.name,
            "title": STUDY.title,
            "figure": STUDY.figure,
            "question": STUDY.question,
            "cells": len(STUDY.ways) * len(STUDY.days),
        },
        {
            "name": rules.NAME,
            "title": rules.TITLE,
            "figure": rules.FIGURE,
            "question": rules.QUESTION,
            "cells": len(rules.shipped()),
        },
    ]


def _run(size: Size, out_dir: Path, jobs: int) -> Outcome:
    from handup.lab.recoveries.run import run_recoveries  # noqa: PLC0415 - slow to import
    from handup.lab.recoveries.studies import RECOVERIES as STUDY  # noqa: PLC0415

    return with_bar(STUDY.name, "runs", lambda watch: run_recoveries(STUDY, size, out_dir, jobs=jobs, watch=watch))
