"""Study `interruptibility`: levels told by eight kinds of models from three sets of features, ± objects.

Every model judges runs that it was not trained on. Rows hold sums over the segments of a run, so that every number is
that of all segments together, and its interval comes from resampling runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from handup.confidence.metrics import Estimate, intervals
from handup.core.files import shipped_data
from handup.lab.engine import Batch, Columns, Drawing, Measure, Place, Results, Study, columns_of
from handup.lab.engine.claim_file import read_claims
from handup.lab.engine.claims import Bar, Row, Where, where
from handup.lab.engine.judge import JudgedClaim
from handup.lab.engine.report import Section
from handup.lab.engine.stats import Difference, Vector, leaning
from handup.lab.engine.study import Size, count_option, seed_option
from handup.lab.engine.table import Table, shown
from handup.lab.studies.interrupt.level_models import LEVELS, MODELS, Floats, Stretches, fitted, stretches
from handup.lab.studies.interrupt.watched_person import SENSINGS, watch, world
from handup.people.interruptibility import FeatureSet

WORDS = shipped_data(__file__, "classification.yaml")
FIRST_SEED, RUNS, QUICK_RUNS = 3000, 45, 6
FOLDS = 5
"""Parts of the runs; each is judged by models trained on all others."""
BINS = 10
GATES = (0.3, 0.5, 0.7)
FREE = LEVELS // 2
SWEPT = ("base rate", "forest", "CRF", "LDCRF", "default")
"""Models compared with other bouts."""
SUFFIXES = {"drawn": "", "real": ", real bouts", "sure": ", sure levels"}
DIGITS = 6


def place_of(sensing: str, kind: FeatureSet, objects: bool, bouts: str = "drawn") -> Place:
    """Return one condition of the comparison."""
    name = f"{kind}{' + objects' if objects else ''}, {sensing}{SUFFIXES[bouts]}"
    settings = where(sensing=sensing, features=str(kind), objects=objects, bouts=bouts)
    return Place(name=name, settings=settings, arms=() if bouts == "drawn" else SWEPT)


@lru_cache(maxsize=512)
def _run(seed: int, place: Where, segments: int) -> Stretches:
    at = dict(place)
    person = watch(seed, str(at["sensing"]), segments=segments, bouts=str(at["bouts"]))
    return stretches(person, FeatureSet(str(at["features"])), objects=bool(at["objects"]))


def make(batch: Batch) -> Columns:
    """Fit a model on all runs but those of the batch, and judge these."""
    first, runs = (int(number) for number in batch.decides.split())
    held = range(batch.first, batch.first + batch.count)
    known = {seed: _run(seed, batch.place.settings, world()["run_segments"]) for seed in range(first, first + runs)}
    others = [run for seed, run in known.items() if seed not in held]
    model = fitted(batch.arm, others, FeatureSet(batch.place["features"]), objects=batch.place["objects"])
    return columns_of(
        row_of(seed, known[seed], [model.probabilities(stretch.features) for stretch in known[seed]]) for seed in held
    )


def row_of(seed: int, run: Stretches, judged: Sequence[Floats]) -> Row:
    """Return the row of a run.

    `confusion` counts segments by true and by likeliest level. The others are about being free, of levels 3 and 4:
    `squared` sums squared errors of its probability, `flips` counts how often it crosses one half, `counts`, `said` and
    `happened` are those of its bins, and `gates` sums what asking at every segment above a threshold g is worth, 1 − g
    where the person is free and −g where not: at this ratio of costs the threshold is g.
    """
    chances, levels = np.concatenate(judged), np.concatenate([stretch.levels for stretch in run])
    said, free = chances[:, FREE:].sum(axis=1), levels >= FREE
    bins = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    binned = {"said": said, "happened": free.astype(np.float64)}
    flips = sum(int(np.sum(np.diff(part[:, FREE:].sum(axis=1) >= 0.5))) for part in judged)
    return {
        "seed": seed,
        "segments": len(levels),
        "confusion": np.bincount(levels * LEVELS + chances.argmax(axis=1), minlength=LEVELS**2).tolist(),
        "squared": round(float(np.square(said - free).sum()), DIGITS),
        "flips": flips,
        "counts": np.bincount(bins, minlength=BINS).tolist(),
        **{name: np.bincount(bins, part, BINS).round(DIGITS).tolist() for name, part in binned.items()},
        "gates": [round(float(np.where(free, 1.0 - gate, -gate)[said >= gate].sum()), DIGITS) for gate in GATES],
    }


def _confusion(sums: Mapping[str, Floats]) -> Floats:
    return sums["confusion"].reshape(-1, LEVELS, LEVELS)


def mcc(sums: Mapping[str, Floats]) -> Floats:
    """Return Matthews' correlation coefficient for several classes; 0 where it is not defined."""
    counts = _confusion(sums)
    true, told, whole = counts.sum(axis=2), counts.sum(axis=1), counts.sum(axis=(1, 2))
    right = np.trace(counts, axis1=1, axis2=2)
    below = np.sqrt((whole**2 - (true**2).sum(axis=1)) * (whole**2 - (told**2).sum(axis=1)))
    return np.asarray((right * whole - (true * told).sum(axis=1)) / np.where(below > 0.0, below, np.inf))


