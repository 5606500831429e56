"""Ask-or-act solved by brute force: expectimax over explicit beliefs. Shares no code with the planners it checks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

OVER = 1e-9
NEVER = 1e-15
NOTHING: frozenset[int] = frozenset()


@dataclass
class Pomdp:
    """A policy as a truth function of its modules' own states, with costs.

    A belief is a probability for each of the 2^n states of the own states as they are now. Time is in steps where
    `act_time` and `ask_time` are left at 1. A mistake of a module goes `unseen` with its probability when the robot
    acts; the episode then ends as if all were well, at the cost of `loss`. The robot may act `tries` times, or as often
    as there is time. With `again` off nothing is asked about twice, but what is `outdated` by acting: again after that.
    """

    chances: tuple[float, ...]
    succeeds: Callable[[tuple[bool, ...]], bool]
    query: tuple[float, ...]
    expert: float = 1.0
    w: float = 0.5
    horizon: float | None = None
    act_time: float = 1.0
    ask_time: tuple[float, ...] | None = None
    askable: tuple[bool, ...] | None = None
    unseen: tuple[float, ...] | None = None
    loss: float = 0.0
    tries: int | None = None
    again: bool = True
    outdated: frozenset[int] = NOTHING
    _known: dict[tuple[bytes, float, int | None, frozenset[int]], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        modules = len(self.chances)
        self.states = list(itertools.product((False, True), repeat=modules))
        self.good = np.array([self.succeeds(state) for state in self.states])
        self.right = np.array(self.states).T
        place = {state: index for index, state in enumerate(self.states)}
        self.made_right = np.array(
            [[place[*state[:i], True, *state[i + 1 :]] for state in self.states] for i in range(modules)]
        )
        self.made_wrong = np.array(
            [[place[*state[:i], False, *state[i + 1 :]] for state in self.states] for i in range(modules)]
        )
        self.steps = 2 * modules * self.act_time if self.horizon is None else self.horizon
        self.times = self.ask_time or (1.0,) * modules
        hidden = np.array(self.unseen or (0.0,) * modules)
        self.masked = np.where(self.good, 0.0, 1.0 - np.where(self.right.T, 1.0, 1.0 - hidden).prod(axis=1))
        self.open = [module for module in range(modules) if self.askable is None or self.askable[module]]

    def prior(self) -> Vector:
        return np.array(
            [
                float(np.prod([c if right else 1 - c for c, right in zip(self.chances, state, strict=True)]))
                for state in self.states
            ]
        )

    def after_answer(self, belief: Vector, module: int, was_right: bool) -> Vector:
        """Unnormalised: the part of the belief that agrees, with the module drawn anew."""
        agrees = np.where(self.right[module] == was_right, belief, 0.0)
        after = np.zeros_like(belief)
        np.add.at(after, self.made_right[module], self.expert * agrees)
        np.add.at(after, self.made_wrong[module], (1.0 - self.expert) * agrees)
        return after

    def after_failure(self, belief: Vector) -> Vector:
        """Unnormalised: the part of the belief in which acting fails, and that is seen."""
        return np.where(self.good, 0.0, belief * (1.0 - self.masked))

    def lost(self, belief: Vector) -> float:
        """What mistakes that nobody sees cost on average when the robot acts."""
        return float((belief * self.masked).sum()) * self.loss

    def ask_price(self, module: int) -> float:
        return self.w * self.query[module] + (1 - self.w) * self.times[module]

    def act_price(self) -> float:
        return (1 - self.w) * self.act_time

    def asked_after(self, asked: frozenset[int], module: int) -> frozenset[int]:
        """What may not be asked about any more, after a question."""
        return NOTHING if self.again else asked | {module}

    def ask_value(
        self, belief: Vector, left: float, module: int, tries: int | None = None, asked: frozenset[int] = NOTHING
    ) -> float:
        value = self.ask_price(module)
        for was_right in (True, False):
            after = self.after_answer(belief, module, was_right)
            chance = float(after.sum())
            if chance > NEVER:
                value += chance * self.value(
                    after / chance, left - self.times[module], tries, self.asked_after(asked, module)
                )
        return value

    def act_value(
        self, belief: Vector, left: float, tries: int | None = None, asked: frozenset[int] = NOTHING
    ) -> float:
        after = self.after_failure(belief)
        fail = float(after.sum())
        if fail <= NEVER:
            return self.lost(belief)
        then = None if tries is None else tries - 1
        rest = self.value(after / fail, left - self.act_time, then, asked - self.outdated)
        return self.lost(belief) + fail * (self.act_price() + rest)

    def helps(self, belief: Vector, module: int) -> bool:
        """Whether asking changes anything: a true expert's word on what is surely right does not."""
        return self.expert < 1.0 or float(belief[~self.right[module]].sum()) > NEVER

    def value(self, belief: Vector, left: float, tries: int | None = None, asked: frozenset[int] = NOTHING) -> float:
        """The optimal expected cost of the rest of the episode."""
        if left <= OVER:
            return 0.0
        key = (np.round(belief, 11).tobytes(), round(left, 9), tries, asked)
        if key not in self._known:
            options = [(1 - self.w) * left]
            if tries != 0:
                options.append(self.act_value(belief, left, tries, asked))
                helpful = [module for module in self.open if module not in asked and self.helps(belief, module)]
                options += [self.ask_value(belief, left, module, tries, asked) for module in helpful]
            self._known[key] = min(options)
        return self._known[key]

    def optimum(self) -> float:
        return self.value(self.prior(), self.steps, self.tries)
