"""Hidden causes: how they come up in the turn of an action and spoil it, and what the robot knows of them.

A module of the robot scores its own output, likelier high where it is right (`DrawnChance.score`). By Bayes with the
rates of the world the score becomes the probability that the module is right: no more is claimed than can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from itertools import chain
from types import MappingProxyType
from typing import Any

from handup.core import Question, QuestionKind, UnknownName
from handup.core.files import shipped_data, shipped_records
from handup.domains.kitting.hall_state import HallState
from handup.domains.kitting.rates import Rates
from handup.executive.action import Aborted
from handup.policy import Module, ModuleGraph


class Hangs(StrEnum):
    """Change with which a cause goes away; it is then drawn anew at its next opportunity, at the same rate."""

    ROBOT = "robot"
    """Nothing but its removal."""
    VISIT = "visit"
    """The base stands somewhere else."""
    HAND = "hand"
    """Something else is in the hand."""
    KIT = "kit"
    """Another kit is on the robot."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One way in which the world is not as the recipe takes it to be.

    Args:
        name: Name, as in the rates.
        part: Part of the robot or the world that it sits in, for drills.
        at: Actions at which it may come up.
        spoils: For each action that it makes give up, the code. A cause without any is silent: the action is done,
            but not what it was for.
        hangs: Change with which it goes away.
        stations: Stations at which it may come up; empty for all.
        words: Words that a person who sees it would use.
    """

    name: str
    part: str
    at: tuple[str, ...]
    spoils: Mapping[str, str] = field(default_factory=dict)
    hangs: Hangs = Hangs.ROBOT
    stations: tuple[str, ...] = ()
    words: str


_TABLE: Mapping[str, Any] = shipped_data(__file__, "data/causes.yaml")
CAUSES: Mapping[str, Cause] = shipped_records(Cause, _TABLE["causes"])
"""All hidden causes by name, in the order in which they would be noticed."""
WHY: Mapping[str, str] = MappingProxyType(_TABLE["codes"])
"""Explanation of each code: what the robot noticed, never the cause."""
_ROBOT: Mapping[str, Any] = shipped_data(__file__, "data/modules.yaml")
_MODULES: Mapping[str, Mapping[str, Any]] = _ROBOT["modules"]
BEHIND: Mapping[str, tuple[str, ...]] = {name: tuple(entry["causes"]) for name, entry in _MODULES.items()}
"""The hidden causes behind each module."""
ASKED: Mapping[str, str] = {name: entry["asked"] for name, entry in _MODULES.items()}
"""Question to people about each module. Whatever the robot decided, it took the answer to be no."""
GRAPHS: Mapping[str, tuple[str, ...]] = {action: tuple(names) for action, names in _ROBOT["actions"].items()}
"""Modules behind each action, in the order in which each feeds the next."""
REMEDIED: Mapping[str, tuple[str, ...]] = {
    action: tuple(name for name, entry in _MODULES.items() if action in entry["remedies"])
    for action in dict.fromkeys(chain.from_iterable(entry["remedies"] for entry in _MODULES.values()))
}
"""Modules that each action remedies: after it, what a person said about them no longer holds."""


def cause_of(part: str, failure: str) -> Cause:
    """Return the cause for a drill.

    Raises:
        UnknownName: There is no such part, or no such failure of it.
    """
    parts = sorted({cause.part for cause in CAUSES.values()})
    if part not in parts:
        raise UnknownName(f"nothing is known to fail at '{part}'", hint=f"Choose among: {', '.join(parts)}.")
    among = [cause.name for cause in CAUSES.values() if cause.part == part]
    if failure not in among:
        raise UnknownName(f"the {part} has no failure '{failure}'", hint=f"Choose among: {', '.join(among)}.")
    return CAUSES[failure]


def chance(seed: int, what: str, count: int = 0) -> float:
    """Return a number on [0, 1) that depends only on its arguments: the same for every method that does the same."""
    digest = blake2b(f"{seed}/{what}/{count}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


class DrawnChance:
    """World as one action works on it. Made for one action, and thrown away after it.

    Args:
        state: State of the world when it begins.
        rates: The world's numbers.
        action: Name of the action.
        goal: Inputs of the action.
        attempt: Number of the attempt, as the caller counts.
        now_s: The time at which its effect happens.
    """

    def __init__(
        self, state: HallState, rates: Rates, action: str, goal: Mapping[str, Any], attempt: int = 1, now_s: float = 0.0
    ) -> None:
        self.state = state
        self.rates = rates
        self.action = action
        self.goal = goal
        self.attempt = attempt
        self.now_s = now_s
        self._draws = dict(state.draws)
        self._causes = set(state.causes)
        about = goal.get("object", goal.get("to", "")) or state.hand
        self._about = f"{state.kits}/{state.base}/{about}/{action}"

    @property
    def ended(self) -> HallState:
        """State that the action has made."""
        return replace(self.state, now_s=self.now_s, draws=self._draws, causes=tuple(sorted(self._causes)))

    def change(self, **what: Any) -> None:
        """Change the world."""
        # What hangs on the hand goes with it.
        if "hand" in what and what["hand"] != self.state.hand:
            what["handled"] = self.state.handled + 1
            self.let_go(Hangs.HAND)
        self.state = replace(self.state, **what)

    def draw(self, what: str) -> float:
        """Draw a number on [0, 1) for something."""
        key = f"{self._about}/{what}"
        count = self._draws.get(key, 0)
        self._draws[key] = count + 1
        return chance(self.state.seed, key, count)

    def has(self, cause: str) -> bool:
        """Return whether a cause is there."""
        return cause in self._causes

    def drop(self, cause: str) -> None:
        """Remove a cause."""
        self._causes.discard(cause)

    def let_go(self, hangs: Hangs) -> None:
        """Remove the causes that hung on something that has changed, until they are drawn again."""
        self._causes = {cause for cause in self._causes if CAUSES[cause].hangs is not hangs}

    def come_up(self, *names: str) -> None:
        """Draw the causes that may come up at this action: all of them, or those named."""
        possible = names or [cause.name for cause in CAUSES.values() if self.action in cause.at]
        for cause in (CAUSES[name] for name in possible):
            if self.has(cause.name) or (cause.stations and self.state.base not in cause.stations):
                continue
            # Also drawn for a drill, so that all later draws stay the same.
            drawn = self.draw(cause.name) < self.rates.causes[cause.name].rate
            if drawn or cause.name in self.state.drills:
                drills = tuple(drill for drill in self.state.drills if drill != cause.name)
                self.state = replace(self.state, drills=drills)
                self._causes.add(cause.name)

    def spoiled(self) -> Aborted | None:
        """Return how this action gives up, if a cause spoils it and luck does not save it; else None."""
        for cause in CAUSES.values():
            code = cause.spoils.get(self.action)
            if code is not None and self.bites(cause):
                return Aborted(code=code, why=WHY[code])
        return None

    def bites(self, cause: Cause) -> bool:
        """Return whether a cause is there and luck does not save this action from it."""
        return self.has(cause.name) and self.draw(f"luck/{cause.name}") >= self.rates.causes[cause.name].luck

    def remove(self) -> tuple[str, ...]:
        """Remove what this action takes away, as probably as the rates say; return what is gone."""
        gone = []
        for name in sorted(self._causes):
            share = self.rates.causes[name].removed_by.get(self.action)
            if share is not None and self.draw(f"removes/{name}") < share:
                self.drop(name)
                gone.append(name)
        return tuple(gone)

    def moved(self) -> None:
        """Note that nothing is any more where it was seen."""
        self.change(scene=self.state.scene + 1)

    def score(self, module: str, right: bool) -> None:
        """Draw the score of a module for its own output: density 2s where it is right, 2(1 - s) where it is not."""
        # The square root of a uniform number has the density 2s.
        root = self.draw(f"score/{module}") ** 0.5
        self.state = replace(self.state, scores={**self.state.scores, module: root if right else 1.0 - root})


def confidence(module: str, state: HallState, rates: Rates) -> float:
    """Return P(the module is right | its last score): what it was before, by how well the score fits either way."""
    prior = 1.0
    for cause in BEHIND[module]:
        prior *= 1.0 - rates.causes[cause].rate
    score = min(max(state.scores.get(module, 0.5), 1e-6), 1.0 - 1e-6)
    right, wrong = prior * score, (1.0 - prior) * (1.0 - score)
    return right / (right + wrong)


def modules_of(action: str, state: HallState, rates: Rates) -> ModuleGraph | None:
    """Return the modules behind an action, each with its confidence now; None for actions that have none."""
    names = GRAPHS.get(action)
    if names is None:
        return None
    return ModuleGraph.chain(
        Module(name, confidence(name, state, rates), question=Question(ASKED[name], QuestionKind.YES_NO, guess=False))
        for name in names
    )
