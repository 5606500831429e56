"""Figures of the study of reaching: bars as in the paper's Figs 7, 9a and 12a, strips as in its Figs 4, 6 and 14."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from handup.domains.reaching import Moment, scene
from handup.domains.reaching.episode import SURE
from handup.intent.helper import MoveKind
from handup.lab.engine.figures import INK, QUIET, drawing, sheet
from handup.lab.engine.report import Drawing
from handup.lab.studies.reaching.close import Replay
from handup.lab.studies.reaching.results import BARS, FEW
from handup.lab.studies.reaching.study import PERCENT, TEXTS
from handup.lab.studies.reaching.trials import ALL, HO, HO_YIELDS, LOOK_AHEAD, MANUAL, OURS, PAPER, PRESET_S, USERS

Record = Mapping[str, Any]
METHOD_COLORS = {MANUAL: "#b9b9b4", HO: "#e69f00", HO_YIELDS: "#f0cf8a", PAPER: "#0072b2", OURS: "#d55e00"}
"""Colours of methods in all bar plots."""
PAPER_FIGURES = {"S1": "Fig. 7, scene 1", "S2": "Fig. 7, scene 2", "U6": "Fig. 9a", "U22": "Fig. 12a"}
OVERVIEW = (MANUAL, HO, PAPER, OURS)
LIKELY = 0.25
"""Probability that a goal must exceed at some time to have a line of its own."""
MOST_POINTS = 120
"""Largest number of points of a line: more make files larger, not clearer."""
WANTED = "#009e73"
"""Colour of the wanted goal: of its line, and of moves to it."""
OTHERS = ("#0072b2", "#cc79a7", "#332288", "#a8891c", "#7a7a76", "#882255")
"""Colours of the lines of other goals; no action has them."""
AGAINST = "#a8321f"
GIVES_WAY = f"Of its moves '{OURS}' adds only what goes with the stick, whatever goal they are for."


class Doing(StrEnum):
    """Action of the robot, as strips show it."""

    TO_IT = "to the wanted goal"
    TO_ANOTHER = "to another goal"
    MIX = "towards a mix of goals"
    NOTHING = "no assist"
    ASKS = "asks"


ACTION_COLORS = dict(zip(Doing, (WANTED, "#d55e00", "#56b4e9", "#e4e4e0", "#222222"), strict=True))


def bars(found: Record) -> Iterator[Drawing]:
    """Draw the bar plots, which need the record only, the overview first."""
    people = found["seeds"][ALL][1]
    columns = {
        name: [{arm: users[user][arm] for arm in OVERVIEW} for user in USERS] for name, users in found["means"].items()
    }
    ticks = [user.replace("-", "-\n") for user in USERS]
    yield _panels("reaching", "overview", FEW, columns, ticks, (11.0, 7.6), people=people)
    measures = found["task_measures"]
    size = (3.1 * len(USERS), 1.55 * len(measures))
    for name, figure in PAPER_FIGURES.items():
        tasks = {task: users for task, users in found["tasks"].items() if task.startswith(f"{name} ")}
        columns = {
            f"users: {user}": [
                {arm: dict(zip(measures, users[user][arm], strict=True)) for arm in BARS} for users in tasks.values()
            ]
            for user in USERS
        }
        ticks = [task.removeprefix(f"{name} ").replace("/", " ").replace(" ", "\n") for task in tasks]
        values = {"name": name, "figure": figure, "people": people}
        yield _panels(f"reaching-{name.lower()}", "scene", measures, columns, ticks, size, **values)
    columns = {name: [{PAPER: scenes[name]} for scenes in found["look_ahead"].values()] for name in found["means"]}
    preset = {f"{PRESET_S:g}": "\n(preset)"}
    ticks = [f"T = {seconds} s{preset.get(seconds, '')}" for seconds in found["look_ahead"]]
    people = found["seeds"][LOOK_AHEAD][1]
    yield _panels("reaching-look-ahead", "look-ahead", FEW, columns, ticks, (11.0, 7.6), people=people)


def _panels(
    file: str,
    text: str,
    measures: Sequence[str],
    columns: Mapping[str, Sequence[Mapping[str, Record]]],
    ticks: Sequence[str],
    size: tuple[float, float],
    **values: Any,
) -> Drawing:
    """Draw a row of panels for each measure; a column has groups of bars, and a group a bar for each method."""
    with sheet(*size) as figure:
        panels = figure.subplots(len(measures), len(columns), sharey="row", sharex=True)
        for column, (title, groups) in enumerate(columns.items()):
            panels[0][column].set_title(title, loc="left")
            for row, measure in enumerate(measures):
                _bars(panels[row][column], measure, groups)
                panels[row][column].set_xticks(range(len(ticks)), ticks)
        for row, measure in enumerate(measures):
            panels[row][0].set_ylabel(TEXTS["heads"][measure])
        figure.align_ylabels(panels[:, 0])
        figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(BARS))
        return drawing(figure, file, TEXTS["figures"][text].format(**values), TEXTS["titles"][text].format(**values))


def _bars(panel: Axes, measure: str, groups: Sequence[Mapping[str, Record]]) -> None:
    """Draw bars side by side, one group for each entry, each bar with its interval; a missing mean leaves a gap."""
    methods = tuple(groups[0])
    wide = 0.8 / len(methods)
    scale = 100.0 if measure in PERCENT else 1.0
    for number, arm in enumerate(methods):
        known = [(place, means) for place, group in enumerate(groups) if (means := group[arm].get(measure)) is not None]
        places = np.array([place for place, _ in known]) + wide * (number - (len(methods) - 1) / 2)
        values, low, high = scale * np.array([means[:3] for _, means in known]).reshape(-1, 3).T
        style = {"lw": 0.9, "ecolor": INK}
        ends = (values - low, high - values)
        panel.bar(places, values, wide, yerr=ends, color=METHOD_COLORS[arm], label=arm, error_kw=style)


def doing(moment: Moment, task: str, prompts: frozenset[str]) -> Doing:
    """Return the action of the robot at a moment."""
    if moment.why in prompts:
        return Doing.ASKS
    if moment.why.startswith("to "):
        return Doing.TO_IT if moment.why == f"to {task}" else Doing.TO_ANOTHER
    return Doing.MIX if moment.why in (MoveKind.MIX, MoveKind.CARRY) else Doing.NOTHING


def strips(name: str, replays: Sequence[Replay]) -> Drawing:
    """Draw the trials of a figure of the paper: beliefs and actions of the robot, and its opposition to the stick."""

    def answer(value: object) -> str:
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)

    title = TEXTS["titles"][name]
    heard = "; ".join(
        f"{done.trial.method}: {', '.join(f'“{prompt}” {answer(value)}' for prompt, value in done.heard)}"
        for done in replays
        if done.heard
    )
    where = "; ".join(dict.fromkeys(done.label for done in replays))
    parts = [f"{title}. {where}. Simulated; the last attempt of each trial."]
    parts += [GIVES_WAY] if any(done.trial.method == OURS for done in replays) else []
    parts.append(f"Asked: {heard}." if heard else "Nothing is asked.")
    with sheet(9.0, 1.65 * len(replays) + 0.9) as figure:
        heights = [3.0, 1.0] * len(replays)
        panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for number, done in enumerate(replays):
            _belief(panels[2 * number], done)
            _actions(panels[2 * number + 1], done)
        panels[-1].set_xlabel("seconds")
        handles = [Patch(color=color, label=str(kind)) for kind, color in ACTION_COLORS.items()]
        handles.append(Patch(color=AGAINST, label="works against the stick"))
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return drawing(figure, f"reaching-{name}", " ".join(parts), title)


def _belief(panel: Axes, replay: Replay) -> None:
    trial, last = replay.trial, replay.trial.attempts[-1]
    names = scene(trial.scene).goals.names
    moments = last.moments[:: 1 + len(last.moments) // MOST_POINTS]
    times = [moment.at_s for moment in moments]
    beliefs = np.array([moment.belief for moment in moments])
    colors = iter(OTHERS * len(names))
    for number, goal in enumerate(names):
        wanted = goal == trial.task
        if wanted or beliefs[:, number].max() > LIKELY:
            color, width = (WANTED, 1.8) if wanted else (next(colors), 1.0)
            label = f"{goal} (wanted)" if wanted else goal
            # Steps, because the belief does not change while a question is open.
            panel.plot(times, beliefs[:, number], drawstyle="steps-post", label=label, color=color, lw=width)
    panel.set_ylim(-0.03, 1.03)
    panel.set_yticks([0.0, SURE, 1.0])
    panel.set_ylabel("belief", fontsize=7)
    many = f"{last.time_s:.1f} s, {last.ending}, {last.questions} asked, {100 * last.opposing:.0f} % against"
    second = ", second attempt" if len(trial.attempts) > 1 else ""
    panel.set_title(f"{trial.method}: {many}{second}", loc="left", fontsize=8, color=INK)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=6.5)


def _actions(panel: Axes, replay: Replay) -> None:
    last = replay.trial.attempts[-1]
    prompts = frozenset(dict(replay.heard))
    times = [*(moment.at_s for moment in last.moments), last.time_s]
    kinds = [ACTION_COLORS[doing(moment, replay.trial.task, prompts)] for moment in last.moments]
    _spans(panel, 1.0, 0.9, times, kinds)
    _spans(panel, 0.0, 0.7, times, [AGAINST if moment.opposing else None for moment in last.moments])
    panel.set_ylim(-0.5, 1.5)
    panel.set_yticks([])
    panel.grid(visible=False)
    panel.spines["left"].set_color(QUIET)


def _spans(panel: Axes, place: float, height: float, times: Sequence[float], colors: Sequence[str | None]) -> None:
    """Draw coloured spans of time; equal neighbours are drawn as one."""
    for color, span in groupby(zip(pairwise(times), colors, strict=True), key=lambda moment: moment[1]):
        (start, _), *_, (_, end) = [ends for ends, _ in span] * 2
        if color is not None:
            panel.barh(place, end - start, left=start, height=height, color=color)
