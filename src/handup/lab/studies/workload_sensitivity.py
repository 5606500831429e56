"""Study `workload-sensitivity`: where do recommendations flip when the assumed workload coefficients are others?

Its units are meals of one policy, the paper's bite acquisition, and the person's load goes on from bite to bite.
Everything is simulated; confidences and coefficients are assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import cycle, product
from typing import Any

import numpy as np

from handup.core import default_horizon
from handup.core.files import shipped_data
from handup.lab.batch import EpisodeTerms, LoadCosts, run_block
from handup.lab.engine import Batch, Columns, Drawing, JudgedClaim, Place, Results, Section, Size, Study, Table
from handup.lab.engine.claims import where
from handup.lab.engine.results import columns_of, rows_of
from handup.lab.engine.study import count_option, seed_option
from handup.lab.engine.table import csv_text
from handup.lab.episodes import MetricMeasure
from handup.lab.simulate import StrategyDecider, vectorised
from handup.lab.world import blocks_of
from handup.people import BITE, WorkloadModel
from handup.policy import Module, ModuleGraph
from handup.when import Strategy, strategy

WORDS = shipped_data(__file__, "workload_sensitivity.yaml")
TROUBLESHOOT = "troubleshoot"
MEAN = 0.32
CONFIDENCES = {"food": 0.9, "box": 0.8, "skill": 0.4, "parameters": 0.7}
"""Of `examples/policies/bite.yaml`: assumed."""
SELECTORS = ("graph", "confidence", "brute-force", "binary-tree", "topo")
WHENS = ("workload-aware", "until-confident", "query-then-execute", "execute-first")
METHODS = (TROUBLESHOOT, *(f"{what}+{when}" for when in WHENS for what in SELECTORS), "never+execute-first",
           "topo+query-for-all")  # fmt: skip
EXTRAS = (0.0, 0.1, 0.2)
TAUS, QUICK_TAUS = (60.0, 120.0, 240.0), (60.0, 240.0)
WEIGHTS = (0.5, 0.8)
"""Of load against time: the paper's, and one for a person whose ease counts more."""
GAINS, QUICK_GAINS = (0.0, 0.15, 0.3), (0.0, 0.15)
FAILURES: tuple[dict[str, Any], ...] = (
    {"rho_failed": 0.1}, {"rho_failed": 0.3}, {"rho_wait": 0.01}, {"rho_failed": 0.3, "rho_wait": 0.01},
)  # fmt: skip
BITES = 5
"""In a meal."""
STEP_S, REST_S = 10.0, 20.0
"""Seconds of a question or an execution, and from the end of a bite to the start of the next: chewing."""
VARIED = ("a_d", "a_r", "tau_s", "g", "rho_failed", "rho_wait")
COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999")


def models(*, quick: bool = False) -> tuple[WorkloadModel, ...]:
    """Return the coefficients to try, the defaults first; b is solved so that the mean cost stays .32."""
    default = WorkloadModel()
    taus, gains = (QUICK_TAUS, QUICK_GAINS) if quick else (TAUS, GAINS)
    # Without g nothing leaks that matters, so τ is not varied then.
    leaks = [(g, tau_s) for g in gains for tau_s in (taus if g > 0.0 else (default.tau_s,))]
    grid = (
        replace(default, a_d=a_d, a_r=a_r, g=g, tau_s=tau_s).with_mean(MEAN, BITE)
        for a_d, a_r, (g, tau_s) in product(EXTRAS, EXTRAS, leaks)
    )
    return (default, *grid, *(replace(default, **failures) for failures in FAILURES))


def bite(model: WorkloadModel) -> ModuleGraph:
    """Return the paper's bite acquisition with the costs of a model."""
    costs = map(model.base, BITE.values())
    return ModuleGraph.chain(map(Module, CONFIDENCES, CONFIDENCES.values(), costs))


