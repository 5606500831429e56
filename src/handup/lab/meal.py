"""Meals: bites one after the other, asked of the same person, whose load goes on from bite to bite."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handup.lab.batch import Terms, run_block
from handup.lab.costs import Indices, LoadCosts, Vector
from handup.lab.one_by_one import OneByOne
from handup.lab.vectorised import vectorised
from handup.lab.world import Block, blocks_of
from handup.people import WorkloadModel
from handup.policy import ModuleGraph
from handup.when import Strategy


@dataclass(frozen=True, kw_only=True)
class Menu:
    """How meals go.

    Args:
        meals: How many; at most a block's worth.
        bites: In each.
        step_s: How long each question and each execution takes.
        rest_s: From the end of a bite to the start of the next: chewing.
        expert: Probability that an answer is right.
        w: Weight of load against time.
        seed: Which meals.
    """

    meals: int = 200
    bites: int = 5
    step_s: float = 10.0
    rest_s: float = 20.0
    expert: float = 1.0
    w: float = 0.5
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Meals:
    """What meals came to.

    Args:
        objective: J of each meal, summed over its bites.
        load: Summed costs of its questions.
        recovered: Share of its bites that succeeded.
        asked: For each module, questions per meal on average.
    """

    objective: Vector
    load: Vector
    recovered: Vector
    asked: Vector


class _Counting(LoadCosts):
    """Load that also counts which modules were asked about."""

    asked: NDArray[np.int64]

    def of_any(self, block: Block) -> _Counting:
        """Itself: a rule for the one block that it was made for."""
        return self

    def answered(self, episodes: Indices, modules: Indices, now_s: float) -> None:
        super().answered(episodes, modules, now_s)
        np.add.at(self.asked, modules, 1)


def live_meals(graph: ModuleGraph, model: WorkloadModel, strategy: Strategy, menu: Menu) -> Meals:
    """Live through meals with one method. All methods and all models live through the same ones.

    Args:
        graph: The policy of a bite; its query costs are q0.
        model: How load adds up and leaks away.
        strategy: The method.
        menu: How meals go.
    """
    objective, cost, recovered = np.zeros(menu.meals), np.zeros(menu.meals), np.zeros(menu.meals)
    asked = np.zeros(len(graph), dtype=np.int64)
    load, answers = np.zeros(menu.meals), np.zeros(menu.meals, dtype=np.intp)
    everybody = np.arange(menu.meals)
    memory: dict[Hashable, int] = {}
    plain = Terms(expert=menu.expert, w=menu.w, horizon=2 * len(graph), step_s=menu.step_s)
    for bite in range(menu.bites):
        seed = menu.seed * menu.bites + bite
        (block,) = blocks_of(graph, episodes=menu.meals, seed=seed, expert=menu.expert)
        costs = _Counting(block, model, load=load, answers=answers)
        costs.asked = asked
        terms = replace(plain, costs=costs.of_any)
        decider = vectorised(strategy, terms, is_series=block.is_series)
        found = run_block(block, decider or OneByOne(block, strategy, terms, memory), terms)
        objective += found.objective
        cost += found.load
        recovered += found.recovered / menu.bites
        ended_s = np.asarray(menu.step_s * found.metric("timesteps") + menu.rest_s)
        load, answers = costs.load_at(ended_s, everybody), costs.answers
    return Meals(objective, cost, recovered, asked / menu.meals)
