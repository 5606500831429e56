"""Recommendation of a method for a given policy: all methods live through the same simulated episodes of it.

The core paper picks the "closest synthetic setting" by hand and takes the method that is best there. Here the policy
itself is simulated, with its own graph, costs and confidences, taken to be true.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

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
        progress: Progress | None = None,
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
            if progress is not None:
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
    progress: Progress | None = None,
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
