"""The batch simulator: a cell's settings in, its episodes out.

Pairs whose rules are known decide for many episodes at once, in `vectorised.py`. The other deciders ask the strategy
itself, with what it is entitled to know. `OneByOne` asks any strategy about one episode at a time. The same beliefs as
`recover.Session` holds. Decisions in situations that have been met before are remembered: a strategy is pure. `InStep`
asks a pair on one given policy once for all episodes: the paper's pairs look at confidences and answers given, not at
what the answers said, nor at failures, so the episodes that still go on have all done the same.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np

from handup.core import Action, ContractViolation, Costs, NotSolvable
from handup.lab.batch import ACT, GIVE_UP, Decider, EpisodeTerms, Indices, Running, run_block
from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Episodes, Vector
from handup.lab.vectorised import vectorised
from handup.lab.world import MOST_ASKED, EpisodeBlock, Truths, blocks
from handup.policy import Belief, ModuleGraph
from handup.what import Selection, Selector, Situation
from handup.when import Pair, Strategy

MOST_REMEMBERED = 200_000


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
    terms = EpisodeTerms(expert=cell.expert, w=cell.w, horizon=cell.horizon)
    return simulate_blocks(blocks(cell), cell.strategy, terms)


def simulate_blocks(
    given: Iterable[EpisodeBlock],
    strategy: Strategy,
    terms: EpisodeTerms,
    heard: dict[str, CachedSelector] | None = None,
    decisions: int | None = None,
) -> Episodes:
    """Live through any episodes with any method: random ones, or those of a user's own policy.

    Args:
        given: The episodes.
        strategy: The method.
        terms: The episodes' terms.
        heard: On episodes of one policy, what selectors said so far under the same terms, by name; added to. Methods
            that share a selector then share its work.
        decisions: How many different situations a strategy that is no pair may be asked about; any number where not
            given.

    Raises:
        NotSolvable: The strategy meets more situations than that.
    """
    memory: dict[Hashable, int] = {}
    heard = {} if heard is None else heard
    most = None if isinstance(strategy, Pair) else decisions

    def decider(block: EpisodeBlock) -> Decider:
        """The fastest way to decide for all episodes of a block; all of them decide alike."""
        if block.given is not None and isinstance(strategy, Pair) and is_known_pair(strategy):
            what = heard.setdefault(strategy.what.name, CachedSelector(strategy.what))
            return InStep(block.given, Pair(what, strategy.when), terms, memory)
        many = vectorised(strategy, terms, is_series=block.is_series)
        return many or OneByOne(block, strategy, terms, memory, most=most)

    return Episodes.joined(run_block(block, decider(block), terms) for block in given)


class OneByOne:
    """A decider that asks the strategy itself.

    Args:
        block: The episodes.
        strategy: The method.
        terms: The episodes' terms.
        memory: Decisions by situation, kept from block to block.
        most: How many situations the strategy may be asked about; any number where not given.
    """

    def __init__(
        self,
        block: EpisodeBlock,
        strategy: Strategy,
        terms: EpisodeTerms,
        memory: dict[Hashable, int],
        *,
        most: int | None = None,
    ) -> None:
        self.strategy, self.terms, self.memory, self.most = strategy, terms, memory, most
        self.beliefs = [Belief.of(block.graph(episode)) for episode in range(len(block))]
        self.kinds = [_kind(block, episode) for episode in range(len(block))]

    def choose(self, running: Running, time_left: int) -> Indices:
        """Ask the strategy about each running episode."""
        changing = self.terms.costs is not None
        chosen = [
            self._choose(int(episode), time_left, running.query_costs[:, column] if changing else None)
            for column, episode in enumerate(running.episode)
        ]
        return np.array(chosen, dtype=np.intp)

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """Update the beliefs; after `MOST_ASKED` questions a module is left alone."""
        for episode, module, was_wrong in zip(episodes, modules, changed, strict=True):
            belief = self.beliefs[episode].after_answer(int(module), changed=bool(was_wrong), expert=self.terms.expert)
            if len(belief.chances[module]) > MOST_ASKED:
                belief = belief.blocked(int(module), math.inf)
            self.beliefs[episode] = belief

    def failed(self, episodes: Indices) -> None:
        """Update the beliefs."""
        for episode in episodes:
            self.beliefs[episode] = self.beliefs[episode].after_execution(False)

    def _choose(self, episode: int, time_left: int, costs: Vector | None) -> int:
        belief = self.beliefs[episode]
        situation = self._situation(episode, belief, time_left), None if costs is None else costs.tobytes()
        found = self.memory.get(situation)
        if found is None:
            if len(self.memory) == self.most:
                raise NotSolvable(f"'{self.strategy.name}' needs too many decisions", hint="Allow more.")
            query = belief.graph.query_costs if costs is None else costs
            found = _decided(self.strategy, belief, self.terms, time_left, query)
            if len(self.memory) < MOST_REMEMBERED:
                self.memory[situation] = found
        return found

    def _situation(self, episode: int, belief: Belief, time_left: int) -> Hashable:
        """Everything the strategy may look at; handup's own pairs look at no failures and at no clock."""
        if is_known_pair(self.strategy):
            progress = belief.progress
            tried = progress.acts > 0, progress.asks_since_act > 0
            return self.kinds[episode], belief.answered.tobytes(), tried
        return self.kinds[episode], belief.chances, belief.executions, belief.progress, time_left


