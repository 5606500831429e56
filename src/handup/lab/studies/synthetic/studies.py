"""The synthetic studies of the paper, figure by figure: `studies.yaml` read, with the claims of `claims.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handup.lab.cell import WorldKind
from handup.lab.studies.synthetic.claims import read_claims, values_of
from handup.lab.studies.synthetic.grid import FILE, Axis, Grid
from handup.lab.studies.synthetic.study import CellStudy, FigureLayout


def _grid(entry: Mapping[str, Any]) -> Grid:
    quick: Mapping[str, Any] = entry.get("quick", {})
    axes = (
        Axis(key, FILE["labels"][key], values_of(key, values), values_of(key, quick[key]) if key in quick else None)
        for key, values in entry["vary"].items()
    )
    worlds = tuple(map(WorldKind, entry.get("worlds", WorldKind)))
    return Grid(tuple(axes), tuple(entry["methods"]), entry.get("highlight", "J"), worlds)


def _study(name: str, entry: Mapping[str, Any]) -> CellStudy:
    grids, extra = (tuple(map(_grid, entry.get(kind, ()))) for kind in ("grids", "extra"))
    layout = FigureLayout(entry.get("layout", "rows"))
    words = {key: entry[key] for key in ("title", "figure", "question")}
    return CellStudy(name=name, grids=grids, extra=extra, layout=layout, claims=read_claims(name), **words)


MODULES, STRUCTURE, CONFIDENCES, QUERY_COSTS, EXPERT, HETEROGENEITY, SUMMARY = (
    _study(name, entry) for name, entry in FILE["studies"].items()
)
