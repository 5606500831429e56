"""Oracles: what could be reached by somebody who knows the simulator. For targets, labels, and a person who answers.

The clairvoyant knows the noise of the arm, too: an upper bound, never a target. The fair oracle knows the true state,
and draws fresh noise: its gain over acquiring alone is the 100 % of every target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.policies import (
    BEST_RULE,
    LETTERS,
    TUNED,
    FixedSequence,
    PlatePolicy,
    PlateSight,
    clear,
    cleared,
)
from handup.domains.plate.primitives import Floats, Mask, PlateOutcome, PlatePrimitive

DRAWS = 12
"""Roll-outs of each opening."""
OPENINGS = ("a", "g", "gg")
"""Openings that a roll-out tries."""
ALONE = FixedSequence()
"""Acquisitions alone."""
CLEARLY, NOISE = 2.5, 0.5
"""Standard errors of a paired difference from which on a primitive is clearly better, and better by more than noise."""
TINY = 1e-9
"""Least standard error of shares."""


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

    @property
    def draws(self) -> int:
        """Number of roll-outs."""
        return len(self.shares)

    @classmethod
    def of(cls, opening: str, shares: Floats) -> OpeningValue:
        """Return the value of an opening whose roll-outs picked up these shares."""
        error = float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else 0.0
        return cls(opening=opening, mean=float(shares.mean()), error=error, shares=tuple(shares.tolist()))


def opening_values(
    world: ClearingWorld, *, draws: int = DRAWS, openings: Sequence[str] = OPENINGS, after: PlatePolicy = ALONE
) -> tuple[OpeningValue, ...]:
    """Return the value of each opening, all with the same draws of noise, none of which is the plate's own.

    Args:
        world: The plate; it stays as it is.
        draws: Number of roll-outs of each.
        openings: Letters of each; those longer than the actions that are left are left out.
        after: Policy that goes on after an opening. It sees what was done since, and nothing from before.
    """
    left = world.food.actions - world.actions
    tried = [opening for opening in openings if len(opening) <= left]
    return tuple(OpeningValue.of(opening, _shares(world, opening, range(draws), after)) for opening in tried)


def ranked_letters(
    world: ClearingWorld, *, draws: int = DRAWS, after: PlatePolicy | None = None
) -> tuple[OpeningValue, ...]:
    """Return the values of acquiring and of pushing next, the better one first; at the last action only of acquiring.

    Both get half of the draws, and the other half unless one is clearly better by then. What the policy after them
    would do comes first unless the other one is better by more than noise: few draws choose by chance where it hardly
    matters. The draws are those of `opening_values`.

    Args:
        world: The plate; it stays as it is.
        draws: Roll-outs of each at most, at least 4.
        after: Policy that goes on; by default the best tuned rule. If roll-outs only acquired, a push now would be
            compared with none at all, and not with a later one.
    """
    left = world.food.actions - world.actions
    if left < 2:
        return (OpeningValue(opening="a", mean=0.0, error=0.0),)
    after = after or TUNED[world.food][BEST_RULE[world.food]]
    usual = after.choose(PlateSight(masks=(world.mask(),), done=(), left=left)).value[0]
    other = "g" if usual == "a" else "a"
    shares = {letter: _shares(world, letter, range(draws // 2), after) for letter in (usual, other)}
    if abs(_gap(shares[other], shares[usual])) < CLEARLY:
        more = range(draws // 2, draws)
        shares = {letter: np.append(shares[letter], _shares(world, letter, more, after)) for letter in shares}
    ranked = (other, usual) if _gap(shares[other], shares[usual]) > NOISE else (usual, other)
    return tuple(OpeningValue.of(letter, shares[letter]) for letter in ranked)


def _gap(shares: Floats, others: Floats) -> float:
    """Return the mean of paired differences in standard errors; 0 where all are 0."""
    gap = shares - others
    error = float(gap.std(ddof=1)) / math.sqrt(len(gap))
    return float(gap.mean()) / max(error, TINY)


def _shares(world: ClearingWorld, opening: str, draws: range, after: PlatePolicy) -> Floats:
    return np.array([_rolled_out(world, opening, draw, after) for draw in draws])


def _rolled_out(world: ClearingWorld, opening: str, draw: int, after: PlatePolicy) -> float:
    twin = world.copy(noise_seed=_fresh(world, draw))
    outcomes = [twin.act(LETTERS[letter]) for letter in opening if not twin.over]
    return cleared(outcomes) + cleared(clear(twin, after))


def _fresh(world: ClearingWorld, draw: int) -> int:
    """Return a seed of noise of its own for a plate, a moment and a draw."""
    return int(np.random.SeedSequence((world.seed, 2, world.actions, draw)).generate_state(1)[0])


def clear_fairly(
    world: ClearingWorld, *, draws: int = DRAWS, after: PlatePolicy | None = None
) -> tuple[PlateOutcome, ...]:
    """Clear a plate by what `ranked_letters` ranks first at each moment."""
    outcomes = []
    while not world.over:
        best = ranked_letters(world, draws=draws, after=after)[0]
        outcomes.append(world.act(LETTERS[best.opening]))
    return tuple(outcomes)


class PlateTree:
    """A plate and all that was tried on it with its own noise: what policies have in common is simulated once.

    Args:
        world: The plate; it stays as it is.
    """

    def __init__(self, world: ClearingWorld) -> None:
        self._nodes = {"": _Node(world=world.copy(), mask=world.mask(), taken=0.0, lost=0.0, unstable=0)}

    def node(self, letters: str) -> _Node:
        """Return what there is after some actions, with the letters of `FixedSequence`. Change nothing in it."""
        if letters not in self._nodes:
            before = self.node(letters[:-1])
            world = before.world.copy()
            moved = world.act(LETTERS[letters[-1]]).moved
            self._nodes[letters] = _Node(
                world=world,
                mask=world.mask(),
                taken=before.taken + moved.taken,
                lost=before.lost + moved.lost,
                unstable=before.unstable + moved.unstable,
            )
        return self._nodes[letters]

    def letters(self, policy: PlatePolicy) -> str:
        """Return what a policy does on this plate until it is over."""
        done = ""
        while not (node := self.node(done)).world.over:
            sight = PlateSight(
                masks=tuple(self.node(done[:number]).mask for number in range(len(done) + 1)),
                done=tuple(LETTERS[letter] for letter in done),
                left=node.world.food.actions - node.world.actions,
            )
            done += policy.choose(sight).value[0]
        return done

    def taken(self, letters: str) -> float:
        """Return the share of the full plate that these actions pick up."""
        return self.node(letters).taken


@dataclass(frozen=True, kw_only=True)
class _Node:
    """A plate after some actions, and the shares that were taken and lost by them."""

    world: ClearingWorld
    mask: Mask
    taken: float
    lost: float
    unstable: int


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
