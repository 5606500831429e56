"""Figures of a study, one per world, as SVG and PNG."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from handup.core import MissingExtra
from handup.lab.cell import Cell, WorldKind
from handup.lab.study.definition import Axis, Grid, Layout, Study, value_label
from handup.lab.study.results import Results
from handup.lab.study.studies import TROUBLESHOOT
from handup.lab.study.style import BY_MEAN, INK, METRIC_LABELS, QUIET, RC, WORLD_LABELS, look
from handup.lab.study.timing import COMPUTATION_TIME, Timing

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

COLUMNS = ("task_cost", "query_cost", "failed_attempts", "timesteps", "J")
SPREAD = 0.5
"""Share of the room of one value over which the methods are spread, so that equal ones can be told apart."""
LONG = 30.0
"""Axes that reach further than this are drawn with less room for the large numbers."""
PNG_DPI = 150
ONE_WHEN, ONE_SELECTOR = "+workload-aware", "graph+"

Point = tuple[float, float, float]
"""A number and its interval or quartiles."""


@dataclass(frozen=True)
class Drawing:
    """A figure, drawn.

    Args:
        name: Of its files, without ending.
        caption: What it shows.
        svg: The same bytes whenever it shows the same numbers.
        png: The picture in pixels.
    """

    name: str
    caption: str
    svg: bytes
    png: bytes


def draw(study: Study, results: Results, timings: Mapping[Cell, Timing], *, quick: bool = False) -> Iterator[Drawing]:
    """Every figure of a study.

    Args:
        study: What was run.
        results: What came out.
        timings: Of those cells whose decisions were timed.
        quick: Whether the coarser axes were run.
    """
    painter = {Layout.ROWS: _draw_rows, Layout.BETA: _draw_beta, Layout.SUMMARY: _draw_summary}[study.layout]
    for world in study.worlds:
        with looks.context(dict(RC)):
            figure = painter(study, _Source(results.of(world), timings), quick)
            base = results.base
            title = f"{study.title}: {WORLD_LABELS[world]}"
            figure.suptitle(
                f"{title} (simulated, {base.episodes:,} episodes per cell, seed {base.seed})", x=0.01, ha="left"
            )
            shown = "means with 95 % intervals for task cost and J, medians with quartiles for the others"
            yield Drawing(f"{study.name}-{world}", f"{title}. {study.question} Simulated; {shown}.", *files_of(figure))


@dataclass(frozen=True)
class _Source:
    """Where the numbers of a figure come from."""

    results: Results
    timings: Mapping[Cell, Timing]

    def point(self, metric: str, method: str, place: Mapping[str, Any]) -> Point | None:
        """A number to draw; none where there is no such cell."""
        if not self.results.has(method, **place):
            return None
        if metric == COMPUTATION_TIME:
            timing = self.timings.get(replace(self.results.base, method=method, **place))
            return None if timing is None else (timing.episode_ms,) * 3
        measure = self.results.measure(metric, method, **place)
        if metric in BY_MEAN:
            return measure.mean, *measure.ci
        return measure.median, measure.q1, measure.q3

    def methods(self, grid: Grid) -> tuple[str, ...]:
        """Those that were run in this world."""
        world = self.results.base.world
        ran = {cell.method for cell in self.results.found if cell.world is world}
        return tuple(method for method in grid.methods if method in ran)

    @property
    def is_timed(self) -> bool:
        """Whether decisions were timed in this world."""
        return self.results.base.world is WorldKind.DEFAULT and bool(self.timings)


def _selectors(methods: Sequence[str]) -> list[str]:
    return [each for each in methods if each.endswith(ONE_WHEN) or each == TROUBLESHOOT]


def _whens(methods: Sequence[str]) -> list[str]:
    return [each for each in methods if each.startswith(ONE_SELECTOR) or each == TROUBLESHOOT]


def _draw_rows(study: Study, source: _Source, quick: bool) -> Figure:
    """Selectors above, querying algorithms below; one column per metric."""
    metrics = (*COLUMNS, COMPUTATION_TIME) if source.is_timed else COLUMNS
    grid = study.grids[0]
    figure, panels = _panels(2, len(metrics), width=2.5, height=2.6)
    for row, chosen, cut in ((0, _selectors, ONE_WHEN), (1, _whens, ONE_SELECTOR)):
        methods = chosen(source.methods(grid))
        for panel, metric in zip(panels[row], metrics, strict=True):
            _lines(panel, source, grid.axes[0], metric, methods, quick)
            panel.set_title(METRIC_LABELS[metric], loc="left")
        _legend(panels[row][-1], methods, cut)
    panels[0][0].set_ylabel("selectors\n(with workload-aware)", weight="bold")
    panels[1][0].set_ylabel("querying algorithms\n(with graph)", weight="bold")
    return figure


def _draw_summary(study: Study, source: _Source, quick: bool) -> Figure:
    """One column per variable with its highlighted metric; β in the last, for the least and the most separate pair."""
    figure, panels = _panels(2, len(study.grids), width=2.9, height=2.7)
    for column, grid in enumerate(study.grids):
        timed = grid.highlight != COMPUTATION_TIME or source.is_timed
        metric = grid.highlight if timed else "timesteps"
        if len(grid.axes) == 1:
            for row, chosen in ((0, _selectors), (1, _whens)):
                _lines(panels[row][column], source, grid.axes[0], metric, chosen(source.methods(grid)), quick)
                panels[row][column].set_title(METRIC_LABELS[metric], loc="left")
            continue
        pairs, beta = grid.axes
        for row, pair in ((0, pairs.taken(quick)[0]), (1, pairs.taken(quick)[-1])):
            methods = source.methods(grid)
            _lines(panels[row][column], source, beta, metric, methods, quick, {pairs.key: pair})
            _legend(panels[row][column], methods, ONE_WHEN, beside=False)
            panels[row][column].set_title(f"{METRIC_LABELS[metric]}, confidences {value_label(pair)}", loc="left")
    for row, chosen, cut in ((0, _selectors, ONE_WHEN), (1, _whens, ONE_SELECTOR)):
        beside = panels[row][-1].twinx()  # its own legend, beside that of the last panel
        beside.set_axis_off()
        _legend(beside, chosen(source.methods(study.grids[0])), cut)
    panels[0][0].set_ylabel("selectors", weight="bold")
    panels[1][0].set_ylabel("querying algorithms", weight="bold")
    return figure


def _draw_beta(study: Study, source: _Source, quick: bool) -> Figure:
    """Lines over β, one column per pair of confidences; in the last row the first method less the second."""
    grid = study.grids[0]
    pairs, beta = grid.axes
    methods = source.methods(grid)
    first, second = methods[:2]
    metrics = ("task_cost", "timesteps", "J")
    figure, panels = _panels(len(metrics) + 1, len(pairs.taken(quick)), width=2.3, height=1.9)
    for column, pair in enumerate(pairs.taken(quick)):
        at = {pairs.key: pair}
        for row, metric in enumerate(metrics):
            _lines(panels[row][column], source, beta, metric, methods, quick, at)
        panels[0][column].set_title(f"confidences {value_label(pair)}", loc="left")
        _difference(panels[-1][column], source.results, beta, (first, second), quick, at)
    for row, metric in enumerate(metrics):
        panels[row][0].set_ylabel(METRIC_LABELS[metric], weight="bold")
        _share_y(panels[row])
    panels[-1][0].set_ylabel("Task cost:\ngraph − confidence", weight="bold")
    _share_y(panels[-1])
    _legend(panels[0][-1], methods, ONE_WHEN)
    return figure


def _lines(
    panel: Axes,
    source: _Source,
    axis: Axis,
    metric: str,
    methods: Sequence[str],
    quick: bool,
    at: Mapping[str, Any] | None = None,
) -> None:
    """One line per method over the values of an axis, a little beside each other."""
    values = axis.taken(quick)
    top = 0.0
    for number, method in enumerate(methods):
        found = [(i, source.point(metric, method, {**(at or {}), axis.key: value})) for i, value in enumerate(values)]
        points = [(place, *point) for place, point in found if point is not None]
        if not points:
            continue
        places, centres, lows, highs = zip(*points, strict=True)
        top = max(top, *highs)
        shift = SPREAD * ((number + 0.5) / len(methods) - 0.5)
        style = look(method)
        arms = ([c - low for c, low in zip(centres, lows, strict=True)],
                [high - c for c, high in zip(centres, highs, strict=True)])  # fmt: skip
        panel.errorbar(
            [place + shift for place in places],
            centres,
            yerr=[[max(0.0, each) for each in side] for side in arms],
            color=style.color,
            marker=style.marker,
            markersize=style.size,
            linewidth=style.width,
            elinewidth=0.9,
            zorder=4 if method == TROUBLESHOOT else 3,
        )
    _dress(panel, axis, values)
    if metric == COMPUTATION_TIME:
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        panel.yaxis.set_minor_locator(NullLocator())
    elif metric == "task_cost":
        panel.set_ylim(-0.05, 1.05)
    elif top > LONG:
        panel.set_yscale("symlog", linthresh=2)
        panel.yaxis.set_major_locator(FixedLocator((0, 1, 2, 5, 10, 20, 50, 100, 200)))
        panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        panel.yaxis.set_minor_locator(NullLocator())
        panel.set_ylim(-0.2, 1.3 * top)


def _difference(
    panel: Axes, results: Results, axis: Axis, methods: tuple[str, str], quick: bool, at: Mapping[str, Any]
) -> None:
    """The first method less the second in task cost, with the interval of the pairs."""
    values = axis.taken(quick)
    first, second = methods
    found = [results.difference("task_cost", first, second, **{**at, axis.key: value}) for value in values]
    centres = [each.mean for each in found]
    arms = [[each.mean - each.ci[0] for each in found], [each.ci[1] - each.mean for each in found]]
    style = look(first)
    panel.axhline(0.0, color=QUIET, linewidth=0.8)
    panel.errorbar(range(len(values)), centres, yerr=arms, color=style.color, marker=style.marker, capsize=2)
    panel.annotate("below 0: graph is better", (0.02, 0.02), xycoords="axes fraction", color=INK, size=7)
    _dress(panel, axis, values)


def _dress(panel: Axes, axis: Axis, values: Sequence[Any]) -> None:
    labels = [value_label(value).replace("-then-", "-\nthen-") for value in values]
    panel.set_xticks(range(len(values)), labels, size=8)
    panel.set_xlim(-0.5, len(values) - 0.5)
    panel.set_xlabel(axis.label)


def _panels(rows: int, columns: int, *, width: float, height: float) -> tuple[Figure, list[list[Axes]]]:
    figure = Figure(figsize=(width * columns + 1.6, height * rows + 0.4), layout="constrained")
    return figure, [list(row) for row in figure.subplots(rows, columns, squeeze=False)]


def _share_y(panels: Sequence[Axes]) -> None:
    """The same limits for all, for they are to be compared."""
    limits = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _legend(panel: Axes, methods: Sequence[str], shared: str, *, beside: bool = True) -> None:
    """Beside or in a panel, every method without the part of its name that all share."""
    for method in methods:
        style = look(method)
        panel.plot(
            [], [], color=style.color, marker=style.marker, markersize=style.size, linewidth=style.width,
            label=method.replace(shared, ""),
        )  # fmt: skip
    if beside:
        panel.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    else:
        panel.legend(loc="upper left", fontsize="small")


def files_of(figure: Figure) -> tuple[bytes, bytes]:
    """A figure as SVG and as PNG; the same bytes whenever it shows the same numbers."""
    svg, png = io.BytesIO(), io.BytesIO()
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    figure.savefig(png, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()
