"""The batch simulator: a cell's settings in, its episodes out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from handup.core import BadSetting
from handup.lab.batch import Decider, Terms, run_block
from handup.lab.cell import Cell, WorldKind
from handup.lab.costs import CostRule
from handup.lab.episodes import Episodes
from handup.lab.in_step import InStep, Remembering
from handup.lab.one_by_one import OneByOne, is_known_pair
from handup.lab.vectorised import vectorised
from handup.lab.world import Block, blocks
from handup.when import Pair, Strategy


def simulate(cell: Cell, costs: CostRule | None = None) -> Episodes:
    """Live through a cell's episodes. The same cell gives the same rows, on any machine and in any order.

    Args:
        cell: The settings.
        costs: What questions cost over time, from the cell's costs as a start; constant where not given.

    Raises:
        BadSetting: Costs that change, in the replica, which has none.

    Example:
        >>> from handup.lab.cell import Cell
        >>> found = simulate(Cell(method="troubleshoot", episodes=100))
        >>> float(found.metric("query_cost").max()) <= 3 * 0.32
        True
    """
    if cell.world is WorldKind.REPLICA:
        if costs is not None:
            raise BadSetting("the replica knows no costs that change", hint="Use world=default.")
        from handup.lab.replica.batch import simulate_replica  # noqa: PLC0415 - for comparison only

        return simulate_replica(cell)
    terms = Terms(expert=cell.expert, w=cell.w, horizon=cell.horizon, costs=costs)
    return simulate_blocks(blocks(cell), cell.strategy, terms)


def simulate_blocks(
    given: Iterable[Block], strategy: Strategy, terms: Terms, heard: dict[str, Remembering] | None = None
) -> Episodes:
    """Live through any episodes with any method: random ones, or those of a user's own policy.

    Args:
        given: The episodes.
        strategy: The method.
        terms: The episodes' terms.
        heard: On episodes of one policy, what selectors said so far under the same terms, by name; added to. Methods
            that share a selector then share its work.
    """
    memory: dict[Hashable, int] = {}
    heard = {} if heard is None else heard
    return Episodes.joined(run_block(block, _decider(block, strategy, terms, memory, heard), terms) for block in given)


def _decider(
    block: Block, strategy: Strategy, terms: Terms, memory: dict[Hashable, int], heard: dict[str, Remembering]
) -> Decider:
    """The fastest way to decide for all episodes of a block; all of them decide alike."""
    if block.given is not None and isinstance(strategy, Pair) and is_known_pair(strategy):
        what = heard.setdefault(strategy.what.name, Remembering(strategy.what))
        return InStep(block.given, Pair(what, strategy.when), terms, memory)
    return vectorised(strategy, terms, is_series=block.is_series) or OneByOne(block, strategy, terms, memory)
