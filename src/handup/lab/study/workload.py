"""Study `workload-sensitivity`: where do recommendations flip when the assumed workload coefficients are others?

Not a study of cells: its episodes are meals of one policy, the paper's bite acquisition, and the person's load goes
on from bite to bite. Everything is simulated; confidences and coefficients are assumed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from handup.core import BadSetting
from handup.lab.episodes import Measure
from handup.lab.meal import Meals, Menu, live_meals
from handup.lab.study.studies import TROUBLESHOOT
from handup.people import BITE, WorkloadModel
from handup.policy import Module, ModuleGraph
from handup.when import strategy

NAME = "workload-sensitivity"
TITLE = "Sensitivity to the workload coefficients"
QUESTION = "Where do recommendations flip when the assumed coefficients of workload are others?"
FIGURE = "App. E"
MEAN = 0.32
CONFIDENCES = {"food": 0.9, "box": 0.8, "skill": 0.4, "parameters": 0.7}
"""Of `examples/policies/bite.yaml`: assumed."""
SELECTORS = ("graph", "confidence", "brute-force", "binary-tree", "topo")
WHENS = ("workload-aware", "until-confident", "query-then-execute", "execute-first")
METHODS = (TROUBLESHOOT, *(f"{what}+{when}" for when in WHENS for what in SELECTORS), "never+execute-first",
           "topo+query-for-all")  # fmt: skip
MEALS, QUICK_MEALS, MOST_MEALS = 200, 50, 8_000
EXTRAS = (0.0, 0.1, 0.2)
TAUS, QUICK_TAUS = (60.0, 120.0, 240.0), (60.0, 240.0)
WEIGHTS = (0.5, 0.8)
"""Of load against time: the paper's, and one for a person whose ease counts more."""
GAINS, QUICK_GAINS = (0.0, 0.15, 0.3), (0.0, 0.15)
FAILURES: tuple[dict[str, Any], ...] = (
    {"rho_failed": 0.1},
    {"rho_failed": 0.3},
    {"rho_wait": 0.01},
    {"rho_failed": 0.3, "rho_wait": 0.01},
)
VARIED = ("a_d", "a_r", "tau_s", "g", "rho_failed", "rho_wait")
Watcher = Callable[[int, int], None]
"""Told how many settings are done, and of how many."""


@dataclass(frozen=True, eq=False)
class Setting:
    """One set of coefficients and what every method came to under it.

    Args:
        model: The coefficients.
        meals: By method.
    """

    model: WorkloadModel
    meals: dict[str, Meals]

    @property
    def best(self) -> str:
        """The method of the lowest mean J; the earlier of equals."""
        return min(self.meals, key=lambda each: float(self.meals[each].objective.mean()))

    @property
    def best_pair(self) -> str:
        """The best of the paper's pairs."""
        pairs = [each for each in self.meals if each != TROUBLESHOOT]
        return min(pairs, key=lambda each: float(self.meals[each].objective.mean()))

    def order(self, method: str) -> str:
        """The modules that a method asks about, most often first; "none" where it does not ask."""
        asked = dict(zip(CONFIDENCES, self.meals[method].asked.tolist(), strict=True))
        order = sorted((name for name in asked if asked[name] > 0.0), key=lambda name: -asked[name])
        return " > ".join(order) or "none"

    def difference(self, method: str, other: str) -> Measure:
        """J of a method less that of another, meal by meal."""
        return Measure.of(self.meals[method].objective - self.meals[other].objective)

    @property
    def place(self) -> dict[str, float]:
        """The coefficients that the study varies."""
        return {name: getattr(self.model, name) for name in VARIED}


@dataclass(frozen=True, kw_only=True)
class Flip:
    """A setting under which something else is recommended than under the defaults.

    Args:
        place: The coefficients.
        what: What flips: `best`, `best pair` or `asked`, the modules that the best method asks about by frequency.
        before: The recommendation under the defaults.
        after: The one here.
        gain: For methods, J of the former less that of the latter, meal by meal; it is clear above 0.
    """

    place: dict[str, float]
    what: str
    before: str
    after: str
    gain: Measure | None

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        gain = None if self.gain is None else self.gain.to_json()
        return {"place": self.place, "what": self.what, "before": self.before, "after": self.after, "gain": gain}


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """What the study came to under one weight of load against time.

    Args:
        menu: How meals went.
        quick: Whether the grid was the coarse one.
        default: The setting of the default coefficients.
        settings: All settings, the default's first.
    """

    menu: Menu
    quick: bool
    default: Setting
    settings: tuple[Setting, ...]

    def flips(self) -> Iterator[Flip]:
        """Where recommendations change: methods only where the difference is clear of chance."""
        for here in self.settings[1:]:
            for what, before, after in (
                ("best", self.default.best, here.best),
                ("best pair", self.default.best_pair, here.best_pair),
            ):
                if before != after:
                    gain = here.difference(before, after)
                    if gain.ci[0] > 0.0:
                        yield Flip(place=here.place, what=what, before=before, after=after, gain=gain)
            before, after = (each.order(self.default.best) for each in (self.default, here))
            if before != after:
                yield Flip(place=here.place, what="asked", before=before, after=after, gain=None)

    def to_json(self) -> dict[str, Any]:
        """A plain record, without the rows."""
        return {
            "w": self.menu.w,
            "settings": len(self.settings),
            "best": self.default.best,
            "best_pair": self.default.best_pair,
            "asked": self.default.order(self.default.best),
            "best_everywhere": sorted({each.best for each in self.settings}),
            "best_pairs": sorted({each.best_pair for each in self.settings}),
            "flips": [each.to_json() for each in self.flips()],
        }


