"""Figures of the study of recoveries: what came out of each way of running, and where the 45 minutes go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from handup.confidence.bootstrap import Estimate
from handup.core import MissingExtra
from handup.lab.recoveries.definition import Day
from handup.lab.recoveries.results import Results
from handup.lab.study.figures import Drawing, files_of
from handup.lab.study.style import INK, QUIET, RC

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

OF_DAYS = (("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "D"))
APART = 0.17
"""So far from the middle of its row a day is drawn."""
SPENT: Mapping[str, str] = {
    "works alone": "#0072b2",
    "waits for people": "#e69f00",
    "stands still: broke off": "#b9b9b4",
    "has ended: no time for another kit": "#cfe3f1",
}
Of = Callable[[str, Day], Estimate | None]


def draw(results: Results) -> Iterator[Drawing]:
    """All figures of the study."""
    yield _outcomes(results)
    yield _minutes(results)


def _outcomes(results: Results) -> Drawing:
    study, ours = results.study, results.study.ours

    def against(way: str, day: Day) -> Estimate | None:
        if way == ours:
            return None
        found = results.difference("kits", ours, way, day.name)
        return Estimate(found.mean, found.ci)

    columns: tuple[tuple[str, Of], ...] = (
        ("kits in 45 minutes", lambda way, day: results.mean("kits", way, day.name)),
        (f"kits that '{ours}' has more", against),
        ("interventions per run", lambda way, day: results.mean("interventions", way, day.name)),
        ("availability", lambda way, day: results.ratio("availability", way, day.name)),
    )
    with looks.context(dict(RC)):
        figure = Figure(figsize=(13.0, 0.36 * len(study.ways) + 1.9), layout="constrained")
        panels = figure.subplots(1, len(columns), sharey=True)
        for panel, (title, of) in zip(panels, columns, strict=True):
            _points(panel, results, of)
            panel.set_title(title, loc="left")
        panels[1].axvline(0.0, color=QUIET, linewidth=1.0)
        panels[3].set_xlim(0.0, 1.04)
        for panel in (panels[0], panels[2]):
            panel.set_xlim(left=min(0.0, -0.03 * panel.get_xlim()[1]))
        panels[0].set_yticks(range(len(study.ways)), study.ways)
        panels[0].get_yticklabels()[study.ways.index(ours)].set_fontweight("bold")
        panels[0].invert_yaxis()
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(study.days))
        figure.suptitle(f"{study.title} ({results.count} paired runs each, simulated)", x=0.01, ha="left")
        files = files_of(figure)
    caption = (
        f"{study.question} Simulated; means with 95 % bootstrap intervals over {results.count} runs, whose seeds all "
        "ways of running share. Availability is the share of the time in which the robot needs nobody; a run that "
        "broke off needs somebody until its 45 minutes are over."
    )
    return Drawing(study.name, caption, *files)


def _points(panel: Axes, results: Results, of: Of) -> None:
    """One row for each way of running, one mark for each day."""
    days = results.study.days
    for number, (day, (color, marker)) in enumerate(zip(days, OF_DAYS, strict=False)):
        found = [(place, each) for place, way in enumerate(results.study.ways) if (each := of(way, day)) is not None]
        values = np.array([each.value for _, each in found])
        ends = np.abs(np.array([each.ci for _, each in found]).T - values)
        places = np.array([place for place, _ in found]) + APART * (2 * number - len(days) + 1)
        panel.errorbar(
            values, places, xerr=ends, color=color, marker=marker, markersize=4.5, linestyle="none", capsize=2.0,
            linewidth=1.2, label=f"{day.name} day: {day.about}",
        )  # fmt: skip
    for place in range(len(results.study.ways)):
        panel.axhline(place + 0.5, color="#efefec", linewidth=0.7)
    panel.grid(visible=True, axis="x")
    panel.grid(visible=False, axis="y")


def _minutes(results: Results) -> Drawing:
    """Where the 45 minutes go, on average."""
    study = results.study
    with looks.context(dict(RC)):
        figure = Figure(figsize=(5.4 * len(study.days) + 1.4, 0.34 * len(study.ways) + 1.6), layout="constrained")
        panels = figure.subplots(1, len(study.days), sharey=True, squeeze=False)[0]
        for panel, day in zip(panels, study.days, strict=True):
            left = np.zeros(len(study.ways))
            spent = np.array([_spent(results, way, day) for way in study.ways]) / 60.0
            for column, (label, color) in enumerate(SPENT.items()):
                panel.barh(range(len(study.ways)), spent[:, column], left=left, color=color, height=0.72, label=label)
                left += spent[:, column]
            for place, way in enumerate(study.ways):
                kits = results.mean("kits", way, day.name).value
                panel.text(left[place] + 0.6, place, f"{kits:.2f}", va="center", color=INK, size=8)
            panel.text(left.max() + 0.6, -0.75, "kits", va="center", color=INK, size=8)
            panel.set_xlim(0.0, left.max() + 4.5)
            panel.set_title(f"{day.name} day: {day.about}", loc="left")
            panel.set_xticks(range(0, int(left.max()) + 1, 15))
            panel.set_xlabel("minutes of a run, on average")
            panel.grid(visible=True, axis="x")
            panel.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(study.ways)), study.ways)
        panels[0].invert_yaxis()
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(SPENT))
        figure.suptitle(f"Where 45 minutes go ({results.count} runs each, simulated)", x=0.01, ha="left")
        files = files_of(figure)
    caption = (
        "Where the 45 minutes of a run go, on average, and the kits that come of it. Simulated. Recoveries are part of "
        "working alone. A robot that begins no kit which it could not finish has ended early; that is no failure."
    )
    return Drawing(f"{study.name}-minutes", caption, *files)


def _spent(results: Results, way: str, day: Day) -> list[float]:
    rows = results.runs(way, day.name)
    run_s = day.rates.run_s
    parts = [(row.up_s, row.waited_s, row.lost_s, max(0.0, run_s - row.ended_s - row.lost_s)) for row in rows]
    return [float(each) for each in np.mean(parts, axis=0)]
