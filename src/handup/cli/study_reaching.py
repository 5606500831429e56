"""`handup study run reaching`: people at a stick, and what helps them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from handup.cli.output import out, print_json
from handup.cli.study_showing import show, with_bar

REACHING = "reaching"


def run_reaching_study(out_dir: Path, seed: int | None, *, quick: bool, jobs: int, as_json: bool) -> None:
    """Run `reaching` with a bar on stderr, and say what it found."""
    from handup.lab.reaching import tables  # noqa: PLC0415 - slow to import
    from handup.lab.reaching.definition import Size  # noqa: PLC0415
    from handup.lab.reaching.reading import goal_lines  # noqa: PLC0415
    from handup.lab.reaching.run import run_reaching  # noqa: PLC0415
    from handup.lab.reaching.studies import REACHING as STUDY  # noqa: PLC0415

    size = Size(quick=quick, seed=seed or 0)
    start = time.perf_counter()
    outcome = with_bar(STUDY.name, "trials", lambda watch: run_reaching(STUDY, size, out_dir, jobs=jobs, watch=watch))
    seconds = time.perf_counter() - start
    if as_json:
        print_json({"seconds": round(seconds, 1), "studies": [{**outcome.found, "report": str(outcome.report)}]})
        return
    out.print(f"[bold]{STUDY.name}[/bold]: {STUDY.question}")
    out.print("\nThe goal of assist, with 95 % intervals:")
    for line in goal_lines(outcome.found):
        out.print(f"- {line}", markup=False, highlight=False, soft_wrap=True)
    show(tables.versus(outcome.found))
    show(tables.families(outcome.found))
    out.print("\nThe report has every claim, table and figure, and says in words what came out.")
    out.print(f"Report: {outcome.report}\n", markup=False, soft_wrap=True)
    out.print(f"Simulated, {outcome.results.trials:,} trials, in {seconds:.1f} s.")


def listed_reaching() -> list[dict[str, Any]]:
    """How `handup study list` names it; its cells are tasks by users by methods, over all parts."""
    from handup.lab.reaching.studies import REACHING as STUDY  # noqa: PLC0415 - slow to import

    return [
        {
            "name": STUDY.name,
            "title": STUDY.title,
            "figure": STUDY.figure,
            "question": STUDY.question,
            "cells": STUDY.cells,
        }
    ]
