"""Figures of a study of meals: bars like the core paper's Fig. 6, and cause against blame. SVG and PNG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from handup.core import MissingExtra
from handup.domains.feeding.judging import Cause
from handup.lab.meals.blame import BLAMED, TRUE_BLAME
from handup.lab.meals.claim import LABELS, Bar, Part
from handup.lab.meals.results import Results
from handup.lab.meals.triage import Triage
from handup.lab.study.figures import Drawing, files_of
from handup.lab.study.style import INK, QUIET, RC

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

SHOWN = ("queries", "executions", "bites", "wrong", "workload", "J_true")
"""The paper's three above, ours below."""
COLORS: Mapping[str, str] = {
    "never+query-then-execute": "#999999",
    "topo+query-for-all": "#56b4e9",
    "confidence+workload-aware": "#e69f00",
    "graph+workload-aware": "#0072b2",
    "troubleshoot": "#333333",
}
OTHERS = ("#009e73", "#cc79a7", "#d55e00", "#a8891c")
BY_MEMORY = {False: "#999999", True: "#0072b2"}
OF_DAYS = ("queries", "bites")
SPREAD = 0.26
"""Over so much of a bar's room the participants' points are spread."""


def draw(results: Results, triages: Sequence[Triage], apart: Sequence[Bar]) -> Iterator[Drawing]:
    """The figures of a study; the last is the triage. Days are drawn where a robot remembers.

    Args:
        results: What was eaten.
        triages: The lost bites of every arm.
        apart: Orders of two arms that differ beyond chance; a star stands over them.
    """
    yield _bars(results, apart)
    if results.study.remembers:
        yield _days(results)
    yield _confusion(results, triages)


def wrapped(label: str) -> str:
    """A method's name on several short lines."""
    return label.replace("+", "+\n").replace(", ", ",\n").replace("query-", "query-\n", 1)


def _bars(results: Results, apart: Sequence[Bar]) -> Drawing:
    labels = results.study.labels
    with looks.context(dict(RC)):
        wide = max(3.2, 0.95 * len(labels))
        figure = Figure(figsize=(3 * wide, 6.8), layout="constrained")
        panels = figure.subplots(2, 3)
        for panel, measure in zip(panels.flat, SHOWN, strict=True):
            _panel(panel, results, measure, [bar for bar in apart if bar.measure == measure])
        who = f"{results.participants} simulated participants with {results.plates} plates each"
        figure.suptitle(f"{results.study.title} ({who}, looks {results.size.looks})", x=0.01, ha="left")
        name = results.study.name
        caption = (
            f"{results.study.question} Simulated. Bars are means per meal with 95 % bootstrap intervals over "
            "participants, dots are participants; a star joins arms that a claim compares and that differ (Wilcoxon, "
            "Holm, p < .05)."
        )
        return Drawing(name, caption, *files_of(figure))


def _panel(panel: Axes, results: Results, measure: str, apart: Sequence[Bar]) -> None:
    labels = results.study.labels
    top = 0.0
    for place, arm in enumerate(results.study.arms):
        values, mean = results.values(measure, arm.label), results.mean(measure, arm.label)
        color = COLORS.get(arm.label, OTHERS[place % len(OTHERS)])
        color = BY_MEMORY[arm.memory] if results.study.remembers else color
        panel.bar(place, mean.value, width=0.7, color=color, alpha=0.55)
        # Dots stand in the order of participants, not by chance: the same rows give the same picture.
        spread = np.linspace(-SPREAD, SPREAD, len(values)) if len(values) > 1 else np.zeros(1)
        panel.scatter(place + spread, values, s=6, color=color, alpha=0.8, linewidths=0)
        below, above = mean.value - mean.ci[0], mean.ci[1] - mean.value
        panel.errorbar(place, mean.value, yerr=[[below], [above]], color=INK, capsize=3, linewidth=1.4)
        top = max(top, float(values.max()), mean.ci[1])
    top = top or 1.0
    step = 0.09 * top
    for number, bar in enumerate(apart, start=1):
        left, right = sorted((labels.index(bar.arm), labels.index(bar.than)))
        height = top + number * step
        panel.plot([left, left, right, right], [height - 0.02 * top, height, height, height - 0.02 * top],
                   color=QUIET, linewidth=0.9)  # fmt: skip
        panel.text((left + right) / 2.0, height, "*", ha="center", va="center", color=INK, size=11)
    panel.set_ylim(0.0, top + (len(apart) + 1) * step)
    panel.set_xticks(range(len(labels)), [wrapped(label) for label in labels], size=7)
    panel.set_title(LABELS[measure], loc="left")
    panel.grid(visible=False, axis="x")


