"""How fast the feeding robot decides, beside its bare networks, and how fast a simulated meal is beside real time.

Run it with `python -m benchmarks.meal`. A decision is what happens between a new plate and the next thing to do:
picture, four modules, calibration, and the strategy's choice. Processor times hardly depend on who else works here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from benchmarks.feeding import timed
from handup.core import Box
from handup.desk import SkippingClock
from handup.domains.feeding import PlateWorld, Skill, calibration
from handup.domains.feeding.meal import Meal
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import Order
from handup.domains.feeding.policy import BitePolicy
from handup.journal import Journal
from handup.lab.bench.harness import TimedCalls
from handup.people import BITE, Workload
from handup.recover import Session

METHODS = ("troubleshoot", "graph+workload-aware")


def decide(fresh: Callable[[], BitePolicy], method: str) -> None:
    """One decision, from the picture on."""
    policy = fresh()
    session = Session(policy.graph, method, costs=Workload.of(BITE.values()))
    session.forwarded(policy.forward({}).confidences)
    session.next(now_s=0.0)


def bare(modules: Modules, world: PlateWorld) -> None:
    """The four networks, one after the other, on one picture, and nothing else."""
    rgb = world.view().rgb
    label = modules.name(rgb).label
    boxes = modules.find(rgb, label).boxes
    box = boxes[0] if boxes else Box(left=0.4, top=0.4, right=0.6, bottom=0.6)
    modules.aim(rgb, box, Skill(modules.choose(rgb, label, box).skill), seed=0)


def decisions(times: int) -> Table:
    """A decision beside picture and networks alone."""
    title = "One decision, 640 × 480: ms (processor ms)"
    table = Table("plate", "picture", "picture and networks", *METHODS, "limit", title=title)
    modules, calibrators = Modules.load(), calibration.load()
    for plate in ("savory salad", "thanksgiving"):
        with PlateWorld(plate, seed=1) as world:
            world.view()
            cells = [timed(world.view, times), timed(partial(bare, modules, world), times)]
            fresh = partial(BitePolicy, world, modules, calibrators)
            cells += [timed(partial(decide, fresh, method), times) for method in METHODS]
            table.add_row(plate, *cells, "150")
    return table


def eat(order: Order, modules: Modules) -> float:
    """Eat a simulated meal and return its simulated seconds."""
    with (
        TemporaryDirectory() as folder,
        Journal.open(Path(folder) / "meal.db", clock=SkippingClock()) as journal,
        Meal(order, journal, modules=modules) as meal,
    ):
        return meal.eat([meal.simulated()]).seconds


def meals(count: int) -> Table:
    """Whole meals: simulated time by wall time."""
    table = Table("plate", "method", "simulated, s", "wall, s", "times faster", "least", title="A meal of five bites")
    modules = Modules.load()
    for plate in ("savory salad", "thanksgiving"):
        for method in METHODS[:1]:
            timed = TimedCalls()
            for seed in range(count):
                timed.call(partial(eat, Order(plate=plate, method=method, seed=seed), modules))
            simulated, wall = sum(timed.results), sum(timed.wall_s)
            faster = f"{simulated / wall:.0f}"
            table.add_row(plate, method, f"{simulated / count:.0f}", f"{wall / count:.1f}", faster, "10")
    return table


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--meals", type=int, default=2)
    options = parser.parse_args()
    console = Console()
    console.print(decisions(options.times))
    console.print(meals(options.meals))


if __name__ == "__main__":
    main()
