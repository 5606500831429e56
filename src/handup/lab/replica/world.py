"""What chance decides in the replica's episodes; node 0 is the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from handup.lab.cell import Cell
from handup.lab.wiring import Wiring, random_wiring
from handup.lab.world import Draw, Matrix, Truths, block_sizes, low_modules, query_costs, stream

STATE = 0
"""The node of the state: it is always right and cannot be asked about."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A pair as the replica reads it: costs and success weigh one to one, whatever w is.

    Args:
        what: The selector.
        when: The querying algorithm.
        epsilon: ε of graph.
        tau: τ of until-confident.
        lambda_: λ of workload-aware.
    """

    what: str
    when: str
    epsilon: float
    tau: float
    lambda_: float

    @classmethod
    def of(cls, cell: Cell) -> Rules:
        """The rules of a cell."""
        what, _, when = cell.method.partition("+")
        return cls(
            what=what,
            when=when,
            epsilon=1.0 if cell.epsilon is None else cell.epsilon,
            tau=0.5 if cell.tau is None else cell.tau,
            lambda_=1.0 if cell.lambda_ is None else cell.lambda_,
        )


@dataclass(frozen=True, eq=False)
class ReplicaBlock:
    """Some episodes; arrays are indexed by node, in the order of making, and episode.

    Args:
        wiring: The policies.
        confidences: Probability that each node works; 1 for the state.
        query_costs: What a question about it costs.
        works: Whether it does.
        luck: For each time step a uniform number: an answer given then is true where it is below c_e.
    """

    wiring: Wiring
    confidences: Matrix
    query_costs: Matrix
    works: Truths
    luck: Matrix

    def __len__(self) -> int:
        return len(self.works[0])


def replica_blocks(cell: Cell) -> Iterator[ReplicaBlock]:
    """The episodes of a cell, block by block."""
    for number, size in enumerate(block_sizes(cell.episodes, cell.modules)):
        shape = (cell.askable, size)
        low = low_modules(shape, cell.lows, stream(cell.seed, number, Draw.LOW))
        high_confidence, low_confidence = cell.confidences
        confidences = np.ones((cell.modules, size))
        confidences[1:] = np.where(low, low_confidence, high_confidence)
        costs = np.zeros((cell.modules, size))
        costs[1:] = query_costs(cell, shape, stream(cell.seed, number, Draw.COST))
        works = np.ones((cell.modules, size), dtype=np.bool_)
        works[1:] = stream(cell.seed, number, Draw.STATE).random(shape) < confidences[1:]
        if cell.expert in (0.0, 1.0):
            luck = np.broadcast_to(0.5, (cell.horizon, size))
        else:
            luck = stream(cell.seed, number, Draw.LUCK).random((cell.horizon, size))
        wiring = random_wiring(cell.modules, cell.structure, size, stream(cell.seed, number, Draw.WIRING))
        yield ReplicaBlock(wiring, confidences, costs, works, luck)
