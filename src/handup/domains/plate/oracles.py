"""Oracles: what could be reached by somebody who knows the simulator. For targets, labels, and a person who answers.

The clairvoyant knows the noise of the arm, too: an upper bound, never a target. The fair oracle knows the true state,
and draws fresh noise: its gain over acquiring alone is the 100 % of every target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.policies import LETTERS
from handup.domains.plate.primitives import PlateOutcome, PlatePrimitive

DRAWS = 6
"""Roll-outs of each opening."""
OPENINGS = ("a", "g", "gg")
"""Openings that a roll-out tries, before it acquires until the actions are used up."""


@dataclass(frozen=True, kw_only=True)
class OpeningValue:
    """Value of an opening, by roll-outs.

    Args:
        opening: Its letters.
        mean: Mean share of the full plate that is picked up from now on.
        error: Standard error of the mean.
        shares: Share of each roll-out. Openings have their draws in common, so the shares can be paired.
    """

    opening: str
    mean: float
    error: float
    shares: tuple[float, ...] = ()


def opening_values(
    world: ClearingWorld, *, draws: int = DRAWS, openings: Sequence[str] = OPENINGS
) -> tuple[OpeningValue, ...]:
    """Return the value of each opening, all with the same draws of noise, none of which is the plate's own.

    Args:
        world: The plate; it stays as it is.
        draws: Number of roll-outs of each.
        openings: Letters of each; those longer than the actions that are left are left out.
    """
    left = world.food.actions - world.actions
    values = []
    for opening in (opening for opening in openings if len(opening) <= left):
        shares = np.array([_rolled_out(world, opening, draw) for draw in range(draws)])
        error = float(shares.std(ddof=1) / np.sqrt(draws)) if draws > 1 else 0.0
        values.append(
            OpeningValue(opening=opening, mean=float(shares.mean()), error=error, shares=tuple(shares.tolist()))
        )
    return tuple(values)


def _rolled_out(world: ClearingWorld, opening: str, draw: int) -> float:
    twin = world.copy(noise_seed=_fresh(world, draw))
    before = twin.engine.left()
    lost = 0.0
    for letter in opening:
        lost += twin.act(LETTERS[letter]).moved.lost
    while not twin.over:
        lost += twin.act(PlatePrimitive.ACQUIRE).moved.lost
    return before - twin.engine.left() - lost


def _fresh(world: ClearingWorld, draw: int) -> int:
    """Return a seed of noise of its own for a plate, a moment and a draw."""
    return int(np.random.SeedSequence((world.seed, 2, world.actions, draw)).generate_state(1)[0])


def clear_fairly(world: ClearingWorld, *, draws: int = DRAWS) -> tuple[PlateOutcome, ...]:
    """Clear a plate by the best opening at each moment, valued by roll-outs with fresh noise."""
    outcomes = []
    while not world.over:
        best = max(opening_values(world, draws=draws), key=lambda value: value.mean)
        outcomes.append(world.act(LETTERS[best.opening[0]]))
    return tuple(outcomes)


def clear_knowing(world: ClearingWorld, *, beam: int = 4) -> float:
    """Return the largest share that a beam search finds with the true noise.

    Args:
        world: The plate; it stays as it is.
        beam: Number of plates that are kept after each action, those with the least left, each number of pushes once.
    """
    plates = [(world.copy(), 0, 0.0)]
    while not plates[0][0].over:
        tried = []
        for plate, pushes, taken in plates:
            for primitive in PlatePrimitive:
                twin = plate.copy()
                moved = twin.act(primitive).moved
                tried.append((twin, pushes + (primitive is PlatePrimitive.GROUP), taken + moved.taken))
        tried.sort(key=lambda entry: -entry[2])
        kept: dict[int, int] = {}
        plates = []
        for entry in tried:
            kept[entry[1]] = kept.get(entry[1], 0) + 1
            if kept[entry[1]] <= beam:
                plates.append(entry)
        live = [entry for entry in plates if not entry[0].over]
        if not live:
            break
    return max(taken for _, _, taken in plates)
