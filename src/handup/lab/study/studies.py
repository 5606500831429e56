"""The named studies, as data. To add one, write it here, list it in `STUDIES`, and give it claims if it has any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from handup.core import BadSetting
from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.study.definition import Axis, Grid, Layout, Study

SELECTORS = ("never", "topo", "confidence", "brute-force", "binary-tree", "graph", "hybrid", "mip")
WHENS = ("execute-first", "query-then-execute", "until-confident", "query-for-all")
TROUBLESHOOT = "troubleshoot"
METHODS = (*(f"{what}+workload-aware" for what in SELECTORS), *(f"graph+{when}" for when in WHENS), TROUBLESHOOT)
"""As the paper compares them: selectors under one querying algorithm, querying algorithms with one selector; ours."""
ALGORITHMS = (*(f"graph+{when}" for when in (*WHENS, "workload-aware")), TROUBLESHOOT)
THE_PAPERS = tuple(each for each in METHODS if not each.startswith(("hybrid", "mip")))
"""Those that both worlds know, and ours."""
HETEROGENEOUS = ("graph+workload-aware", "confidence+workload-aware", TROUBLESHOOT)
UNDERFLOW = (
    *(f"{what}+workload-aware" for what in ("binary-tree", "graph", "brute-force", "confidence")),
    TROUBLESHOOT,
)
SWARM = (
    *(f"{what}+workload-aware" for what in ("never", "topo", "confidence", "binary-tree", "graph")),
    *(f"{what}+{when}" for what in ("confidence", "graph") for when in ("execute-first", "query-then-execute")),
)
SWARM_EXACT = ("brute-force+workload-aware", "confidence+until-confident", "graph+until-confident")


def _at(key: str, *values: Any) -> Axis:
    """Values that no figure shows."""
    return Axis(key, key.replace("_", " "), values)


@dataclass(frozen=True)
class _InReplica(Grid):
    """Methods that would take handup's world too long there."""

    def methods_at(self, base: Cell) -> tuple[str, ...]:
        return super().methods_at(base) if base.world is WorldKind.REPLICA else ()


_MODULES = Axis("modules", "number of modules N", (3, 5, 10, 15, 18, 25, 50, 75, 100), quick=(3, 10, 25, 100))
_STRUCTURE = Axis(
    "structure",
    "structure",
    (Structure.OR, Structure.AND, Structure.OR_THEN_AND, Structure.AND_THEN_OR),
)
_CONFIDENCES = Axis("confidences", "confidence of high / low modules", ((1.0, 0.1), (0.9, 0.2), (0.8, 0.3), (0.7, 0.4)))
_QUERY_COSTS = Axis("query_cost", "query cost Q", (0.08, 0.16, 0.32, 0.64))
_EXPERT = Axis("expert", "expert confidence", (1.0, 0.8, 0.6, 0.4))
_BETA = Axis("beta", "spread of query costs β", (0.0, 0.2, 0.4, 0.6), quick=(0.0, 0.6))
_OVERLAP = Axis(
    "confidences",
    "confidence of high / low modules",
    ((1.0, 0.1), (0.9, 0.2), (0.8, 0.3), (0.7, 0.4), (0.6, 0.5)),
    quick=((1.0, 0.1), (0.8, 0.3), (0.6, 0.5)),
)

MODULES = Study(
    name="modules",
    title="Number of modules",
    figure="Fig. 7",
    question="What changes for each method as a policy grows from 3 to 100 modules?",
    grids=(Grid((_MODULES,), METHODS, highlight="computation_time"),),
    extra=(
        # Appendix F.2: away from (1, 0.1), selectors are said to degrade by underflow on large policies.
        Grid((_at("confidences", (0.9, 0.2)), _at("modules", 10, 50, 100)), UNDERFLOW),
    ),
)
STRUCTURE = Study(
    name="structure",
    title="Structure of the policy",
    figure="Fig. 8",
    question="How much do methods depend on whether modules stand in for each other or are all needed?",
    grids=(Grid((_STRUCTURE,), METHODS, highlight="failed_attempts"),),
    extra=(
        # Appendix F.3 also speaks of closer confidences and of cheap questions.
        Grid((_at("confidences", (0.9, 0.2)), _STRUCTURE), THE_PAPERS),
        Grid((_at("query_cost", 0.08), _STRUCTURE), ALGORITHMS),
    ),
)
CONFIDENCES = Study(
    name="confidences",
    title="Separation of the confidences",
    figure="Fig. 9",
    question="What happens when confidences tell less clearly which modules are wrong?",
    grids=(Grid((_CONFIDENCES,), METHODS, highlight="task_cost"),),
)
QUERY_COSTS = Study(
    name="query-costs",
    title="Cost of a question",
    figure="Fig. 10",
    question="Which methods ask less, or give up, when questions cost a person more?",
    grids=(Grid((_QUERY_COSTS,), METHODS, highlight="timesteps"),),
    extra=(
        # Appendix F.5 also speaks of less separated confidences.
        Grid((_at("confidences", (0.7, 0.4)), _at("query_cost", 0.08, 0.64)), THE_PAPERS),
    ),
)
EXPERT = Study(
    name="expert",
    title="Reliability of answers",
    figure="Fig. 11",
    question="How do methods bear a person whose answers are sometimes wrong?",
    grids=(Grid((_EXPERT,), METHODS),),
)
HETEROGENEITY = Study(
    name="heterogeneity",
    title="Questions that differ in cost",
    figure="Figs. 12 and 4b",
    question="Is it worth knowing what each question costs when costs differ and confidences overlap?",
    grids=(Grid((_OVERLAP, _BETA), HETEROGENEOUS, highlight="task_cost"),),
    layout=Layout.BETA,
)
SUMMARY = Study(
    name="summary",
    title="Summary",
    figure="Fig. 4",
    question="What is each method worth as one thing after the other is varied?",
    grids=tuple(
        grid for study in (MODULES, STRUCTURE, CONFIDENCES, QUERY_COSTS, HETEROGENEITY) for grid in study.grids
    ),
    extra=(
        # Section 9: visuo-haptic feeding, and a swarm. Exact chances of success of 100 redundant modules take too long.
        Grid((_at("structure", Structure.OR_THEN_AND), _at("query_cost", 0.16)), THE_PAPERS),
        Grid((_at("structure", Structure.OR), _at("modules", 100)), SWARM),
        _InReplica((_at("structure", Structure.OR), _at("modules", 100)), SWARM_EXACT),
    ),
    layout=Layout.SUMMARY,
)

STUDIES: Mapping[str, Study] = {
    study.name: study for study in (MODULES, STRUCTURE, CONFIDENCES, QUERY_COSTS, EXPERT, HETEROGENEITY, SUMMARY)
}


def study_of(name: str) -> Study:
    """The study of that name.

    Raises:
        BadSetting: No such study; the message lists the known ones.
    """
    if name not in STUDIES:
        near = get_close_matches(name, STUDIES, 1)
        guess = f"Did you mean '{near[0]}'? " if near else ""
        raise BadSetting(f"there is no study '{name}'", hint=f"{guess}Use one of: {', '.join(STUDIES)}, or all.")
    return STUDIES[name]
