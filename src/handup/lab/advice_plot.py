"""The picture of an advice: success against workload, every method with its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from handup.core import MissingExtra
from handup.lab.advise import BASELINES, EVERYTHING, NEVER, Advice, MethodKind, MethodRow
from handup.lab.engine.figures import INK, QUIET, drawing, sheet
from handup.lab.engine.report import Drawing

try:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox
except ImportError:
    raise MissingExtra.of("lab", "drawing the advice") from None

COLORS = {MethodKind.OURS: "#2f7d5b", MethodKind.PAIR: "#0072b2", MethodKind.BASELINE: "#8c8c8c"}
SHAPES = {MethodKind.OURS: "o", MethodKind.PAIR: "o", MethodKind.BASELINE: "s"}
KINDS = {MethodKind.OURS: "ours", MethodKind.PAIR: "the paper's pairs", MethodKind.BASELINE: "baselines"}
RECOMMENDED = "#c4513d"
MOST_LABELS = 14
"""Rows that are named in the picture; beyond that only baselines, those that the words name and those on the front."""
NAME_LENGTH = 46
DWARFS = 6.0
"""Most multiple of the middle workload that the largest one may be on an even scale."""
DASHES = (0, (4, 3))
DIRECTIONS = ((1, 0), (1, 0.9), (1, -0.9), (-1, 0), (-1, 0.9), (-1, -0.9), (0, 1), (0, -1))
DISTANCES = (9, 14, 20, 30, 44, 60)
ALIGNED = {1: "left", 0: "center", -1: "right"}


def draw(advice: Advice, title: str) -> Drawing:
    """Draw an advice on a policy that is called `title`."""
    with sheet(8.4, 5.0) as figure:
        axes = figure.add_subplot()
        axes.grid(visible=True, axis="both")
        front = sorted(_point(row) for row in advice.rows if row.on_front)
        dashed: dict[str, Any] = {"color": QUIET, "linewidth": 1.0, "linestyle": DASHES}
        axes.plot(*zip(*front, strict=True), **dashed, zorder=1)
        for row in advice.rows:
            _mark(axes, row, is_best=row is advice.recommended)
        axes.set(xlabel="workload: mean query cost per episode (less is better)", ylabel="success")
        axes.yaxis.set_major_formatter("{x:.0%}")
        _limits(axes, advice.rows)
        handles = [axes.plot([], [], "*", markersize=12, color=RECOMMENDED, label="recommended")[0]]
        for kind in (kind for kind in MethodKind if kind in {row.kind for row in advice.rows[1:]}):
            handles += axes.plot([], [], SHAPES[kind], markersize=6, color=COLORS[kind], label=KINDS[kind])
        handles += axes.plot([], [], **dashed, label="no other better in both")
        axes.legend(handles=handles, loc="lower right", fontsize=8)
        place = advice.place
        terms = f"{advice.episodes:,} episodes, seed {advice.seed}, expert {place.expert:g}, w {place.w:g}"
        axes.set_title(f"{title}: simulated, {terms}, bars are 95 % intervals", loc="left", size=9)
        canvas = FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        _label(axes, advice, canvas.get_renderer())  # type: ignore[no-untyped-call]
        return drawing(figure, "advice", f"{title}: success against workload")


def _point(row: MethodRow) -> tuple[float, float]:
    return row.measures["query_cost"].mean, row.measures["success"].mean


def _mark(axes: Axes, row: MethodRow, *, is_best: bool) -> None:
    load, success = row.measures["query_cost"], row.measures["success"]
    (left, right), (low, high) = load.ci, success.ci
    axes.errorbar(
        load.mean, success.mean, xerr=[[load.mean - left], [right - load.mean]],
        yerr=[[max(success.mean - low, 0.0)], [max(high - success.mean, 0.0)]],
        fmt="*" if is_best else SHAPES[row.kind], color=RECOMMENDED if is_best else COLORS[row.kind],
        markersize=15 if is_best else 6, markeredgecolor="white", markeredgewidth=0.7, elinewidth=1.0,
        zorder=4 if is_best else 3,
    )  # fmt: skip


def _limits(axes: Axes, rows: Sequence[MethodRow]) -> None:
    """Leave room for names around the marks; where one workload dwarfs the others, use a log scale."""
    loads = sorted(row.measures["query_cost"].mean for row in rows)
    least = min(row.measures["success"].ci[0] for row in rows)
    axes.set_ylim(max(least - 0.15, -0.04), 1.0 + 0.1 * (1.0 - max(least - 0.15, 0.0)))
    widest = loads[-1] or 1.0
    some = [load for load in loads if load > 0.0]
    if len(some) > 2 and widest > DWARFS * some[len(some) // 2]:
        axes.set_xscale("symlog", linthresh=some[0], linscale=0.6)
        axes.set_xlabel(f"{axes.get_xlabel()}, log scale")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(-0.25 * some[0], 3.0 * widest)
    else:
        axes.set_xlim(-0.13 * widest, 1.13 * widest)


def name_of(row: MethodRow) -> str:
    """Return a row's name in the picture: what it does where that is simple, and how many others do the same."""
    others = f" +{len(row.same_as)}" if row.same_as else ""
    if row.method in (NEVER, EVERYTHING):
        return f"{BASELINES[row.method]}{others}"
    told = [words for baseline, words in BASELINES.items() if baseline in row.same_as]
    return f"{row.method}{f' ({told[0]})' if told else ''}{others}"[:NAME_LENGTH]


