"""How fast the plate is: steps and episodes a second of one core, compiled beside its twin in NumPy.

Run it with `python -m benchmarks.plate`. Only processor time counts. An episode is a fresh plate and all its actions,
every fourth a push. To pass, compiled noodles make 8,000 steps and 1.5 episodes a second.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import track
from rich.table import Table

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.noodle_physics import has_compiler
from handup.domains.plate.noodles import Noodles
from handup.domains.plate.primitives import PlatePrimitive

FIRST_SEED = 900_000
err = Console(stderr=True)


def episode(engine: Noodles, seed: int, actions: int) -> None:
    """Clear a fresh plate, or begin to."""
    world = ClearingWorld(engine, seed=seed)
    while not world.over and world.actions < actions:
        world.act(PlatePrimitive.GROUP if world.actions % 4 == 3 else PlatePrimitive.ACQUIRE)


def noodles(episodes: int) -> Table:
    """Noodles, compiled and in NumPy; the second does only the first two actions of one plate."""
    table = Table(
        "noodles", "steps", "steps a second", "episodes a second", "to pass", title="One core, processor time"
    )
    ways: list[tuple[str, bool, int, int]] = [("in NumPy, 2 actions", False, 1, 2)]
    if has_compiler():
        ways.insert(0, ("compiled", True, episodes, PLATE_ACTIONS))
    for name, compiled, count, actions in ways:
        engine = Noodles(compiled=compiled)
        if compiled:
            episode(engine, FIRST_SEED - 1, 1)  # compiles, or reads what was compiled
        steps, began_s = engine.steps, time.process_time()
        for seed in track(range(FIRST_SEED, FIRST_SEED + count), name, console=err, transient=True):
            episode(engine, seed, actions)
        took_s, steps = time.process_time() - began_s, engine.steps - steps
        whole = f"{count / took_s:.2f}" if actions == PLATE_ACTIONS else "–"
        table.add_row(name, f"{steps:,}", f"{steps / took_s:,.0f}", whole, "8,000; 1.5" if compiled else "–")
    return table


PLATE_ACTIONS = Noodles.food.actions
TABLES: tuple[Callable[[int], Table], ...] = (noodles,)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="Episodes of each engine. Default: 20.")
    arguments = parser.parse_args()
    console = Console(file=sys.stdout)
    for table in TABLES:
        console.print(table(arguments.episodes))


if __name__ == "__main__":
    main()
