"""Recorded plates to learn from: `python -m train.plate --only episodes,branches --food beans`.

Random episodes group with a probability of their own, .15 to .75. Branches are pairs: a plate is played at random up to
some action, and from there once with an acquisition and once with a push, each followed by a policy, with fresh noise.
Both kinds are stored as episodes, masks of 64 × 64 as bits. Files hold a block of plates each; a block that is there is
not played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handup.domains.plate.clearing_world import ClearingWorld
from handup.domains.plate.engines import engine_of
from handup.domains.plate.low_level import PIXELS
from handup.domains.plate.policies import FixedSequence, PlatePolicy, PlateSight
from handup.domains.plate.primitives import Mask, PlateFood, PlatePrimitive

PRIMITIVES = tuple(PlatePrimitive)
SHARES = (0.15, 0.75)
"""Range of the probability of a push in a random episode."""
BLOCK = 50
"""Plates in one file."""
FRESH = 3
"""Kind of chance: what is drawn while recording, apart from the plate and the noise of its arm."""


@dataclass(frozen=True, kw_only=True)
class Episodes:
    """Played plates, n of them, of at most T actions.

    Args:
        seeds: Seed of each plate.
        masks: Masks before each action and after the last one, n × (T + 1) × 512 bytes of bits; nothing after the end.
        done: Number of the primitive, n × T; -1 after the end.
        taken: Share of the full plate that each action picked up, n × T.
        branched: Action at which a pair parts, the first of the two with an acquisition; T in a random episode.
    """

    seeds: NDArray[np.int64]
    masks: NDArray[np.uint8]
    done: NDArray[np.int8]
    taken: NDArray[np.float32]
    branched: NDArray[np.int8]

    @classmethod
    def read(cls, paths: Iterable[Path]) -> Self:
        """Return the episodes of these files, one after the other."""
        files = [np.load(path) for path in paths]
        return cls(**{name.name: np.concatenate([file[name.name] for file in files]) for name in fields(cls)})

    def write(self, path: Path) -> None:
        """Write a file; it appears once it is whole."""
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, **{name.name: getattr(self, name.name) for name in fields(self)})
        part.replace(path)

    def mask(self, episode: int, action: int) -> Mask:
        """Return the mask before an action."""
        return np.unpackbits(self.masks[episode, action]).reshape(PIXELS, PIXELS).astype(np.bool_)


class _Recorder:
    """One plate while it is played; it can be taken twice from any action on."""

    def __init__(self, world: ClearingWorld) -> None:
        self.world = world
        self.masks: list[Mask] = [world.mask()]
        self.done: list[PlatePrimitive] = []
        self.taken: list[float] = []

    def play(self, policy: PlatePolicy, actions: int | None = None) -> None:
        """Go on until this many actions are done in all, or to the end."""
        most = self.world.food.actions if actions is None else actions
        while not self.world.over and self.world.actions < most:
            left = self.world.food.actions - self.world.actions
            sight = PlateSight(masks=tuple(self.masks), done=tuple(self.done), left=left)
            outcome = self.world.act(policy.choose(sight))
            self.done.append(outcome.primitive)
            self.taken.append(outcome.moved.taken)
            self.masks.append(self.world.mask())

    def branch(self, noise_seed: int) -> _Recorder:
        """Return the same plate with other noise from now on."""
        twin = object.__new__(type(self))
        twin.world = self.world.copy(noise_seed)
        twin.masks, twin.done, twin.taken = [*self.masks], [*self.done], [*self.taken]
        return twin


@dataclass(frozen=True)
class _Then:
    """A primitive at one action, and before and after it what a policy says."""

    at: int
    primitive: PlatePrimitive
    policy: PlatePolicy

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        return self.primitive if len(sight.done) == self.at else self.policy.choose(sight)


@dataclass(frozen=True)
class _Chance:
    """Pushes by chance; where it does not, it follows a policy."""

    random: np.random.Generator
    share: float
    policy: PlatePolicy

    def choose(self, sight: PlateSight) -> PlatePrimitive:
        return PlatePrimitive.GROUP if self.random.random() < self.share else self.policy.choose(sight)


def record(folder: Path, name: str, first: int, plates: int, play: Callable[[range], Episodes]) -> list[Path]:
    """Play blocks of plates that are not there yet, and return the files of all.

    Args:
        folder: Place of the files.
        name: First word of their names.
        first: Seed of the first plate.
        plates: Number of plates, in whole blocks.
        play: Plays the plates with these seeds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for seed in range(first, first + plates, BLOCK):
        paths.append(folder / f"{name}-{seed}.npz")
        if not paths[-1].exists():
            play(range(seed, seed + BLOCK)).write(paths[-1])
    return paths


def random_episodes(food: PlateFood, seeds: Iterable[int]) -> Episodes:
    """Play plates at random to the end."""
    recorders = []
    for _, random, world in _plates(food, seeds):
        recorder = _Recorder(world)
        recorder.play(_Chance(random, random.uniform(*SHARES), FixedSequence()))
        recorders.append((recorder, food.actions))
    return _packed(food, recorders)


def branches(food: PlateFood, seeds: Iterable[int], follow: PlatePolicy | None = None) -> Episodes:
    """Play pairs of each plate that part at some action, two after the other.

    Args:
        food: The food.
        seeds: Plates.
        follow: Policy after the parting, and where chance does not push before it; acquisitions alone if left out.
    """
    policy = follow or FixedSequence()
    recorders = []
    for seed, random, world in _plates(food, seeds):
        at = int(random.integers(food.actions - 1))
        # A policy that knows when to push is disturbed less, so that the plates are those that it sees.
        share = random.uniform(*SHARES) if follow is None else random.choice([0.0, 0.15, 0.4])
        recorder = _Recorder(world)
        recorder.play(_Chance(random, share, policy), at)
        if world.over:
            continue
        for primitive in PRIMITIVES:
            fresh = np.random.SeedSequence((seed, FRESH, PRIMITIVES.index(primitive))).generate_state(1)
            branch = recorder.branch(int(fresh[0]))
            branch.play(_Then(at, primitive, policy))
            recorders.append((branch, at))
    return _packed(food, recorders)


def _plates(food: PlateFood, seeds: Iterable[int]) -> Iterator[tuple[int, np.random.Generator, ClearingWorld]]:
    engine = engine_of(food)
    for seed in seeds:
        yield seed, np.random.default_rng((seed, FRESH)), ClearingWorld(engine, seed=seed)


def _packed(food: PlateFood, recorders: list[tuple[_Recorder, int]]) -> Episodes:
    count, actions = len(recorders), food.actions
    masks = np.zeros((count, actions + 1, PIXELS * PIXELS // 8), np.uint8)
    done, taken = np.full((count, actions), -1, np.int8), np.zeros((count, actions), np.float32)
    for row, (recorder, _) in enumerate(recorders):
        masks[row, : len(recorder.masks)] = [np.packbits(mask) for mask in recorder.masks]
        done[row, : len(recorder.done)] = [PRIMITIVES.index(primitive) for primitive in recorder.done]
        taken[row, : len(recorder.taken)] = recorder.taken
    return Episodes(
        seeds=np.array([recorder.world.seed for recorder, _ in recorders], np.int64),
        masks=masks,
        done=done,
        taken=taken,
        branched=np.array([at for _, at in recorders], np.int8),
    )
