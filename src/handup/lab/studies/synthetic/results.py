"""Episodes of a study's cells by settings, the numbers that claims are judged by, and troubleshoot's rivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from handup.core import UnknownMethod
from handup.lab import episodes
from handup.lab.cell import Cell, WorldKind
from handup.lab.engine import Finding, JudgedClaim, Measure, Results
from handup.lab.engine.judge import ComparedPoint, MeansClaim, judge_means
from handup.lab.engine.stats import Vector
from handup.lab.episodes import Episodes
from handup.lab.studies.synthetic.decision_times import Timing
from handup.lab.studies.synthetic.grid import TROUBLESHOOT

if TYPE_CHECKING:
    from handup.lab.studies.synthetic.study import CellStudy  # noqa: F401 - named in a string

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
        rivalries: list[Rivalry] = []
        pairs_at: dict[Cell, dict[str, Vector]] = {}
        for cell, found in self.found.items():
            what, plus, _ = cell.method.partition("+")
            if cell.world is WorldKind.DEFAULT and plus and what not in NOT_THE_PAPERS:
                pairs_at.setdefault(cell.with_method(TROUBLESHOOT), {})[cell.method] = found.metric("J")
        base = self.study.base_of(self.size, WorldKind.DEFAULT)
        names = [setting.name for setting in fields(Cell) if setting.name != "method"]
        for cell, pairs in pairs_at.items():
            if cell in self.found:
                ours = self.found[cell].metric("J")
                gaps = {pair: episodes.MetricMeasure.of(ours - theirs) for pair, theirs in pairs.items()}
                means = {pair: float(theirs.mean()) for pair, theirs in pairs.items()}
                best = min(means, key=means.__getitem__)
                rivalries.append(
                    Rivalry(
                        place={
                            name: getattr(cell, name) for name in names if getattr(cell, name) != getattr(base, name)
                        },
                        ours=episodes.MetricMeasure.of(ours),
                        pairs=len(pairs),
                        best=best,
                        theirs=episodes.MetricMeasure.of(pairs[best]),
                        difference=gaps[best],
                        beaten_by=tuple(pair for pair, gap in gaps.items() if gap.ci[0] > 0.0),
                    )
                )
        return tuple(rivalries)

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


@lru_cache(maxsize=10_000)
def _changed(base: Cell, method: str, at: tuple[tuple[str, Any], ...]) -> Cell:
    """Return a cell. Claims use a few hundred cells repeatedly, and making one costs more than comparing it."""
    return replace(base, method=method, **dict(at))
