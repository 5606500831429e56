"""Recommendation of a method for a given policy: all methods live through the same simulated episodes of it.

The core paper picks the "closest synthetic setting" by hand and takes the method that is best there. Here the policy
itself is simulated, with its own graph, costs and confidences, taken to be true.

The distance of a recommendation to flipping is found by moving one number until another method is better beyond the
interval.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from scipy.special import expit, logit

from handup.core import NotSolvable, OutOfRange, check_probability, default_horizon
from handup.lab.batch import EpisodeTerms
from handup.lab.cell import check_whole
from handup.lab.episodes import Episodes, MetricMeasure
from handup.lab.simulate import CachedSelector, simulate_blocks
from handup.lab.world import blocks_of
from handup.policy import ModuleGraph
from handup.recover import Settings
from handup.when import DEFAULT, strategy

SELECTORS = ("graph", "confidence", "brute-force", "binary-tree", "hybrid", "mip", "topo")
WHENS = ("workload-aware", "until-confident", "query-then-execute", "execute-first")
"""Of methods that live through the same episodes, the earlier ones give the name."""
NEVER, EVERYTHING = "never+execute-first", "topo+query-for-all"
BASELINES = {NEVER: "never asks", EVERYTHING: "asks everything"}
SMALL = 12
"""Up to so many modules `mip` is compared too, and all methods contend when numbers are moved."""
MOST_EPISODES = 1_000_000
METRICS = ("success", "query_cost", "failed_attempts", "timesteps", "J")
Progress = Callable[[float], None]
"""Told the share of the work that is done."""


class MethodKind(StrEnum):
    """Whose method it is."""

    OURS = "ours"
    PAIR = "pair"
    BASELINE = "baseline"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A policy and the terms under which it is simulated.

    Args:
        graph: The policy; its confidences are taken as true probabilities.
        expert: Probability that an answer is right.
        w: Weight of load against time.
        horizon: Steps given to an episode.
    """

    graph: ModuleGraph
    expert: float = 1.0
    w: float = 0.5
    horizon: int

    def __post_init__(self) -> None:
        check_probability("expert", self.expert)
        if not 0.0 <= self.w <= 1.0:
            hint = "0: only time counts; 1: only load counts."
            raise OutOfRange.of("w", f"{self.w:g}", "lie between 0 and 1", hint=hint)
        check_whole("horizon", self.horizon, 1, Settings().max_steps_per_module * len(self.graph))

    @classmethod
    def of(cls, graph: ModuleGraph, *, expert: float = 1.0, w: float = 0.5, horizon: int | None = None) -> Setting:
        """Return a setting, with the default horizon where none is given."""
        return cls(graph=graph, expert=expert, w=w, horizon=default_horizon(len(graph)) if horizon is None else horizon)

    def live(
        self, methods: Sequence[str], episodes: int, seed: int, *, decisions: int | None = None,
        progress: Progress = lambda _: None,
    ) -> dict[str, Episodes]:  # fmt: skip
        """Simulate the same episodes with each method; leave out methods that cannot take the policy on.

        Args:
            methods: Names of the methods.
            episodes: Number of episodes.
            seed: Seed of the episodes.
            decisions: Most different decisions of a method; one that needs more is left out.
            progress: Function that is called with the share that is done, 0 to 1.
        """
        terms = EpisodeTerms(expert=self.expert, w=self.w, horizon=self.horizon)
        blocks = list(blocks_of(self.graph, episodes=episodes, seed=seed, expert=self.expert))
        selectors: dict[str, CachedSelector] = {}
        found: dict[str, Episodes] = {}
        for number, method in enumerate(methods, start=1):
            with contextlib.suppress(NotSolvable):
                found[method] = simulate_blocks(blocks, strategy(method), terms, selectors, decisions)
            progress(number / len(methods))
        return found


