"""Chance of simulated episodes: policies, own states, costs and answers, drawn before anybody decides.

Everything that chance decides is drawn here, by seed, block and kind of draw. No method has a say in it, so all
methods live through the same episodes, and neither the order of work nor the number of processes changes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from handup.lab.cell import Cell, Structure, WorldKind
from handup.lab.random_policies import Wiring, random_wiring
from handup.policy import Module, ModuleGraph
from handup.recover import Settings

Matrix = NDArray[np.float64]
Truths = NDArray[np.bool_]
MOST_ASKED = Settings().max_questions_per_module
"""Most questions about a module, as in a session."""
STATE = 0
"""Node of the state in the replica: it is always right and cannot be asked about."""


class Draw(IntEnum):
    """The kinds of draws; each has a stream of its own, so that changing one setting leaves the others alone."""

    WIRING = 0
    LOW = 1
    COST = 2
    STATE = 3
    LUCK = 4


def stream(seed: int, block: int, kind: Draw) -> np.random.Generator:
    """The random numbers of one kind for one block of episodes."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(block, kind))))


def block_sizes(episodes: int, nodes: int) -> Iterator[int]:
    """Episodes in blocks that fit into a processor's cache."""
    most = max(256, min(8192, 100_000 // nodes))
    for first in range(0, episodes, most):
        yield min(most, episodes - first)


@dataclass(frozen=True, eq=False)
class EpisodeBlock:
    """Some episodes of a cell; arrays are indexed by module, in topological order, and episode.

    In the replica they are indexed by node, the state first, in the order of making; luck by time step and episode.

    Args:
        confidences: Probability that each module works.
        query_costs: What a question about it costs.
        works: Whether it does.
        luck: For each nth question about a module, a uniform number: the answer is right where it is below c_e.
        wiring: The policies; None where every module is needed, whatever the wiring.
        given: The one policy of all episodes, where a user gave it.
    """

    confidences: Matrix
    query_costs: Matrix
    works: Truths
    luck: Matrix
    wiring: Wiring | None = None
    given: ModuleGraph | None = None

    def __len__(self) -> int:
        return len(self.works[0])

    @property
    def modules(self) -> int:
        """Number of modules of each policy."""
        return len(self.works)

    @property
    def is_series(self) -> bool:
        """True if every module is needed."""
        return self.wiring is None if self.given is None else self.given.is_series

    @cached_property
    def positions(self) -> NDArray[np.int32]:
        """Place of each node in topological order."""
        assert self.wiring is not None
        return self.wiring.positions()

    def graph(self, episode: int) -> ModuleGraph:
        """Return the policy of one episode."""
        if self.given is not None:
            return self.given
        confidences, costs = self.confidences[:, episode], self.query_costs[:, episode]
        if self.wiring is not None:
            return self.wiring.graph(episode, confidences, costs)
        names = (f"m{module}" for module in range(self.modules))
        return ModuleGraph.chain(map(Module, names, confidences.tolist(), costs.tolist()))

    def succeeds(self, works: Truths, episodes: NDArray[np.intp]) -> Truths:
        """Return whether acting succeeds with these own states, for some of the episodes."""
        if self.is_series:
            return np.asarray(works.all(axis=0))
        if self.given is not None:
            return self.given.circuit.evaluate(works.astype(np.uint8)).astype(np.bool_)
        assert self.wiring is not None
        wiring = self.wiring.pick(episodes)
        own = np.take_along_axis(works, self.positions[:, episodes], axis=0)
        word, bit = wiring.bit(wiring.nodes - 1)
        return np.asarray(wiring.outputs(wiring.packed(own))[word] & bit != 0)


def blocks(cell: Cell) -> Iterator[EpisodeBlock]:
    """The episodes of a cell, block by block."""
    return (_block(cell, number, size) for number, size in enumerate(block_sizes(cell.episodes, cell.modules)))


def _block(cell: Cell, number: int, size: int) -> EpisodeBlock:
    replica = cell.world is WorldKind.REPLICA
    shape, draw = (cell.askable, size), partial(stream, cell.seed, number)
    high, low = cell.confidences
    confidences = np.where(low_modules(shape, cell.lows, draw(Draw.LOW)), low, high)
    costs = query_costs(cell, shape, draw(Draw.COST))
    works = draw(Draw.STATE).random(shape) < confidences
    if replica:
        confidences = np.insert(confidences, STATE, 1.0, axis=0)
        costs = np.insert(costs, STATE, 0.0, axis=0)
        works = np.insert(works, STATE, True, axis=0)
    wiring = None
    if replica or cell.structure not in (Structure.AND, Structure.CHAIN):
        wiring = random_wiring(cell.modules, cell.structure, size, draw(Draw.WIRING))
    turns = (cell.horizon, size) if replica else (MOST_ASKED, *shape)
    return EpisodeBlock(confidences, costs, works, luck(cell.expert, turns, draw(Draw.LUCK)), wiring)


def blocks_of(graph: ModuleGraph, *, episodes: int, seed: int = 0, expert: float = 1.0) -> Iterator[EpisodeBlock]:
    """Episodes of one given policy: only own states and answers differ between them."""
    modules = len(graph)
    for number, size in enumerate(block_sizes(episodes, modules)):
        shape = (modules, size)
        confidences = np.broadcast_to(graph.confidences[:, None], shape)
        yield EpisodeBlock(
            confidences=confidences,
            query_costs=np.broadcast_to(graph.query_costs[:, None], shape),
            works=stream(seed, number, Draw.STATE).random(shape) < confidences,
            luck=luck(expert, (MOST_ASKED, *shape), stream(seed, number, Draw.LUCK)),
            given=graph,
        )


def low_modules(shape: tuple[int, int], count: int, random: np.random.Generator) -> Truths:
    """Exactly so many modules of each episode, drawn uniformly (Floyd's way)."""
    modules, episodes = shape
    low = np.zeros(shape, dtype=np.bool_)
    columns = np.arange(episodes)
    for last in range(modules - count, modules):
        drawn = (random.random(episodes) * (last + 1)).astype(np.intp)
        low[np.where(low[drawn, columns], last, drawn), columns] = True
    return low


def query_costs(cell: Cell, shape: tuple[int, int], random: np.random.Generator) -> Matrix:
    """U[(1-β)Q, (1+β)Q] for each module of each episode."""
    if cell.beta == 0.0:
        return np.full(shape, cell.query_cost)
    return cell.query_cost * (1.0 + cell.beta * (2.0 * random.random(shape) - 1.0))


def luck(expert: float, shape: tuple[int, ...], random: np.random.Generator) -> Matrix:
    """Uniform numbers; with an expert who is always or never right they do not matter."""
    return np.broadcast_to(0.5, shape) if expert in (0.0, 1.0) else random.random(shape)
