"""Chance of simulated episodes: policies, own states, costs and answers, drawn before anybody decides.

Everything that chance decides is drawn here, by seed, block and kind of draw. No method has a say in it, so all
methods live through the same episodes, and neither the order of work nor the number of processes changes them.

Random policies are sets of bits, one column per episode: a module's inputs are a bit set over modules, so a forward
pass over a thousand policies is a handful of word operations per module. Nodes are in the order in which they were
made; every input of a node comes before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from handup.lab.cell import Cell, Structure, WorldKind
from handup.policy import Gate, Module, ModuleGraph
from handup.recover import Settings

Matrix = NDArray[np.float64]
Truths = NDArray[np.bool_]
Words = NDArray[np.unsignedinteger]
MOST_ASKED = Settings().max_questions_per_module
"""Most questions about a module, as in a session."""
STATE = 0
"""Node of the state in the replica: it is always right and cannot be asked about."""
GATES = {
    Structure.AND: (Gate.AND, Gate.AND),
    Structure.OR: (Gate.OR, Gate.OR),
    Structure.AND_THEN_OR: (Gate.AND, Gate.OR),
    Structure.OR_THEN_AND: (Gate.OR, Gate.AND),
}
"""Gates of the first and of the second half."""
EDGE = 0.3
"""Probability that a node takes an earlier one as input."""
EDGE_BITS = 20
"""Binary digits of that probability: it is met to 2e-7."""


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
class Wiring:
    """The inputs of every node in every episode.

    Args:
        inputs: Bit sets, indexed by node, word, episode.
        gates: One gate per node, the same in all episodes.
    """

    inputs: Words
    gates: tuple[Gate, ...]

    @property
    def nodes(self) -> int:
        """Number of nodes of each policy."""
        return len(self.inputs)

    @property
    def width(self) -> int:
        """Bits per word."""
        return self.inputs.dtype.itemsize * 8

    def pick(self, episodes: NDArray[np.intp]) -> Wiring:
        """Return the wiring of some of the episodes."""
        return Wiring(self.inputs[:, :, episodes], self.gates)

    def bit(self, node: int) -> tuple[int, np.unsignedinteger]:
        """Return the index of the word that holds a node's bit, and the word with that bit alone."""
        word, place = divmod(node, self.width)
        return word, self.inputs.dtype.type(1 << place)

    def packed(self, members: NDArray[np.bool_]) -> Words:
        """Bit sets from truth values indexed by node and episode."""
        found = np.zeros(self.inputs.shape[1:], dtype=self.inputs.dtype)
        for node in range(self.nodes):
            word, bit = self.bit(node)
            found[word] |= members[node] * bit
        return found

    def unpacked(self, sets: Words) -> NDArray[np.bool_]:
        """Truth values, indexed by node and episode, from bit sets."""
        dtype = self.inputs.dtype
        places = (np.arange(self.nodes) % self.width).astype(dtype)[:, None]
        words = sets[0][None] if len(sets) == 1 else sets[np.arange(self.nodes) // self.width]
        return ((words >> places) & dtype.type(1)).astype(np.bool_)

    def outputs(self, works: Words, told: Words | None = None, told_right: Words | None = None) -> Words:
        """Return the nodes whose outputs are right: they work on satisfied gates, or a right answer replaces them.

        Args:
            works: Nodes whose own state is right.
            told: Nodes whose output is replaced by an answer; none where not given.
            told_right: Those of them whose answer is right.
        """
        right = np.zeros_like(works)
        for node in range(self.nodes):
            word, bit = self.bit(node)
            taken = self.inputs[node]
            if self.gates[node] is Gate.AND:
                satisfied = _is_empty(taken & ~right)
            else:
                satisfied = ~_is_empty(taken & right) | _is_empty(taken)
            good = works[word] & (satisfied * bit)
            if told is not None and told_right is not None:
                good = (good & ~told[word]) | (told_right[word] & bit)
            right[word] |= good
        return right

    def downstream(self, start: Words) -> Words:
        """Every node that a set of nodes feeds, directly or through others; the start is not included."""
        reached = start.copy()
        for node in range(1, self.nodes):
            word, bit = self.bit(node)
            reached[word] |= ~_is_empty(self.inputs[node] & reached) * bit
        return np.asarray(reached & ~start)

    def positions(self) -> NDArray[np.int32]:
        """Each node's place in the topological order (Kahn's, by insertion), indexed by node and episode.

        A node joins the queue when the last of its inputs leaves it; those that join together are in node order.
        So the next to leave is the one with the least key, turn of joining times nodes plus node.
        """
        nodes, words, episodes = self.inputs.shape
        kind = np.dtype(np.int16 if nodes * (nodes + 1) < 2**15 else np.int32)
        never = nodes * nodes + nodes
        numbers = np.arange(nodes, dtype=kind)[:, None]
        keys = np.full((nodes, episodes), never, dtype=kind)
        waiting = np.ones((nodes, episodes), dtype=np.bool_)
        found = np.empty((nodes, episodes), dtype=np.int32)
        still_in = np.full((words, episodes), ~self.inputs.dtype.type(0))
        columns = np.arange(episodes)
        first = 0  # before this node, all have joined
        for turn in range(nodes):
            while first < nodes and not waiting[first].any():
                first += 1
            rest = slice(first, nodes)
            ready = waiting[rest] & _is_empty((self.inputs[rest] & still_in).swapaxes(0, 1))
            waiting[rest] ^= ready
            np.copyto(keys[rest], numbers[rest] + turn * nodes, where=ready)
            node = (keys.min(axis=0) % nodes).astype(np.intp)
            keys[node, columns] = never
            found[node, columns] = turn
            still_in[node // self.width, columns] ^= self.inputs.dtype.type(1) << (node % self.width).astype(
                self.inputs.dtype
            )
        return found

    def graph(self, episode: int, confidences: NDArray[np.float64], query_costs: NDArray[np.float64]) -> ModuleGraph:
        """One episode's policy; confidences and costs are in topological order."""
        taken = self.unpacked_inputs(episode)
        place = self.pick(np.array([episode])).positions()[:, 0]
        names = [f"m{node}" for node in range(self.nodes)]
        return ModuleGraph(
            Module(
                names[node],
                float(confidences[place[node]]),
                float(query_costs[place[node]]),
                tuple(names[source] for source in np.flatnonzero(taken[node])),
                self.gates[node],
            )
            for node in range(self.nodes)
        )

    def unpacked_inputs(self, episode: int) -> NDArray[np.bool_]:
        """Return a matrix of the nodes whose outputs each node takes, in one episode."""
        return np.array([self.unpacked(self.inputs[node][:, [episode]])[:, 0] for node in range(self.nodes)])


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
        names = (f"m{module}" for module in range(len(self.works)))
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


def random_wiring(nodes: int, structure: Structure, episodes: int, random: np.random.Generator) -> Wiring:
    """Policies as the paper's simulation draws them; its text leaves the rules open, so they are stated here.

    Node 0 takes the state. Each later node takes every earlier one with probability `EDGE`, or one drawn uniformly
    where that gives none. The last node takes all that feed nobody. In half-and-half structures the first half is a
    policy of its own, whose last node collects what is open there and is the only link to the second half.
    """
    dtype: np.dtype[np.unsignedinteger] = np.dtype(
        np.uint16 if nodes <= 16 else np.uint32 if nodes <= 32 else np.uint64
    )
    width = dtype.itemsize * 8
    words = -(-nodes // width)
    if structure is Structure.CHAIN:
        chain = np.zeros((nodes, words, episodes), dtype=dtype)
        for node in range(1, nodes):
            chain[node, (node - 1) // width] = dtype.type(1 << (node - 1) % width)
        return Wiring(chain, (Gate.AND,) * nodes)
    top, bottom = GATES[structure]
    link = max(nodes // 2 - 1, 0) if top is not bottom else 0
    inputs = _coins((nodes, words, episodes), dtype, random)
    spare = random.random((nodes, episodes), dtype=np.float32)
    taken = np.zeros((words, episodes), dtype=dtype)
    collecting = {nodes - 1, link} - {0}
    inputs[0] = 0
    for node in range(1, nodes):
        first = link if node > link else 0
        allowed = _span(first, node, words, dtype)
        if node in collecting:
            inputs[node] = ~taken & allowed
        else:
            inputs[node] &= allowed
            bare = np.flatnonzero(_is_empty(inputs[node]))
            drawn = first + (spare[node, bare] * (node - first)).astype(np.intp)
            inputs[node, drawn // width, bare] = dtype.type(1) << (drawn % width).astype(dtype)
        taken |= inputs[node]
    return Wiring(inputs, tuple(top if node <= link else bottom for node in range(nodes)))


def _coins(shape: tuple[int, ...], dtype: np.dtype[np.unsignedinteger], random: np.random.Generator) -> Words:
    """Words whose bits are 1 with probability `EDGE`: its binary digits, read from the last, choose and or or."""
    digits = round(EDGE * (1 << EDGE_BITS))
    count = int(np.prod(shape))
    found = np.zeros(-(-count * dtype.itemsize // 8), dtype=np.uint64)
    for place in range(EDGE_BITS):
        fresh = random.integers(0, 2**64 - 1, size=len(found), dtype=np.uint64, endpoint=True)
        if digits >> place & 1:
            found |= fresh
        else:
            found &= fresh
    return found.view(dtype)[:count].reshape(shape)


def _span(first: int, end: int, words: int, dtype: np.dtype[np.unsignedinteger]) -> Words:
    """The nodes from first up to, but not with, end."""
    width = dtype.itemsize * 8
    members = (1 << end) - (1 << first)
    return np.array([[members >> width * word & ((1 << width) - 1)] for word in range(words)], dtype=dtype)


def _is_empty(sets: Words) -> NDArray[np.bool_]:
    """Return a truth value for each bit set: it has no member."""
    if len(sets) == 1:
        return np.asarray(sets[0] == 0)
    return np.asarray(np.bitwise_or.reduce(sets, axis=0) == 0)