@dataclass(eq=False)
class CachedSelector:
    """A selector that is asked once for each set of answers and costs; querying algorithms share what it said.

    Args:
        selector: Any selector of handup's own, on one policy.
    """

    selector: Selector
    found: dict[tuple[bytes, bytes], Selection] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The selector's."""
        return self.selector.name

    def select(self, situation: Situation) -> Selection:
        """Return the decision, made now or remembered."""
        known = situation.belief.answered.tobytes(), situation.costs.query.tobytes()
        if known not in self.found:
            self.found[known] = self.selector.select(situation)
        return self.found[known]


class InStep:
    """A decider that decides once for all running episodes.

    Args:
        graph: The policy of all episodes.
        pair: A selector and a querying algorithm of handup's own.
        terms: The episodes' terms.
        memory: Choices by situation, kept from block to block.
    """

    def __init__(self, graph: ModuleGraph, pair: Pair, terms: EpisodeTerms, memory: dict[Hashable, int]) -> None:
        self.belief = Belief.of(graph)
        self.pair, self.terms, self.memory = pair, terms, memory

    def choose(self, running: Running, time_left: int) -> Indices:
        """The same for every running episode."""
        belief = self.belief
        # Episodes in step have borne the same, so changing costs are the same for all of them.
        query = belief.graph.query_costs if self.terms.costs is None else running.query_costs[:, 0]
        tried = belief.progress.acts > 0, belief.progress.asks_since_act > 0
        situation = belief.graph, belief.answered.tobytes(), tried, query.tobytes()
        if situation not in self.memory:
            self.memory[situation] = _decided(self.pair, belief, self.terms, time_left, query)
        return np.full(len(running.episode), self.memory[situation])

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """Ignore the changes that answers made; they differ between episodes, and the pair does not look at them."""
        self.belief = self.belief.after_answer(int(modules[0]), changed=None, expert=self.terms.expert)

    def failed(self, episodes: Indices) -> None:
        """Those that go on have all failed."""
        if len(episodes):
            self.belief = self.belief.after_execution(False)


def _decided(strategy: Strategy, belief: Belief, terms: EpisodeTerms, time_left: int, query: Vector) -> int:
    """Return what a strategy decides: a module's place, `ACT` or `GIVE_UP`."""
    costs = Costs.of(query, expert=terms.expert, w=terms.w, time_left=time_left)
    decision = strategy.decide(belief, costs, 0.0)
    if decision.action is Action.ASK and decision.module is not None:
        return belief.graph.index(decision.module)
    if decision.action in (Action.ACT, Action.YIELD):
        return ACT if decision.action is Action.ACT else GIVE_UP
    raise ContractViolation(
        f"'{strategy.name}' waits in a world where everybody is there", hint="Run check_strategy on it."
    )


def is_known_pair(strategy: Strategy) -> bool:
    """Return whether a strategy is a pair of handup's own rules."""
    return type(strategy) is Pair and all(
        type(part).__module__.startswith("handup.") for part in (strategy.what, strategy.when)
    )


def _kind(block: EpisodeBlock, episode: int) -> Hashable:
    """Return a key that episodes with equal decisions share: costs, confidences and, where it matters, the wiring."""
    numbers = block.confidences[:, episode].tobytes(), block.query_costs[:, episode].tobytes()
    if block.wiring is None:
        return (*numbers, block.given)
    return (*numbers, block.wiring.gates, block.wiring.inputs[:, :, episode].tobytes())