def _label(axes: Axes, advice: Advice, renderer: Any) -> None:
    """Write names beside the marks, each where it covers least; the important ones choose first."""
    important = [advice.recommended, advice.best_pair, *(row for row in advice.rows if row.on_front)]
    rows = list({id(row): row for row in (*important, *advice.rows)}.values())
    if len(rows) > MOST_LABELS:
        rows = [row for row in rows if row in important or row.kind is MethodKind.BASELINE]
    taken = [box for row in advice.rows for box in _ink(axes, row)]
    taken += [legend.get_window_extent(renderer) for legend in (axes.get_legend(),) if legend is not None]
    frame = axes.get_window_extent(renderer)
    for row in rows:
        best = row is advice.recommended
        text = axes.annotate(
            name_of(row), _point(row), xytext=(0.0, 0.0), textcoords="offset points", va="center", zorder=5,
            fontsize=9 if best else 7.5, color=RECOMMENDED if best else INK, weight="bold" if best else "normal",
            arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3},
        )  # fmt: skip
        taken.append(_place(text, renderer, taken, frame))


def _ink(axes: Axes, row: MethodRow) -> list[Bbox]:
    """Return the boxes of a mark and of its bars, in pixels."""
    load, success = row.measures["query_cost"], row.measures["success"]
    x, y = axes.transData.transform(_point(row))
    left, low = axes.transData.transform((load.ci[0], success.ci[0]))
    right, high = axes.transData.transform((load.ci[1], success.ci[1]))
    spans = ((x - 6, y - 6, x + 6, y + 6), (left, y - 2, right, y + 2), (x - 2, low, x + 2, high))
    return [Bbox.from_extents(*span) for span in spans]


def _place(text: Annotation, renderer: Any, taken: Sequence[Bbox], frame: Bbox) -> Bbox:
    """Put a name beside its mark, as near as it covers nothing, and return its box; the last place where all do."""
    for away, (across, up) in product(DISTANCES, DIRECTIONS):
        text.set(horizontalalignment=ALIGNED[across], position=(across * away, up * away))
        text.update_positions(renderer)
        box = Text.get_window_extent(text, renderer)  # of the words, without the line to the mark
        if not box.count_overlaps(taken) and frame.x0 <= box.x0 and box.x1 <= frame.x1 and box.y1 <= frame.y1:
            break
    if text.arrow_patch is not None:
        text.arrow_patch.set_visible(away > 14)
    return box
