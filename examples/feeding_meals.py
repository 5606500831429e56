"""Many meals without a person: what the robot gets alone, and what it gets with true answers to everything.

`python -m examples.feeding_meals run --meals 60` adds rows to docs/feeding/meals.csv; `… table` prints the tables of
docs/feeding/policy.md. All methods eat the same meals. Rows say which networks ate; those of others are left aside.
Evidence: *simulated*.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from handup.core import Calibrator
from handup.desk import SkippingClock
from handup.domains.feeding import PLATES, calibration
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.meal_result import Served
from handup.domains.feeding.modules import Modules, networks_in
from handup.domains.feeding.order import Order
from handup.domains.feeding.truth import LossCause
from handup.journal import Journal
from handup.people import MotorProfile, SimulatedPerson

ROWS = Path(__file__).parent.parent / "docs" / "feeding" / "meals.csv"
FIRST_SEED = 220_000
"""Meals of their own: nothing was chosen on these plates. Those from 170,000 to 190,000 on were looked at before."""
PERFECT = SimulatedPerson(name="simulated", motor=MotorProfile(tap_error_px=0.0))
METHODS: Mapping[str, str] = {
    "never+query-then-execute": "alone",
    "topo+query-for-all": "true answers to all",
    "troubleshoot": "troubleshoot",
    "graph+workload-aware": "the paper's pair",
}
COLUMNS = (
    "networks",
    "looks",
    "plate",
    "seed",
    "method",
    "got",
    "on_fork",
    "wrong",
    "queries",
    "executions",
    "workload",
    "J",
    "causes",
)


@dataclass(frozen=True)
class Row:
    """One meal."""

    networks: str
    looks: str
    plate: str
    seed: int
    method: str
    got: int
    on_fork: int
    wrong: int
    queries: int
    executions: int
    workload: float
    objective: float
    causes: tuple[str, ...]

    @classmethod
    def of(cls, served: Served, networks: str) -> Row:
        """A meal's row."""
        record = served.to_json()
        causes = tuple(str(each.cause) for each in served.bites if each.cause is not None)
        numbers = (record["wrong_bites"], record["queries"], record["executions"], record["workload"], record["J"])
        order = served.order
        which = (networks, order.looks, order.plate, order.seed, order.method)
        return cls(*which, served.got, served.on_fork, *numbers, causes)

    def cells(self) -> list[str]:
        """As in the file."""
        numbers = [self.got, self.on_fork, self.wrong, self.queries, self.executions, self.workload, self.objective]
        which = [self.networks, self.looks, self.plate, str(self.seed), self.method]
        return [*which, *map(str, numbers), " ".join(self.causes)]

    @classmethod
    def read(cls, cells: Mapping[str, str]) -> Row:
        """From the file."""
        return cls(
            networks=cells["networks"],
            looks=cells["looks"],
            plate=cells["plate"],
            seed=int(cells["seed"]),
            method=cells["method"],
            got=int(cells["got"]),
            on_fork=int(cells["on_fork"]),
            wrong=int(cells["wrong"]),
            queries=int(cells["queries"]),
            executions=int(cells["executions"]),
            workload=float(cells["workload"]),
            objective=float(cells["J"]),
            causes=tuple(cells["causes"].split()),
        )


def meal(order: Order, modules: Modules, calibrators: dict[str, Calibrator]) -> Served:
    """One meal with somebody who is always right and points exactly."""
    with (
        TemporaryDirectory() as folder,
        Journal.open(Path(folder) / "meal.db", clock=SkippingClock()) as journal,
        Meal(order, journal, modules=modules, calibrators=calibrators) as table,
    ):
        return table.eat([table.simulated(PERFECT, accuracy=1.0)])


def orders(meals: int, first: int, looks: Sequence[str], methods: Sequence[str]) -> Iterator[Order]:
    """The plates in turn, each with every method."""
    for number in range(first, first + meals):
        for look in looks:
            for method in methods:
                plate = list(PLATES)[number % len(PLATES)]
                yield Order(plate=plate, looks=look, method=method, seed=FIRST_SEED + number)


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """Mean and 95 % bootstrap interval over meals."""
    array = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(seed).choice(array, (4000, len(array))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(array.mean()), float(low), float(high)


def read() -> list[Row]:
    """All meals in the file."""
    if not ROWS.exists():
        return []
    with ROWS.open(encoding="utf-8", newline="") as file:
        return [Row.read(cells) for cells in csv.DictReader(file)]


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """The tables of the docs page, as Markdown."""
    groups = {
        (looks, method): [row for row in rows if (row.looks, row.method) == (looks, method)]
        for looks in ("easy", "hard")
        for method in METHODS
    }
    yield "| looks | method | meals | bites of 5 | on the fork | wrong bites | questions | attempts | workload | J |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for (looks, method), found in groups.items():
        if found:
            (mean, low, high), fork = interval([row.got for row in found]), np.mean([row.on_fork for row in found])
            means = [np.mean([getattr(row, name) for row in found]) for name in ("wrong", "queries", "executions")]
            cost = [np.mean([getattr(row, name) for row in found]) for name in ("workload", "objective")]
            yield (
                f"| {looks} | {METHODS[method]} | {len(found)} | {mean:.2f} ({low:.2f}–{high:.2f}) | {fork:.2f} | "
                + " | ".join(f"{each:.2f}" for each in (*means, *cost))
                + " |"
            )
    yield ""
    yield "| looks | method | lost | " + " | ".join(LossCause) + " |"
    yield "|---|---|---|" + "---|" * len(LossCause)
    for (looks, method), found in groups.items():
        if found:
            causes = [cause for row in found for cause in row.causes]
            counts = " | ".join(str(causes.count(cause)) for cause in LossCause)
            yield f"| {looks} | {METHODS[method]} | {len(causes)} of {5 * len(found)} | {counts} |"


def run(wanted: Iterable[Order], modules: Modules, calibrators: dict[str, Calibrator]) -> None:
    """Eat, and add a row for each meal that is not there yet, eaten with these networks."""
    known = {(row.looks, row.seed, row.method) for row in read() if row.networks == modules.networks}
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    new = not ROWS.exists()
    with ROWS.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for order in wanted:
            if (order.looks, order.seed, order.method) not in known:
                row = Row.of(meal(order, modules, calibrators), modules.networks)
                writer.writerow(row.cells())
                file.flush()
                print(json.dumps([row.looks, row.plate, row.seed, METHODS[row.method], row.got, row.causes]))


def main() -> None:
    """Eat meals, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--meals", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument(
        "--models", type=Path, default=None, help="networks with calibrators; the shipped ones unless given"
    )
    parser.add_argument("--looks", nargs="+", default=["easy", "hard"])
    parser.add_argument("--methods", nargs="+", default=list(METHODS)[:2])
    options = parser.parse_args()
    if options.what == "run":
        wanted = orders(options.meals, options.first, options.looks, options.methods)
        run(wanted, Modules.load(options.models), calibration.load(folder=options.models))
    else:
        networks = networks_in(options.models)
        print("\n".join(tables([row for row in read() if row.networks == networks])))


if __name__ == "__main__":
    main()
