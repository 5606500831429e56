"""Weeks of meals with and without a memory: `python -m train.feeding.weeks docs/feeding/memory_meals.csv`.

In each kitchen the same meals are eaten twice, with hard looks: by a robot that forgets, and by one that remembers what
it is told from its first meal on. On the last two days the menu is another one. Who answers is a simulated person. Rows
are written as they come, and a call goes on where the last one was; `--table` prints what is there.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from handup.desk import SkippingClock
from handup.domains.feeding import PLATES
from handup.domains.feeding.judging import MODULES
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import Order
from handup.domains.feeding.remembering import memory_in
from handup.domains.feeding.served import Served
from handup.journal import Journal

FIRST, EACH = 262_000, 20
"""Kitchens that nothing was trained, chosen or tested on before; a kitchen has twenty seeds."""
DAYS = 7
MENU_CHANGES = 5
"""On this day, counted from 0, another menu begins."""
FIELDS = ("kitchen", "day", "plate", "memory", "got", "wrong", "queries", *MODULES, "executions", "networks")
WHAT = {
    "questions": "queries",
    "… about food": "food",
    "… about boxes": "box",
    "bites of 5": "got",
    "wrong bites": "wrong",
}
DRAWS, LEVEL = 2_000, 0.95
FORGETS, REMEMBERS = "no", "yes"
Row = dict[str, str]


def main() -> None:
    """Eat, or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="the file of rows")
    parser.add_argument("--kitchens", type=int, default=12)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--accuracy", type=float, default=None, help="of the person; as their model says, if not given")
    parser.add_argument("--table", action="store_true", help="only print the table")
    given = parser.parse_args()
    if not given.table:
        eat(given.rows, range(FIRST, FIRST + EACH * given.kitchens, EACH), given.days, given.accuracy)
    print("\n".join(table(read(given.rows))))


def read(path: Path) -> list[Row]:
    """The rows that are there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def eat(path: Path, kitchens: range, days: int, accuracy: float | None) -> None:
    """Eat the weeks that are not there yet; a week is written as a whole."""
    modules = Modules.load()
    done = {(row["kitchen"], row["memory"]) for row in read(path)}
    if not done:
        path.write_text(",".join(FIELDS) + "\n", encoding="utf-8")
    for kitchen in kitchens:
        for remembers in (FORGETS, REMEMBERS):
            if (str(kitchen), remembers) not in done:
                week = list(_week(modules, kitchen, remembers, days, accuracy))
                with path.open("a", encoding="utf-8", newline="") as file:
                    csv.DictWriter(file, FIELDS, lineterminator="\n").writerows(week)


def _week(modules: Modules, kitchen: int, remembers: str, days: int, accuracy: float | None) -> Iterator[Row]:
    number, names = (kitchen - FIRST) // EACH, list(PLATES)
    with TemporaryDirectory() as folder, ExitStack() as stack:
        clock = SkippingClock()
        book = stack.enter_context(Journal.open(Path(folder) / "home.db", clock=clock))
        memory = memory_in(book) if remembers == REMEMBERS else None
        for day in range(days):
            plate = names[(number + (day >= MENU_CHANGES)) % len(names)]
            order = Order(plate=plate, looks="hard", seed=kitchen + day, kitchen=kitchen, name=f"day-{day}")
            with (
                Journal.open(Path(folder) / f"{day}.db", clock=clock) as journal,
                Meal(order, journal, modules=modules, memory=memory) as meal,
            ):
                yield _row(kitchen, day, remembers, meal.eat([meal.simulated(accuracy=accuracy)]))


def _row(kitchen: int, day: int, remembers: str, served: Served) -> Row:
    asked = [what for bite in served.bites for what in bite.asked]
    found = {
        "kitchen": kitchen, "day": day, "plate": served.order.plate, "memory": remembers, "got": served.got,
        "wrong": sum(bite.is_wrong for bite in served.bites), "queries": len(asked),
        **{module: asked.count(module) for module in MODULES},
        "executions": sum(bite.attempts for bite in served.bites), "networks": served.terms.networks,
    }  # fmt: skip
    return {name: str(value) for name, value in found.items()}


def table(rows: list[Row]) -> Iterator[str]:
    """What a meal costs with and without, and the difference, with intervals over kitchens."""
    both = {row["kitchen"] for row in rows if row["memory"] == FORGETS} & {
        row["kitchen"] for row in rows if row["memory"] == REMEMBERS
    }
    yield f"{len(both)} kitchens"
    yield ""
    yield "| days | | without | with | difference |"
    yield "|---|---|---|---|---|"
    spans = {
        "1": (0, 1),
        f"2 to {MENU_CHANGES}": (1, MENU_CHANGES),
        "another menu": (MENU_CHANGES, DAYS),
        "all": (0, DAYS),
    }
    for title, (first, last) in spans.items():
        for what, name in WHAT.items():
            means = {
                memory: np.array([
                    np.mean([
                        int(row[name]) for row in rows
                        if (row["kitchen"], row["memory"]) == (kitchen, memory) and first <= int(row["day"]) < last
                    ])
                    for kitchen in sorted(both)
                ])
                for memory in (FORGETS, REMEMBERS)
            }  # fmt: skip
            without, with_ = means[FORGETS], means[REMEMBERS]
            draws = np.random.default_rng(0).integers(0, len(without), (DRAWS, len(without)))
            low, high = np.quantile((with_ - without)[draws].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            yield (
                f"| {title} | {what} | {without.mean():.2f} | {with_.mean():.2f} "
                f"| {(with_ - without).mean():+.2f} ({low:+.2f} to {high:+.2f}) |"
            )


if __name__ == "__main__":
    main()
