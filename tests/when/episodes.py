"""Episodes in which all chances are counted out: what a strategy costs on average, to the last digit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from handup.core import Action, Costs, Decision
from handup.policy import Belief, Gate, Module, ModuleGraph
from handup.when import Strategy
from tests.oracles.enumeration import succeeds
from tests.oracles.pomdp import NEVER, NOTHING, OVER, Pomdp, Vector

gates = st.sampled_from(Gate)


def truth(modules: Sequence[Module]) -> Callable[[tuple[bool, ...]], bool]:
    """When a policy succeeds, worked out by the oracle."""
    names = [module.name for module in modules]
    return lambda state: bool(
        succeeds(modules, {name: np.array([right]) for name, right in zip(names, state, strict=True)})[0]
    )


def pomdp_of(
    graph: ModuleGraph,
    *,
    expert: float = 1.0,
    w: float = 0.5,
    horizon: float | None = None,
    act_time: float = 1.0,
    ask_time: tuple[float, ...] | None = None,
    askable: tuple[bool, ...] | None = None,
    unseen: tuple[float, ...] | None = None,
    loss: float = 0.0,
    tries: int | None = None,
    again: bool = True,
    outdated: frozenset[int] = NOTHING,
) -> Pomdp:
    """The same policy for brute force."""
    return Pomdp(
        chances=tuple(graph.confidences.tolist()),
        succeeds=truth(graph.modules),
        query=tuple(graph.query_costs.tolist()),
        expert=expert,
        w=w,
        horizon=horizon,
        act_time=act_time,
        ask_time=ask_time,
        askable=askable,
        unseen=unseen,
        loss=loss,
        tries=tries,
        again=again,
        outdated=outdated,
    )


@dataclass(frozen=True)
class Moment:
    """A moment of an episode: what handup believes, the same as plain probabilities, the time and the tries left.

    What was `asked` may not be asked about again.
    """

    belief: Belief
    vector: Vector
    left: float
    tries: int | None
    asked: frozenset[int] = NOTHING

    @classmethod
    def start(cls, graph: ModuleGraph, pomdp: Pomdp) -> Moment:
        return cls(Belief.of(graph), pomdp.prior(), float(pomdp.steps), pomdp.tries)

    def costs(self, pomdp: Pomdp) -> Costs:
        return Costs.of(
            pomdp.query,
            expert=pomdp.expert,
            w=pomdp.w,
            act_time=pomdp.act_time,
            ask_time=pomdp.times,
            time_left=self.left,
            tries=self.tries,
            unseen=pomdp.unseen or 0.0,
            unseen_cost=pomdp.loss,
            ask_again=pomdp.again,
            outdated_by_acting=tuple(pomdp.outdated),
        )

    @property
    def askable(self) -> Belief:
        """What is believed, with everything held back that may not be asked about."""
        held = [math.inf if module in self.asked else -math.inf for module in range(len(self.belief.graph))]
        return self.belief.held_back(np.array(held))

    def after_answer(self, pomdp: Pomdp, module: int, was_right: bool) -> tuple[float, Moment | None]:
        """How likely it is that a module is found to have been right or wrong, and what follows."""
        after = pomdp.after_answer(self.vector, module, was_right)
        chance = float(after.sum())
        if chance <= NEVER:
            return 0.0, None
        asked = pomdp.asked_after(self.asked, module)
        belief = self.belief.after_answer(module, changed=not was_right, expert=pomdp.expert)
        return chance, Moment(belief, after / chance, self.left - pomdp.times[module], self.tries, asked)

    def after_failure(self, pomdp: Pomdp) -> tuple[float, Moment | None]:
        """How likely acting is to fail, and what follows."""
        after = pomdp.after_failure(self.vector)
        chance = float(after.sum())
        if chance <= NEVER:
            return 0.0, None
        tries = None if self.tries is None else self.tries - 1
        asked = self.asked - pomdp.outdated
        belief = self.belief.after_execution(False)
        return chance, Moment(belief, after / chance, self.left - pomdp.act_time, tries, asked)


@dataclass(frozen=True)
class Average:
    """What a strategy comes to: expected J, and the probability that the episode ends in success."""

    cost: float
    recovers: float


def average(strategy: Strategy, graph: ModuleGraph, pomdp: Pomdp) -> Average:
    """Follow a strategy through every course an episode can take."""

    def go_on(moment: Moment) -> Average:
        if moment.left <= OVER:
            return Average(0.0, 0.0)
        if moment.tries == 0:
            return Average((1 - pomdp.w) * moment.left, 0.0)
        decision = strategy.decide(moment.askable, moment.costs(pomdp), 0.0)
        if decision.action is Action.ACT:
            fail, then = moment.after_failure(pomdp)
            rest = Average(0.0, 0.0) if then is None else go_on(then)
            works = float(moment.vector[pomdp.good].sum())
            cost = pomdp.lost(moment.vector) + fail * (pomdp.act_price() + rest.cost)
            return Average(cost, works + fail * rest.recovers)
        if decision.action is Action.ASK:
            return _asked(decision, moment)
        assert decision.action is Action.YIELD, "nothing is blocked, so there is nothing to wait for"
        return Average((1 - pomdp.w) * moment.left, 0.0)

    def _asked(decision: Decision, moment: Moment) -> Average:
        assert decision.module is not None
        module = graph.index(decision.module)
        cost, recovers = pomdp.ask_price(module), 0.0
        for was_right in (True, False):
            chance, then = moment.after_answer(pomdp, module, was_right)
            if then is not None:
                rest = go_on(then)
                cost, recovers = cost + chance * rest.cost, recovers + chance * rest.recovers
        return Average(cost, recovers)

    return go_on(Moment.start(graph, pomdp))


def random_graph(random: np.random.Generator, modules: int, *, series: bool = False) -> ModuleGraph:
    """A seeded policy of a few modules: a chain, or gates with shared inputs."""
    made: list[Module] = []
    for position in range(modules):
        taken = {name for module in made for name in module.inputs}
        if series:
            inputs = [made[-1].name] if made else []
        elif position == modules - 1:
            inputs = [each.name for each in made if each.name not in taken or random.random() < 0.3]
        else:
            inputs = [each.name for each in made if random.random() < 0.5]
        gate = Gate.AND if series or random.random() < 0.4 else Gate.OR
        confidence, cost = float(random.uniform(0.1, 0.95)), float(random.uniform(0.05, 1.0))
        made.append(Module(f"m{position}", confidence, cost, tuple(inputs), gate))
    return ModuleGraph(made)
