"""Study `real-scores`: how methods do when the confidences of a chain's modules are real.

Not a study of cells: its modules are streams of real scores, calibrated on some rows and scored on the others. *Real
scores in a synthetic composition*: the chain, the costs of questions and the answers are not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from handup.confidence.metrics import weighted_aurc
from handup.core import BadSetting
from handup.lab.batch import Terms, run_block
from handup.lab.by_sets import NAME as KNOWNO
from handup.lab.by_sets import BySets
from handup.lab.chains import CALIBRATED, INTERVAL, MOST_MODULES, PLATT, RAW, SAID, Chain, draw_chain
from handup.lab.clusters import Resamples, Spread
from handup.lab.costs import by_load
from handup.lab.episodes import Episodes
from handup.lab.simulate import simulate_blocks
from handup.lab.streams import Stream
from handup.lab.study.pool import in_processes
from handup.lab.study.studies import TROUBLESHOOT
from handup.people import WorkloadModel
from handup.when import strategy

NAME = "real-scores"
TITLE = "Real scores in a synthetic composition"
QUESTION = "Which method is best when modules are as weak, and as sure of themselves, as real ones?"
FIGURE = "—"
LABEL = "real scores in a synthetic composition"
EPISODES, QUICK_EPISODES, LEAST_EPISODES, MOST_EPISODES = 1500, 100, 20, 20_000
PER_DRAW = 10
"""So many episodes share streams, calibration and costs."""
DRAWS_AT_ONCE = 5
EXPERTS = (0.80, 0.90, 0.97)
USUAL = 0.90
W = 0.5
PATIENCE, MORE_PATIENCE = 2, 4
"""Steps per module until an episode ends: the default of all studies, and twice that."""
NEVER, ALWAYS, PAIR = "never+execute-first", "topo+query-for-all", "graph+workload-aware"
METRICS = ("success", "help_rate", "workload", "J", "failed_attempts")
HIGHER_IS_BETTER = ("success",)
Watcher = Callable[[int, int], None]
"""Told how many draws are done, and of how many."""


@dataclass(frozen=True)
class Arm:
    """A method and the confidences that it is given.

    Args:
        method: Its name.
        said: Where its confidences come from; None where it looks at none.
    """

    method: str
    said: str | None = None

    @property
    def label(self) -> str:
        """As tables and figures call it."""
        short = {NEVER: "never", ALWAYS: "always", KNOWNO: "KnowNo sets"}.get(self.method, self.method)
        return short if self.said is None else f"{short}, {self.said}"


OURS = Arm(TROUBLESHOOT, CALIBRATED)
PLAIN = (Arm(NEVER), Arm(ALWAYS), Arm(PAIR, CALIBRATED), Arm(KNOWNO), OURS)
"""The methods to compare, those that look at confidences with calibrated ones."""
ARMS = (*PLAIN, *(Arm(method, said) for method in (PAIR, TROUBLESHOOT) for said in (RAW, PLATT, INTERVAL)))


@dataclass(frozen=True)
class Place:
    """Where methods are compared.

    Args:
        modules: k.
        expert: Probability that an answer is right.
        patience: Steps per module until the episode ends.
        imagined: Whether outputs are right as often as the calibrated confidences say: drawn, to see what methods
            would come to if the confidences were true.
    """

    modules: int
    expert: float = USUAL
    patience: int = PATIENCE
    imagined: bool = False

    @property
    def is_main(self) -> bool:
        """Whether all arms are compared here."""
        return self.patience == PATIENCE and not self.imagined

    @property
    def arms(self) -> tuple[Arm, ...]:
        """What is compared here."""
        return ARMS if self.is_main else PLAIN


SIZES = tuple(range(1, MOST_MODULES + 1))
PLACES = tuple(
    place
    for modules in SIZES
    for place in (
        *(Place(modules, expert) for expert in EXPERTS),
        Place(modules, patience=MORE_PATIENCE),
        Place(modules, imagined=True),
    )
)


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is run.

    Args:
        episodes: For each number of modules; in draws of `PER_DRAW`.
        seed: Which.
        quick: Whether it is a first look.
    """

    episodes: int = EPISODES
    seed: int = 0
    quick: bool = False

    def __post_init__(self) -> None:
        if not LEAST_EPISODES <= self.episodes <= MOST_EPISODES or self.episodes % PER_DRAW:
            raise BadSetting(
                f"{self.episodes} episodes",
                hint=f"Give {LEAST_EPISODES} to {MOST_EPISODES}, a multiple of {PER_DRAW}.",
            )

    @property
    def draws(self) -> int:
        """How many draws of streams and calibration rows."""
        return self.episodes // PER_DRAW