def live_meals(
    graph: ModuleGraph, model: WorkloadModel, method: Strategy, *, meals: int, seed: int, w: float, bites: int = BITES
) -> dict[str, Any]:
    """Return what meals with one method and a true expert came to; methods and models live through the same ones.

    `J` of each meal, summed over its bites; means of its summed `load` and of the share of bites that `recovered`; for
    each module how often it is `asked` about in a meal.

    Args:
        graph: The policy of a bite; its query costs are q0.
        model: How load adds up and leaks away.
        method: The method.
        meals: How many; at most a block's worth.
        seed: Which ones.
        w: Weight of load against time.
        bites: In each meal.
    """
    objective, load, recovered = np.zeros(meals), np.zeros(meals), np.zeros(meals)
    memory: dict[Hashable, int] = {}
    costs = LoadCosts(np.broadcast_to(graph.query_costs[:, None], (len(graph), meals)), model)
    terms = EpisodeTerms(expert=1.0, w=w, horizon=default_horizon(len(graph)), costs=lambda _: costs, step_s=STEP_S)
    for bite in range(bites):
        (block,) = blocks_of(graph, episodes=meals, seed=seed * bites + bite)
        decider = vectorised(method, terms, is_series=block.is_series)
        found = run_block(block, decider or StrategyDecider(block, method, terms, memory), terms)
        objective += found.objective
        load += found.load
        recovered += found.recovered / bites
        ended_s = STEP_S * found.metric("timesteps") + REST_S
        costs.load, costs.at_s = costs.load_at(ended_s, np.arange(meals)), np.zeros(meals)
    means = {"load": float(load.mean()), "recovered": float(recovered.mean())}
    return {"J": objective.tolist(), **means, "asked": (costs.answers.sum(axis=1) / meals).tolist()}


def make(batch: Batch) -> Columns:
    """Live through the same meals with every method, under one set of coefficients: J of each meal, and means."""
    settings: dict[str, Any] = dict(batch.place.settings)
    seed, w = settings.pop("seed"), settings.pop("w")
    model = replace(WorkloadModel(), **settings)
    live = partial(live_meals, bite(model), model, meals=batch.count, seed=seed, w=w)
    return columns_of({"method": name, **live(strategy(name))} for name in METHODS)


