"""The picture of an advice: success against workload, every method with its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

from handup.core import MissingExtra
from handup.lab.advise import BASELINES, EVERYTHING, NEVER, Advice, Kind, Row
from handup.lab.study.style import INK, QUIET, RC

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation, Text
    from matplotlib.ticker import PercentFormatter, StrMethodFormatter
    from matplotlib.transforms import Bbox
except ImportError:
    raise MissingExtra.of("lab", "drawing the advice") from None

COLORS = {Kind.OURS: "#2f7d5b", Kind.PAIR: "#0072b2", Kind.BASELINE: "#8c8c8c"}
RECOMMENDED = "#c4513d"
KINDS = {Kind.OURS: "ours", Kind.PAIR: "the paper's pairs", Kind.BASELINE: "baselines"}
MOST_LABELS = 14
"""Rows that are named in the picture; beyond that only those that the words speak of and those on the front."""
NAME_LENGTH = 46
PNG_DPI = 160
Align = Literal["left", "center", "right"]
DWARFS = 6.0
"""So many times the middle workload the largest may be on an even scale."""
DASHES = (0, (4, 3))
DIRECTIONS = ((1, 0), (0.8, 0.7), (0.8, -0.7), (-1, 0), (-0.8, 0.7), (-0.8, -0.7), (0, 1), (0, -1))


def draw(advice: Advice, title: str) -> Figure:
    """Draw an advice.

    Args:
        advice: What was found.
        title: What the policy is called.
    """
    with looks.context(dict(RC) | {"axes.grid.axis": "both", "svg.hashsalt": "handup"}):
        figure = Figure(figsize=(8.4, 5.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _front(axes, advice.rows)
        for row in advice.rows:
            _mark(axes, row, is_best=row is advice.recommended)
        axes.set_xlabel("workload: mean query cost per episode (less is better)")
        axes.set_ylabel("success")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        _limits(axes, advice.rows)
        _legend(axes, {row.kind for row in advice.rows[1:]})
        place = advice.place
        terms = f"{advice.episodes:,} episodes, seed {advice.seed}, expert {place.expert:g}, w {place.w:g}"
        axes.set_title(f"{title}: simulated, {terms}, bars are 95 % intervals", loc="left", size=9)
        figure.draw_without_rendering()
        _label(figure, axes, advice)
    return figure


def save(figure: Figure, path: str) -> None:
    """Write a picture as SVG or PNG, by the ending of its name; the same numbers give the same bytes."""
    metadata: dict[str, Any] = {"Date": None} if path.lower().endswith(".svg") else {"Software": None}
    with looks.context(dict(RC) | {"svg.hashsalt": "handup"}):
        figure.savefig(path, metadata=metadata, dpi=PNG_DPI)


def _front(axes: Axes, rows: Sequence[Row]) -> None:
    """The methods of which none is better in both respects, joined."""
    front = sorted((row.measures["query_cost"].mean, row.measures["success"].mean) for row in rows if row.on_front)
    axes.plot(*zip(*front, strict=True), color=QUIET, linewidth=1.0, linestyle=DASHES, zorder=1)


def _mark(axes: Axes, row: Row, *, is_best: bool) -> None:
    load, success = row.measures["query_cost"], row.measures["success"]
    axes.errorbar(
        load.mean,
        success.mean,
        xerr=[[load.mean - load.ci[0]], [load.ci[1] - load.mean]],
        yerr=[[max(success.mean - success.ci[0], 0.0)], [max(success.ci[1] - success.mean, 0.0)]],
        fmt="*" if is_best else "s" if row.kind is Kind.BASELINE else "o",
        markersize=15 if is_best else 6,
        color=RECOMMENDED if is_best else COLORS[row.kind],
        markeredgecolor="white",
        markeredgewidth=0.7,
        elinewidth=1.0,
        zorder=4 if is_best else 3,
    )


def _limits(axes: Axes, rows: Sequence[Row]) -> None:
    """Room for names around the marks; where one workload dwarfs the others, a scale on which all can be told apart."""
    loads = sorted(row.measures["query_cost"].mean for row in rows)
    least = min(row.measures["success"].ci[0] for row in rows)
    axes.set_ylim(max(least - 0.15, -0.04), 1.0 + 0.1 * (1.0 - max(least - 0.15, 0.0)))
    widest = loads[-1] or 1.0
    some = [load for load in loads if load > 0.0]
    if len(some) > 2 and widest > DWARFS * some[len(some) // 2]:
        axes.set_xscale("symlog", linthresh=some[0], linscale=0.6)
        axes.set_xlabel(f"{axes.get_xlabel()}, log scale")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.set_xlim(-0.25 * some[0], 3.0 * widest)
    else:
        axes.set_xlim(-0.13 * widest, 1.13 * widest)


def _legend(axes: Axes, kinds: set[Kind]) -> None:
    handles = [axes.plot([], [], "*", markersize=12, color=RECOMMENDED, label="recommended")[0]]
    for kind in (each for each in Kind if each in kinds):
        shape = "s" if kind is Kind.BASELINE else "o"
        handles.append(axes.plot([], [], shape, markersize=6, color=COLORS[kind], label=KINDS[kind])[0])
    handles.append(axes.plot([], [], color=QUIET, linewidth=1.0, linestyle=DASHES, label="no other better in both")[0])
    axes.legend(handles=handles, loc="lower right", fontsize=8)


def name_of(row: Row) -> str:
    """A row's name in the picture: what it does where that is simple, and how many others do the same."""
    for baseline in (NEVER, EVERYTHING):
        if row.method == baseline:
            return f"{BASELINES[baseline]}{_others(row)}"
    told = [words for baseline, words in BASELINES.items() if baseline in row.same_as]
    named = f"{row.method} ({told[0]})" if told else row.method
    return f"{named}{_others(row)}"[:NAME_LENGTH]


