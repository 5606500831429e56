"""Study `real-scores`: how methods do when the confidences of a chain's modules are real.

Its modules are streams of real scores, calibrated on some rows and scored on the others. *Real scores in a synthetic
composition*: the chain, the costs of questions and the answers are not measured.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handup import __version__
from handup.confidence.metrics import RESAMPLES, Estimate, ends, weighted_aurc
from handup.core import BadData, OutOfRange
from handup.core.files import shipped_data
from handup.lab.batch import EpisodeTerms, by_load, run_block
from handup.lab.chains import CALIBRATED, COVERAGE, KNOWNO, SAID, SIZES, BySets, Chain, Stream, draw_chain, read_streams
from handup.lab.engine import Batch, Columns, Drawing, JudgedClaim, Place, Results, Section, Size, Study, Table
from handup.lab.engine.claims import Row, where
from handup.lab.engine.results import columns_of
from handup.lab.engine.study import StudyOption, count_option, seed_option
from handup.lab.engine.table import csv_text
from handup.lab.episodes import Episodes, Vector
from handup.lab.simulate import simulate_blocks
from handup.people import WorkloadModel
from handup.when import strategy

WORDS = shipped_data(__file__, "real_scores.yaml")
LABEL, LABELS = WORDS["study"]["evidence"], WORDS["labels"]
PER_DRAW = 10
"""Episodes that share streams, calibration and costs."""
DRAWS_AT_ONCE = 5
"""Draws in one batch. What is decided does not depend on which draws go together."""
EXPERTS = (0.80, 0.90, 0.97)
USUAL = 0.90
W = 0.5
PATIENCE, MORE_PATIENCE = 2, 4
"""Steps per module until an episode ends: the default of all studies, and twice that."""
NEVER, ALWAYS, PAIR, TROUBLESHOOT = "never+execute-first", "topo+query-for-all", "graph+workload-aware", "troubleshoot"
SHORT = {NEVER: "never", ALWAYS: "always", KNOWNO: "KnowNo sets"}
METRICS = ("success", "help_rate", "workload", "J", "failed_attempts")
DRAWN = ("success", "help_rate", "workload")
AREA_RESAMPLES = 300
AREAS = (*SAID, KNOWNO)
"""Orders of episodes that have an area under the risk–coverage curve; KnowNo's is that of its sets."""


@dataclass(frozen=True)
class ScoredArm:
    """A method, and where the confidences that it is given come from; None where it looks at none."""

    method: str
    said: str | None = None

    @property
    def label(self) -> str:
        """Its name in tables and figures."""
        short = SHORT.get(self.method, self.method)
        return short if self.said is None else f"{short}, {self.said}"


OURS = ScoredArm(TROUBLESHOOT, CALIBRATED)
PLAIN = (ScoredArm(NEVER), ScoredArm(ALWAYS), ScoredArm(PAIR, CALIBRATED), ScoredArm(KNOWNO), OURS)
"""The methods to compare, those that look at confidences with calibrated ones."""
OTHERS = tuple(ScoredArm(method, said) for method in (PAIR, TROUBLESHOOT) for said in SAID if said != CALIBRATED)
ARMS = (*PLAIN, *OTHERS)


@dataclass(frozen=True)
class Condition:
    """Condition of a comparison: k `modules`, answers right with probability `expert`, `patience` steps per module.

    `imagined`: outputs are right as often as the calibrated confidences say: drawn, to see what methods would come to
    if the confidences were true.
    """

    modules: int
    expert: float = USUAL
    patience: int = PATIENCE
    imagined: bool = False

    @property
    def arms(self) -> tuple[ScoredArm, ...]:
        """Methods that are compared here: with all confidences only on real scores with the usual patience."""
        return ARMS if self.patience == PATIENCE and not self.imagined else PLAIN

    @property
    def label(self) -> str:
        """The condition in words."""
        longer = "" if self.patience == PATIENCE else f", {self.patience} steps per module"
        return f"k = {self.modules}, answers right with {self.expert:g}{longer}"

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
        world = "simulated from the confidences" if self.imagined else "real scores"
        return {"modules": self.modules, "expert": self.expert, "patience": self.patience, "world": world}


