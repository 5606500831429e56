"""Plain enumeration, worked out from what a module is and from nothing else of handup's inference.

An own state is one coin. A history is a list of events; each answer and each new confidence throws a new coin, and
an execution looks at the coins of its time. All throws of the uncertain coins are listed and weighed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from handup.policy import Belief, Gate, Module
from handup.what import Situation

Bits = NDArray[np.bool_]

MAX_BITS = 14


@dataclass(frozen=True)
class Answered:
    module: str
    changed: bool | None
    expert: float


@dataclass(frozen=True)
class Executed:
    ok: bool
    certainty: float = 1.0


@dataclass(frozen=True)
class Forwarded:
    confidences: tuple[tuple[str, float], ...]


Event = Answered | Executed | Forwarded


@dataclass(frozen=True)
class Truth:
    """What enumeration says. `likelihood` is the probability of the outcomes that were seen."""

    reliability: float
    wrong: dict[str, float]
    likelihood: float


def succeeds(modules: Sequence[Module], states: Mapping[str, Bits]) -> Bits:
    """Whether the final module's output is right, for many own states at once. Asks each input recursively."""
    by_name = {module.name: module for module in modules}
    outputs: dict[str, Bits] = {}

    def output(name: str) -> Bits:
        if name not in outputs:
            module = by_name[name]
            inputs = [output(each) for each in module.inputs]
            right = states[name]
            if inputs:
                right = right & (np.all(inputs, axis=0) if module.gate is Gate.AND else np.any(inputs, axis=0))
            outputs[name] = right
        return outputs[name]

    taken = {name for module in modules for name in module.inputs}
    (final,) = (module.name for module in modules if module.name not in taken)
    return output(final)


def throws(chances: Sequence[float]) -> tuple[list[Bits], NDArray[np.float64]]:
    """Every throw of coins with these chances: for each coin its side in each throw, and each throw's probability."""
    uncertain = [coin for coin, chance in enumerate(chances) if 0.0 < chance < 1.0]
    assert len(uncertain) <= MAX_BITS, "too many coins to enumerate"
    numbers = np.arange(1 << len(uncertain))
    sides = [np.full(len(numbers), chance == 1.0) for chance in chances]
    weight = np.ones(len(numbers))
    for bit, coin in enumerate(uncertain):
        sides[coin] = (numbers >> bit) & 1 == 1
        weight = weight * np.where(sides[coin], chances[coin], 1.0 - chances[coin])
    return sides, weight


def plain_reliability(modules: Sequence[Module], chances: Mapping[str, float]) -> float:
    """Probability of success when each module works with its chance, and nothing was seen."""
    names = list(chances)
    sides, weight = throws([chances[name] for name in names])
    return float(weight[succeeds(modules, dict(zip(names, sides, strict=True)))].sum())


@dataclass
class _Episode:
    """The coins of an episode: their chances, which one each module stands on, and what executions looked at."""

    chances: list[float]
    current: dict[str, int]
    looked: list[tuple[dict[str, int], Executed]] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)

    def throw_anew(self, module: str, chance: float) -> None:
        self.current[module] = len(self.chances)
        self.chances.append(chance)

    def tell(self, event: Event) -> None:
        if isinstance(event, Executed):
            self.looked.append((dict(self.current), event))
        elif isinstance(event, Answered):
            if event.changed is not None:
                self.chances[self.current[event.module]] = 0.0 if event.changed else 1.0
            self.answered.add(event.module)
            self.throw_anew(event.module, event.expert)
        else:
            for module, confidence in event.confidences:
                same = abs(confidence - self.chances[self.current[module]]) <= 1e-12
                if module not in self.answered and not same:
                    self.throw_anew(module, confidence)


def enumerate_history(modules: Sequence[Module], events: Sequence[Event]) -> Truth | None:
    """Reliability and blame after a history; None where what was seen cannot be."""
    episode = _Episode(
        [module.confidence for module in modules], {module.name: coin for coin, module in enumerate(modules)}
    )
    for event in events:
        episode.tell(event)
    used = {coin for coins, _ in [*episode.looked, (episode.current, None)] for coin in coins.values()}
    sides, weight = throws([chance if coin in used else 1.0 for coin, chance in enumerate(episode.chances)])

    def success(coins: Mapping[str, int]) -> Bits:
        return succeeds(modules, {name: sides[coin] for name, coin in coins.items()})

    for coins, seen in episode.looked:
        weight = weight * np.where(success(coins) == seen.ok, seen.certainty, 1.0 - seen.certainty)
    likelihood = float(weight.sum())
    if likelihood == 0.0:
        return None
    return Truth(
        reliability=float(weight[success(episode.current)].sum()) / likelihood,
        wrong={name: float(weight[~sides[coin]].sum()) / likelihood for name, coin in episode.current.items()},
        likelihood=likelihood,
    )


def tell(belief: Belief, events: Sequence[Event]) -> Belief:
    """The same history told to handup."""
    index = belief.graph.index
    for event in events:
        if isinstance(event, Executed):
            belief = belief.after_execution(event.ok, certainty=event.certainty)
        elif isinstance(event, Answered):
            belief = belief.after_answer(index(event.module), changed=event.changed, expert=event.expert)
        else:
            belief = belief.after_forward({index(name): value for name, value in event.confidences})
    return belief


def open_sets(situation: Situation) -> list[tuple[int, ...]]:
    """Every set of questions that may be asked, the empty one first."""
    modules = np.flatnonzero(situation.open).tolist()
    return [each for size in range(len(modules) + 1) for each in combinations(modules, size)]


def eq4(situation: Situation, asked: Sequence[int]) -> float:
    """The paper's Eq. 4 for a set of questions."""
    graph, costs = situation.belief.graph, situation.costs
    chances = dict(zip(graph.names, situation.belief.confidences.tolist(), strict=True))
    chances |= {graph.names[module]: float(costs.expert[module]) for module in asked}
    load = sum(float(costs.query[module]) for module in asked)
    return costs.w * load + (1.0 - costs.w) * (1.0 - plain_reliability(graph.modules, chances))
