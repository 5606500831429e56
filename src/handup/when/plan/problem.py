"""Ask-or-act as a planning problem, a planner's values, and draws of own states to look ahead on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handup.core import Costs
from handup.policy import Belief
from handup.policy.inference import draws

Vector = NDArray[np.float64]
Bits = NDArray[np.uint8]
ENUMERATED = 10
"""Most states in doubt of which all combinations are listed instead of drawn."""
DRAWS = 1024
MANY = 16
"""Most modules for which all draws are made; with more, a quarter of them has to do."""


@dataclass(frozen=True)
class PlanProblem:
    """Input of a planner.

    Args:
        belief: The belief now.
        costs: Costs of questions, executions and time, and the time left.
        askable: Mask of the modules that may be asked about from now on.
    """

    belief: Belief
    costs: Costs
    askable: NDArray[np.bool_]

    def values(self, act: float, ask: Vector, planner: str, *, exact: bool) -> Values:
        """Return a planner's values, with success and blame from the belief."""
        belief = self.belief
        act = math.inf if belief.acting_is_futile else act
        return Values(act, ask, self.yield_value, belief.reliability, belief.wrong, planner, exact)

    @property
    def yield_value(self) -> float:
        """Cost of giving up now: all the time that was left."""
        return self.costs.time_price * max(self.costs.time_left, 0.0)


@dataclass(frozen=True)
class Values:
    """Expected cost from here to the end of the episode, by what is done first (lower is better).

    Args:
        act: For acting now; infinite where that is certain to fail and nothing is learnt.
        ask: For asking about each module; nan where it was not weighed.
        give_up: For yielding.
        success: Probability that acting now succeeds.
        wrong: For each module, the probability that its own state is wrong now.
        planner: The planner's name.
        exact: True if the numbers are the optimum of the model, not an estimate.
    """

    act: float
    ask: Vector
    give_up: float
    success: float
    wrong: Vector
    planner: str
    exact: bool


@dataclass(frozen=True)
class StepCosts:
    """Expected cost of acting first, and of asking first about each module or kind of them; nan: not weighed."""

    act: float
    ask: tuple[float, ...]


@dataclass(frozen=True)
class Cloud:
    """Own states with weights that sum to one.

    Args:
        states: One row per module, packed bits along the draws.
        weights: One per draw.
        luck: One row per question of a plan, uniform numbers: an answer is right where they are below the expert's
            confidence.
    """

    states: Bits
    weights: Vector
    luck: Vector

    def unpack(self, bits: Bits) -> NDArray[np.bool_]:
        """Return bits along the last axis as truth values, one per draw."""
        return np.unpackbits(bits, axis=-1, count=len(self.weights)).astype(np.bool_)

    def answers(self, question: int, experts: Vector) -> Bits:
        """Return the answers to a plan's n-th question, one row per expert."""
        return np.packbits(self.luck[question] < experts[:, None], axis=1)

    @classmethod
    def of(cls, problem: PlanProblem, questions: int, random: np.random.Generator) -> Cloud:
        """Draw a cloud from the posterior."""
        states, weights = cls.possible(problem.belief, random)
        many = _many(problem.belief)
        if (problem.costs.expert[problem.askable] < 1.0).any():
            # States get copies in proportion to their weight, so that each copy can have its own luck.
            cumulative = np.cumsum(weights)
            points = (np.arange(many) + random.random()) / many
            states = states[:, np.searchsorted(cumulative, points * cumulative[-1])]
            weights = np.full(many, 1.0 / many)
        luck = random.random((max(questions, 1), len(weights)))
        return cls(np.packbits(states, axis=1), weights, luck)

    @staticmethod
    def possible(belief: Belief, random: np.random.Generator) -> tuple[NDArray[np.bool_], Vector]:
        """Return own states, a row per module, with weights: all that are possible where there are few, else draws."""
        in_doubt = sum(0.0 < chance < 1.0 for row in belief.chances for chance in row)
        listed = _enumerated(belief) if in_doubt <= ENUMERATED else None
        return listed or _drawn(belief, _many(belief), random)


def _many(belief: Belief) -> int:
    return DRAWS if len(belief.graph) <= MANY else DRAWS // 4


def _enumerated(belief: Belief) -> tuple[NDArray[np.bool_], Vector] | None:
    """Return every combination of the states in doubt, with its posterior weight; None where none fits the evidence."""
    open_versions = [
        (module, version)
        for module, row in enumerate(belief.chances)
        for version, chance in enumerate(row)
        if 0.0 < chance < 1.0
    ]
    combinations = np.arange(1 << len(open_versions))
    state = {key: (combinations >> index & 1).astype(np.bool_) for index, key in enumerate(open_versions)}
    log_weight = np.zeros(len(combinations))
    for module, version in open_versions:
        chance = belief.chances[module][version]
        log_weight += np.where(state[module, version], math.log(chance), math.log1p(-chance))

    def rows(versions: tuple[int, ...]) -> NDArray[np.bool_]:
        known = [
            np.full(len(combinations), row[version] >= 1.0)
            for row, version in zip(belief.chances, versions, strict=True)
        ]
        return np.array([state.get((module, version), known[module]) for module, version in enumerate(versions)])

    for execution in belief.executions:
        success = belief.graph.circuit.evaluate(rows(execution.versions).view(np.uint8)).astype(np.bool_)
        log_weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
    return (rows(belief.versions), _normalised(log_weight)) if np.isfinite(log_weight).any() else None


def _drawn(belief: Belief, many: int, random: np.random.Generator) -> tuple[NDArray[np.bool_], Vector]:
    """Return weighted draws from a proposal with the posterior's marginals; by rejection where those are unknown."""
    if belief.graph.diagram is None or belief.inference.method != "exact":
        batches = draws(
            belief.graph.circuit, belief.chances, belief.executions, belief.versions,
            random=random, wanted=many, most=1 << 14,
        )  # fmt: skip
        states = np.concatenate(list(batches), axis=1)[:, :many]
        if states.shape[1]:
            return states, np.full(states.shape[1], 1.0 / states.shape[1])
        marginals = belief.confidences
    else:
        marginals = 1.0 - belief.wrong
    prior = belief.confidences
    proposal = np.where((prior > 0.0) & (prior < 1.0), np.clip(marginals, 0.02, 0.98), prior)
    states = random.random((len(prior), many)) < proposal[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.where(proposal > 0.0, np.log(prior) - np.log(proposal), 0.0)
        wrong = np.where(proposal < 1.0, np.log1p(-prior) - np.log1p(-proposal), 0.0)
    log_weight = np.where(states, right[:, None], wrong[:, None]).sum(axis=0)
    for execution in belief.executions:
        rows = states.copy()
        for module, version in enumerate(execution.versions):
            if version != belief.versions[module]:
                rows[module] = random.random(many) < belief.chances[module][version]
        success = belief.graph.circuit.evaluate(rows.view(np.uint8)).astype(np.bool_)
        log_weight += np.where(success, execution.log_if_right, execution.log_if_wrong)
    if not np.isfinite(log_weight).any():
        # The evidence contradicts certain states. The belief loosens those, so draw from its marginals alone.
        return random.random(states.shape) < marginals[:, None], np.full(many, 1.0 / many)
    return states, _normalised(log_weight)


def _normalised(log_weight: Vector) -> Vector:
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())
