"""Figures of a study of meals: measures as in the core paper's Fig. 6, days of a week, and cause against blame."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from handup.confidence.metrics import Estimate
from handup.lab.engine import Drawing, Results, where
from handup.lab.engine.figures import INK, QUIET, drawing, points, sheet
from handup.lab.studies.meals.blame import BLAMED, TRUE_BLAME
from handup.lab.studies.meals.tables import CAPTIONS, CAUSES, triage

SHOWN = ("queries", "executions", "bites", "wrong", "workload", "J_true")
"""Measures shown: the paper's three in the upper row, ours in the lower."""
OF_DAYS = ("queries", "bites")
SPREAD = 0.26
"""Distance from the middle of a row over which the participants' points are spread."""


def draw(results: Results[Any]) -> tuple[Drawing, ...]:
    """Draw the means, the days where a robot remembers, and the triage as the last."""
    days = [_days(results)] if results.study.remembers else []
    return _means(results), *days, _confusion(results)


def _title(results: Results[Any]) -> str:
    who = f"{results.count()} simulated participants, looks {results.size['looks']}"
    return f"{results.study.title} ({who})"


def _means(results: Results[Any]) -> Drawing:
    study = results.study
    with sheet(12.4, 0.9 * len(study.arms) + 2.0) as figure:
        panels = figure.subplots(2, 3, sharey=True)
        for panel, name in zip(panels.flat, SHOWN, strict=True):
            for place, arm in enumerate(study.arms):
                values = results.by_unit(name, arm)
                # Dots are spread in the order of participants, not randomly: the same rows give the same picture.
                spread = place + np.linspace(-SPREAD, SPREAD, len(values))
                panel.scatter(values, spread, s=6, color=QUIET, alpha=0.6, linewidths=0)
            points(panel, study.arms, {"mean": partial(results.mean, name)}, bold="troubleshoot")
            panel.set_xlim(left=min(0.0, -0.03 * panel.get_xlim()[1]))
            panel.set_title(study.measure(name).label, loc="left")
        panels[0, 0].invert_yaxis()
        caption = f"{study.question} {CAPTIONS['means figure']}"
        return drawing(figure, study.name, caption, _title(results))


def _days(results: Results[Any]) -> Drawing:
    """Draw questions above and bites below, day by day; one column for each menu."""
    study, menus = results.study, results.study.places

    def mean(name: str, arm: str, days: Mapping[str, int], label: str) -> Estimate:
        return results.mean(name, arm, where(meal=days[label]))

    with sheet(max(6.4, 5.2 * len(menus)), 6.8) as figure:
        panels = figure.subplots(len(OF_DAYS), len(menus), squeeze=False, sharex="row")
        for (row, column), panel in np.ndenumerate(panels):
            served = {f"{day}: {plate}": day for day, plate in enumerate(menus[column].plates, start=1)}
            series = {arm: partial(mean, OF_DAYS[row], arm, served) for arm in study.arms_at(menus[column])}
            points(panel, list(served), series)
            panel.set_title(study.measure(OF_DAYS[row]).label, loc="left")
            panel.invert_yaxis()
            panel.legend(fontsize=7)
        for panel in panels.flat:  # after all are drawn: a limit that is set stays, and panels of a row share theirs
            panel.set_xlim(left=0.0)
        return drawing(figure, f"{study.name}-days", CAPTIONS["days figure"], _title(results))


def _confusion(results: Results[Any]) -> Drawing:
    """Draw what was wrong, down, against what the robot blamed, across; one panel for each arm."""
    arms = results.study.arms
    columns = 2 if len(arms) in (2, 4) else 3
    rows = -(-len(arms) // columns)
    with sheet(3.6 * columns, 3.5 * rows) as figure:
        panels = figure.subplots(rows, columns, squeeze=False)
        for panel in panels.flat[len(arms) :]:
            panel.set_axis_off()
        for panel, arm in zip(panels.flat, arms, strict=False):
            _matrix(panel, triage(results, arm))
        for panel in panels[:, 0]:
            panel.set_ylabel("what was wrong")
        figure.supxlabel("what the robot blamed", size=9)
        return drawing(figure, f"{results.study.name}-triage", CAPTIONS["triage figure"])


def _matrix(panel: Axes, lost: dict[str, Any]) -> None:
    counts = np.array([[lost["confusion"][cause][blamed] for blamed in BLAMED] for cause in CAUSES])
    most = max(1, int(counts.max()))
    panel.imshow(counts, cmap="Blues", vmin=0.0, vmax=most, aspect="auto")
    for row, column in np.ndindex(*counts.shape):
        right = TRUE_BLAME[CAUSES[row]] == BLAMED[column]
        if counts[row, column] or right:
            color = "white" if counts[row, column] > 0.6 * most else INK
            panel.text(column, row, str(counts[row, column]), ha="center", va="center", color=color,
                       weight="bold" if right else "normal")  # fmt: skip
    panel.set_xticks(range(len(BLAMED)), BLAMED, rotation=35, ha="right", size=7)
    panel.set_yticks(range(len(CAUSES)), CAUSES, size=8)
    panel.set_title(f"{lost['arm']}: {lost['lost']} of {lost['taken']} lost", loc="left", size=8)
    panel.grid(visible=False)
