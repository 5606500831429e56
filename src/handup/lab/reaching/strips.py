"""Belief and actions over time, as in the paper's Figs 4, 6 and 14."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

import numpy as np

from handup.core import MissingExtra
from handup.domains.reaching import Moment, scene
from handup.domains.reaching.episode import SURE
from handup.intent.motion import MoveKind
from handup.lab.reaching.chosen import Replay
from handup.lab.reaching.studies import OURS
from handup.lab.study.figures import Drawing, files_of
from handup.lab.study.style import INK, QUIET, RC

try:
    from matplotlib import style as looks
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
except ImportError:
    raise MissingExtra.of("lab", "drawing the figures of a study") from None

LIKELY = 0.25
"""Goals that are ever likelier than this have a line of their own."""
MOST_POINTS = 120
"""So many of a line are drawn: more make files large and nothing clearer."""
WANTED = "#009e73"
"""The wanted goal: its line, and moves to it."""
OTHERS = ("#0072b2", "#cc79a7", "#332288", "#a8891c", "#7a7a76", "#882255")
"""Lines of other goals, in colours that no action has."""
AGAINST = "#a8321f"
GIVES_WAY = f"Of its moves '{OURS}' adds only what goes with the stick, whatever goal they are for."


class Doing(StrEnum):
    """What the robot does, as strips show it."""

    TO_IT = "to the wanted goal"
    TO_ANOTHER = "to another goal"
    MIX = "towards a mix of goals"
    NOTHING = "no assist"
    ASKS = "asks"


COLORS = {
    Doing.TO_IT: WANTED,
    Doing.TO_ANOTHER: "#d55e00",
    Doing.MIX: "#56b4e9",
    Doing.NOTHING: "#e4e4e0",
    Doing.ASKS: "#222222",
}


def doing(moment: Moment, task: str, prompts: frozenset[str]) -> Doing:
    """What the robot does at a moment."""
    if moment.why in prompts:
        return Doing.ASKS
    if moment.why.startswith("to "):
        return Doing.TO_IT if moment.why == f"to {task}" else Doing.TO_ANOTHER
    return Doing.MIX if moment.why in (MoveKind.MIX, MoveKind.CARRY) else Doing.NOTHING


def strips(name: str, title: str, replays: Sequence[Replay]) -> Drawing:
    """Trials below each other: what the robot believed, what it did, and when both worked against each other.

    Args:
        name: Of the files.
        title: What they have in common.
        replays: One or more.
    """
    with looks.context(dict(RC)):
        figure = Figure(figsize=(9.0, 1.65 * len(replays) + 0.9), layout="constrained")
        panels = figure.subplots(
            2 * len(replays), 1, sharex=True, squeeze=False, height_ratios=[3.0, 1.0] * len(replays)
        )[:, 0]
        for number, each in enumerate(replays):
            _belief(panels[2 * number], each)
            _actions(panels[2 * number + 1], each)
        panels[-1].set_xlabel("seconds")
        handles = [Patch(color=color, label=str(each)) for each, color in COLORS.items()]
        handles.append(Patch(color=AGAINST, label="works against the stick"))
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        figure.suptitle(title, x=0.01, ha="left")
        files = files_of(figure)
    heard = "; ".join(
        f"{each.trial.method}: {', '.join(f'“{one.prompt}” {_said(one.value)}' for one in each.heard)}"
        for each in replays
        if each.heard
    )
    where = "; ".join(dict.fromkeys(each.label for each in replays))
    parts = [f"{title}. {where}. Simulated; the last attempt of each trial."]
    parts += [GIVES_WAY] if any(each.trial.method == OURS for each in replays) else []
    parts.append(f"Asked: {heard}." if heard else "Nothing is asked.")
    return Drawing(name, " ".join(parts), *files)


def _said(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _belief(panel: Axes, replay: Replay) -> None:
    trial, last = replay.trial, replay.trial.attempts[-1]
    names = scene(trial.scene).goals.names
    moments = last.moments[:: 1 + len(last.moments) // MOST_POINTS]
    times = [each.at_s for each in moments]
    beliefs = np.array([each.belief for each in moments])
    likely = [
        number for number in range(len(names)) if beliefs[:, number].max() > LIKELY or names[number] == trial.task
    ]
    colors = iter(OTHERS * len(names))
    for number in likely:
        mine = names[number] == trial.task
        panel.plot(
            times,
            beliefs[:, number],
            color=WANTED if mine else next(colors),
            linewidth=1.8 if mine else 1.0,
            drawstyle="steps-post",  # while a question is open it believes what it believed
            label=f"{names[number]} (wanted)" if mine else names[number],
        )
    panel.set_ylim(-0.03, 1.03)
    panel.set_yticks([0.0, SURE, 1.0])
    panel.set_ylabel("belief", fontsize=7)
    many = f"{last.time_s:.1f} s, {last.ending}, {last.questions} asked, {100 * last.opposing:.0f} % against"
    second = ", second attempt" if len(trial.attempts) > 1 else ""
    panel.set_title(f"{trial.method}: {many}{second}", loc="left", fontsize=8, color=INK)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=6.5)


def _actions(panel: Axes, replay: Replay) -> None:
    last = replay.trial.attempts[-1]
    prompts = frozenset(each.prompt for each in replay.heard)
    times = [*(each.at_s for each in last.moments), last.time_s]
    kinds = [COLORS[doing(each, replay.trial.task, prompts)] for each in last.moments]
    _spans(panel, 1.0, 0.9, times, kinds)
    _spans(panel, 0.0, 0.7, times, [AGAINST if each.opposing else None for each in last.moments])
    panel.set_ylim(-0.5, 1.5)
    panel.set_yticks([])
    panel.grid(visible=False)
    panel.spines["left"].set_color(QUIET)


def _spans(panel: Axes, place: float, height: float, times: Sequence[float], colors: Sequence[str | None]) -> None:
    """Coloured spans of time; equal neighbours are drawn as one."""
    begins = [number for number, color in enumerate(colors) if number == 0 or color != colors[number - 1]]
    spans = [(times[begin], times[end], colors[begin]) for begin, end in pairwise([*begins, len(colors)])]
    seen = [(start, end, color) for start, end, color in spans if color is not None]
    panel.barh(
        [place] * len(seen),
        [end - start for start, end, _ in seen],
        left=[start for start, _, _ in seen],
        height=height,
        color=[color for _, _, color in seen],
    )
