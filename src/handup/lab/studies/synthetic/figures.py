"""Figures of the synthetic studies, one per world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from handup.lab.cell import WorldKind
from handup.lab.engine.figures import INK, QUIET, drawing, sheet
from handup.lab.engine.report import Drawing
from handup.lab.episodes import MetricMeasure
from handup.lab.studies.synthetic.decision_times import COMPUTATION_TIME
from handup.lab.studies.synthetic.results import FILE, TROUBLESHOOT, Axis, CellResults, Grid, value_label
from handup.lab.studies.synthetic.study import BY_MEAN, WORLD_LABELS, FigureLayout

COLUMNS = ("task_cost", "query_cost", "failed_attempts", "timesteps", "J")
BETA_ROWS = ("task_cost", "timesteps", "J")
SPREAD = 0.5
"""Share of the space of one value over which methods are spread, so that equal ones do not overlap."""
LONG = 30.0
"""Largest value of a linear axis; longer axes give less space to large numbers."""
ONE_WHEN, ONE_SELECTOR = "+workload-aware", "graph+"
OTHER = ("#6b6b6b", ".")
SHOWN = "means with 95 % intervals for task cost and J, medians with quartiles for the others"
DIFFERENCE = "difference"
"""Name used instead of a metric: the task cost of a method less that of asking by confidence alone."""
CONFIDENCE = "confidence+workload-aware"


@dataclass(frozen=True)
class Panel:
    """Lines of methods over the values of an axis, under settings that are fixed."""

    title: str
    axis: Axis
    metric: str
    methods: Sequence[str]
    at: Mapping[str, Any] = field(default_factory=dict)


Row = tuple[str, str, list[Panel]]
"""Label of a row of panels, the part of names that all of its methods share, and the panels."""


def draw(results: CellResults) -> Iterator[Drawing]:
    """Yield the figure of each world."""
    study = results.study
    rows_of, most, width, height = LAYOUTS[study.layout]
    for world in study.worlds:
        here = replace(results, world=world)
        rows = [
            (label, shared, panels[start : start + most])
            for label, shared, panels in rows_of(here)
            for start in range(0, len(panels), most)
        ]
        columns = len(rows[0][2])
        title = f"{study.title}: {WORLD_LABELS[world]}"
        with sheet(width * columns + 1.6, height * len(rows) + 0.4) as figure:
            grid = figure.subplots(len(rows), columns, squeeze=False)
            for axes, (label, shared, panels) in zip(grid, rows, strict=True):
                for ax, panel in zip_longest(axes, panels):
                    _draw_panel(ax, here, panel) if panel else ax.set_axis_off()
                axes[0].set_ylabel(label, weight="bold")
                if study.layout is FigureLayout.BETA:  # the same limits, because these panels are compared
                    lows, highs = zip(*(ax.get_ylim() for ax in axes), strict=True)
                    for ax in axes:
                        ax.set_ylim(min(lows), max(highs))
                _legend(axes[-1], list(dict.fromkeys(name for panel in panels for name in panel.methods)), shared)
            size = f"simulated, {here.base.episodes:,} episodes per cell, seed {here.base.seed}"
            caption = f"{title}. {study.question} Simulated; {SHOWN}."
            yield drawing(figure, f"{study.name}-{world}", caption, f"{title} ({size})")


def _is_timed(results: CellResults) -> bool:
    """Return True if decisions were timed in this world."""
    return results.world is WorldKind.DEFAULT and bool(results.timings)


def _label(results: CellResults, metric: str) -> str:
    return "Computation time (ms)" if metric == COMPUTATION_TIME else results.measure(metric).label.capitalize()


def _methods(results: CellResults, grid: Grid) -> list[str]:
    """Return the methods of a grid that were run in this world."""
    ran = {cell.method for cell in results.found if cell.world is results.world}
    return [method for method in grid.methods if method in ran]


def _chosen(results: CellResults, grid: Grid, shared: str) -> list[str]:
    """Return the methods of a grid whose names share a part, and ours."""
    return [method for method in _methods(results, grid) if shared in method or method == TROUBLESHOOT]


def _rows(results: CellResults) -> Iterator[Row]:
    """Yield selectors above, querying algorithms below; one column per metric."""
    (grid,) = results.study.grids
    metrics = (*COLUMNS, COMPUTATION_TIME) if _is_timed(results) else COLUMNS
    labels = {ONE_WHEN: "selectors\n(with workload-aware)", ONE_SELECTOR: "querying algorithms\n(with graph)"}
    for shared, label in labels.items():
        methods = _chosen(results, grid, shared)
        yield label, shared, [Panel(_label(results, metric), grid.axes[0], metric, methods) for metric in metrics]


def _summary(results: CellResults) -> Iterator[Row]:
    """Yield one column per variable with its highlighted metric; β last, for the least and the most separate pair."""

    def panel(grid: Grid, shared: str, end: int) -> Panel:
        timed = grid.highlight != COMPUTATION_TIME or _is_timed(results)
        metric = grid.highlight if timed else "timesteps"
        title = _label(results, metric)
        if len(grid.axes) == 1:
            return Panel(title, grid.axes[0], metric, _chosen(results, grid, shared))
        pairs, beta = grid.axes
        pair = pairs.values[end]
        title = f"{title}, confidences {value_label(pair)}"
        return Panel(title, beta, metric, _methods(results, grid), {pairs.key: pair})

    for label, shared, end in (("selectors", ONE_WHEN, 0), ("querying algorithms", ONE_SELECTOR, -1)):
        yield label, shared, [panel(grid, shared, end) for grid in results.study.grids]


def _beta(results: CellResults) -> Iterator[Row]:
    """Yield lines over β, one column per pair of confidences; in the last row the first method less the second."""
    (grid,) = results.study.grids
    pairs, beta = grid.axes
    methods, last = _methods(results, grid), "Task cost:\ngraph − confidence"
    for metric in (*BETA_ROWS, DIFFERENCE):
        shown, label = (methods[:1], last) if metric == DIFFERENCE else (methods, _label(results, metric))
        taken = pairs.taken(results.size.quick)
        titles = {pair: f"confidences {value_label(pair)}" if metric == BETA_ROWS[0] else "" for pair in taken}
        yield label, ONE_WHEN, [Panel(titles[pair], beta, metric, shown, {pairs.key: pair}) for pair in taken]


LAYOUTS: Mapping[FigureLayout, tuple[Callable[[CellResults], Iterator[Row]], int, float, float]] = {
    FigureLayout.ROWS: (_rows, 3, 3.0, 2.4),
    FigureLayout.BETA: (_beta, 5, 2.1, 1.9),
    FigureLayout.SUMMARY: (_summary, 3, 3.0, 2.4),
}
"""Rows of a layout, most panels beside each other, and width and height of a panel in inches."""


def _point(results: CellResults, metric: str, method: str, place: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Return a number to draw and its interval or quartiles; None where there is no such cell."""
    episodes = results.episodes(method, **place)
    if episodes is None:
        return None
    if metric == COMPUTATION_TIME:
        timing = results.timings.get(replace(results.base, method=method, **place))
        return None if timing is None else (timing.episode_ms,) * 3
    if metric == DIFFERENCE:
        other = results.episodes(CONFIDENCE, **place)
        gap = None if other is None else MetricMeasure.of(episodes.metric("task_cost") - other.metric("task_cost"))
        return None if gap is None else (gap.mean, *gap.ci)
    measure = MetricMeasure.of(episodes.metric(metric), share=metric == "task_cost")
    return (measure.mean, *measure.ci) if metric in BY_MEAN else (measure.median, measure.q1, measure.q3)


