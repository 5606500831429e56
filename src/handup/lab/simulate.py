"""The batch simulator: a cell's settings in, its episodes out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from handup.lab.batch import Decider, Terms, run_block
from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Episodes
from handup.lab.one_by_one import OneByOne
from handup.lab.vectorised import vectorised
from handup.lab.world import Block, blocks
from handup.when import Strategy


def simulate(cell: Cell) -> Episodes:
    """Live through a cell's episodes. The same cell gives the same rows, on any machine and in any order.

    Example:
        >>> from handup.lab.cell import Cell
        >>> found = simulate(Cell(method="troubleshoot", episodes=100))
        >>> float(found.metric("query_cost").max()) <= 3 * 0.32
        True
    """
    if cell.world is WorldKind.REPLICA:
        from handup.lab.replica.batch import simulate_replica  # noqa: PLC0415 - for comparison only

        return simulate_replica(cell)
    terms = Terms(expert=cell.expert, w=cell.w, horizon=cell.horizon)
    return simulate_blocks(blocks(cell), cell.strategy, terms)


def simulate_blocks(given: Iterable[Block], strategy: Strategy, terms: Terms) -> Episodes:
    """Live through any episodes with any method: random ones, or those of a user's own policy."""
    memory: dict[Hashable, int] = {}
    parts = []
    for block in given:
        decider: Decider | None = vectorised(strategy, terms, is_series=block.is_series)
        parts.append(run_block(block, decider or OneByOne(block, strategy, terms, memory), terms))
    return Episodes.joined(parts)