def models(*, quick: bool = False) -> tuple[WorkloadModel, ...]:
    """The coefficients to try, the defaults first; b is solved so that the mean cost stays .32."""
    default = WorkloadModel()
    taus, gains = (QUICK_TAUS, QUICK_GAINS) if quick else (TAUS, GAINS)
    found = [default]
    for a_d, a_r, g in product(EXTRAS, EXTRAS, gains):
        # Without g nothing leaks that matters, so τ is not varied then.
        for tau_s in taus if g > 0.0 else (default.tau_s,):
            tried = replace(default, a_d=a_d, a_r=a_r, g=g, tau_s=tau_s)
            found.append(tried.with_mean(MEAN, BITE))
    found += [replace(default, **each) for each in FAILURES]
    return tuple(found)


def bite(model: WorkloadModel) -> ModuleGraph:
    """The paper's bite acquisition with the costs of a model."""
    costs = (model.base(each) for each in BITE.values())
    return ModuleGraph.chain(
        Module(name, confidence, cost) for (name, confidence), cost in zip(CONFIDENCES.items(), costs, strict=True)
    )


def explore(
    menu: Menu, *, quick: bool = False, methods: Sequence[str] = METHODS, watch: Watcher = lambda done, total: None
) -> Sensitivity:
    """Live through the same meals with every method under every set of coefficients.

    Raises:
        BadSetting: Too few or too many meals.
    """
    if not 2 <= menu.meals <= MOST_MEALS:
        raise BadSetting(f"{menu.meals} meals", hint=f"Give 2 to {MOST_MEALS}.")
    chosen = {name: strategy(name) for name in methods}
    tried = models(quick=quick)
    found = []
    for number, model in enumerate(tried, start=1):
        graph = bite(model)
        found.append(Setting(model, {name: live_meals(graph, model, each, menu) for name, each in chosen.items()}))
        watch(number, len(tried))
    return Sensitivity(menu, quick, found[0], tuple(found))


def run(
    out: Path, menu: Menu, *, quick: bool = False, watch: Watcher = lambda done, total: None
) -> tuple[Sensitivity, ...]:
    """Run the study under each of `WEIGHTS` and write its folder: rows, record, figures, report.

    Raises:
        MissingExtra: The figures cannot be drawn; told before anything is run.
    """
    from handup.lab.files import write_whole  # noqa: PLC0415
    from handup.lab.study import workload_page  # noqa: PLC0415 - drawing is an extra

    found = []
    for number, w in enumerate(WEIGHTS):
        found.append(explore(replace(menu, w=w), quick=quick, watch=_part(watch, number)))
    folder = out / NAME
    drawings = [workload_page.draw(each) for each in found]
    write_whole(folder / "rows.csv", rows(found))
    write_whole(folder / "study.json", json.dumps(record(found), indent=2, ensure_ascii=False) + "\n")
    for drawing in drawings:
        write_whole(folder / f"{drawing.name}.svg", drawing.svg)
        write_whole(folder / f"{drawing.name}.png", drawing.png)
    write_whole(folder / "report.html", workload_page.page(found, drawings))
    return tuple(found)


def record(found: Sequence[Sensitivity]) -> dict[str, Any]:
    """A plain record of the whole study, without the rows."""
    menu = found[0].menu
    return {
        "name": NAME,
        "evidence": "simulated",
        "assumed": "confidences, coefficients",
        "meals": menu.meals,
        "bites": menu.bites,
        "step_s": menu.step_s,
        "rest_s": menu.rest_s,
        "seed": menu.seed,
        "quick": found[0].quick,
        "weights": [each.to_json() for each in found],
    }


def rows(found: Sequence[Sensitivity]) -> str:
    """One line per weight, setting and method, as CSV."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    asked = [f"asked_{name}" for name in CONFIDENCES]
    writer.writerow(("w", *VARIED, "b", "method", "J_mean", "J_low", "J_high", "load", "recovered", *asked, "seed"))
    for one in found:
        for here in one.settings:
            for method, meals in here.meals.items():
                measure = Measure.of(meals.objective)
                numbers = (measure.mean, *measure.ci, meals.load.mean(), meals.recovered.mean(), *meals.asked)
                shown = (f"{float(each):.6g}" for each in numbers)
                place = (one.menu.w, *here.place.values(), f"{here.model.b:.6g}")
                writer.writerow((*place, method, *shown, one.menu.seed))
    return file.getvalue()


def ranked(setting: Setting) -> list[tuple[str, Measure, float]]:
    """Methods with J and load per meal, best first."""
    rows = [(each, Measure.of(meals.objective), float(np.mean(meals.load))) for each, meals in setting.meals.items()]
    return sorted(rows, key=lambda row: row[1].mean)


def _part(watch: Watcher, number: int) -> Watcher:
    """A watcher of one of the weights that speaks of all of them."""
    return lambda done, total: watch(number * total + done, len(WEIGHTS) * total)