def _draw_panel(ax: Axes, results: CellResults, panel: Panel) -> None:
    """Draw one line per method over the values of the axis, slightly shifted against each other."""
    values, top = panel.axis.taken(results.size.quick), 0.0
    for number, method in enumerate(panel.methods):
        found = [_point(results, panel.metric, method, {**panel.at, panel.axis.key: value}) for value in values]
        known = [(place, *point) for place, point in enumerate(found) if point is not None]
        if known:
            places, centres, lows, highs = np.array(known).T
            top = max(top, float(highs.max()))
            shift = SPREAD * ((number + 0.5) / len(panel.methods) - 0.5)
            ends = np.maximum(0.0, (centres - lows, highs - centres))
            ax.errorbar(places + shift, centres, yerr=ends, elinewidth=0.9, **_look(method))
    _scale(ax, panel.metric, top)
    ax.set_xticks(range(len(values)), [value_label(value).replace("-then-", "-\nthen-") for value in values], size=8)
    ax.set_xlim(-0.5, len(values) - 0.5)
    ax.set_xlabel(panel.axis.label)
    ax.set_title(panel.title, loc="left")


def _look(method: str) -> dict[str, Any]:
    """Return the style of a method: ours larger, above the others."""
    color, marker = FILE["methods"].get(method, OTHER)
    width, size, order = (2.0, 8.0, 4) if method == TROUBLESHOOT else (1.1, 4.5, 3)
    return {"color": color, "marker": marker, "markersize": size, "linewidth": width, "zorder": order}


def _scale(ax: Axes, metric: str, top: float) -> None:
    if metric == DIFFERENCE:
        ax.axhline(0.0, color=QUIET, linewidth=0.8)
        ax.annotate("below 0: graph is better", (0.02, 0.02), xycoords="axes fraction", color=INK, size=7)
    elif metric == "task_cost":
        ax.set_ylim(-0.05, 1.05)
    elif metric == COMPUTATION_TIME:
        ax.set_yscale("log")
    elif top > LONG:
        ax.set_yscale("symlog", linthresh=2)
        ax.yaxis.set_major_locator(FixedLocator((0, 1, 2, 5, 10, 20, 50, 100, 200)))
        ax.set_ylim(-0.2, 1.3 * top)
    if ax.get_yscale() != "linear":
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        ax.yaxis.set_minor_locator(NullLocator())


def _legend(ax: Axes, methods: Sequence[str], shared: str) -> None:
    """Name every method of a row, without the part of its name that all share, beside the last panel."""
    beside = ax.twinx()
    beside.set_axis_off()
    for method in methods:
        beside.plot([], [], label=method.replace(shared, ""), **_look(method))
    beside.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
