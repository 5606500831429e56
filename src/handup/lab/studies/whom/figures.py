"""Figures of the study `whom`: the rules at the base, and the joint decision against the best other rule by setting."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from handup.confidence.metrics import Estimate
from handup.lab.engine import Drawing, Results
from handup.lab.engine.claims import Where
from handup.lab.engine.figures import INK, drawing, points, sheet
from handup.lab.engine.stats import Difference

SHOWN = ("value", "success", "load", "inappropriate")


def rules_figure(results: Results[Any], rules: tuple[str, ...], at: Where) -> Drawing:
    """Draw four measures of every rule at one place."""
    study = results.study
    with sheet(12.4, 0.34 * len(rules) + 1.6) as figure:
        panels = figure.subplots(1, len(SHOWN), sharey=True)
        for panel, name in zip(panels, SHOWN, strict=True):
            points(panel, rules, {"mean": partial(_mean, results, name, at)}, bold=study.ours)
            panel.set_title(f"{study.measure(name).label}, per fault", loc="left")
        panels[0].invert_yaxis()
        caption = f"{study.question} Means at the base with 95 % intervals over {results.count(at)} homes; simulated."
        return drawing(figure, study.name, caption, f"{study.title} (simulated)")


def settings_figure(found: Mapping[str, tuple[str, Difference]]) -> Drawing:
    """Draw the difference to the best other rule for every setting, the largest first."""
    ranked = sorted(found, key=lambda name: -found[name][1].mean)
    labels = {f"{name}  ({found[name][0]})": found[name][1] for name in ranked}
    with sheet(10.0, 0.24 * len(labels) + 1.4) as figure:
        panel = figure.subplots()
        points(panel, tuple(labels), {"difference": lambda row: Estimate(labels[row].mean, labels[row].ci)})
        panel.axvline(0.0, color=INK, linewidth=0.8)
        panel.invert_yaxis()
        panel.set_xlabel("value per fault over the best other rule, with 95 % interval")
        caption = (
            "Value of the joint decision over that of the best other rule (in brackets), setting by setting; simulated."
        )
        return drawing(figure, "whom-settings", caption, "One thing changed at a time (simulated)")


def _mean(results: Results[Any], name: str, at: Where, rule: str) -> Estimate:
    return results.mean(name, rule, at)
