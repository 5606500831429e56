"""The replica for thousands of episodes at once, on bit sets. `stepper.py` says in plain words what it does."""

from __future__ import annotations

from copy import copy

import numpy as np

from handup.core import objective_of
from handup.lab.batch import Indices
from handup.lab.cell import Cell, Structure
from handup.lab.episodes import Episodes
from handup.lab.replica import ReplicaRules
from handup.lab.world import STATE, EpisodeBlock, Matrix, Truths, Words, blocks
from handup.policy import Gate
from handup.what.base import TIE
from handup.what.sets import LEAST

NONE = -1


def simulate_replica(cell: Cell) -> Episodes:
    """Live through a cell's episodes."""
    return Episodes.joined(_run_block(cell, block) for block in blocks(cell))


def _run_block(cell: Cell, block: EpisodeBlock) -> Episodes:
    size = len(block)
    recovered = np.zeros(size, dtype=np.bool_)
    load = np.zeros(size)
    questions, executions = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    running = _Running(cell, block)
    for step in range(cell.horizon):
        module = running.next_question()
        right = running.outputs()
        asks = module != NONE
        if asks.any():
            load[running.episode] += np.where(asks, running.query_costs[module, running.columns], 0.0)
            questions[running.episode] += asks
            running.ask(module, asks, right, block.luck[step, running.episode] < cell.expert)
        acts = running.alive & ~asks
        executions[running.episode] += acts
        running.acts += acts
        running.asks_since_act = np.where(asks, running.asks_since_act + 1, 0)
        done = acts & running.succeeds(right)
        recovered[running.episode[done]] = True
        running.alive &= ~done
        if not running.alive.any():
            break
        running = running.packed()
    lost = (questions + executions - recovered).astype(np.float64)
    return Episodes(recovered, load, questions, executions, objective_of(cell.w, load, lost))