MAIN = tuple(Condition(k, expert) for k in SIZES for expert in EXPERTS)
LONGER = tuple(Condition(k, patience=MORE_PATIENCE) for k in SIZES)
IMAGINED = tuple(Condition(k, imagined=True) for k in SIZES)
CONDITIONS = tuple(sorted((*MAIN, *LONGER, *IMAGINED), key=lambda at: at.modules))


def compared_at(modules: int) -> tuple[tuple[Condition, ScoredArm], ...]:
    """Return what is compared in chains of so many modules, in the order of a row's numbers."""
    return tuple((condition, arm) for condition in CONDITIONS if condition.modules == modules for arm in condition.arms)


def make(batch: Batch) -> Columns:
    """Live through the same episodes with every method, under every condition, for some draws.

    A row is a chain of some modules in one draw. `alone`: whether acting alone succeeds, episode by episode; `said`:
    how likely that is by the confidences; `sets`: combinations of options in the conformal sets; `single`: share of
    modules whose set is one option; `methods`: means of `METRICS` over episodes, in the order of `compared_at`.

    Raises:
        BadData: The data are not those that the batch is about.
    """
    streams = read_streams(Path(batch.data))
    if _digest(streams) != batch.decides:
        raise BadData(f"the streams in '{batch.data}' have changed", hint="Give the same command again.")
    numbers = range(batch.first, batch.first + batch.count)
    chains = [draw_chain(streams, number=draw, episodes=PER_DRAW, seed=batch.place["seed"]) for draw in numbers]
    lived = {k: [_metrics(chains, condition, arm) for condition, arm in compared_at(k)] for k in SIZES}
    return columns_of(
        {
            "draw": draw,
            "modules": k,
            "streams": list(chain.streams[:k]),
            "chosen": list(chain.chosen[:k]),
            "alone": chain.works[:k].all(axis=0).tolist(),
            "said": {said: chain.said[said][:k].prod(axis=0).tolist() for said in SAID},
            "sets": np.maximum(chain.sizes[k - 1], 1).prod(axis=0).tolist(),
            "single": float((chain.sizes[k - 1] == 1).mean()),
            "methods": [metrics[place].tolist() for metrics in lived[k]],
        }
        for place, (draw, chain) in enumerate(zip(numbers, chains, strict=True))
        for k in SIZES
    )


def _metrics(chains: Sequence[Chain], at: Condition, arm: ScoredArm) -> Vector:
    """Return the means of `METRICS` for each draw."""
    horizon, costs = at.patience * at.modules, by_load(WorkloadModel())
    terms = EpisodeTerms(expert=at.expert, w=W, horizon=horizon, costs=costs)
    blocks = [chain.block(at.modules, arm.said or CALIBRATED, imagined=at.imagined) for chain in chains]
    if arm.method == KNOWNO:
        deciders = [BySets(chain.sizes[at.modules - 1] != 1) for chain in chains]
        lived = Episodes.joined(map(run_block, blocks, deciders, repeat(terms)))
    else:
        lived = simulate_blocks(blocks, strategy(arm.method), terms)
    help_rate = lived.questions / at.modules
    metrics = (lived.recovered, help_rate, lived.load, lived.objective, lived.metric("failed_attempts"))
    by_draw = np.array(metrics, dtype=np.float64).reshape(len(METRICS), len(chains), PER_DRAW)
    return np.asarray(by_draw.mean(axis=2).T)


def _digest(streams: Iterable[Stream]) -> str:
    whole = hashlib.sha256()
    for stream in streams:
        whole.update(f"{stream.name} {stream.rows} {stream.sample.raw.shape}".encode())
        whole.update(np.ascontiguousarray(stream.sample.raw).tobytes())
        whole.update(np.asarray(stream.sample.target).astype(np.int64).tobytes())
    return whole.hexdigest()[:16]


