"""Runs the study `real-scores` and writes its folder: rows, record, figure, report."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from handup import __version__
from handup.lab.files import write_whole
from handup.lab.streams import read_streams
from handup.lab.study.real_scores import (
    AREAS,
    LABEL,
    METRICS,
    NAME,
    PLACES,
    PLAIN,
    SIZES,
    Comparison,
    Place,
    Size,
    Watcher,
    compare,
)

COLUMNS = ("handup", "seed", "modules", "expert", "patience", "world", "method", "confidences", "draw", "streams",
           "chosen", "episodes", *METRICS)  # fmt: skip


def run(
    out: Path, data: Path, size: Size, *, jobs: int = 1, watch: Watcher = lambda done, total: None
) -> tuple[Comparison, Path]:
    """Run the study and write its folder; what was found, and the report.

    Args:
        out: Where studies go.
        data: The folder of the streams.
        size: How much to run.
        jobs: Processes.
        watch: Told after each few draws.

    Raises:
        BadData: The data cannot be used; nothing is written.
        MissingExtra: The figure cannot be drawn; told before anything is run.
    """
    from handup.lab.study import real_scores_page  # noqa: PLC0415 - drawing is an extra

    found = compare(read_streams(data), size, jobs=jobs, watch=watch)
    folder = out / NAME
    drawing = real_scores_page.draw(found)
    write_whole(folder / "rows.csv", rows(found))
    write_whole(folder / "study.json", json.dumps(record(found), indent=2, ensure_ascii=False) + "\n")
    write_whole(folder / f"{drawing.name}.svg", drawing.svg)
    write_whole(folder / f"{drawing.name}.png", drawing.png)
    report = folder / "report.html"
    write_whole(report, real_scores_page.page(found, drawing))
    return found, report


def record(found: Comparison) -> dict[str, Any]:
    """A plain record of the whole study, without the rows."""
    size = found.size
    return {
        "name": NAME,
        "evidence": LABEL,
        "assumed": "chain, costs, answers",
        "episodes": size.episodes,
        "draws": size.draws,
        "seed": size.seed,
        "quick": size.quick,
        "handup": __version__,
        "streams": [
            {"name": each.name, "rows": len(each.sample), "calibration": each.rows, "right": each.sample.base_rate}
            for each in found.streams
        ],
        "chosen": found.chosen(),
        "places": [_place(found, place) for place in PLACES],
        "aurc": [
            {"modules": modules, **{said: found.aurc(modules, said).to_json() for said in AREAS}} for modules in SIZES
        ],
    }


def _place(found: Comparison, place: Place) -> dict[str, Any]:
    lowest = found.ranked("J", place, PLAIN)
    return {
        **_settings(place),
        "lowest_J": lowest[0].label,
        "ahead_of_next": found.difference("J", place, lowest[1], lowest[0]).to_json(),
        "methods": [
            {
                "method": arm.method,
                "confidences": arm.said,
                **{metric: found.spread(metric, place, arm).to_json() for metric in METRICS},
            }
            for arm in place.arms
        ],
    }


def _settings(place: Place) -> dict[str, Any]:
    world = "simulated from the confidences" if place.imagined else "real scores"
    return {"modules": place.modules, "expert": place.expert, "patience": place.patience, "world": world}


def rows(found: Comparison) -> str:
    """One line per place, method and draw, as CSV: means over the episodes of the draw."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (place, arm), numbers in found.found.items():
        for draw, chain in enumerate(found.chains):
            streams = " ".join(found.streams[each].name for each in chain.streams[: place.modules])
            chosen = " ".join(chain.chosen[: place.modules])
            means = (f"{each:.6g}" for each in numbers[:, draw].mean(axis=1).tolist())
            start = (__version__, found.size.seed, *_settings(place).values(), arm.method, arm.said or "")
            writer.writerow((*start, draw, streams, chosen, numbers.shape[2], *means))
    return file.getvalue()
