"""Many episodes at once, step by step, under handup's own model of answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.core import ContractViolation, objective_of
from handup.lab.episodes import Episodes, Vector
from handup.lab.world import MOST_ASKED, EpisodeBlock, Matrix, Truths
from handup.people import WorkloadModel

Indices = NDArray[np.intp]
ACT, GIVE_UP = -1, -2
"""Choices of a decider beside the position of a module to ask about."""


@dataclass(frozen=True, kw_only=True)
class EpisodeTerms:
    """Weights of episodes, and the limits at which they end.

    Args:
        expert: Probability that an answer is right.
        w: Weight of load against time.
        horizon: Most steps of an episode.
        costs: Costs of questions over time, such as `by_load`; None takes the block's own costs.
        step_s: Time of each question and each execution, for costs that change with time.
    """

    expert: float
    w: float
    horizon: int
    costs: Callable[[EpisodeBlock], LoadCosts] | None = None
    step_s: float = 10.0


@dataclass(eq=False)
class Running:
    """The episodes that still go on; arrays are indexed by module and episode.

    Args:
        episode: Their places in the block.
        confidences: Confidence now: the module's own, or the expert's where a person answered.
        query_costs: What a question costs now.
        works: The truth.
        asked: How often each module was asked about.
        acts: How often each episode acted.
        asks_since_act: How many questions since then.
    """

    episode: Indices
    confidences: Matrix
    query_costs: Matrix
    works: Truths
    asked: NDArray[np.intp]
    acts: Indices
    asks_since_act: Indices

    @classmethod
    def of(cls, block: EpisodeBlock) -> Running:
        """All episodes of a block, at their start."""
        counts = np.zeros(len(block), dtype=np.intp)
        return cls(
            episode=np.arange(len(block)),
            confidences=block.confidences.copy(),
            query_costs=block.query_costs,
            works=block.works.copy(),
            asked=np.zeros(block.works.shape, dtype=np.intp),
            acts=counts,
            asks_since_act=counts.copy(),
        )

    def keep(self, which: Truths) -> Running:
        """Those that go on."""
        if which.all():
            return self
        return Running(**{name: values[..., which] for name, values in vars(self).items()})


class LoadCosts:
    """`people.Workload` for many episodes at once, each with a person of its own who starts rested.

    Args:
        base: q0, indexed by module and episode.
        model: The coefficients.
    """

    def __init__(self, base: Matrix, model: WorkloadModel) -> None:
        self.base, self.model, self.s = base, model, model.s("")
        self.load, self.at_s = np.zeros(base.shape[1]), np.zeros(base.shape[1])
        self.answers = np.zeros(base.shape, dtype=np.intp)

    def at(self, now_s: float, episodes: Indices) -> Matrix:
        """q(t) = s q0 + g F for some of the episodes."""
        answers = self.answers[:, episodes].sum(axis=0)
        practised = 1.0 - self.model.practice * (1.0 - 0.5 ** (answers / self.model.practice_answers))
        return np.asarray(self.s * practised * self.base[:, episodes] + self.model.g * self.load_at(now_s, episodes))

    def load_at(self, now_s: float | Vector, episodes: Indices) -> Vector:
        """F of some of the people at a time."""
        return np.asarray(self.load[episodes] * np.exp(-(now_s - self.at_s[episodes]) / self.model.tau_s))

    def answered(self, episodes: Indices, modules: Indices, now_s: float) -> None:
        """F ← F + ρ q0."""
        self._borne(episodes, self.model.rho * self.base[modules, episodes], now_s)
        self.answers[modules, episodes] += 1

    def acted(self, episodes: Indices, ok: Truths, waited_s: float, now_s: float) -> None:
        """The person waited while the robot acted: that adds first, then a failure."""
        self._borne(episodes, self.model.from_waiting(waited_s), now_s)
        self._borne(episodes[~ok], self.model.rho_failed, now_s)

    def _borne(self, episodes: Indices, more: float | Vector, now_s: float) -> None:
        self.load[episodes] = np.minimum(self.load_at(now_s, episodes) + more, self.model.most_load)
        self.at_s[episodes] = now_s


def by_load(model: WorkloadModel) -> Callable[[EpisodeBlock], LoadCosts]:
    """Costs of the questions and of the load of whoever answers them; everybody starts rested."""
    return lambda block: LoadCosts(block.query_costs, model)


class Decider(Protocol):
    """Decides for many episodes at once; made anew for each block. What it need not hear, it leaves out."""

    def choose(self, running: Running, time_left: int) -> Indices:
        """For each running episode a module to ask about, `ACT` or `GIVE_UP`."""
        ...

    def told(self, episodes: Indices, modules: Indices, changed: Truths) -> None:
        """Answers came, and whether they changed what the module had said."""
        return

    def failed(self, episodes: Indices) -> None:
        """Executions failed."""
        return


def run_block(block: EpisodeBlock, decider: Decider, terms: EpisodeTerms) -> Episodes:
    """Live through the episodes of a block."""
    running = Running.of(block)
    costs = None if terms.costs is None else terms.costs(block)
    recovered = np.zeros(len(block), dtype=np.bool_)
    load, lost = np.zeros(len(block)), np.zeros(len(block))
    questions, executions = np.zeros(len(block), dtype=np.int64), np.zeros(len(block), dtype=np.int64)
    for step in range(terms.horizon):
        left = terms.horizon - step
        done_s = (step + 1) * terms.step_s
        if costs is not None:
            running.query_costs = costs.at(step * terms.step_s, running.episode)
        choice = decider.choose(running, left)
        asks, acts = np.flatnonzero(choice >= 0), np.flatnonzero(choice == ACT)
        asking, acting = running.episode[asks], running.episode[acts]
        if len(asks):
            modules = choice[asks]
            load[asking] += running.query_costs[modules, asks]
            questions[asking] += 1
            lost[asking] += 1
            decider.told(asking, modules, _answer(running, block, terms.expert, modules, asks))
            if costs is not None:
                costs.answered(asking, modules, done_s)
        success = block.succeeds(running.works[:, acts], acting)
        executions[acting] += 1
        recovered[acting] = success
        failed = acting[~success]
        lost[failed] += 1
        decider.failed(failed)
        if costs is not None:
            costs.acted(acting, success, terms.step_s, done_s)
        running.acts[acts] += 1
        running.asks_since_act[acts] = 0
        lost[running.episode[choice == GIVE_UP]] += left
        goes_on = choice != GIVE_UP
        goes_on[acts[success]] = False
        running = running.keep(goes_on)
        if not len(running.episode):
            break
    return Episodes(recovered, load, questions, executions, objective_of(terms.w, load, lost))


def _answer(running: Running, block: EpisodeBlock, expert: float, modules: Indices, columns: Indices) -> Truths:
    """Answers make modules right with the expert's probability; returns which ones had been wrong."""
    changed = ~running.works[modules, columns]
    nth = running.asked[modules, columns]
    if (nth >= MOST_ASKED).any():
        raise ContractViolation(
            f"a strategy asks about a module for the {MOST_ASKED + 1}th time although it is blocked",
            hint="Keep to `belief.free`; run check_strategy on it.",
        )
    running.works[modules, columns] = block.luck[nth, modules, running.episode[columns]] < expert
    running.confidences[modules, columns] = expert
    running.asked[modules, columns] += 1
    running.asks_since_act[columns] += 1
    return np.asarray(changed)