class _Running:
    """Episodes that go on, and some that do not any more: the arrays are cut when half of them have ended.

    `keys` hold each node's place in the order times the number of nodes, plus the node: the least one is the first
    in order and names the node.
    """

    def __init__(self, cell: Cell, block: EpisodeBlock) -> None:
        assert block.wiring is not None
        self.cell, self.rules, self.wiring = cell, ReplicaRules.of(cell), block.wiring
        nodes = np.arange(self.wiring.nodes, dtype=np.int32)
        self.keys = self.wiring.positions() * np.int32(len(nodes)) + nodes[:, None]
        self.confidences, self.query_costs = block.confidences, block.query_costs
        prices = self.rules.epsilon * block.query_costs
        askable = nodes[:, None] != STATE
        self.works = self.wiring.packed(block.works)
        self.worth = self.wiring.packed(askable & (prices - (1.0 - block.confidences) < -TIE))
        self.worth_again = self.wiring.packed(askable & (prices - (1.0 - cell.expert) < -TIE))
        self.told, self.told_right = np.zeros_like(self.works), np.zeros_like(self.works)
        self.episode, self.alive = np.arange(len(block)), np.ones(len(block), dtype=np.bool_)
        self.acts, self.asks_since_act = (np.zeros(len(block), dtype=np.intp) for _ in range(2))

    def packed(self) -> _Running:
        """The same episodes, without the ended ones where these are many."""
        if 2 * int(self.alive.sum()) > len(self.alive):
            return self
        kept, cut = np.flatnonzero(self.alive), copy(self)
        cut.wiring = self.wiring.pick(kept)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(cut, name, value[..., kept])
        return cut

    @property
    def columns(self) -> Indices:
        return np.arange(len(self.episode))

    # -- what happens ------------------------------------------------------------------------------------------------

    def outputs(self) -> Words:
        return self.wiring.outputs(self.works, self.told, self.told_right)

    def succeeds(self, right: Words) -> Truths:
        word, bit = self.wiring.bit(self.wiring.nodes - 1)
        return np.asarray(right[word] & bit != 0)

    def ask(self, module: Indices, asks: Truths, right: Words, is_true: Truths) -> None:
        """Take the answers in: the gate on the current inputs, or its opposite."""
        bits = self._bits(module, asks)
        answer = self._gate(module, right) == is_true
        erased = bits
        if self.told.any():
            erased = bits | self.wiring.downstream(bits)
        again = self.told & bits
        self.told = (self.told & ~erased) | (bits & ~again)
        self.told_right = (self.told_right & ~erased) | np.where(answer, bits & ~again, bits.dtype.type(0))

    def _bits(self, module: Indices, asks: Truths) -> Words:
        """Each episode's asked module as a bit set; empty where it does not ask."""
        dtype, width = self.told.dtype, self.wiring.width
        bit = np.where(asks, dtype.type(1) << (module % width).astype(dtype), dtype.type(0))
        return np.where(module // width == np.arange(len(self.told))[:, None], bit, dtype.type(0))

    def _gate(self, module: Indices, right: Words) -> Truths:
        """The asked module's gate on its current inputs."""
        taken = self.wiring.inputs[module, :, self.columns].T
        satisfied = ((taken & ~right) == 0).all(axis=0)
        is_or = np.array([gate is Gate.OR for gate in self.wiring.gates])
        if is_or.any():
            satisfied = np.where(is_or[module], ((taken & right) != 0).any(axis=0), satisfied)
        return np.asarray(satisfied)

    # -- what is decided ---------------------------------------------------------------------------------------------

    def next_question(self) -> Indices:
        rules = self.rules
        asks = self.alive.copy()
        if rules.when == "execute-first":
            asks &= (self.acts > 0) & (self.asks_since_act == 0)
        elif rules.when == "query-then-execute":
            asks &= self.asks_since_act == 0
        elif rules.when == "until-confident":
            asks &= (self.asks_since_act == 0) | ~(self._summed_cost() < 1.0 - rules.tau)
        if not asks.any():
            return np.full(len(asks), NONE)
        module = self._select()
        if rules.when == "workload-aware":
            told = self.wiring.unpacked(self.told)[module, self.columns]
            own = self.confidences[module, self.columns]
            gain = np.where(told, 0.0, self.cell.expert - own)
            asks &= gain >= rules.lambda_ * self.query_costs[module, self.columns] - TIE
        return np.where(asks, module, NONE)

    def _now(self) -> Matrix:
        """Confidences now, without the state."""
        told = self.wiring.unpacked(self.told)
        return np.asarray(np.where(told, self.cell.expert, self.confidences)[1:])

    def _summed_cost(self) -> Matrix:
        now = self._now()
        if self.cell.structure in (Structure.AND, Structure.CHAIN):
            return np.asarray(1.0 - now.prod(axis=0))
        if self.cell.structure is Structure.OR:
            return np.asarray((1.0 - now).sum(axis=0))
        return np.zeros(len(self.episode))

    def _select(self) -> Indices:
        match self.rules.what:
            case "topo":
                return self._first(self._unasked())
            case "confidence":
                return self._first_least(self._now(), np.ones_like(self._unasked()[1:]))
            case "brute-force":
                values = self._values(self.cell.expert)
                return self._first_least(values, np.ones_like(values, dtype=np.bool_))
            case "binary-tree":
                return self._first_least(self._values(1.0), self._unasked()[1:])
            case "graph":
                return self._by_graph()
            case _:
                return np.full(len(self.episode), NONE)

    def _unasked(self) -> Truths:
        unasked = ~self.wiring.unpacked(self.told)
        unasked[STATE] = False
        return unasked

    def _values(self, if_asked: float) -> Matrix:
        """The question's cost and the product objective with this one question."""
        logs = np.log(np.maximum(self._now(), LEAST))
        product = max(if_asked, LEAST) * np.exp(logs.sum(axis=0) - logs)
        return np.asarray(self.query_costs[1:] + 1.0 - product)

    def _by_graph(self) -> Indices:
        fresh = self.worth & ~self.told
        candidates = self.wiring.unpacked(fresh | (self.worth_again & self.told))
        bare = np.flatnonzero((fresh == 0).all(axis=0))
        if len(bare):
            unasked = self._unasked()[:, bare]
            penalty = self.rules.epsilon * self.query_costs[1:, bare] - (1.0 - self.confidences[1:, bare])
            least = self._first_least(penalty, unasked[1:], bare)
            candidates[np.maximum(least, STATE), bare] |= least != NONE
            candidates[:, bare] &= unasked.any(axis=0)
        return self._first(candidates)

    def _first(self, among: Truths, columns: Indices | slice = slice(None)) -> Indices:
        """The first in order of some nodes, or `NONE`."""
        beyond = np.int32(self.wiring.nodes**2)
        least = np.where(among, self.keys[:, columns], beyond).min(axis=0)
        return np.where(least == beyond, NONE, least % self.wiring.nodes).astype(np.intp)

    def _first_least(self, values: Matrix, among: Truths, columns: Indices | slice = slice(None)) -> Indices:
        """The first in order of the smallest values, which leave out the state, or `NONE`."""
        masked = np.where(among, values, np.inf)
        found = np.zeros((self.wiring.nodes, masked.shape[1]), dtype=np.bool_)
        found[1:] = among & (masked <= masked.min(axis=0) + TIE)
        return self._first(found, columns)
