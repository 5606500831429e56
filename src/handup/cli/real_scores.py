"""`handup study run real-scores`: methods on real scores, in a synthetic composition."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import typer
from rich.progress import Progress

from handup.cli.output import INTERRUPTED, err, out, print_json

_TAGS = re.compile(r"</?(?:em|strong)>")


def run_real_scores(
    out_dir: Path, data: Path, episodes: int | None, seed: int, *, quick: bool, jobs: int, as_json: bool
) -> None:
    """Run the study with a bar on stderr, and say what it found."""
    from handup.lab.study import real_scores, real_scores_record  # noqa: PLC0415 - numpy is slow to import
    from handup.lab.study.real_scores_words import reading  # noqa: PLC0415

    usual = real_scores.QUICK_EPISODES if quick else real_scores.EPISODES
    size = real_scores.Size(episodes=usual if episodes is None else episodes, seed=seed, quick=quick)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task(real_scores.NAME)
        try:
            found, report = real_scores_record.run(
                out_dir,
                data,
                size,
                jobs=jobs,
                watch=lambda done, total: progress.update(bar, completed=done, total=total),
            )
        except KeyboardInterrupt:
            progress.stop()
            err.print("handup: Stopped. Nothing of this study is kept; it starts again from the beginning.")
            raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json({"studies": [{**real_scores_record.record(found), "report": str(report)}]})
        return
    out.print(f"[bold]{real_scores.NAME}[/bold]: {real_scores.QUESTION}")
    for line in reading(found):
        words = unescape(_TAGS.sub("", line.replace("<code>", "'").replace("</code>", "'")))
        out.print(f"- {words}", markup=False)
    out.print(f"Report: {report}\n", markup=False, soft_wrap=True)
    shown = f"{size.episodes:,} episodes for each k in {size.draws} draws, seed {seed}"
    out.print(f"{real_scores.LABEL.capitalize()}: {shown}.")


def listed_real_scores() -> dict[str, Any]:
    """How `handup study list` names it."""
    from handup.lab.study import real_scores  # noqa: PLC0415 - numpy is slow to import

    return {
        "name": real_scores.NAME,
        "title": real_scores.TITLE,
        "figure": real_scores.FIGURE,
        "question": real_scores.QUESTION,
        "cells": sum(len(place.arms) for place in real_scores.PLACES),
    }