def macro_f1(sums: Mapping[str, Floats]) -> Floats:
    """Return the mean F1 of the levels; that of a level which is neither there nor told is 0."""
    counts = _confusion(sums)
    hits = np.diagonal(counts, axis1=1, axis2=2)
    return np.asarray((2.0 * hits / np.maximum(counts.sum(axis=2) + counts.sum(axis=1), 1e-12)).mean(axis=1))


def calibration_error(sums: Mapping[str, Floats]) -> Floats:
    """Return the expected calibration error over ten bins of equal width."""
    return np.asarray(np.abs(sums["said"] - sums["happened"]).sum(axis=1) / sums["segments"][:, 0])


def _rate(name: str, number: int = 0, times: float = 1.0) -> Callable[[Mapping[str, Floats]], Floats]:
    return lambda sums: np.asarray(times * sums[name][:, number] / sums["segments"][:, 0])


STATISTICS: Mapping[str, tuple[str, Callable[[Mapping[str, Floats]], Floats]]] = {
    "mcc": ("MCC of the levels", mcc),
    "macro_f1": ("macro-F1 of the levels", macro_f1),
    "brier": ("Brier score of P(free)", _rate("squared")),
    "ece": ("ECE of P(free)", calibration_error),
    "flips": ("flips per minute", _rate("flips", times=60.0 / world()["segment_s"])),
    **{f"gate_{gate:g}": (f"worth of a gate at {gate:g}", _rate("gates", at)) for at, gate in enumerate(GATES)},
}
"""Functions of sums over segments, with their labels."""


class PooledRuns(Results[Any]):
    """Rows whose measures are those of all segments together, with intervals over runs."""

    def statistic(self, measure: str, arm: str, where: Where) -> Callable[[Vector], Vector]:
        """Return the function that gives a measure for each line of weights of runs."""
        rows = self.rows(arm, where)
        columns = [name for name in rows[0] if name in ROW_SUMS]
        sums = {name: np.array([row[name] for row in rows], dtype=np.float64) for name in columns}
        flat = {name: part.reshape(len(rows), -1) for name, part in sums.items()}
        return lambda weights: STATISTICS[measure][1]({name: weights @ part for name, part in flat.items()})

    def mean(self, measure: str, arm: str, where: Where = ()) -> Estimate:
        """Return a measure of all segments together; the interval of ECE is reflected, since chance only raises it."""
        key = (measure, arm, where)
        if key not in self._means:
            reflected = ("found",) if measure == "ece" else ()
            found = {"found": self.statistic(measure, arm, where)}
            self._means[key] = intervals(found, len(self.rows(arm, where)), reflected=reflected)["found"]
        return self._means[key]

    def of_bar(self, bar: Bar) -> Difference:
        """Return the difference that a bar is about, both sides resampled with the same runs."""
        ours, runs = self.statistic(bar.measure, bar.arm, bar.where), len(self.rows(bar.arm, bar.where))
        by_run = ours(np.eye(runs))
        if bar.is_alone:
            found = self.mean(bar.measure, bar.arm, bar.where)
        else:
            at = bar.where if bar.elsewhere is None else bar.elsewhere
            theirs = self.statistic(bar.measure, bar.than or bar.arm, at)
            found = intervals({"gap": lambda weights: ours(weights) - bar.times * theirs(weights)}, runs)["gap"]
            by_run = by_run - bar.times * theirs(np.eye(runs))
        more, less = int((by_run > 0.0).sum()), int((by_run < 0.0).sum())
        same = runs - more - less
        return Difference(mean=found.value, ci=found.ci, more=more, less=less, same=same, p=1.0, ranks=leaning(by_run))

    def gain(self, measure: str, arm: str, sensing: str) -> Estimate:
        """Return what labels of objects add to a measure, with the features Std."""
        without, with_ = (self.statistic(measure, arm, std(sensing, objects)) for objects in (False, True))
        runs = len(self.rows(arm, std(sensing, True)))
        return intervals({"gap": lambda weights: with_(weights) - without(weights)}, runs)["gap"]

    def gain_under_noise(self, measure: str, arm: str) -> Estimate:
        """Return how much more objects add where sensing is noisy than where it is clean, over runs of both."""
        sides = [(sensing, objects) for sensing in SENSINGS for objects in (False, True)]
        parts = [self.statistic(measure, arm, std(*side)) for side in sides]
        runs = len(self.rows(arm, std(*sides[0])))
        signs = (1.0, -1.0, -1.0, 1.0)

        def gap(weights: Vector) -> Vector:
            return np.asarray(sum(sign * part(weights) for sign, part in zip(signs, parts, strict=True)))

        return intervals({"gap": gap}, runs)["gap"]


