"""Draws the pictures that the README and the docs show, from runs and not by hand. Run it with `make pictures`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from rich.console import Console

from benchmarks.troubleshoot import SETTINGS, chain_of_nine
from examples.stuck_robot import play, simulated_person
from handup import Action, Decision, Session, strategy
from handup.lab.evaluation import Evaluation

OUT = Path(__file__).parent.parent / "docs" / "img"
WRONG, ASKED, RIGHT, INK = "#c4513d", "#8a5a00", "#2f7d5b", "#222222"
STYLE: dict[str, Any] = {
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "handup",
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def moments(session: Session) -> list[tuple[Session, Decision, dict[str, Any] | None]]:
    """For each decision of an episode: the session at that time, the decision, and what was told next."""
    record = session.to_json()
    events = record["events"]
    found = []
    for position, event in enumerate(events):
        if event["told"] == "next":
            then = Session.from_json({**record, "events": events[: position + 1]})
            told = events[position + 1] if position + 1 < len(events) else None
            found.append((then, Decision.from_json(event["decision"]), told))
    return found


def happened(decision: Decision, told: dict[str, Any] | None) -> str:
    """What came of a decision, in a few words."""
    if told is None:
        return ""
    if decision.action is Action.ASK:
        return "person: it was wrong" if told["changed"] else "person: it was right"
    return "it works" if told["ok"] else "it fails"


def draw_stuck_robot() -> None:
    """The demo's episode: who is to blame at each decision, what is decided, what comes of it."""
    steps = moments(play(Console(quiet=True), simulated_person))
    figure, axes = plt.subplots(1, len(steps), figsize=(3.1 * len(steps), 3.5), sharey=True, layout="constrained")
    for number, (axis, (session, decision, told)) in enumerate(zip(axes, steps, strict=True), start=1):
        names = list(session.posterior)
        asked = [decision.action is Action.ASK and name == decision.module for name in names]
        axis.barh(names, list(session.posterior.values()), color=[ASKED if each else WRONG for each in asked])
        for row, (name, wrong) in enumerate(session.posterior.items()):
            answered = session.belief.answered[names.index(name)]
            axis.text(wrong + 0.02, row, "answered" if answered else f"{wrong:.2f}", va="center", size=10)
        axis.set_xlim(0, 1)
        axis.set_xlabel(f"probability of being wrong\n(acting now works: {session.reliability:.2f})")
        about = f" about {decision.module}" if decision.action is Action.ASK else ""
        axis.set_title(f"{number}. {decision.action}{about}", loc="left", weight="bold")
        failed = told is not None and told.get("ok") is False
        axis.text(1.0, 1.0, happened(decision, told), ha="right", va="top", transform=axis.transAxes,
                  color=WRONG if failed else RIGHT, size=10)  # fmt: skip
    axes[0].invert_yaxis()
    _save(figure, "stuck-robot")


def draw_worth() -> None:
    """Mean J on chains of nine: the paper's recommended pair, its best pair there, and troubleshoot."""
    methods = ("graph+workload-aware", "confidence+until-confident", "troubleshoot")
    colors = ("#b9b4a8", "#8a5a00", RIGHT)
    figure, axis = plt.subplots(figsize=(8.5, 3.4), layout="constrained")
    for offset, (method, color) in enumerate(zip(methods, colors, strict=True)):
        heights = [
            Evaluation(strategy=strategy(method), graph=chain_of_nine(*setting)).run().objective for setting in SETTINGS
        ]
        places = [index + (offset - 1) * 0.27 for index in range(len(SETTINGS))]
        axis.bar(places, heights, width=0.25, color=color, label=method)
        for place, height in zip(places, heights, strict=True):
            axis.text(place, height + 0.08, f"{height:.2f}", ha="center", size=8)
    labels = [f"c = {high:g} / {low:g}\nq = {cost:g}" for high, low, cost in SETTINGS]
    axis.set_xticks(range(len(SETTINGS)), labels)
    axis.set_ylabel("mean J (lower is better)")
    axis.set_title("Chain of 9 modules, 3 of low confidence, true expert, w = 0.5: exact averages", size=10)
    axis.legend(frameon=False)
    _save(figure, "worth")


def _save(figure: Figure, name: str) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    figure.savefig(OUT / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Draw everything."""
    mpl.use("svg")
    with plt.style.context(STYLE):
        draw_stuck_robot()
        draw_worth()
    print(f"drawn: {', '.join(sorted(path.name for path in OUT.glob('*.svg')))}")


if __name__ == "__main__":
    main()
