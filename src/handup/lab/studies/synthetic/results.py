"""Grids of cells, and their episodes: every method at every value of the settings that a study varies.

The numbers that claims are judged by are looked up here, and troubleshoot's rivals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from handup.core import UnknownMethod
from handup.core.files import shipped_data
from handup.lab import episodes
from handup.lab.cell import REPLICA_SELECTORS, REPLICA_WHENS, Cell, WorldKind
from handup.lab.engine import Finding, JudgedClaim, Measure, Results, Table
from handup.lab.engine.judge import ComparedPoint, MeansClaim, judge_means
from handup.lab.engine.stats import Vector
from handup.lab.episodes import Episodes
from handup.lab.studies.synthetic.decision_times import Timing

if TYPE_CHECKING:
    from handup.lab.studies.synthetic.study import CellStudy  # noqa: F401 - named in a string

MOST_MODULES: Mapping[str, int] = {"mip": 15}
"""Largest number of modules for selectors that are slow."""
NOT_QUICK = ("mip",)
"""Selectors that `--quick` leaves out."""
TROUBLESHOOT = "troubleshoot"
FILE = shipped_data(__file__, "studies.yaml")
METHODS = tuple(FILE["methods"])
BASE_PLACE = "base settings"
MARGIN, SHARE_MARGIN = 0.5, 0.05
MEASURES = (
    Measure(name="task_cost", label="Task Cost", alike=SHARE_MARGIN, is_share=True),
    Measure(name="query_cost", label="Query Cost", is_amount=True),
    Measure(name="failed_attempts", label="failed attempts", alike=MARGIN, is_amount=True),
    Measure(name="timesteps", label="timesteps", alike=MARGIN, is_amount=True),
    Measure(name="J", label="J", alike=MARGIN),
    Measure(name="questions", label="questions", alike=MARGIN, is_amount=True),
    Measure(name="overpaid", label="paid above the mean price"),
)
NOT_THE_PAPERS = ("hybrid",)
"""Selectors that the paper only proposes."""


@dataclass(frozen=True)
class Axis:
    """A field of `Cell` that a study varies: its label, and its values in the figure's order; others with `--quick`."""

    key: str
    label: str
    values: tuple[Any, ...]
    quick: tuple[Any, ...] | None = None

    def taken(self, quick: bool) -> tuple[Any, ...]:
        """Return the values of an ordinary or a quick run."""
        return self.values if self.quick is None or not quick else self.quick


@dataclass(frozen=True)
class Grid:
    """Every method that a world knows at every value of one or two axes; other settings keep the study's base.

    `highlight` is the metric that the paper's summary shows of it. Worlds that are not listed leave the grid out.
    """

    axes: tuple[Axis, ...]
    methods: tuple[str, ...]
    highlight: str = "J"
    worlds: tuple[WorldKind, ...] = tuple(WorldKind)

    def cells(self, base: Cell, *, quick: bool = False) -> Iterator[Cell]:
        """Yield all cells of one world, place by place, the first axis outermost."""
        if base.world not in self.worlds:
            return
        for values in product(*(axis.taken(quick) for axis in self.axes)):
            here = replace(base, **dict(zip((axis.key for axis in self.axes), values, strict=True)))
            for method in self.methods:
                if _fits(method, here) and not (quick and method.partition("+")[0] in NOT_QUICK):
                    yield here.with_method(method)


def _fits(method: str, base: Cell) -> bool:
    """Return True if the world of a cell has a method that is fast enough for its size."""
    what, plus, when = method.partition("+")
    if base.modules > MOST_MODULES.get(what, base.modules):
        return False
    return base.world is WorldKind.DEFAULT or bool(plus and what in REPLICA_SELECTORS and when in REPLICA_WHENS)


def value_label(value: Any) -> str:
    """Return a value of an axis for people."""
    return " / ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else f"{value}"


def place_label(place: Mapping[str, Any]) -> str:
    """Return the settings of a place for people."""
    return ", ".join(f"{key.replace('_', ' ').strip()} {value_label(value)}" for key, value in place.items())