def _others(row: Row) -> str:
    return f" +{len(row.same_as)}" if row.same_as else ""


def _label(figure: Figure, axes: Axes, advice: Advice) -> None:
    """Names beside the marks, each where it covers least; the important ones choose first."""
    important = [advice.recommended, advice.best_pair, *(row for row in advice.rows if row.on_front)]
    rows = list({id(row): row for row in (*important, *advice.rows)}.values())
    if len(rows) > MOST_LABELS:
        rows = [row for row in rows if row in important or row.kind is Kind.BASELINE]
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    taken = [box for row in advice.rows for box in _ink(axes, row)]
    legend = axes.get_legend()
    if legend is not None:
        taken.append(legend.get_window_extent(renderer))
    frame = axes.get_window_extent(renderer)
    for row in rows:
        best = row is advice.recommended
        text = axes.annotate(
            name_of(row),
            (row.measures["query_cost"].mean, row.measures["success"].mean),
            xytext=(0.0, 0.0),
            textcoords="offset points",
            fontsize=9 if best else 7.5,
            color=RECOMMENDED if best else INK,
            weight="bold" if best else "normal",
            arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3},
            zorder=5,
        )
        taken.append(_place(text, renderer, taken, frame))


def _ink(axes: Axes, row: Row) -> list[Bbox]:
    """Where a mark and its bars stand, in pixels."""
    load, success = row.measures["query_cost"], row.measures["success"]
    x, y = axes.transData.transform((load.mean, success.mean))
    left, low = axes.transData.transform((load.ci[0], success.ci[0]))
    right, high = axes.transData.transform((load.ci[1], success.ci[1]))
    spans = ((x - 6, y - 6, x + 6, y + 6), (left, y - 2, right, y + 2), (x - 2, low, x + 2, high))
    return [Bbox.from_extents(*span) for span in spans]


def _place(text: Annotation, renderer: Any, taken: Sequence[Bbox], frame: Bbox) -> Bbox:
    """Try places around a mark, near ones first, and take the one that covers least."""
    found: list[tuple[float, int, tuple[float, float], Align, Bbox]] = []
    for number, (away, (across, up)) in enumerate(product((9, 14, 20, 30, 44, 60), DIRECTIONS)):
        align: Align = "left" if across > 0 else "right" if across < 0 else "center"
        text.set_horizontalalignment(align)
        text.set_verticalalignment("center")
        text.set_position((across * away, up * away))
        text.update_positions(renderer)
        box = Text.get_window_extent(text, renderer)  # of the words, without the line to the mark
        covers = sum(_overlap(box, other) for other in taken) + 3.0 * _outside(box, frame)
        found.append((round(covers, 1) + 0.6 * away, number, (across * away, up * away), align, box))
        if covers < 1.0:
            break
    _, _, position, side, box = min(found, key=lambda each: each[:2])
    text.set_position(position)
    text.set_horizontalalignment(side)
    if text.arrow_patch is not None and abs(position[0]) + abs(position[1]) <= 20:
        text.arrow_patch.set_visible(False)
    return box


def _overlap(first: Bbox, second: Bbox) -> float:
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    return width * height if width > 0.0 and height > 0.0 else 0.0


def _outside(box: Bbox, frame: Bbox) -> float:
    inside = _overlap(box, frame)
    return max(0.0, float(box.width * box.height) - inside)