@dataclass(frozen=True)
class Spread(Estimate):
    """A mean over draws and two 95 % intervals.

    Args:
        value: The mean.
        ci: What other streams of the same kind would give: streams and draws are resampled.
        ci_draws: What other draws of the same streams would give: draws alone are resampled.
    """

    ci_draws: tuple[float, float]

    def is_clear(self, *, here: bool = False) -> bool:
        """Return whether the interval over streams, or that over draws of these streams, lies on one side of 0."""
        low, high = self.ci_draws if here else self.ci
        return low > 0.0 or high < 0.0

    def to_json(self) -> dict[str, Any]:
        """Return a plain record."""
        return {**super().to_json(), "ci_draws": list(self.ci_draws)}


class Resamples:
    """Weights of draws in bootstrap resamples; the same for everything that is compared.

    Args:
        streams: The streams of each draw.
        count: How many streams there are.
        seed: Which resamples.
    """

    def __init__(self, streams: Sequence[Sequence[int]], count: int, *, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        draws = len(streams)
        self.by_draw = random.multinomial(draws, np.full(draws, 1.0 / draws), size=RESAMPLES)
        by_stream = random.multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES)
        # A draw stands for all its streams at once, so it counts as often as their multiplicities multiply to.
        together = by_stream[:, np.array(streams)].prod(axis=2)
        both = self.by_draw * together
        self.by_both = both[both.sum(axis=1) > 0]

    def mean(self, values: Vector) -> Spread:
        """The mean of one number per draw."""
        return self._spread(lambda weights: np.asarray(weights @ values / weights.sum(axis=1)), len(values), RESAMPLES)

    def of_rows(self, statistic: Callable[[Vector], Vector], draws: int, episodes: int) -> Spread:
        """A statistic of weighted episodes, pooled over draws, such as an area under a curve."""
        return self._spread(
            lambda weights: statistic(np.repeat(weights, episodes, axis=1).astype(np.float64)), draws, AREA_RESAMPLES
        )

    def _spread(self, statistic: Callable[[NDArray[Any]], Vector], draws: int, most: int) -> Spread:
        value = float(statistic(np.ones((1, draws)))[0])
        by_both = self.by_both if len(self.by_both) else self.by_draw
        return Spread(value, ends(value, statistic(by_both[:most])), ends(value, statistic(self.by_draw[:most])))


class ScoreComparison(Results[Any]):
    """The rows of the study: metrics draw by draw, with intervals over streams and draws."""

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """The data."""
        return read_streams(Path(self.size["data"]))

    def chains(self, modules: int) -> tuple[Row, ...]:
        """Return the chains of so many modules, draw by draw."""
        return self.rows(self.study.arms[0], where(modules=modules))

    @cached_property
    def _resamples(self) -> dict[int, Resamples]:
        count, seed = len(self.streams), self.size["seed"]
        return {k: Resamples([row["streams"] for row in self.chains(k)], count, seed=seed) for k in SIZES}

    def by_draw(self, metric: str, at: Condition, arm: ScoredArm) -> Vector:
        """Return the mean of a metric in each draw."""
        place, number = compared_at(at.modules).index((at, arm)), METRICS.index(metric)
        return np.array([row["methods"][place][number] for row in self.chains(at.modules)])

    def spread(self, metric: str, at: Condition, arm: ScoredArm, than: ScoredArm | None = None) -> Spread:
        """Return a metric of a method, or how much more it is than another's on the same episodes."""
        others = 0.0 if than is None else self.by_draw(metric, at, than)
        return self._resamples[at.modules].mean(self.by_draw(metric, at, arm) - others)

    def ranked(self, metric: str, at: Condition, arms: Sequence[ScoredArm]) -> list[ScoredArm]:
        """Return methods by the mean of a metric, the best first; the earlier of equals."""
        sign = -1.0 if metric == "success" else 1.0
        return sorted(arms, key=lambda arm: sign * float(self.by_draw(metric, at, arm).mean()))

    def best(self, metric: str, at: Condition) -> tuple[ScoredArm, ScoredArm]:
        """Return the best of the five methods and the next; by questions and load only those that ask."""
        first, second, *_ = self.ranked(metric, at, PLAIN[1:] if metric in ("help_rate", "workload") else PLAIN)
        return first, second

    def ahead(self, at: Condition) -> Spread:
        """Return how much lower than the next the lowest J of the five methods is."""
        first, second = self.best("J", at)
        return self.spread("J", at, second, first)

    def aurc(self, modules: int, said: str) -> Spread:
        """Return the area under the risk–coverage curve of chains that act alone, the surest first; see `AREAS`."""
        rows = self.chains(modules)
        right = np.concatenate([row["alone"] for row in rows])
        sure = [1.0 / np.array(row["sets"]) if said == KNOWNO else row["said"][said] for row in rows]
        statistic = partial(weighted_aurc, np.concatenate(sure), right)
        return self._resamples[modules].of_rows(statistic, len(rows), PER_DRAW)

    def over_draws(self, modules: int, value: Callable[[Row], Any]) -> Spread:
        """Return the mean over draws of what each chain has, one number or one for each episode."""
        return self._resamples[modules].mean(np.array([np.mean(value(row)) for row in self.chains(modules)]))

    def chosen(self) -> dict[str, int]:
        """Return how often `auto` chose each method."""
        return dict(sorted(Counter(name for row in self.chains(SIZES[-1]) for name in row["chosen"]).items()))


