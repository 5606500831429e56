"""Drawings of a study, as SVG and PNG, in the style of all studies."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from handup.confidence.metrics import Estimate
from handup.core import MissingExtra, OutOfRange
from handup.lab.engine.report import Drawing

if TYPE_CHECKING:
    from handup.lab.engine.results import Results
    from handup.lab.engine.study import Place

try:
    from matplotlib import style
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

PNG_DPI = 150
WIDEST = 12.5
"""Width in inches of a report's page on a laptop; a wider figure would be shrunk, and its labels with it."""
INK, QUIET = "#222222", "#8c8c8c"
MARKS = (("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "D"), ("#cc79a7", "^"), ("#e69f00", "v"), ("#56b4e9", "P"))
"""Colours that colour-blind readers can distinguish, each with a marker."""
APART, MOST_APART = 0.17, 0.35
"""Distance of a mark from the middle of its row: with two marks, and the largest with many."""
Of = Callable[[str, "Place"], Estimate | None]
"""Function that returns the estimate of an arm at a place; None if there is none."""


@contextmanager
def sheet(width: float, height: float) -> Iterator[Figure]:
    """Yield a figure of a size in inches, in the style of all studies; `drawing` must be called within.

    Raises:
        BadSetting: The figure is too wide.
    """
    if width > WIDEST:
        raise OutOfRange(f"a figure must be at most {WIDEST:g} inches wide, got {width:g}", hint="Use more rows.")
    with style.context(Path(__file__).with_suffix(".mplstyle")):
        yield Figure(figsize=(width, height), layout="constrained")


def drawing(figure: Figure, name: str, caption: str, title: str = "") -> Drawing:
    """Return a figure as SVG and PNG; the same bytes whenever it shows the same numbers."""
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    svg, png = io.BytesIO(), io.BytesIO()
    figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    figure.set_layout_engine("none")  # a second layout would move the parts
    figure.savefig(png, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return Drawing(name, caption, svg.getvalue(), png.getvalue())


def points(
    panel: Axes, rows: Sequence[str], series: Mapping[str, Callable[[str], Estimate | None]], *, bold: str = ""
) -> None:
    """Draw a mark with its interval for every row and series, rows from top to bottom.

    Args:
        panel: Axes to draw on.
        rows: Labels of the rows, such as arms.
        series: By label, a function that returns the estimate of a row; None if there is none.
        bold: Label of the row to emphasise.
    """
    for number, (label, of) in enumerate(series.items()):
        color, marker = MARKS[number % len(MARKS)]
        found = [(place, estimate) for place, row in enumerate(rows) if (estimate := of(row)) is not None]
        values = np.array([estimate.value for _, estimate in found])
        ends = np.abs(np.array([estimate.ci for _, estimate in found]).reshape(-1, 2).T - values)
        apart = min(APART, MOST_APART / max(len(series) - 1, 1))
        places = np.array([place for place, _ in found]) + apart * (2 * number - len(series) + 1)
        panel.errorbar(
            values, places, xerr=ends, color=color, marker=marker, markersize=4.5, linestyle="none", capsize=2.0,
            linewidth=1.2, label=label,
        )  # fmt: skip
    for place in range(len(rows)):
        panel.axhline(place + 0.5, color="#efefec", linewidth=0.7)
    panel.grid(visible=True, axis="x")
    panel.grid(visible=False, axis="y")
    panel.set_yticks(range(len(rows)), rows)
    for tick in panel.get_yticklabels():
        # A panel that shares its rows with another panel may have no labels of its own.
        if tick.get_text() == bold:
            tick.set_fontweight("bold")


def overview(
    results: Results[Any], panels: Mapping[str, Of] | None = None, note: str = "", *, name: str = "", title: str = ""
) -> Drawing:
    """Draw estimates with their 95 % intervals for every arm and place.

    Args:
        results: The rows.
        panels: Functions that return the estimates of a panel, by its title; by default the means of all measures.
        note: Sentences to append to the caption.
        name: Name of the files; by default that of the study.
        title: Title above the panels; by default that of the study.
    """
    study = results.study

    def mean(measure: str, arm: str, place: Place) -> Estimate:
        return results.mean(measure, arm, place.settings)

    def at(place: Place, of: Of, arm: str) -> Estimate | None:
        return of(arm, place) if arm in study.arms_at(place) else None

    shown: Mapping[str, Of] = panels or {measure.label: partial(mean, measure.name) for measure in study.measures}
    rows = -(-len(shown) // int((WIDEST - 1.6) / 3.1))
    columns = -(-len(shown) // rows)
    with sheet(3.1 * columns + 1.6, rows * (0.36 * len(study.arms) + 1.0) + 0.9) as figure:
        axes = figure.subplots(rows, columns, sharey=True, squeeze=False).flat
        for panel in axes[len(shown) :]:
            panel.set_axis_off()
        for panel, (heading, of) in zip(axes[: len(shown)], shown.items(), strict=True):
            series = {
                ": ".join(filter(None, (place.name, place.about))): partial(at, place, of) for place in study.places
            }
            points(panel, study.arms, series, bold=study.ours)
            panel.set_title(heading, loc="left")
        axes[0].invert_yaxis()
        if len(study.places) > 1:
            figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(study.places))
        caption = f"{study.question} Means with 95 % intervals over {results.count()} {study.units}; {study.evidence}."
        title = title or f"{study.title} ({study.evidence})"
        return drawing(figure, name or study.name, f"{caption} {note}".strip(), title)
