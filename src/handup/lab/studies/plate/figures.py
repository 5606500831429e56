"""Figures of the studies of plates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handup.confidence.metrics import Estimate
from handup.domains.plate.primitives import PlateFood
from handup.lab.engine import Drawing, Results
from handup.lab.engine.claims import Where
from handup.lab.engine.figures import MARKS, QUIET, drawing, points, sheet
from handup.lab.engine.stats import Difference

DRAWN = ("acquire only", "hull threshold", "push rule", "small", "difference", "fair oracle")
"""Policies whose progress is drawn; all would hide each other."""


def progress_figure(results: Results[Any]) -> Drawing:
    """Draw the share cleared after each action, as the paper's Fig. 5 does."""
    with sheet(11.0, 4.4) as figure:
        axes = figure.subplots(1, len(results.study.places), sharey=True, squeeze=False)[0]
        for panel, place in zip(axes, results.study.places, strict=True):
            actions = range(1, PlateFood(place["food"]).actions + 1)
            for number, arm in enumerate(DRAWN):
                found = [results.mean(f"after {action}", arm, place.settings) for action in actions]
                color, marker = MARKS[number % len(MARKS)]
                panel.plot(
                    [0, *actions], [0.0, *(mean.value for mean in found)], color=color, marker=marker, markersize=4.0,
                    linewidth=1.4, label=arm,
                )  # fmt: skip
                low, high = zip(*(mean.ci for mean in found), strict=True)
                panel.fill_between(actions, low, high, color=color, alpha=0.10, linewidth=0)
            panel.set_title(f"{place.name}, {results.count(place.settings)} plates", loc="left")
            panel.set_xlabel("actions")
        axes[0].set_ylabel("share of the plate cleared")
        axes[0].legend(loc="upper left")
        caption = "Share of the plate that is cleared, action by action; bands are 95 % intervals over plates."
        return drawing(figure, "plate-clearance", caption, "Clearing a plate")


def gains_figure(results: Results[Any], gains: Callable[[Results[Any], Where], Mapping[str, Difference]]) -> Drawing:
    """Draw how much more each policy clears than acquiring alone."""
    found = {place.name: gains(results, place.settings) for place in results.study.places}
    arms = list(next(iter(found.values())))

    def of(name: str) -> Callable[[str], Estimate]:
        return lambda arm: Estimate(found[name][arm].mean, found[name][arm].ci)

    with sheet(8.0, 0.42 * len(arms) + 1.4) as figure:
        panel = figure.subplots()
        points(panel, arms, {name: of(name) for name in found}, bold=results.study.ours)
        panel.axvline(0.0, color=QUIET, linewidth=1.0)
        panel.invert_yaxis()
        panel.set_xlabel("share of a plate more than by acquiring alone, 95 % intervals, paired by plate")
        panel.legend(loc="lower right")
        caption = "Share of a plate that is cleared beyond acquiring alone, with 95 % intervals, paired by plate."
        return drawing(figure, "plate-clearance-gains", caption, "What looking ahead is worth")
