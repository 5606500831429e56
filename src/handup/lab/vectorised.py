"""The paper's pairs, deciding for many episodes at once: the rules of `what/` and `when/`, column by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from handup.core import Costs, objective_of
from handup.lab.batch import ACT, Decider, EpisodeTerms, Indices, Running
from handup.lab.world import Matrix, Truths
from handup.what import BinaryTree, BruteForce, Confidence, Graph, Never, Topo
from handup.what.base import TIE
from handup.what.sets import LEAST
from handup.when import ExecuteFirst, Pair, QueryForAll, QueryThenExecute, Strategy, UntilConfident, WorkloadAware

NONE = -1
Select = Callable[[Running], Indices]
WHENS = (ExecuteFirst, QueryThenExecute, UntilConfident, WorkloadAware, QueryForAll)


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
    looks_at_success = isinstance(strategy.when, UntilConfident) or isinstance(strategy.what, BruteForce)
    select = _select(strategy.what, terms)
    if select is None or (looks_at_success and not is_series):
        return None
    return Vectorised(strategy, terms, select)


def _select(what: object, terms: EpisodeTerms) -> Select | None:
    if type(what) is Graph:
        costs = Costs.of(np.zeros(0), expert=terms.expert, w=terms.w, time_left=terms.horizon)
        return partial(_graph, epsilon=what.weight(costs), expert=terms.expert)
    rules: dict[type, Select] = {
        Never: lambda running: np.full(len(running.episode), NONE),
        Topo: _topo,
        Confidence: lambda running: _first_best(running.confidences, running.asked == 0),
        BruteForce: partial(_brute_force, terms=terms),
        BinaryTree: partial(_binary_tree, terms=terms),
    }
    return rules.get(type(what))


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
