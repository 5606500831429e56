"""How fast beans move, and whether nothing is lost, unstable or different when it is done again."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from rich.console import Console
from rich.table import Table

from handup.domains.plate.beans import BeanEngine
from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.primitives import PlatePrimitive
from handup.lab.bench.harness import TimedCalls

SEQUENCES = {"acquire only": "A", "alternate": "GA", "group only": "G"}
FIRST_SEED = 910_000
"""Tuning plates begin here."""


@dataclass(frozen=True, kw_only=True)
class BeanEpisode:
    """What came of a plate.

    Args:
        steps: Physics steps.
        cleared: Beans that were taken.
        pushes: Number of pushes.
        lost: Beans lost in scoops and in pushes.
        unstable: Motions that were rolled back.
        plate: All that the engine holds at the end.
    """

    steps: int
    cleared: int
    pushes: int
    lost: tuple[int, int]
    unstable: int
    plate: bytes


def bean_episode(seed: int, sequence: str) -> BeanEpisode:
    """Clear a plate by a sequence that is repeated, with the masks and aims of `ClearingWorld.act`."""
    engine = BeanEngine()
    world = ClearingWorld(engine, seed=seed)
    lost, cleared, unstable, pushes = {"A": 0, "G": 0}, 0, 0, 0
    while not world.over:
        letter = sequence[world.actions % len(sequence)]
        moved = world.act(PlatePrimitive.GROUP if letter == "G" else PlatePrimitive.ACQUIRE).moved
        lost[letter] += round(moved.lost * engine.physics.beans)
        cleared += round(moved.taken * engine.physics.beans)
        unstable, pushes = unstable + moved.unstable, pushes + (letter == "G")
    plate = b"".join(array.tobytes() for array in engine.arrays().values())
    return BeanEpisode(
        steps=engine.steps, cleared=cleared, pushes=pushes, lost=(lost["A"], lost["G"]), unstable=unstable, plate=plate
    )


def beans(seeds: Iterable[int], *, again: bool = True) -> Table:
    """Clear plates by each sequence; with `again` twice, to compare."""
    title = "15 beans, 8 actions, processor time of one core (must: 15,000 steps/s, 2.5 episodes/s)"
    heads = ("sequence", "steps/s", "episodes/s", "cleared", "lost a scoop", "lost a push", "unstable", "replay equal")
    table = Table(*heads, title=title)
    for name, sequence in SEQUENCES.items():
        timed, equal = TimedCalls(), 0
        for seed in seeds:
            timed.call(partial(bean_episode, seed, sequence))
            equal += not again or bean_episode(seed, sequence) == timed.results[-1]
        episodes: list[BeanEpisode] = timed.results
        count, seconds = len(episodes), sum(timed.processor_s)
        pushes = sum(episode.pushes for episode in episodes)
        scoops = 8 * count - pushes
        table.add_row(
            name,
            f"{sum(episode.steps for episode in episodes) / seconds:,.0f}",
            f"{count / seconds:.1f}",
            f"{sum(episode.cleared for episode in episodes) / 15 / count:.3f}",
            f"{sum(episode.lost[0] for episode in episodes) / max(scoops, 1):.3f}",
            f"{sum(episode.lost[1] for episode in episodes) / max(pushes, 1):.3f}",
            str(sum(episode.unstable for episode in episodes)),
            f"{equal} of {count}" if again else "not asked",
        )
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plates", type=int, default=30, help="Number of plates for each sequence.")
    parser.add_argument("--once", action="store_true", help="Do not clear each plate a second time to compare.")
    arguments = parser.parse_args()
    plates = range(FIRST_SEED, FIRST_SEED + arguments.plates)
    Console().print(beans(plates, again=not arguments.once))
