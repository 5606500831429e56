"""The batch simulator: a cell's settings in, its episodes out.

Episodes are decided in one of two ways, which decide alike. `Vectorised` has the rules of the paper's pairs in `what/`
and `when/` column by column, for many episodes at once. `StrategyDecider` asks the strategy itself, with what it is
entitled to know: the same beliefs as `recover.Session` holds. Decisions in situations that have been met before are
remembered: a strategy is pure. A pair on one given policy is asked once for all episodes: the paper's pairs look at
confidences and answers given, not at what the answers said, nor at failures, so the episodes that still go on have all
done the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from handup.core import Action, ContractViolation, Costs, NotSolvable, objective_of
from handup.lab.batch import ACT, GIVE_UP, Decider, EpisodeTerms, Indices, Running, run_block
from handup.lab.cell import Cell, WorldKind
from handup.lab.episodes import Episodes, Vector
from handup.lab.world import MOST_ASKED, EpisodeBlock, Matrix, Truths, blocks
from handup.policy import Belief
from handup.what import BinaryTree, BruteForce, Confidence, Graph, Never, Selection, Selector, Situation, Topo
from handup.what.base import TIE
from handup.what.sets import LEAST
from handup.when import ExecuteFirst, Pair, QueryForAll, QueryThenExecute, Strategy, UntilConfident, WorkloadAware

MOST_REMEMBERED = 200_000
NONE = -1
Select = Callable[[Running], Indices]
WHENS = (ExecuteFirst, QueryThenExecute, UntilConfident, WorkloadAware, QueryForAll)


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
            return StrategyDecider(block, Pair(what, strategy.when), terms, memory, in_step=True)
        many = vectorised(strategy, terms, is_series=block.is_series)
        return many or StrategyDecider(block, strategy, terms, memory, most=most)

    return Episodes.joined(run_block(block, decider(block), terms) for block in given)


class StrategyDecider:
    """A decider that asks the strategy itself: about each episode, or once for all that go in step.

    Args:
        block: The episodes.
        strategy: The method.
        terms: The episodes' terms.
        memory: Decisions by situation, kept from block to block.
        most: How many situations the strategy may be asked about; any number where not given.
        in_step: True if all episodes that still go on have done the same.
    """

    def __init__(
        self,
        block: EpisodeBlock,
        strategy: Strategy,
        terms: EpisodeTerms,
        memory: dict[Hashable, int],
        *,
        most: int | None = None,
        in_step: bool = False,
    ) -> None:
        self.strategy, self.terms, self.memory, self.most, self.in_step = strategy, terms, memory, most, in_step
        self.belief_of = np.zeros(len(block), dtype=np.intp) if in_step else np.arange(len(block))
        self.beliefs = [Belief.of(block.graph(episode)) for episode in range(1 if in_step else len(block))]
        self.kinds = [_kind(block, episode) for episode in range(len(self.beliefs))]

    def choose(self, running: Running, time_left: int) -> Indices:
        """Ask the strategy about each running episode."""
        # Episodes in step have borne the same, so changing costs are the same for all of them.
        changing = self.terms.costs is not None
        beliefs, firsts, places = np.unique(self.belief_of[running.episode], return_index=True, return_inverse=True)
        chosen = [
            self._choose(belief, time_left, running.query_costs[:, column] if changing else None)
            for belief, column in zip(beliefs.tolist(), firsts, strict=True)
        ]
        return np.array(chosen, dtype=np.intp)[places]

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """Update the beliefs; after `MOST_ASKED` questions a module is left alone.

        Changes that answers made differ between episodes in step; their strategy does not look at them.
        """
        for number, column in zip(*np.unique(self.belief_of[episodes], return_index=True), strict=True):
            module, was_wrong = int(modules[column]), None if self.in_step else bool(changed[column])
            belief = self.beliefs[number].after_answer(module, changed=was_wrong, expert=self.terms.expert)
            if len(belief.chances[module]) > MOST_ASKED:
                belief = belief.blocked(module, math.inf)
            self.beliefs[number] = belief

    def failed(self, episodes: Indices) -> None:
        """Update the beliefs."""
        for number in np.unique(self.belief_of[episodes]):
            self.beliefs[number] = self.beliefs[number].after_execution(False)

    def _choose(self, number: int, time_left: int, costs: Vector | None) -> int:
        belief = self.beliefs[number]
        situation = self._situation(number, belief, time_left), None if costs is None else costs.tobytes()
        found = self.memory.get(situation)
        if found is None:
            if len(self.memory) == self.most:
                raise NotSolvable(f"'{self.strategy.name}' needs too many decisions", hint="Allow more.")
            query = belief.graph.query_costs if costs is None else costs
            found = _decided(self.strategy, belief, self.terms, time_left, query)
            if len(self.memory) < MOST_REMEMBERED:
                self.memory[situation] = found
        return found

    def _situation(self, number: int, belief: Belief, time_left: int) -> Hashable:
        """Everything the strategy may look at; handup's own pairs look at no failures and at no clock."""
        if is_known_pair(self.strategy):
            progress = belief.progress
            return self.kinds[number], belief.answered.tobytes(), progress.acts > 0, progress.asks_since_act > 0
        return self.kinds[number], belief.chances, belief.executions, belief.progress, time_left


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