def _days(results: Results) -> Drawing:
    """Questions above, bites below, day by day; one column for each menu."""
    menus, days = results.study.menus, range(1, results.plates + 1)
    with looks.context(dict(RC)):
        figure = Figure(figsize=(max(6.4, 4.6 * len(menus)), 6.2), layout="constrained")
        panels = figure.subplots(len(OF_DAYS), len(menus), squeeze=False, sharex="col", sharey="row")
        for (row, column), panel in np.ndenumerate(panels):
            measure, arms = OF_DAYS[row], menus[column]
            for number, arm in enumerate(arms):
                found = [results.mean(measure, arm.label, Part(meals=(day,))) for day in days]
                values = np.array([each.value for each in found])
                ends = np.abs(np.array([each.ci for each in found]).T - values)
                # Side by side, so that intervals can be told apart.
                places = np.array(days) + 0.12 * (number - (len(arms) - 1) / 2.0)
                panel.errorbar(
                    places,
                    values,
                    yerr=ends,
                    color=BY_MEMORY[arm.memory],
                    marker="o" if arm.memory else "s",
                    capsize=3,
                    linewidth=1.4,
                    label=arm.label,
                )
            panel.set_title(LABELS[measure], loc="left")
            panel.legend(fontsize=7)
            if row == len(OF_DAYS) - 1:
                plates = results.study.plates_of(arms[0])
                panel.set_xticks(list(days), [f"{day}\n{plates[day - 1]}".replace(" ", "\n") for day in days], size=7)
        for panel in panels.flat:  # only now: a limit that is set stays, and panels of a row share theirs
            panel.set_ylim(bottom=0.0)
        figure.supxlabel("day, and what is served", size=9)
        who = f"{results.participants} simulated participants, looks {results.size.looks}"
        figure.suptitle(f"{results.study.title} ({who})", x=0.01, ha="left")
        caption = (
            "Questions and successful bites, day by day, by a robot that forgets and by one that remembers. Simulated. "
            "Means with 95 % bootstrap intervals over participants; both have the same plates, people and answers."
        )
        return Drawing(f"{results.study.name}-days", caption, *files_of(figure))


def _confusion(results: Results, triages: Sequence[Triage]) -> Drawing:
    """What was wrong, down, against what the robot blamed, across; one panel for each arm."""
    causes = [str(cause) for cause in Cause]
    with looks.context(dict(RC)):
        columns = 2 if len(triages) in (2, 4) else 3
        rows = -(-len(triages) // columns)
        figure = Figure(figsize=(3.6 * columns, 3.5 * rows), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False)
        for number, panel in enumerate(panels.flat):
            if number >= len(triages):
                panel.set_axis_off()
                continue
            found = triages[number]
            counts = np.array([[found.confusion[cause][blamed] for blamed in BLAMED] for cause in causes])
            panel.imshow(counts, cmap="Blues", vmin=0.0, vmax=max(1, int(counts.max())), aspect="auto")
            for row, column in np.ndindex(*counts.shape):
                right = TRUE_BLAME[causes[row]] == BLAMED[column]
                if counts[row, column] or right:
                    panel.text(
                        column,
                        row,
                        str(counts[row, column]),
                        ha="center",
                        va="center",
                        weight="bold" if right else "normal",
                        color="white" if counts[row, column] > 0.6 * max(1, counts.max()) else INK,
                    )
            panel.set_xticks(range(len(BLAMED)), BLAMED, rotation=35, ha="right", size=7)
            panel.set_yticks(range(len(causes)), causes, size=8)
            panel.set_title(f"{found.arm}: {found.total} of {found.taken} lost", loc="left", size=8)
            panel.grid(visible=False)
        for row in panels:
            row[0].set_ylabel("what was wrong")
        figure.supxlabel("what the robot blamed", size=9)
        caption = (
            "Every lost bite: its one cause, as the simulation knows it, against what the robot believed right after "
            "the attempt that the cause is about. Bold: where the two agree. Simulated."
        )
        return Drawing(f"{results.study.name}-triage", caption, *files_of(figure))