Found = dict[tuple[Place, Arm], NDArray[np.float64]]
"""For each metric, draw and episode a number."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the study came to.

    Args:
        size: How much was run.
        streams: The data.
        chains: The draws.
        found: The numbers.
    """

    size: Size
    streams: tuple[Stream, ...]
    chains: tuple[Chain, ...]
    found: Found = field(repr=False)

    @cached_property
    def _resamples(self) -> dict[int, Resamples]:
        return {
            k: Resamples([each.streams[:k] for each in self.chains], len(self.streams), seed=self.size.seed)
            for k in SIZES
        }

    def by_draw(self, metric: str, place: Place, arm: Arm) -> NDArray[np.float64]:
        """The mean of a metric in each draw."""
        return np.asarray(self.found[place, arm][METRICS.index(metric)].mean(axis=1))

    def spread(self, metric: str, place: Place, arm: Arm) -> Spread:
        """A metric of a method, with its intervals."""
        return self._resamples[place.modules].mean(self.by_draw(metric, place, arm))

    def difference(self, metric: str, place: Place, arm: Arm, other: Arm) -> Spread:
        """A metric of a method less that of another, on the same episodes."""
        gap = self.by_draw(metric, place, arm) - self.by_draw(metric, place, other)
        return self._resamples[place.modules].mean(gap)

    def ranked(self, metric: str, place: Place, arms: Sequence[Arm] | None = None) -> list[Arm]:
        """Methods by the mean of a metric, the best first; the earlier of equals."""
        sign = -1.0 if metric in HIGHER_IS_BETTER else 1.0
        chosen = place.arms if arms is None else arms
        return sorted(chosen, key=lambda arm: sign * float(self.by_draw(metric, place, arm).mean()))

    def aurc(self, modules: int, said: str) -> Spread:
        """The area under the risk–coverage curve of chains that act alone, the surest first; `knowno`: by its sets."""
        right = np.concatenate([each.alone(modules) for each in self.chains])
        if said == KNOWNO:
            surest = np.concatenate([1.0 / np.maximum(each.sizes[modules - 1], 1).prod(axis=0) for each in self.chains])
        else:
            surest = np.concatenate([each.reliability(modules, said) for each in self.chains])
        return self._resamples[modules].of_rows(
            partial(weighted_aurc, surest, right), len(self.chains), self.size.episodes // len(self.chains)
        )

    def promised(self, modules: int, said: str) -> tuple[Spread, Spread]:
        """What confidences say about acting alone, on average, and the share of episodes in which it succeeds."""
        resamples = self._resamples[modules]
        claimed = np.array([each.reliability(modules, said).mean() for each in self.chains])
        kept = np.array([each.alone(modules).mean() for each in self.chains])
        return resamples.mean(claimed), resamples.mean(kept)

    def covered(self, modules: int) -> Spread:
        """The share of modules whose set is a single option."""
        single = np.array([(each.sizes[modules - 1] == 1).mean() for each in self.chains])
        return self._resamples[modules].mean(single)

    def chosen(self) -> dict[str, int]:
        """How often `auto` chose each method."""
        names = [name for each in self.chains for name in each.chosen]
        return {name: names.count(name) for name in sorted(set(names))}


@dataclass(frozen=True, eq=False)
class _Task:
    """Some draws, for a process of their own."""

    streams: tuple[Stream, ...]
    numbers: range
    seed: int


def compare(
    streams: tuple[Stream, ...], size: Size, *, jobs: int = 1, watch: Watcher = lambda done, total: None
) -> Comparison:
    """Live through the same episodes with every method, at every place."""
    tasks = [
        _Task(streams, range(first, min(first + DRAWS_AT_ONCE, size.draws)), size.seed)
        for first in range(0, size.draws, DRAWS_AT_ONCE)
    ]
    parts: dict[int, tuple[list[Chain], Found]] = {}
    done = 0
    results = in_processes(_live, tasks, jobs) if jobs > 1 and len(tasks) > 1 else enumerate(map(_live, tasks))
    for number, part in results:
        parts[number] = part
        done += len(part[0])
        watch(done, size.draws)
    ordered = [parts[number] for number in range(len(tasks))]
    keys = [(place, arm) for place in PLACES for arm in place.arms]
    return Comparison(
        size,
        streams,
        tuple(chain for chains, _ in ordered for chain in chains),
        {key: np.concatenate([found[key] for _, found in ordered], axis=1) for key in keys},
    )


def _live(task: _Task) -> tuple[list[Chain], Found]:
    """All places and arms of some draws. What is decided does not depend on which draws go together."""
    chains = [draw_chain(task.streams, number=each, episodes=PER_DRAW, seed=task.seed) for each in task.numbers]
    found = {}
    for place in PLACES:
        for arm in place.arms:
            lived = _episodes(chains, place, arm)
            metrics = (
                lived.recovered,
                lived.questions / place.modules,
                lived.load,
                lived.objective,
                lived.metric("failed_attempts"),
            )
            found[place, arm] = np.array(metrics, dtype=np.float64).reshape(len(METRICS), len(chains), PER_DRAW)
    return chains, found


def _episodes(chains: Sequence[Chain], place: Place, arm: Arm) -> Episodes:
    horizon = place.patience * place.modules
    terms = Terms(expert=place.expert, w=W, horizon=horizon, costs=by_load(WorkloadModel()))
    blocks = [each.block(place.modules, arm.said or CALIBRATED, imagined=place.imagined) for each in chains]
    if arm.method != KNOWNO:
        return simulate_blocks(blocks, strategy(arm.method), terms)
    unsure = [each.sizes[place.modules - 1] != 1 for each in chains]
    return Episodes.joined(run_block(block, BySets(own), terms) for block, own in zip(blocks, unsure, strict=True))


AREAS = (*SAID, KNOWNO)
"""Whose order of episodes has an area under the risk–coverage curve."""