@dataclass(frozen=True, eq=False)
class Vectorised(Decider):
    """A decider for a pair whose rules are known here: they look at nothing but the running episodes."""

    pair: Pair
    terms: EpisodeTerms
    select: Select

    def choose(self, running: Running, time_left: int) -> Indices:
        """Ask about the selector's module where the querying algorithm asks."""
        match self.pair.when:
            case ExecuteFirst():
                asks = (running.acts > 0) & (running.asks_since_act == 0)
            case QueryThenExecute():
                asks = running.asks_since_act == 0
            case UntilConfident(tau=tau):
                with np.errstate(divide="ignore"):
                    reliability = np.exp(np.log(running.confidences).sum(axis=0))
                asks = (running.asks_since_act == 0) | ~(reliability > tau + TIE)
            case _:
                asks = np.ones(len(running.episode), dtype=np.bool_)
        if not asks.any():
            return np.full(len(running.episode), ACT)
        module = self.select(running)
        if isinstance(self.pair.when, WorkloadAware):
            columns = np.arange(len(module))
            gain = self.terms.expert - running.confidences[module, columns]
            asks &= gain >= self.pair.when.lambda_ * running.query_costs[module, columns] - TIE
        if isinstance(self.pair.when, QueryForAll):
            module = np.where(module == NONE, _topo(running), module)
        return np.where(asks & (module != NONE), module, ACT)


def vectorised(strategy: Strategy, terms: EpisodeTerms, *, is_series: bool) -> Vectorised | None:
    """The decider for a strategy, or None where its rule has to be asked one episode at a time.

    Args:
        strategy: The method.
        terms: The episodes' terms.
        is_series: Whether every module is needed. Rules that look at success itself have a closed form only then.
    """
    if type(strategy) is not Pair or type(strategy.when) not in WHENS:
        return None
    what, looks_at_success = strategy.what, isinstance(strategy.when, UntilConfident)
    rules: dict[type, Select] = {
        Never: lambda running: np.full(len(running.episode), NONE),
        Topo: _topo,
        Confidence: lambda running: _first_best(running.confidences, running.asked == 0),
        BruteForce: partial(_brute_force, terms=terms),
        BinaryTree: partial(_binary_tree, terms=terms),
    }
    if type(what) is Graph:
        costs = Costs.of(np.zeros(0), expert=terms.expert, w=terms.w, time_left=terms.horizon)
        rules[Graph] = partial(_graph, epsilon=what.weight(costs), expert=terms.expert)
    if type(what) not in rules or (not is_series and (looks_at_success or type(what) is BruteForce)):
        return None
    return Vectorised(strategy, terms, rules[type(what)])


def _topo(running: Running) -> Indices:
    return _first(running.asked == 0)


def _graph(running: Running, epsilon: float, expert: float) -> Indices:
    is_open = running.asked == 0
    penalty = epsilon * running.query_costs - (expert - running.confidences)
    first = _first(is_open & (penalty < -TIE))
    return np.where(first == NONE, _first_best(penalty, is_open), first)


def _brute_force(running: Running, terms: EpisodeTerms) -> Indices:
    with np.errstate(divide="ignore"):
        logs = np.log(running.confidences)
    before, after = np.zeros_like(logs), np.zeros_like(logs)
    before[1:] = logs[:-1].cumsum(axis=0)
    after[:-1] = logs[:0:-1].cumsum(axis=0)[::-1]
    asked = terms.expert * np.exp(before + after)
    values = objective_of(terms.w, running.query_costs, 1.0 - asked)
    nothing = objective_of(terms.w, 0.0, 1.0 - np.exp(before[-1] + logs[-1]))
    module = _first_best(values, running.asked == 0)
    best = values[module, np.arange(len(module))]
    return np.where((module != NONE) & (nothing < best - TIE), NONE, module)


def _binary_tree(running: Running, terms: EpisodeTerms) -> Indices:
    """The first member of the best prefix of the modules sorted by cost per gain; see `what.binary_tree`."""
    logs = np.log(np.maximum(running.confidences, LEAST))
    gains = np.log(max(terms.expert, LEAST)) - logs
    useful = (running.asked == 0) & (gains > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(useful, running.query_costs / gains, np.inf)
    order = ratio.argsort(axis=0, kind="stable")
    counts = np.take_along_axis(useful, order, axis=0)
    gained = np.where(counts, np.take_along_axis(gains, order, axis=0), 0.0).cumsum(axis=0)
    paid = np.where(counts, np.take_along_axis(running.query_costs, order, axis=0), 0.0).cumsum(axis=0)
    log_now = logs.sum(axis=0)
    prefix = np.where(counts, objective_of(terms.w, paid, 1.0 - np.exp(log_now + gained)), np.inf)
    best = np.minimum(objective_of(terms.w, 0.0, 1.0 - np.exp(log_now)), prefix.min(axis=0))
    good = counts & (prefix <= best + TIE)
    length = len(order) - good[::-1].argmax(axis=0)
    member = counts & (np.arange(len(order))[:, None] < length)
    first = np.where(member, order, len(order)).min(axis=0)
    return np.where(good.any(axis=0), first, NONE)


def _first(among: Truths) -> Indices:
    """The upstream-most of some modules, or `NONE`."""
    found = among.argmax(axis=0)
    return np.where(among[found, np.arange(len(found))], found, NONE)


def _first_best(values: Matrix, among: Truths) -> Indices:
    """The upstream-most of the smallest values, or `NONE`; see `what.base.first_best`."""
    masked = np.where(among, values, np.inf)
    return _first(among & (masked <= masked.min(axis=0) + TIE))
