"""How methods, metrics and worlds look and are called in every figure and table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handup.lab.cell import WorldKind
from handup.lab.study.studies import TROUBLESHOOT
from handup.lab.study.timing import COMPUTATION_TIME

INK, QUIET = "#222222", "#8c8c8c"
RC: Mapping[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#e4e4e0",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.edgecolor": QUIET,
    "legend.frameon": False,
    "svg.hashsalt": "handup",
    "svg.fonttype": "none",
    "figure.facecolor": "white",
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True)
class Look:
    """How a method is drawn: colours that the colour-blind tell apart, and a marker of its own."""

    color: str
    marker: str
    width: float = 1.1
    size: float = 4.5


LOOKS: Mapping[str, Look] = {
    "never+workload-aware": Look("#999999", "x"),
    "topo+workload-aware": Look("#56b4e9", "v"),
    "confidence+workload-aware": Look("#e69f00", "s"),
    "brute-force+workload-aware": Look("#009e73", "^"),
    "binary-tree+workload-aware": Look("#cc79a7", "D"),
    "graph+workload-aware": Look("#0072b2", "o"),
    "hybrid+workload-aware": Look("#d55e00", "P"),
    "mip+workload-aware": Look("#a8891c", "h"),
    "graph+execute-first": Look("#cc6677", "<"),
    "graph+query-then-execute": Look("#332288", ">"),
    "graph+until-confident": Look("#117733", "p"),
    "graph+query-for-all": Look("#aa8f2d", "d"),
    TROUBLESHOOT: Look("#000000", "*", width=2.0, size=8.0),
}
OTHER = Look("#6b6b6b", ".")
METRIC_LABELS: Mapping[str, str] = {
    "task_cost": "Task cost",
    "query_cost": "Query cost",
    "failed_attempts": "Failed attempts",
    "timesteps": "Timesteps",
    "J": "J",
    COMPUTATION_TIME: "Computation time (ms)",
}
BY_MEAN = ("task_cost", "J")
"""Metrics of which the mean and its interval are shown; of the others the median and the quartiles, as in the paper."""
WORLD_LABELS: Mapping[WorldKind, str] = {WorldKind.DEFAULT: "handup's world", WorldKind.REPLICA: "replica"}


def look(method: str) -> Look:
    """How a method is drawn."""
    return LOOKS.get(method, OTHER)