@dataclass(frozen=True, eq=False)
class CoefficientSetting:
    """Results of every method under one set of coefficients: those that vary, the solved b, and rows by method."""

    place: Mapping[str, float]
    b: float
    rows: Mapping[str, Mapping[str, Any]]

    @cached_property
    def means(self) -> dict[str, float]:
        """The mean J of every method."""
        return {method: float(np.mean(row["J"])) for method, row in self.rows.items()}

    @property
    def best(self) -> str:
        """The method of the lowest mean J; the earlier of equals."""
        return min(self.means, key=self.means.__getitem__)

    @property
    def best_pair(self) -> str:
        """The best of the paper's pairs."""
        return min((method for method in self.means if method != TROUBLESHOOT), key=self.means.__getitem__)

    def order(self, method: str) -> str:
        """Return the modules that a method asks about, most often first; "none" where it does not ask."""
        asked = dict(zip(CONFIDENCES, self.rows[method]["asked"], strict=True))
        return (
            " > ".join(sorted((name for name in asked if asked[name] > 0.0), key=lambda name: -asked[name])) or "none"
        )

    def difference(self, method: str, other: str) -> MetricMeasure:
        """Return J of a method less that of another, meal by meal."""
        return MetricMeasure.of(np.array(self.rows[method]["J"]) - np.array(self.rows[other]["J"]))


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Results of the study under one weight of load against time; the setting of the default coefficients first."""

    w: float
    settings: tuple[CoefficientSetting, ...]

    @property
    def default(self) -> CoefficientSetting:
        """The setting of the default coefficients."""
        return self.settings[0]

    @cached_property
    def flips(self) -> tuple[Mapping[str, Any], ...]:
        """Settings under which something else is recommended; methods only where the difference is clear of chance.

        `what` flips: `best`, `best pair` or `asked`, the modules that the best method asks about by frequency. `gain`:
        for methods, J of the one `before` less that of the one `after`, meal by meal.
        """
        return tuple(flip for here in self.settings[1:] for flip in self._flips(here))

    def _flips(self, here: CoefficientSetting) -> Iterator[Mapping[str, Any]]:
        default, place = self.default, dict(here.place)
        pairs = {"best": (default.best, here.best), "best pair": (default.best_pair, here.best_pair)}
        for what, (before, after) in pairs.items():
            if before != after and (gain := here.difference(before, after)).ci[0] > 0.0:
                yield {"place": place, "what": what, "before": before, "after": after, "gain": gain.to_json()}
        before, after = (setting.order(default.best) for setting in (default, here))
        if before != after:
            yield {"place": place, "what": "asked", "before": before, "after": after, "gain": None}

    def to_json(self) -> dict[str, Any]:
        """Return a plain record, without the rows."""
        return {
            "w": self.w,
            "settings": len(self.settings),
            "best": self.default.best,
            "best_pair": self.default.best_pair,
            "asked": self.default.order(self.default.best),
            "best_everywhere": sorted({setting.best for setting in self.settings}),
            "best_pairs": sorted({setting.best_pair for setting in self.settings}),
            "flips": list(self.flips),
        }

    def summary(self) -> tuple[str, ...]:
        """Return what is recommended, and in how many settings something else is."""
        default, count, kinds = self.default, len(self.settings), Counter(flip["what"] for flip in self.flips)
        lowest = sum(setting.best == default.best for setting in self.settings)
        best = (f"`{default.best}`", f"{lowest} of {count}", f"{kinds['best']} of {count}")
        pair = (f"`{default.best_pair}`", f"{kinds['best pair']} of {count}")
        return f"w = {self.w:g}", *best, *pair, default.order(default.best), f"{kinds['asked']} of {count}"


class Weights(Results[Any]):
    """The rows of the study, weight by weight."""

    @cached_property
    def weights(self) -> tuple[Sensitivity, ...]:
        """Results of the study under each weight."""
        found: dict[float, list[CoefficientSetting]] = {}
        for batch, columns in self.made.items():
            rows = {row["method"]: row for row in rows_of(columns)}
            place = {name: batch.place[name] for name in VARIED}
            found.setdefault(batch.place["w"], []).append(CoefficientSetting(place, batch.place["b"], rows))
        return tuple(Sensitivity(w, tuple(settings)) for w, settings in found.items())


class SensitivityStudy(Study):
    """Meals with every method; a batch is one set of coefficients under one weight, and its rows are methods."""

    lookup = Weights

    @property
    def cells(self) -> int:
        """Number of rows: weights times settings times methods."""
        return len(WEIGHTS) * len(models()) * len(METHODS)

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return all sets of coefficients under each weight."""
        found = []
        for w, (number, model) in product(WEIGHTS, enumerate(models(quick=size.quick))):
            settings = where(seed=size["seed"], w=w, **{name: getattr(model, name) for name in (*VARIED, "b")})
            place, rows = Place(name=f"w {w:g}, setting {number}", settings=settings), len(METHODS)
            found.append(Batch(study=self.name, arm=self.arms[0], place=place, count=size["episodes"], rows=rows))
        return found

    def answer(self, results: Any, judged: Sequence[JudgedClaim]) -> str:
        """Return what is recommended under each weight, and how often something else is clearly better."""
        named = "with {}, {} has the lowest J in {} settings, and is clearly beaten in {}"
        parts = "; ".join(named.format(*weight.summary()[:4]) for weight in results.weights)
        return f"W{parts[1:]}."

    def facts(self, results: Any) -> Mapping[str, str]:
        """Return how much was run."""
        count = len(results.weights[0].settings)
        meals = f"{results.size['episodes']:,} of {BITES} bites, in each of {count:,} settings and two weights"
        time = f"{STEP_S:g} s per question and execution, {REST_S:g} s between bites"
        return {"Meals": meals, "Time": time, **({"Quick": WORDS["quick"]} if results.size.quick else {})}

    def figures(self, results: Any, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw what is best over the coefficients, one figure for each weight."""
        return [draw(results, weight) for weight in results.weights]

    def sections(self, results: Any, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the recommendations in one table, then figure and methods for each weight."""
        rows = tuple(weight.summary() for weight in results.weights)
        first = Table(WORDS["summary"], tuple(WORDS["columns"]), rows)
        sections = [Section("What came out", (first,))]
        for weight, drawing in zip(results.weights, drawings, strict=True):
            sections += [
                Section(f"When load weighs {weight.w:g} against time", (drawing,)),
                Section(f"Methods under the defaults, w {weight.w:g}", (_ranking(weight),), folded=True),
            ]
        return sections

    def record(self, results: Any, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return recommendations and flips by weight."""
        found = [weight.to_json() for weight in results.weights]
        meals = {"meals": results.size["episodes"], "bites": BITES}
        return {**meals, "step_s": STEP_S, "rest_s": REST_S, "weights": found}

    def files(self, results: Any, stamp: Mapping[str, str]) -> Mapping[str, str | bytes]:
        """Return one line per weight, setting and method."""
        lines: list[dict[str, Any]] = []
        for w, setting in ((weight.w, setting) for weight in results.weights for setting in weight.settings):
            start = {"w": w, **setting.place, "b": f"{setting.b:.6g}"}
            for method, row in setting.rows.items():
                measure, asked = MetricMeasure.of(np.array(row["J"])), zip(CONFIDENCES, row["asked"], strict=True)
                numbers = {"J_mean": measure.mean, "J_low": measure.ci[0], "J_high": measure.ci[1], "load": row["load"]}
                numbers |= {"recovered": row["recovered"], **{f"asked_{name}": count for name, count in asked}}
                told = {name: f"{number:.6g}" for name, number in numbers.items()}
                lines.append({**start, "method": method, **told, "seed": results.size["seed"]})
        return {"rows.csv": csv_text(lines)}


def _ranking(weight: Sensitivity) -> Table:
    rows = [
        (f"`{name}`", str(MetricMeasure.of(np.array(row["J"]))), f"{row['load']:.2f}")
        for name, row in sorted(weight.default.rows.items(), key=lambda pair: weight.default.means[pair[0]])
    ]
    columns = ("Method", "J per meal", "Load per meal")
    return Table(f"Under the default coefficients, w {weight.w:g}", columns, tuple(rows))


def _leak(setting: CoefficientSetting) -> tuple[float, float]:
    return setting.place["g"], setting.place["tau_s"]


def draw(results: Results[Any], weight: Sensitivity) -> Drawing:
    """Draw best method, best pair and modules asked over a_d and a_r, one column for each g and τ."""
    from handup.lab.engine.figures import drawing, sheet  # noqa: PLC0415 - drawing is an extra

    study, best = results.study, weight.default.best
    grid = [here for here in weight.settings[1:] if here.place["rho_failed"] == here.place["rho_wait"] == 0.0]
    kinds = list(dict.fromkeys(map(_leak, grid)))
    shown: Mapping[str, Callable[[CoefficientSetting], str]] = {
        "best method": lambda here: here.best,
        "best of the paper's pairs": lambda here: here.best_pair,
        f"modules asked by {best}": lambda here: here.order(best),
    }
    with sheet(1.3 * len(kinds) + 3.4, 5.4) as figure:
        panels = figure.subplots(len(shown), len(kinds), squeeze=False)
        for row, (label, value) in zip(panels, shown.items(), strict=True):
            colors = dict(zip(sorted({value(here) for here in grid}), cycle(COLORS), strict=False))
            for panel, kind in zip(row, kinds, strict=True):
                here = [setting for setting in grid if _leak(setting) == kind]
                x, y = ([setting.place[name] for setting in here] for name in ("a_d", "a_r"))
                panel.scatter(x, y, c=[colors[value(setting)] for setting in here], marker="s", s=90)
                panel.plot(weight.default.place["a_d"], weight.default.place["a_r"], "+", color="black", markersize=9)
                panel.set(xlim=(-0.03, 0.23), ylim=(-0.03, 0.23))
                panel.grid(visible=False)
                panel.set_title("g 0" if kind[0] == 0.0 else "g {:g}, τ {:g} s".format(*kind), loc="left")
            for word, color in colors.items():
                row[-1].plot([], [], "s", color=color, label=word)
            row[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
            row[0].set_ylabel(f"{label}\n$a_r$", weight="bold")
        for panel in panels[-1]:
            panel.set_xlabel("$a_d$")
        caption = f"{study.question} {WORDS['figure']}"
        meals = f"{results.size['episodes']:,} meals per setting, seed {results.size['seed']}"
        title = f"{study.title} (simulated, w {weight.w:g}, {meals})"
        return drawing(figure, f"{study.name}-w{round(100 * weight.w)}", caption, title)


STUDY = SensitivityStudy(
    **WORDS["study"],
    make=make,
    arms=("methods",),
    options=(count_option("Meals in each setting", 200, 50, least=2, most=8_000), seed_option()),
    unit=("method",),
    libraries=("numpy",),
)
