"""What a strategy is given to decide on, and the terms of the episode around its decision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from handup.core import Action, Availability, CostModel, Costs, Decision, Outcome
from handup.policy import Belief
from handup.recover.checks import one_each
from handup.recover.events import Decided
from handup.recover.settings import NO_LIMIT, Settings, TimeUnit
from handup.recover.state import State
from handup.when import Flips, Strategy, flips_at


@dataclass(frozen=True)
class Moment:
    """An episode at one moment.

    Args:
        state: What the session knows.
        settings: Weights and limits.
        cost_model: What questions cost over time.
        availability: When questions may be asked; at any time where it is None.
        now_s: The time.
    """

    state: State
    settings: Settings
    cost_model: CostModel
    availability: Availability | None
    now_s: float

    @cached_property
    def askable_belief(self) -> Belief:
        """The belief, with everything held back that nobody may be asked about now."""
        belief = self.state.belief
        if not self.settings.ask_again:
            belief = belief.held_back(np.where(belief.answered, np.inf, -np.inf))
        if self.availability is None:
            return belief
        return belief.held_back(one_each("times", self.availability.free_from_s(self.now_s), len(belief.graph)))

    @cached_property
    def costs(self) -> Costs:
        """What asking, acting and time cost now."""
        terms, graph = self.settings, self.state.belief.graph
        modules = len(graph)
        started_s = self.now_s if self.state.started_s is None else self.state.started_s
        elapsed = self.state.spent if terms.time is TimeUnit.STEPS else self.now_s - started_s
        return Costs.of(
            one_each("query costs", self.cost_model.query_costs(self.now_s), modules),
            expert=terms.expert,
            w=terms.w,
            act_time=terms.act_time,
            ask_time=terms.ask_time,
            time_left=terms.horizon_of(modules) - elapsed,
            tries=None if terms.max_executions == NO_LIMIT else terms.max_executions - self.state.tally.executions,
            unseen=[terms.unseen.get(name, 0.0) for name in graph.names],
            unseen_cost=terms.mistake_cost(modules),
            ask_again=terms.ask_again,
            outdated_by_acting=[graph.index(name) for name in terms.outdated_by_acting],
        )

    def decide(self, strategy: Strategy) -> Decided:
        """What to do now, within the episode's limits; with what the question, if it is one, costs the person."""
        costs = self.costs
        decision, outcome = self._decision(strategy)
        load = 0.0
        if decision.action is Action.ASK and decision.module is not None:
            load = float(costs.query[self.state.belief.graph.index(decision.module)])
        return Decided(now_s=self.now_s, decision=decision, outcome=outcome, load=load)

    def flips(self, strategy: Strategy, pending: Decision) -> Flips:
        """How far a decision, just made in this situation, is from being another one."""
        terms, costs = self.settings, self.costs
        if terms.time is TimeUnit.STEPS:
            taken = {Action.ASK: terms.ask_time, Action.ACT: terms.act_time}.get(pending.action, 0.0)
            costs = replace(costs, time_left=costs.time_left + taken)
        return flips_at(strategy, self.askable_belief, costs, self.now_s, pending)

    def _decision(self, strategy: Strategy) -> tuple[Decision, Outcome | None]:
        terms, tally, now_s = self.settings, self.state.tally, self.now_s
        if self.costs.time_left <= 1e-9 or tally.steps >= terms.max_steps_per_module * len(self.state.belief.graph):
            reason = f"The time given to this episode is used up after {tally.steps} steps."
            return Decision(action=Action.YIELD, reason=reason), Outcome.HORIZON
        if tally.executions >= terms.max_executions:
            reason = f"All {tally.executions} tries that it may make have failed."
            return Decision(action=Action.YIELD, reason=reason), Outcome.YIELDED
        if self.state.try_wanted:
            return Decision(action=Action.ACT, reason="A person said to let the robot try."), None
        decision = strategy.decide(self.askable_belief, self.costs, now_s)
        if decision.action is Action.WAIT and decision.until_s is not None and decision.until_s > now_s:
            until_s = max(decision.until_s, now_s + terms.min_wait_s)
            waited_s = tally.waited_s + until_s - now_s
            if terms.time is TimeUnit.SECONDS and until_s - now_s >= self.costs.time_left:
                reason = f"{decision.reason} By then the time given to this episode is used up."
                return Decision(action=Action.YIELD, module=decision.module, reason=reason), Outcome.YIELDED
            if waited_s > terms.max_wait_s:
                reason = f"{decision.reason} Waiting would make {waited_s:g} s in all, over {terms.max_wait_s:g} s."
                return Decision(action=Action.YIELD, module=decision.module, reason=reason), Outcome.YIELDED
            decision = replace(decision, until_s=until_s)
        return decision, Outcome.YIELDED if decision.action is Action.YIELD else None
