"""Calibrators and conformal sets on the ten real score streams, over many draws of the calibration rows.

Real scores of a language model on four-choice questions, one subject per stream; each draw calibrates on n rows of a
stream and is scored on the others. Run it with `python -m benchmarks.calibration --data DIR`, where DIR holds the CSV
files (columns `p_a … p_d,target`); `--draws 200` for the full table.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.stats import betabinom

from handup.confidence import ConformalSets, Sample, calibrator, parse_rows, select
from handup.confidence.metrics import brier

METHODS = (
    "identity",
    "temperature",
    "platt",
    "beta",
    "venn-abers",
    "isotonic",
    "scaled",
    "interval",
    "interval-one-sided",
)
LONGEST = 3
COVERAGE_DRAWS = 200
err = Console(stderr=True)


def load_streams(folder: Path) -> dict[str, Sample]:
    """Every stream of a folder, by name."""
    return {path.stem: parse_rows(path.read_text(encoding="utf-8"), str(path)) for path in sorted(folder.glob("*.csv"))}


def longest(streams: Mapping[str, Sample], count: int = LONGEST) -> dict[str, Sample]:
    """The streams with the most rows."""
    kept = sorted(streams, key=lambda name: -len(streams[name]))[:count]
    return {name: streams[name] for name in kept}


def split(stream: Sample, rows: int, draw: int) -> tuple[Sample, Sample]:
    """Calibration rows and the others, at random."""
    order = np.random.default_rng([draw, rows]).permutation(len(stream))
    return stream.take(order[:rows]), stream.take(order[rows:])


@dataclass
class Comparison:
    """Brier scores by method, averaged over streams and draws, and how often `auto` chose each."""

    briers: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    chosen: Counter[str] = field(default_factory=Counter)

    def mean(self, method: str) -> float:
        """Mean Brier score."""
        return float(np.mean(self.briers[method]))

    @property
    def best(self) -> str:
        """The single method of the least mean Brier score."""
        return min((name for name in METHODS if name in self.briers), key=self.mean)

    def share(self, method: str) -> float:
        """How often `auto` chose a method."""
        return self.chosen[method] / max(1, sum(self.chosen.values()))


def compare(streams: Mapping[str, Sample], rows: int, draws: int, *, show: bool = False) -> Comparison:
    """Every method and `auto` on the same draws."""
    found = Comparison()
    turns = [(name, draw) for name in streams for draw in range(draws)]
    for name, draw in track(turns, f"n = {rows}", console=err, transient=True, disable=not show):
        known, unseen = split(streams[name], rows, draw)
        chosen = select(known, seed=draw).method
        found.chosen[chosen] += 1
        for method in METHODS:
            chances = calibrator(method).fit(known).probabilities(unseen.raw)
            found.briers[method].append(brier(chances, unseen.right))
        found.briers["auto"].append(found.briers[chosen][-1])
        found.briers["base rate"].append(brier(np.full(len(unseen), known.base_rate), unseen.right))
    return found


@dataclass(frozen=True)
class Coverage:
    """How conformal sets did over draws.

    Args:
        mean: Mean coverage on unseen rows.
        inside: Share of draws whose coverage lies within the central 90 % of what chance allows for.
        expected: What the mean should be: rank / (n + 1).
        sd: Standard deviation of one draw's coverage.
    """

    mean: float
    inside: float
    expected: float
    sd: float


def coverage(stream: Sample, rows: int, target: float, draws: int = COVERAGE_DRAWS) -> Coverage:
    """Coverage over draws, against the Beta distribution (as counts: the beta-binomial)."""
    assert stream.target is not None
    found = []
    for draw in range(draws):
        known, unseen = split(stream, rows, draw)
        assert known.target is not None
        assert unseen.target is not None
        sets = ConformalSets.calibrate(known.raw, known.target, target_coverage=target)
        found.append(sets.coverage(unseen.raw, unseen.target))
    unseen_rows, rank = len(stream) - rows, sets.ranks[0]
    law = betabinom(unseen_rows, rank, rows + 1 - rank)
    low, high = law.ppf(0.05) / unseen_rows, law.ppf(0.95) / unseen_rows
    inside = float(np.mean([low - 1e-9 <= each <= high + 1e-9 for each in found]))
    return Coverage(float(np.mean(found)), inside, rank / (rows + 1.0), float(law.std() / unseen_rows))


def mapie_sets(known: Sample, unseen: Sample, target: float) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """The sets of MAPIE's split conformal classifier (LAC) over the same scores."""
    from mapie.classification import SplitConformalClassifier  # noqa: PLC0415 - for development only
    from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: PLC0415

    class AsGiven(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """Takes the option scores for features and gives them back."""

        def fit(self, scores: object, target: object) -> AsGiven:
            self.classes_ = np.arange(known.raw.shape[1])
            return self

        def predict_proba(self, scores: object) -> object:
            return np.asarray(scores)

        def predict(self, scores: object) -> object:
            return np.asarray(scores).argmax(axis=1)

    model = AsGiven().fit(known.raw, known.target)
    mapie = SplitConformalClassifier(estimator=model, confidence_level=target, conformity_score="lac", prefit=True)
    mapie.conformalize(known.raw, known.target)
    return np.asarray(mapie.predict_set(unseen.raw)[1][:, :, 0], dtype=np.bool_)


def same_as_mapie(streams: Mapping[str, Sample], rows: int, target: float, draws: int) -> tuple[int, int]:
    """How many sets are the same as MAPIE's, and of how many."""
    same = total = 0
    for stream in streams.values():
        for draw in range(draws):
            known, unseen = split(stream, rows, draw)
            assert known.target is not None
            sets = ConformalSets.calibrate(known.raw, known.target, target_coverage=target).sets(unseen.raw)
            same += int((sets == mapie_sets(known, unseen, target)).all(axis=1).sum())
            total += len(unseen)
    return same, total


def brier_table(found: Mapping[int, Comparison], draws: int) -> Table:
    """Brier scores and shares chosen."""
    table = Table(title=f"Mean Brier score on unseen rows, {draws} draws per stream; share chosen by auto")
    table.add_column("method")
    for rows in found:
        table.add_column(f"n = {rows}", justify="right")
        table.add_column("chosen", justify="right")
    for method in (*METHODS, "auto", "base rate"):
        cells = []
        for each in found.values():
            cells += [f"{each.mean(method):.4f}", f"{100 * each.share(method):.1f} %" if method in METHODS else ""]
        table.add_row(method, *cells)
    return table


def coverage_table(streams: Mapping[str, Sample], targets: tuple[float, ...] = (0.8, 0.9)) -> Table:
    """Coverage of conformal sets at 60 rows."""
    table = Table(title=f"Coverage of conformal sets at n = 60, {COVERAGE_DRAWS} draws")
    for column in ("stream", *(f"{word} {target:g}" for target in targets for word in ("mean at", "within 90 % at"))):
        table.add_column(column, justify="left" if column == "stream" else "right")
    for name, stream in streams.items():
        cells = []
        for target in targets:
            found = coverage(stream, 60, target)
            cells += [f"{found.mean:.3f} (expected {found.expected:.3f})", f"{100 * found.inside:.1f} %"]
        table.add_row(name, *cells)
    return table


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of streams")
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    console = Console(width=120)
    streams = load_streams(options.data)
    if not streams:
        raise SystemExit(f"no CSV files in {options.data}")
    found = {
        60: compare(streams, 60, options.draws, show=True),
        100: compare(longest(streams), 100, options.draws, show=True),
    }
    console.print(brier_table(found, options.draws))
    for rows, each in found.items():
        gap = each.mean("auto") - each.mean(each.best)
        console.print(f"n = {rows}: auto is {gap:+.4f} from the best single method ({each.best}).")
    console.print(coverage_table(streams))
    same, total = same_as_mapie(streams, 60, 0.8, 5)
    console.print(f"Sets that are the same as MAPIE's: {same} of {total}.")


if __name__ == "__main__":
    main()
