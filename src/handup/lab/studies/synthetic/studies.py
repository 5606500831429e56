"""The synthetic studies of the paper, figure by figure, read from `studies.yaml`, with the claims of `claims.yaml`.

Both files describe their format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, pairwise, product
from typing import Any

from handup.core.files import shipped_data
from handup.lab.cell import Structure, WorldKind
from handup.lab.engine.claims import Note, Verdict
from handup.lab.engine.judge import ALIKE, ComparedPoint, MeansClaim, MeansComparison, PointSource, Ratio, WantedMeans
from handup.lab.studies.synthetic.results import FILE, Axis, Grid
from handup.lab.studies.synthetic.study import CellStudy, FigureLayout

AXES: Mapping[str, Callable[[Any], str]] = {
    "modules": lambda value: f"N = {value}",
    "structure": lambda value: f"all-{value}" if value in (Structure.AND, Structure.OR) else f"{value}",
    "confidences": lambda value: f"({value[0]:g}, {value[1]:g})",
    "query_cost": lambda value: f"q = {value:g}",
    "expert": lambda value: f"c_e = {value:g}",
    "beta": lambda value: f"β = {value:g}",
}
TIMES: Mapping[str, Mapping[str, float]] = {
    "slower": {"least": 1.0},
    "as fast": {"least": 1.0 / ALIKE, "most": ALIKE},
    "time": {},
}
CLAIMS = shipped_data(__file__, "claims.yaml")
LIMITS = ("least", "most", "per_decision")
NO_SETTINGS = ("metric", "target", "selector", "algorithm", "with", *LIMITS)
Fields = Mapping[str, Any]


def claim_of(entry: Fields) -> MeansClaim:
    """Return a claim from an entry of the file."""
    kinds = [kind for kind in entry if kind in (*WantedMeans, *TIMES)]
    listed = [(kind, part) for kind in kinds for part in _listed(entry[kind])]
    return MeansClaim(
        **{name: value for name, value in entry.items() if name not in (*kinds, "chosen", "notes")},
        compared=tuple(comparison for kind, part in listed for comparison in _compared(kind, part)),
        chosen=CHOSEN[entry["chosen"]] if "chosen" in entry else None,
        notes=tuple(_notes(entry.get("notes", {}))),
    )


def selector(name: str, **at: Any) -> ComparedPoint:
    """Return a selector under the paper's fixed querying algorithm, under settings that differ from the base."""
    return _point({"selector": name, **at})


def _point(fields: Fields) -> ComparedPoint:
    at = {name: value for name, value in fields.items() if name not in NO_SETTINGS}
    words = tuple(AXES[name](value) for name, value in at.items())
    if "selector" in fields:
        return ComparedPoint(f"{fields['selector']}+workload-aware", fields["selector"], tuple(at.items()), words)
    name, what = fields["algorithm"], fields.get("with")
    return ComparedPoint(f"{what or 'graph'}+{name}", f"{name} with {what}" if what else name, tuple(at.items()), words)


def _compared(kind: str, entry: Fields) -> Iterator[MeansComparison | Ratio]:
    for choice in product(*_loops(entry)):
        taken = {place: value for part in choice for place, value in part.items()}
        here, than, to = (
            {name: value for (where, name), value in taken.items() if where == side} for side in ("", "than", "to")
        )
        point, other = _point(here), _point({**here, **than})
        others = () if not than else (other,)
        if point in others:
            continue
        if kind in TIMES:
            yield Ratio(point, *others, **{**TIMES[kind], **{name: here[name] for name in LIMITS if name in here}})
            continue
        terms = ((1, point), *((-1, side) for side in others))
        if to:
            terms = ((1, _point({**here, **to})), (-1, point), (-1, _point({**here, **than, **to})), (1, other))
        yield MeansComparison(here["metric"], WantedMeans(kind), terms, here.get("target", 0.0))


def _loops(entry: Fields, side: str = "") -> Iterator[list[dict[tuple[str, str], Any]]]:
    """Yield the values of every field, by the side that has them and the field's name."""
    for name, value in entry.items():
        if name in ("than", "to"):
            yield from _loops(value, name)
        elif isinstance(value, Mapping):
            groups = pairwise(values_of(name, group) for group in value["chain"])
            pairs = (pair for before, after in groups for pair in product(before, after))
            other = "" if side else "than"
            yield [{(other, name): first, (side, name): second} for first, second in pairs]
        else:
            yield [{(side, name): chosen} for chosen in values_of(name, value)]


def values_of(name: str, value: Any) -> tuple[Any, ...]:
    """Return the values of a setting as the file has them, one or several."""
    if name == "confidences":
        return tuple(tuple(pair) for pair in (value if isinstance(value[0], list) else [value]))
    return tuple(map(Structure, _listed(value)) if name == "structure" else _listed(value))


def _notes(entry: Fields) -> Iterator[Note]:
    for verdict, places in entry.items():
        for place, texts in (places if isinstance(places, Mapping) else {"both": places}).items():
            for text in _listed(texts):
                yield Note(Verdict(verdict), text, "" if place == "both" else place)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _same_ranking(source: PointSource) -> Iterator[MeansComparison]:
    """Yield comparisons: selectors ahead in all-and are not behind elsewhere, those level there are level elsewhere."""
    metric = "failed_attempts"
    for names in combinations(("never", "topo", "confidence", "brute-force", "binary-tree", "graph"), 2):
        if not all(source.has(selector(name)) for name in names):
            continue
        first, second = (source.amounts(metric, selector(name)) for name in names)
        ahead = float((first - second).mean())
        for structure in (Structure.OR_THEN_AND, Structure.AND_THEN_OR):
            points = [selector(name, structure=structure) for name in names]
            is_level = abs(ahead) < source.margin(metric, points)
            left, right = points if is_level or ahead < 0.0 else reversed(points)
            yield MeansComparison(
                metric, WantedMeans.SAME if is_level else WantedMeans.NOT_HIGHER, ((1, left), (-1, right))
            )


CHOSEN: Mapping[str, Callable[[PointSource], Iterator[MeansComparison]]] = {"same ranking": _same_ranking}
"""Comparisons that depend on the numbers themselves."""


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
    return CellStudy(
        name=name, grids=grids, extra=extra, layout=layout, claims=tuple(map(claim_of, CLAIMS[name])), **words
    )


MODULES, STRUCTURE, CONFIDENCES, QUERY_COSTS, EXPERT, HETEROGENEITY, SUMMARY = (
    _study(name, entry) for name, entry in FILE["studies"].items()
)
