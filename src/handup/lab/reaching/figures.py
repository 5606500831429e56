"""Bar plots of the study of reaching, from its record: the paper's Figs 7, 9a and 12a for all scenes and users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from handup.core import MissingExtra
from handup.intent import Points
from handup.lab.reaching.record import BARS, FEW, USERS
from handup.lab.reaching.studies import HO, HO_YIELDS, MANUAL, OURS, PAPER
from handup.lab.reaching.tables import HEADS
from handup.lab.reaching.words import PERCENT
from handup.lab.study.figures import Drawing, files_of
from handup.lab.study.style import INK, QUIET, RC

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

Record = Mapping[str, Any]
COLORS = {MANUAL: "#b9b9b4", HO: "#e69f00", HO_YIELDS: "#f0cf8a", PAPER: "#0072b2", OURS: "#d55e00"}
"""Of methods, the same in every bar plot."""
SCENE_LOOKS = {"S1": ("#009e73", "o"), "S2": ("#cc79a7", "s"), "U6": ("#332288", "^"), "U22": ("#8c6d1f", "D")}
"""Of scenes: colours that no method has, and markers."""
FIGURES = {"S1": "Fig. 7, scene 1", "S2": "Fig. 7, scene 2", "U6": "Fig. 9a", "U22": "Fig. 12a"}
OVERVIEW = (MANUAL, HO, PAPER, OURS)


def draw(found: Record) -> Iterator[Drawing]:
    """All bar plots, those of the overview first."""
    yield _overview(found)
    for name in found["means"]:
        yield _bars(found, name)
    yield _look_ahead(found)


def _overview(found: Record) -> Drawing:
    """Four measures by scene and user, with intervals."""
    with looks.context(dict(RC)):
        figure = Figure(figsize=(11.0, 7.6), layout="constrained")
        panels = figure.subplots(len(FEW), len(found["means"]), sharey="row", sharex=True)
        for column, (name, users) in enumerate(found["means"].items()):
            panels[0][column].set_title(name, loc="left")
            for row, measure in enumerate(FEW):
                groups = [{method: users[user][method].get(measure) for method in OVERVIEW} for user in USERS]
                _groups(panels[row][column], measure, groups, OVERVIEW)
                panels[row][column].set_xticks(range(len(USERS)), [each.replace("-", "-\n") for each in USERS])
        _rows(figure, panels, FEW, OVERVIEW)
        _, seeds = found["seeds"]["all"]
        figure.suptitle(
            f"Success, time, opposition, questions ({_people(seeds)} per task and kind of user, simulated)",
            x=0.01,
            ha="left",
        )
        files = files_of(figure)
    caption = (
        "Success, time of all attempts, share of the time opposed, and questions per task, by scene and kind of user; "
        "simulated, means with 95 % intervals over people at tasks: bootstrap, and Wilson's for success where that is "
        "wider."
    )
    return Drawing("reaching", caption, *files)


def _groups(panel: Axes, measure: str, groups: Sequence[Mapping[str, Any]], methods: Sequence[str]) -> None:
    """Bars side by side, one group for each entry, each bar with its interval; a missing mean leaves a gap."""
    wide = 0.8 / len(methods)
    scale = 100.0 if measure in PERCENT else 1.0
    for number, method in enumerate(methods):
        known = [(place, each[method]) for place, each in enumerate(groups) if each[method] is not None]
        places = np.array([place for place, _ in known]) + wide * (number - (len(methods) - 1) / 2)
        values, low, high = scale * np.array([each[:3] for _, each in known]).reshape(-1, 3).T
        panel.bar(
            places,
            values,
            wide,
            yerr=(values - low, high - values),
            color=COLORS[method],
            label=method,
            error_kw={"lw": 0.9, "ecolor": INK},
        )


def _rows(figure: Figure, panels: Any, measures: Sequence[str], methods: Sequence[str]) -> None:
    """What the rows of a figure show, and one legend below all of them."""
    for row, measure in enumerate(measures):
        panels[row][0].set_ylabel(HEADS[measure])
    figure.align_ylabels(panels[:, 0])
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(methods))


def _bars(found: Record, name: str) -> Drawing:
    """One scene: measures by task, one column for each kind of user."""
    tasks = {task: users for task, users in found["tasks"].items() if task.startswith(f"{name} ")}
    measures = found["task_measures"]
    with looks.context(dict(RC)):
        figure = Figure(figsize=(4.2 * len(USERS), 1.55 * len(measures)), layout="constrained")
        panels = figure.subplots(len(measures), len(USERS), sharey="row", sharex=True)
        for column, user in enumerate(USERS):
            panels[0][column].set_title(f"users: {user}", loc="left")
            for row, measure in enumerate(measures):
                groups = [{method: users[user][method][row] for method in BARS} for users in tasks.values()]
                _groups(panels[row][column], measure, groups, BARS)
                panels[row][column].set_xticks(
                    range(len(tasks)), [each.removeprefix(f"{name} ").replace("/", "\n") for each in tasks]
                )
        _rows(figure, panels, measures, BARS)
        _, seeds = found["seeds"]["all"]
        figure.suptitle(
            f"{name}: the paper's {FIGURES[name]} for three kinds of users and all of them ({_people(seeds)} per bar, "
            "three times as many trials where mixed; simulated)",
            x=0.01,
            ha="left",
        )
        files = files_of(figure)
    caption = (
        f"{name}, task by task, as in the paper's {FIGURES[name]}. Simulated; means with 95 % intervals over people. "
        "Time, mode changes, input and opposition are of the attempt that succeeded, as there, and a bar is missing "
        "where nobody succeeded; 'all attempts' leaves nothing out."
    )
    return Drawing(f"reaching-{name.lower()}", caption, *files)


def _people(count: int) -> str:
    return f"{count} {'person' if count == 1 else 'people'}"


def _look_ahead(found: Record) -> Drawing:
    """What T does."""
    seconds = [float(each) for each in found["look_ahead"]]
    with looks.context(dict(RC)):
        figure = Figure(figsize=(11.0, 2.9), layout="constrained")
        panels = figure.subplots(1, len(FEW))
        for panel, measure in zip(panels, FEW, strict=True):
            scale = 100.0 if measure in PERCENT else 1.0
            for number, name in enumerate(found["means"]):
                numbers = scale * np.array([scenes[name][measure] for scenes in found["look_ahead"].values()])
                ends = np.abs(numbers[:, 1:].T - numbers[:, 0])
                color, marker = SCENE_LOOKS[name]
                # A little beside each other, so that no interval hides another.
                places = np.array(seconds) * 1.06 ** (number - (len(found["means"]) - 1) / 2)
                panel.errorbar(
                    places, numbers[:, 0], yerr=ends, color=color, marker=marker, markersize=4, capsize=2, label=name
                )
            panel.set_xscale("log")
            panel.set_xticks(seconds, [f"{each:g}" for each in seconds])
            panel.minorticks_off()
            panel.set_xlabel("look-ahead T, s")
            panel.set_title(HEADS[measure], loc="left")
            panel.axvline(Points().look_ahead_s, color=QUIET, linewidth=0.8, linestyle=":")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(found["means"]))
        _, seeds = found["seeds"]["look-ahead"]
        figure.suptitle(
            f"The paper's policy with other look-aheads ({_people(seeds)} per task, users mixed, simulated)",
            x=0.01,
            ha="left",
        )
        files = files_of(figure)
    return Drawing(
        "reaching-look-ahead",
        "What the look-ahead T of the paper's policy decides; simulated, means with 95 % intervals. The dotted line is "
        "the preset.",
        *files,
    )