class RealScoresStudy(Study):
    """Chains of real streams; a batch is some draws, and its rows are chains of one to four modules."""

    lookup = ScoreComparison

    @property
    def cells(self) -> int:
        """Number of comparisons: methods times conditions."""
        return sum(len(condition.arms) for condition in CONDITIONS)

    def size(self, *, quick: bool = False, **given: Any) -> Size:
        """Return how much is run, with every option checked, and the data too.

        Raises:
            BadSetting: An option that the study does not have, or a value out of range.
            BadData: The streams cannot be used.
        """
        size = super().size(quick=quick, **given)
        if size["episodes"] % PER_DRAW:
            must = f"be a multiple of {PER_DRAW}"
            raise OutOfRange.of("--episodes", size["episodes"], must, hint="Give such a number.")
        read_streams(Path(size["data"]))
        return size

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return all draws."""
        draws, streams = size["episodes"] // PER_DRAW, read_streams(Path(size["data"]))
        fixed = {"study": self.name, "arm": self.arms[0], "decides": _digest(streams), "data": size["data"]}
        place = Place(settings=where(seed=size["seed"]))
        counts = {first: min(DRAWS_AT_ONCE, draws - first) for first in range(0, draws, DRAWS_AT_ONCE)}
        return tuple(
            Batch(place=place, first=first, count=count, rows=count * len(SIZES), **fixed)
            for first, count in counts.items()
        )

    def answer(self, results: Any, judged: Sequence[JudgedClaim]) -> str:
        """Return where calibrated `troubleshoot` has the lowest J."""
        best = {at: results.best("J", at)[0] for at in MAIN}
        lowest = [at for at in MAIN if best[at] == OURS]
        surely = sum(results.ahead(at).is_clear() for at in lowest)
        clearly = sum(results.spread("J", at, best[at], OURS).is_clear() for at in MAIN if at not in lowest)
        return (
            f"`troubleshoot` with calibrated confidences has the lowest J at {len(lowest)} of {len(MAIN)} places, "
            f"clear of chance over streams at {surely}; another method is lower beyond chance at {clearly}."
        )

    def facts(self, results: Any) -> Mapping[str, str]:
        """Return how much was run."""
        episodes, streams, chosen = results.size["episodes"], results.streams, results.chosen()
        listed = ", ".join(f"`{name}` {count}" for name, count in sorted(chosen.items(), key=lambda pair: -pair[1]))
        return {
            "Streams": f"{len(streams)}, {sum(len(own.sample) for own in streams):,} rows; `study.json` lists them",
            "Episodes": f"{episodes:,} for each k: {episodes // PER_DRAW} draws of streams and calibrations, "
            f"{PER_DRAW} each",
            "Calibrations": f"`auto` chose {listed} in {sum(chosen.values())}; `identity` is the raw score",
            **({"Quick": "few draws: for a first look, not for conclusions"} if results.size.quick else {}),
        }

    def figures(self, results: Any, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw J less that of calibrated `troubleshoot`, success, help rate and workload of every method."""
        from handup.lab.engine.figures import drawing, points, sheet  # noqa: PLC0415 - drawing is an extra

        arms, episodes = {arm.label: arm for arm in ARMS}, results.size["episodes"]
        titles = {"J": "J less that of troubleshoot, calibrated", **{metric: LABELS[metric] for metric in DRAWN}}

        def values(metric: str, at: Condition) -> Callable[[str], Spread]:
            return lambda arm: results.spread(metric, at, arms[arm], OURS if metric == "J" else None)

        with sheet(12.4, 3.7 * len(EXPERTS) + 0.5) as figure:
            grid = figure.subplots(len(EXPERTS), len(titles), sharey=True)
            for panel, (expert, metric) in zip(grid.flat, product(EXPERTS, titles), strict=True):
                series = {f"k = {k}": values(metric, Condition(k, expert)) for k in SIZES}
                points(panel, list(arms), series, bold=OURS.label)
                panel.set_title(titles[metric], loc="left")
            for panel, expert in zip(grid[:, 0], EXPERTS, strict=True):
                panel.set_ylabel(f"answers right with {expert:g}", weight="bold")
            grid[0, 0].invert_yaxis()
            figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(SIZES))
            title = f"{self.title} ({episodes:,} episodes in {episodes // PER_DRAW} draws, seed {results.size['seed']})"
            return (drawing(figure, self.name, f"{self.question} {WORDS['figure']}", title),)

    def sections(self, results: Any, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return where each method is best, then everything in numbers."""
        methods = partial(_methods, results)
        others = tuple(methods(at) for at in MAIN if at.expert != USUAL)
        return (
            Section("What came out", (*drawings, _where(results), _changes(results))),
            Section("Numbers", (*(methods(Condition(k)) for k in SIZES), *_areas(results))),
            Section("Answers that are right less or more often", others, folded=True),
            Section(f"{MORE_PATIENCE} steps per module", tuple(map(methods, LONGER)), folded=True),
            Section("If the confidences were true (simulated)", (WORDS["imagined"], *map(methods, IMAGINED))),
        )

    def record(self, results: Any, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return metrics by condition and method, areas, and the streams."""

        def metrics(at: Condition, arm: ScoredArm) -> dict[str, Any]:
            return {metric: results.spread(metric, at, arm).to_json() for metric in METRICS}

        return {
            "draws": results.size["episodes"] // PER_DRAW,
            "handup": __version__,
            "streams": [
                {"name": own.name, "rows": len(own.sample), "calibration": own.rows, "right": own.sample.base_rate}
                for own in results.streams
            ],
            "chosen": results.chosen(),
            "places": [
                {
                    **at.to_json(),
                    "lowest_J": results.best("J", at)[0].label,
                    "ahead_of_next": results.ahead(at).to_json(),
                    "methods": [{"method": arm.method, "confidences": arm.said, **metrics(at, arm)} for arm in at.arms],
                }
                for at in CONDITIONS
            ],
            "aurc": [{"modules": k, **{said: results.aurc(k, said).to_json() for said in AREAS}} for k in SIZES],
        }

    def files(self, results: Any, stamp: Mapping[str, str]) -> Mapping[str, str | bytes]:
        """Return one line per condition, method and draw: means over the episodes of the draw."""
        lines: list[dict[str, Any]] = []
        for place, at, arm in ((place, at, arm) for k in SIZES for place, (at, arm) in enumerate(compared_at(k))):
            start = {"handup": __version__, "seed": results.size["seed"], **at.to_json(), "method": arm.method}
            for row in results.chains(at.modules):
                streams = " ".join(results.streams[number].name for number in row["streams"])
                means = {name: f"{mean:.6g}" for name, mean in zip(METRICS, row["methods"][place], strict=True)}
                drawn = {"draw": row["draw"], "streams": streams, "chosen": " ".join(row["chosen"])}
                lines.append({**start, "confidences": arm.said or "", **drawn, "episodes": PER_DRAW, **means})
        return {"rows.csv": csv_text(lines)}


def told(spread: Spread, digits: int = 3) -> str:
    """Return a number with its interval over streams and draws."""
    return f"{spread.value:.{digits}f} [{spread.ci[0]:.{digits}f}, {spread.ci[1]:.{digits}f}]"


def _where(found: ScoreComparison) -> Table:
    """Return who is best where, by every metric."""
    rows = []
    for at in (*MAIN, *LONGER):
        ahead = found.ahead(at)
        here = "clear on these streams only" if ahead.is_clear(here=True) else "within chance"
        lowest, *others = (f"`{found.best(metric, at)[0].label}`" for metric in ("J", *DRAWN))
        rows.append((at.label, lowest, f"{told(ahead)}, {'clear' if ahead.is_clear() else here}", *others))
    columns = ("Where", "Lowest J", "Ahead of the next by", "Most success", "Fewest questions", "Least load")
    return Table(f"Where each method is best (the last two: of those that ask); {LABEL}", columns, tuple(rows))


def _changes(found: ScoreComparison) -> Table:
    """Return what asking about everything and other confidences change."""

    def cell(at: Condition, arm: ScoredArm, than: ScoredArm) -> str:
        gap = found.spread("J", at, arm, than)
        return f"{told(gap)}, {100.0 * gap.value / float(found.by_draw('J', at, arm).mean()):.0f} %"

    compared = {ScoredArm(ALWAYS): OURS, **{arm: ScoredArm(arm.method, CALIBRATED) for arm in OTHERS}}
    rows = tuple(
        (f"`{arm.label}` less `{than.label}`", *(cell(Condition(k), arm, than) for k in SIZES))
        for arm, than in compared.items()
    )
    caption = f"Differences in J, and their share of it (above 0: worse); answers right with {USUAL:g}; {LABEL}"
    return Table(caption, ("", *(f"k = {k}" for k in SIZES)), rows)


def _methods(found: ScoreComparison, at: Condition) -> Table:
    """Return every metric of every method under a condition."""
    rows = []
    for arm in found.ranked("J", at, at.arms):
        numbers = [told(found.spread(metric, at, arm), 2 + (metric == "J")) for metric in LABELS]
        rows.append((f"`{arm.label}`", *numbers, "" if arm == OURS else told(found.spread("J", at, arm, OURS))))
    kind = "simulated on the confidences of real scores" if at.imagined else LABEL
    columns = ("Method", *LABELS.values(), "J less that of calibrated troubleshoot")
    return Table(f"{at.label}; {kind}", columns, tuple(rows))


def _areas(found: ScoreComparison) -> tuple[Table, Table]:
    """Return the areas under the risk–coverage curve, and what confidences say about acting alone."""
    areas = tuple((f"k = {k}", *(told(found.aurc(k, said)) for said in AREAS)) for k in SIZES)
    caption = f"Area under the risk–coverage curve of acting alone, surest episodes first (lower is better); {LABEL}"
    shown: dict[str, Callable[[Row], Any]] = {
        "Succeeds alone": lambda row: row["alone"],
        **{f"{name} say": partial(lambda name, row: row["said"][name], name) for name in SAID},
        "Sets of one option": lambda row: row["single"],
    }
    said = tuple((f"k = {k}", *(told(found.over_draws(k, value)) for value in shown.values())) for k in SIZES)
    about = f"What confidences say about acting alone, and what happens; sets cover {COVERAGE:g} together; {LABEL}"
    return Table(caption, ("Modules", *AREAS), areas), Table(about, ("Modules", *shown), said)


STUDY = RealScoresStudy(
    **WORDS["study"],
    make=make,
    arms=("chains",),
    options=(
        count_option("Episodes for each number of modules, a multiple of 10", 1500, 100, least=20, most=20_000),
        seed_option(),
        StudyOption(name="data", help=WORDS["data"], default=None, is_path=True),
    ),
    unit=("draw", "modules"),
    libraries=("numpy",),
)