ROW_SUMS = ("segments", "confusion", "squared", "flips", "said", "happened", "gates")


def std(sensing: str, objects: bool) -> Where:
    """Return the condition with the features Std."""
    return place_of(sensing, FeatureSet.STD, objects).settings


class ClassificationStudy(Study):
    """Models judged on runs that they were not trained on."""

    def batches(self, size: Size) -> Sequence[Batch]:
        """Return all batches; the runs trained on decide their rows, too."""
        first, runs = size["seed"], size["episodes"]
        parted = replace(self, block=math.ceil(runs / FOLDS))
        return tuple(replace(batch, decides=f"{first} {runs}") for batch in parted._grid(first=first, units=runs))

    def results(self, size: Size, made: Mapping[Batch, Columns]) -> PooledRuns:
        """Return the rows for looking up."""
        return PooledRuns(self, size, made)

    def answer(self, results: Any, judged: Sequence[JudgedClaim]) -> str:
        """Return what the default's probabilities are worth, in one sentence."""
        parts = []
        for sensing in SENSINGS:
            ours, base = (results.mean("brier", arm, std(sensing, True)).value for arm in ("default", "base rate"))
            parts.append(f"{ours:.3f} of {base:.3f} where sensing is {sensing}")
        return f"The default's Brier score is {' and '.join(parts)} (that of the base rate)."

    def sections(self, results: Any, judged: Sequence[JudgedClaim], drawings: Sequence[Drawing]) -> Sequence[Section]:
        """Return the figure and a table for each condition, those with Std first, and what objects add."""
        places = sorted(self.places, key=lambda place: (place["bouts"], place["features"] != FeatureSet.STD))
        tables = [self.means_table(results, place) for place in places]
        return (
            Section("What came out", (*drawings, *tables[:4], objects_table(results))),
            Section("Other features, and other bouts", tuple(tables[4:]), folded=True),
        )

    def means_table(self, results: Results[Any], place: Place) -> Table:
        """Return every measure of every model at a place."""
        found = super().means_table(results, place)
        rows = tuple(
            (arm, *(shown(results.mean(name, arm, place.settings), 3) for name in STATISTICS))
            for arm in self.arms_at(place)
        )
        return replace(found, rows=rows)

    def figures(self, results: Any, judged: Sequence[JudgedClaim]) -> Sequence[Drawing]:
        """Draw the measures with the features Std."""
        from handup.lab.engine.figures import overview  # noqa: PLC0415 - drawing is an extra

        chosen = [place for place in self.places if place["features"] == FeatureSet.STD and place["bouts"] == "drawn"]
        panels = {
            self.measure(name).label: lambda arm, place, name=name: results.mean(name, arm, place.settings)
            for name in ("mcc", "macro_f1", "brier", "ece", "flips", "gate_0.5")
        }
        return (overview(replace(results, study=replace(self, places=tuple(chosen))), panels, WORDS["figure"]),)

    def record(self, results: Any, judged: Sequence[JudgedClaim]) -> dict[str, Any]:
        """Return the measures, the claims, and what objects add."""
        return {**super().record(results, judged), "runs": results.count(), "objects": asdict(objects_table(results))}


def objects_table(results: PooledRuns) -> Table:
    """Return what labels of objects add to MCC, and whether that is more under noise."""
    rows = []
    for arm in (arm for arm in results.study.arms if arm != "base rate"):
        gains = {sensing: results.gain("mcc", arm, sensing) for sensing in SENSINGS}
        parts = [shown(gains[sensing], 3) for sensing in SENSINGS]
        shares = [
            f"{100.0 * gains[sensing].value / results.mean('mcc', arm, std(sensing, False)).value:+.0f} %"
            for sensing in SENSINGS
        ]
        rows.append((arm, *parts, shown(results.gain_under_noise("mcc", arm), 3), *shares))
    return Table(WORDS["objects"]["caption"], tuple(WORDS["objects"]["columns"]), tuple(rows))


STUDY = ClassificationStudy(
    **WORDS["study"],
    make=make,
    arms=tuple(MODELS),
    ours="default",
    places=(
        *(place_of(*at) for at in product(SENSINGS, FeatureSet, (False, True))),
        *(place_of(sensing, FeatureSet.STD, True, "real") for sensing in SENSINGS),
        *(place_of(sensing, FeatureSet.STD, objects, "sure") for sensing, objects in product(SENSINGS, (False, True))),
    ),
    measures=tuple(Measure(name=name, label=label) for name, (label, _) in STATISTICS.items()),
    claims=read_claims(__file__, "classification.yaml"),
    options=(count_option("Runs", RUNS, QUICK_RUNS, least=6, most=1_000), seed_option(FIRST_SEED)),
)