@dataclass(frozen=True)
class WorldsJudged(JudgedClaim):
    """Claim with its findings by world; `finding` is that of the first world."""

    claim: MeansClaim
    findings: Mapping[str, Finding] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
        return {
            "name": self.claim.name,
            "source": self.claim.source,
            "text": self.claim.text,
            "about_code": self.claim.about_code,
            "worlds": {world: finding.to_json() for world, finding in self.findings.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Rivalry:
    """Troubleshoot (`ours`) against the paper's pairs, `pairs` of them, in J.

    `place` sets the settings apart from the study's base. `theirs` is that of the `best` pair, `difference` ours less
    theirs, episode by episode; `beaten_by` has every pair that is better beyond the interval of its difference.
    """

    place: Mapping[str, Any]
    ours: episodes.MetricMeasure
    pairs: int
    best: str
    theirs: episodes.MetricMeasure
    difference: episodes.MetricMeasure
    beaten_by: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CellResults(Results["CellStudy"]):
    """Episodes of every cell of a study, and times of some; the source of numbers for claims in one world."""

    found: Mapping[Cell, Episodes] = field(default_factory=dict, repr=False)
    timings: Mapping[Cell, Timing] = field(default_factory=dict, repr=False)
    world: WorldKind = WorldKind.DEFAULT

    def __post_init__(self) -> None:
        """Check nothing: cells that differ in the method alone have the same episodes by construction."""

    @property
    def place(self) -> str:
        """Name of the world in notes of claims."""
        return str(self.world)

    @cached_property
    def base(self) -> Cell:
        """Cell with the settings that all cells share; others are identified by their changes."""
        return self.study.base_of(self.size, self.world)

    @cached_property
    def judged(self) -> tuple[WorldsJudged, ...]:
        """Claims of the study, judged in each of its worlds by rule 2."""
        sources = [replace(self, world=world) for world in self.study.worlds]
        found = [{source.place: judge_means(claim, source) for source in sources} for claim in self.study.claims]
        pairs = zip(self.study.claims, found, strict=True)
        return tuple(WorldsJudged(claim, next(iter(of.values())), findings=of) for claim, of in pairs)

    @cached_property
    def rivalries(self) -> tuple[Rivalry, ...]:
        """Troubleshoot against every pair of the paper that was run under the same settings."""
        pairs_at: dict[Cell, dict[str, Vector]] = {}
        for cell, found in self.found.items():
            what, plus, _ = cell.method.partition("+")
            if cell.world is WorldKind.DEFAULT and plus and what not in NOT_THE_PAPERS:
                pairs_at.setdefault(cell.with_method(TROUBLESHOOT), {})[cell.method] = found.metric("J")
        return tuple(self._rivalry(cell, pairs) for cell, pairs in pairs_at.items() if cell in self.found)

    def _rivalry(self, cell: Cell, pairs: Mapping[str, Vector]) -> Rivalry:
        base = self.study.base_of(self.size, WorldKind.DEFAULT).with_method(cell.method)
        names = [setting.name for setting in fields(Cell) if getattr(cell, setting.name) != getattr(base, setting.name)]
        ours = self.found[cell].metric("J")
        gaps = {pair: episodes.MetricMeasure.of(ours - theirs) for pair, theirs in pairs.items()}
        best = min(pairs, key=lambda pair: float(pairs[pair].mean()))
        return Rivalry(
            place={name: getattr(cell, name) for name in names},
            ours=episodes.MetricMeasure.of(ours),
            pairs=len(pairs),
            best=best,
            theirs=episodes.MetricMeasure.of(pairs[best]),
            difference=gaps[best],
            beaten_by=tuple(pair for pair, gap in gaps.items() if gap.ci[0] > 0.0),
        )

    def measure(self, metric: str) -> Measure:
        """Return the measure of that name."""
        return self.study.measure(metric)

    def has(self, point: ComparedPoint) -> bool:
        """Return True if the study has the cell of a point; a world may not have the method."""
        try:
            return self._cell(point) in self.found
        except UnknownMethod:
            return False

    def margin(self, metric: str, points: Sequence[ComparedPoint]) -> float:
        """Return half a question, attempt or step, or 0.05 of a share."""
        if metric in ("query_cost", "overpaid"):
            return MARGIN * min(self._cell(point).query_cost for point in points)
        return self.measure(metric).alike

    def amounts(self, metric: str, point: ComparedPoint) -> Vector:
        """Return a metric for each episode; `overpaid` is the sum paid for questions above Q each."""
        cell = self._cell(point)
        found = self.found[cell]
        if metric == "questions":
            return found.questions.astype(np.float64)
        if metric == "overpaid":
            return np.asarray(found.load - cell.query_cost * found.questions)
        return found.metric(metric)

    def seconds(self, point: ComparedPoint, *, per_decision: bool) -> float | None:
        """Return the time of a decision, or of an episode: that times its mean number of steps."""
        timing = self.timings.get(self._cell(point)) if self.has(point) else None
        if timing is None:
            return None
        decision = timing.decision_us / 1e6
        return decision if per_decision else decision * float(self.amounts("timesteps", point).mean())

    def episodes(self, method: str, **changes: Any) -> Episodes | None:
        """Return the episodes of a method under some changes of the base settings; None where there are none."""
        point = ComparedPoint(method, method, tuple(changes.items()))
        return self.found[self._cell(point)] if self.has(point) else None

    def _cell(self, point: ComparedPoint) -> Cell:
        return _changed(self.base, point.arm, point.at)


def rivals_table(rivals: Sequence[Rivalry]) -> Table:
    """Return troubleshoot beside the paper's pairs, place by place."""
    rows = tuple(
        (
            place_label(rival.place) or BASE_PLACE,
            str(rival.ours),
            str(rival.pairs),
            rival.best,
            str(rival.theirs),
            str(rival.difference),
            f"beaten by {', '.join(rival.beaten_by)}" if rival.beaten_by else "not beaten",
        )
        for rival in rivals
    )
    columns = ("Where", "troubleshoot", "Pairs", "Best pair", "Its J", "Difference", "Beaten?")
    return Table(FILE["captions"]["rivals"], columns, rows)


@lru_cache(maxsize=10_000)
def _changed(base: Cell, method: str, at: tuple[tuple[str, Any], ...]) -> Cell:
    """Return a cell. Claims use a few hundred cells repeatedly, and making one costs more than comparing it."""
    return replace(base, method=method, **dict(at))