@dataclass(frozen=True, kw_only=True)
class MethodRow:
    """One or more methods that live through identical episodes.

    Args:
        method: Method that gives the name.
        same_as: Names of the others.
        kind: First kind among them, in the order of ours, the paper's pairs and the baselines.
        measures: Mean and interval of each of `METRICS`; success is a share.
        difference: J less that of the recommended method, episode by episode.
        on_front: Whether no other is as successful for less workload, or more successful for as much.
    """

    method: str
    same_as: tuple[str, ...]
    kind: MethodKind
    measures: Mapping[str, MetricMeasure]
    difference: MetricMeasure
    on_front: bool = False

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of all of them."""
        return (self.method, *self.same_as)

    @property
    def ties(self) -> bool:
        """True if its J cannot be told from that of the recommended method."""
        return self.difference.ci[0] <= 0.0 <= self.difference.ci[1]

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {
            "method": self.method,
            "same_as": list(self.same_as),
            "kind": str(self.kind),
            **{name: measure.to_json() for name, measure in self.measures.items()},
            "difference": self.difference.to_json(),
            "on_front": self.on_front,
            "ties": self.ties,
        }


@dataclass(frozen=True, kw_only=True)
class Advice:
    """Findings of the simulation of a policy about methods.

    Args:
        place: Policy and terms.
        episodes: Number of episodes.
        seed: Seed of the episodes.
        rows: Every method, lowest mean J first; the first is recommended.
        left_out: Methods that cannot take this policy on.
    """

    place: Setting
    episodes: int
    seed: int
    rows: tuple[MethodRow, ...]
    left_out: tuple[str, ...] = ()

    @property
    def recommended(self) -> MethodRow:
        """The method of the lowest mean J."""
        return self.rows[0]

    @property
    def runner_up(self) -> MethodRow | None:
        """The next that does anything else."""
        return self.rows[1] if len(self.rows) > 1 else None

    @property
    def tied(self) -> tuple[MethodRow, ...]:
        """Those whose J cannot be told from that of the recommended method."""
        return tuple(row for row in self.rows[1:] if row.ties)

    @property
    def best_pair(self) -> MethodRow:
        """Row of the best of the paper's pairs."""
        return next(row for row in self.rows if any(kind_of(name) is MethodKind.PAIR for name in row.methods))

    @property
    def best_pair_method(self) -> str:
        """Name of the best of the paper's pairs."""
        return next(name for name in self.best_pair.methods if kind_of(name) is MethodKind.PAIR)

    @property
    def contenders(self) -> tuple[str, ...]:
        """The better half of the methods, and ours and the one that never asks: who may win if things change.

        On large policies one of each row stands for those that do the same.
        """
        small = len(self.place.graph) <= SMALL
        ranked = [method for row in self.rows for method in (row.methods if small else row.methods[:1])]
        half = ranked[: (len(ranked) + 1) // 2]
        return tuple(dict.fromkeys([*half, self.best_pair_method, DEFAULT, NEVER]))

    def row_of(self, method: str) -> MethodRow:
        """The row that a method stands in."""
        return next(row for row in self.rows if method in row.methods)


def advise(
    graph: ModuleGraph,
    *,
    expert: float = 1.0,
    w: float = 0.5,
    horizon: int | None = None,
    episodes: int = 1000,
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> Advice:
    """Simulate a policy with every method and rank them by J.

    Args:
        graph: The policy; its confidences are taken as true probabilities.
        expert: Probability that an answer is right.
        w: Weight of load against time.
        horizon: Steps; `default_horizon` where not given.
        episodes: How many, at least 2.
        seed: Which ones. All methods live through the same.
        progress: Told the share that is done.

    Raises:
        OutOfRange: A number outside its range.

    Example:
        >>> from handup.policy import Module, ModuleGraph
        >>> graph = ModuleGraph.chain([Module("see", 0.9), Module("grasp", 0.3)])
        >>> advise(graph, episodes=200).recommended.method
        'troubleshoot'
    """
    place = Setting.of(graph, expert=expert, w=w, horizon=horizon)
    check_whole("episodes", episodes, 2, MOST_EPISODES)
    check_whole("seed", seed, 0, 2**63)
    methods = methods_for(graph)
    lived = place.live(methods, episodes, seed, progress=progress)
    left_out = tuple(method for method in methods if method not in lived)
    return Advice(place=place, episodes=episodes, seed=seed, rows=_rows(lived), left_out=left_out)


def methods_for(graph: ModuleGraph) -> tuple[str, ...]:
    """Return the methods that are compared on a policy, those that give the name first."""
    selectors = [name for name in SELECTORS if name != "mip" or len(graph) <= SMALL]
    pairs = [f"{what}+{when}" for what in selectors for when in WHENS]
    return (DEFAULT, *pairs, *BASELINES)


def kind_of(method: str) -> MethodKind:
    """Whose method it is."""
    return MethodKind.OURS if "+" not in method else MethodKind.BASELINE if method in BASELINES else MethodKind.PAIR


def paired(first: Episodes, second: Episodes) -> MetricMeasure:
    """J of the first less J of the second, over the same episodes."""
    return MetricMeasure.of(first.objective - second.objective)


def _rows(lived: Mapping[str, Episodes]) -> tuple[MethodRow, ...]:
    groups: dict[bytes, list[str]] = {}
    for method, found in lived.items():
        groups.setdefault(_fingerprint(found), []).append(method)
    # The mean is rounded so that which of two equal sums came first does not matter; then the given order holds.
    ranked = sorted(groups.values(), key=lambda group: round(float(lived[group[0]].objective.mean()), 9))
    best = lived[ranked[0][0]]
    rows = [
        MethodRow(
            method=first,
            same_as=tuple(others),
            kind=kind_of(first),
            measures={name: MetricMeasure.of(lived[first].metric(name), share=name == "success") for name in METRICS},
            difference=paired(lived[first], best),
        )
        for first, *others in ranked
    ]
    return tuple(replace(row, on_front=_on_front(row, rows)) for row in rows)


def _fingerprint(found: Episodes) -> bytes:
    """Equal for methods that did the same in every episode."""
    return b"".join(np.round(array.astype(np.float64), 9).tobytes() for array in vars(found).values())


def _on_front(row: MethodRow, rows: Sequence[MethodRow]) -> bool:
    success, load = row.measures["success"].mean, row.measures["query_cost"].mean
    gains = ((rival.measures["success"].mean - success, load - rival.measures["query_cost"].mean) for rival in rows)
    # Load within 1e-12 counts as equal: sums of the same costs in another order differ by rounding.
    return not any(min(more, less) >= 0.0 and (more > 0.0 or less > 1e-12) for more, less in gains)


class Knob(StrEnum):
    """Number of a setting that is moved while everything else stays."""

    QUERY_COST = "query_cost"
    """All questions' costs, by a common factor; 1 now."""
    W = "w"
    EXPERT = "expert"
    CONFIDENCE = "confidence"
    """All confidences, by a common amount on the scale of log-odds; 0 now. Those of 0 and 1 stay."""


@dataclass(frozen=True)
class KnobScale:
    """Range in which a knob is moved, and scale on which its steps are even."""

    least: float
    most: float
    bend: Callable[[float], float] = float
    unbend: Callable[[float], float] = float


SCALES = {
    Knob.QUERY_COST: KnobScale(0.1, 10.0, math.log, math.exp),
    Knob.W: KnobScale(0.05, 0.95, logit, expit),
    Knob.EXPERT: KnobScale(0.5, 1.0),
    Knob.CONFIDENCE: KnobScale(-2.0, 2.0),
}


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Effort of the search for flips.

    Args:
        episodes: Number of episodes at each value.
        steps: Number of values to try on each side, evenly.
        halvings: Number of halvings of the last step, once a flip is found.
        decisions: Most different decisions of a method at a value; the search ends before a value that needs more.
    """

    episodes: int
    steps: int
    halvings: int
    decisions: int

    @classmethod
    def for_graph(cls, graph: ModuleGraph, episodes: int) -> Effort:
        """Return an effort that fits a command at a terminal: large policies take long to plan for."""
        if len(graph) <= SMALL:
            return cls(episodes=min(episodes, 400), steps=5, halvings=6, decisions=300)
        return cls(episodes=min(episodes, 24), steps=2, halvings=3, decisions=60)


@dataclass(frozen=True, kw_only=True)
class Flip:
    """Values at which another method takes over when one number is moved.

    Args:
        now: The value now.
        below: The nearest value below at which another is better beyond its interval; None: not within the range.
        below_by: That other method.
        above: The same above.
        above_by: That other method.
        range: What was searched; it ends early where a method would need too many decisions.
    """

    now: float
    below: float | None
    below_by: str | None
    above: float | None
    above_by: str | None
    range: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {**asdict(self), "range": list(self.range)}


Flips = dict[Knob, Flip]


def moved(place: Setting, knob: Knob, value: float) -> Setting:
    """Return a setting with one number changed."""
    if knob is Knob.W:
        return replace(place, w=value)
    if knob is Knob.EXPERT:
        return replace(place, expert=value)
    graph = place.graph
    if knob is Knob.QUERY_COST:
        changed = [replace(module, query_cost=module.query_cost * value) for module in graph.modules]
    else:
        chances = expit(logit(graph.confidences) + value).tolist()
        changed = [replace(module, confidence=chance) for module, chance in zip(graph.modules, chances, strict=True)]
    return replace(place, graph=ModuleGraph(changed, success=graph.success))


@dataclass
class Search:
    """Looks for flips and keeps what was simulated on the way.

    Args:
        advice: What was found at the place itself.
        effort: How hard to look.
    """

    advice: Advice
    effort: Effort
    lived: dict[tuple[Knob, float, int], dict[str, Episodes]] = field(default_factory=dict)

    def flips(self, method: str, rivals: Sequence[str], progress: Progress = lambda _: None) -> Flips:
        """Return the values at which one of the rivals takes over from a method, for each knob."""
        place, found = self.advice.place, dict[Knob, Flip]()
        now = {Knob.QUERY_COST: 1.0, Knob.W: place.w, Knob.EXPERT: place.expert, Knob.CONFIDENCE: 0.0}
        for number, (knob, value) in enumerate(now.items(), start=1):
            least, most = SCALES[knob].least, SCALES[knob].most
            low, by_low = self._walk(knob, value, least, method, rivals) if least < value else (value, None)
            high, by_high = self._walk(knob, value, most, method, rivals) if most > value else (value, None)
            below, above = low if by_low else None, high if by_high else None
            found[knob] = Flip(
                now=value, below=below, below_by=by_low, above=above, above_by=by_high, range=(low, high)
            )
            progress(number / len(now))
        return found

    def better(self, knob: Knob, value: float, method: str, rivals: Sequence[str]) -> str | None:
        """Return the best rival that is better at a value, beyond the interval, and again in fresh episodes.

        Raises:
            NotSolvable: The method or a rival would need too many decisions there.
        """
        first = self._better(knob, value, method, rivals, self.advice.seed)
        again = self._better(knob, value, method, first, self.advice.seed + 1) if first else []
        return again[0] if again else None

    def _better(self, knob: Knob, value: float, method: str, rivals: Sequence[str], seed: int) -> list[str]:
        lived = self._live(knob, value, [method, *rivals], seed)
        gaps = {rival: paired(lived[rival], lived[method]) for rival in rivals if rival != method}
        return sorted((rival for rival, gap in gaps.items() if gap.ci[1] < 0.0), key=lambda rival: gaps[rival].mean)

    def _walk(self, knob: Knob, now: float, end: float, method: str, rivals: Sequence[str]) -> tuple[float, str | None]:
        """Step from now to an end of the scale; where somebody takes over, halve the last step.

        Returns:
            The value and who takes over there, or how far was searched and None.
        """
        scale, steps = SCALES[knob], self.effort.steps
        start, stop = scale.bend(now), scale.bend(end)
        if not math.isfinite(start):  # w of 0 or 1 has no place on its scale
            start = scale.bend(scale.most if start > 0.0 else scale.least)
        inside, outside, by = start, start, None
        try:
            for step in range(1, steps + 1):
                outside = start + (stop - start) * step / steps
                by = self.better(knob, scale.unbend(outside), method, rivals)
                if by is not None:
                    break
                inside = outside
            for _ in range(self.effort.halvings if by is not None else 0):
                middle = (inside + outside) / 2.0
                other = self.better(knob, scale.unbend(middle), method, rivals)
                inside, outside, by = (middle, outside, by) if other is None else (inside, middle, other)
        except NotSolvable:
            if by is None:
                return now if inside == start else scale.unbend(inside), None
            return scale.unbend(outside), by
        return scale.unbend(outside) if by is not None else end, by

    def _live(self, knob: Knob, value: float, methods: Sequence[str], seed: int) -> dict[str, Episodes]:
        found = self.lived.setdefault((knob, value, seed), {})
        missing = [name for name in methods if name not in found]
        if missing:
            place = moved(self.advice.place, knob, value)
            found.update(place.live(missing, self.effort.episodes, seed, decisions=self.effort.decisions))
        if any(name not in found for name in methods):
            raise NotSolvable("a method needs too many decisions", hint="Search less far.")
        return found


@dataclass(frozen=True, kw_only=True)
class Nearness:
    """Distance of an advice to flipping.

    Args:
        effort: How hard was looked.
        recommended: For the recommended method, among all contenders.
        best_pair: For the best of the paper's pairs, among the pairs.
    """

    effort: Effort
    recommended: Flips
    best_pair: Flips


def nearness(advice: Advice, *, effort: Effort | None = None, progress: Progress = lambda _: None) -> Nearness:
    """Look for the nearest flips of an advice.

    Args:
        advice: What was recommended.
        effort: How hard to look; by the size of the policy where not given.
        progress: Told the share that is done.
    """
    chosen = effort or Effort.for_graph(advice.place.graph, advice.episodes)
    search = Search(advice, chosen)
    rivals = advice.contenders
    pairs = [name for name in rivals if kind_of(name) is MethodKind.PAIR]
    recommended = search.flips(advice.recommended.method, rivals, lambda done: progress(0.8 * done))
    best_pair = search.flips(advice.best_pair_method, pairs, lambda done: progress(0.8 + 0.2 * done))
    return Nearness(effort=chosen, recommended=recommended, best_pair=best_pair)
