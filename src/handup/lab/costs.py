"""What questions cost in the batch simulator where costs change: any q_i(t), and people's load, column by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting, CostModel
from handup.lab.world import Block, Matrix, Truths
from handup.people import WorkloadModel

Indices = NDArray[np.intp]
Vector = NDArray[np.float64]


class BlockCosts(Protocol):
    """The costs of the episodes of one block, over time. Arrays are indexed by module and episode."""

    def at(self, now_s: float, episodes: Indices) -> Matrix:
        """q_i(t) for some of the episodes."""
        ...

    def answered(self, episodes: Indices, modules: Indices, now_s: float) -> None:
        """Questions were answered."""
        ...

    def acted(self, episodes: Indices, ok: Truths, waited_s: float, now_s: float) -> None:
        """The robot acted, for so many seconds in which the person waited."""
        ...


CostRule = Callable[[Block], BlockCosts]
"""Makes the costs of a block, at its start."""


class TimedCosts:
    """Any cost model that looks at nothing but the clock, the same for all episodes."""

    def __init__(self, block: Block, model: CostModel) -> None:
        self.modules = block.modules
        self.model = model

    def at(self, now_s: float, episodes: Indices) -> Matrix:
        """The model's costs, for each episode."""
        costs = np.asarray(self.model.query_costs(now_s), dtype=np.float64)
        if costs.shape != (self.modules,):
            raise BadSetting(f"{costs.size} query costs for {self.modules} modules", hint="Give one per module.")
        return np.repeat(costs[:, None], len(episodes), axis=1)

    def answered(self, episodes: Indices, modules: Indices, now_s: float) -> None:
        """It does not hear."""

    def acted(self, episodes: Indices, ok: Truths, waited_s: float, now_s: float) -> None:
        """It does not hear."""


class LoadCosts:
    """`people.Workload` for many episodes at once, each with a person of its own. The block's costs are q0.

    Args:
        block: The episodes.
        model: The coefficients; everybody's s is that of `person`.
        person: Who is asked.
        load: F of each episode's person at the start; rested where not given.
        answers: How many questions each has answered before.
    """

    def __init__(
        self,
        block: Block,
        model: WorkloadModel,
        *,
        person: str = "",
        load: Vector | None = None,
        answers: Indices | None = None,
    ) -> None:
        self.model = model
        self.base = block.query_costs
        self.s = model.s(person)
        self.load = np.zeros(len(block)) if load is None else load.copy()
        self.at_s = np.zeros(len(block))
        self.answers = np.zeros(len(block), dtype=np.intp) if answers is None else answers.copy()

    def at(self, now_s: float, episodes: Indices) -> Matrix:
        """q(t) = s q0 + g F."""
        practised = 1.0 - self.model.practice * (1.0 - 0.5 ** (self.answers[episodes] / self.model.practice_answers))
        return self.s * practised * self.base[:, episodes] + self.model.g * self.load_at(now_s, episodes)

    def load_at(self, now_s: float | Vector, episodes: Indices) -> Vector:
        """F of some of the people at a time."""
        return np.asarray(self.load[episodes] * np.exp(-(now_s - self.at_s[episodes]) / self.model.tau_s))

    def answered(self, episodes: Indices, modules: Indices, now_s: float) -> None:
        """F ← F + ρ q0."""
        self._borne(episodes, self.model.rho * self.base[modules, episodes], now_s)
        self.answers[episodes] += 1

    def acted(self, episodes: Indices, ok: Truths, waited_s: float, now_s: float) -> None:
        """Waiting adds first, then a failure."""
        self._borne(episodes, self.model.from_waiting(waited_s), now_s)
        self._borne(episodes[~ok], self.model.rho_failed, now_s)

    def _borne(self, episodes: Indices, more: float | Vector, now_s: float) -> None:
        self.load[episodes] = np.minimum(self.load_at(now_s, episodes) + more, self.model.most_load)
        self.at_s[episodes] = now_s


def by_clock(model: CostModel) -> CostRule:
    """Costs of the clock alone: any q_i(t)."""
    return lambda block: TimedCosts(block, model)


def by_load(model: WorkloadModel) -> CostRule:
    """Costs of the questions and of the load of whoever answers them; everybody starts rested."""
    return lambda block: LoadCosts(block, model)
