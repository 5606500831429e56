"""What may be wrong: hidden causes, the turn of an action in which they come up and spoil, and what the robot knows.

A module of the robot says a score of its own output, likelier high where it is right (`Turn.score`). By Bayes with the
rates of the world the score becomes the probability that the module is right: no more is claimed than can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from itertools import chain
from types import MappingProxyType
from typing import Any

from handup.core import BadSetting, Question, QuestionKind
from handup.core.files import shipped_data
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.state import State
from handup.executive.action import Aborted
from handup.policy import Module, ModuleGraph


class Hangs(StrEnum):
    """What a cause goes away with: when that changes, it is gone, and drawn anew at its next opportunity, as often."""

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
        name: As in the rates.
        part: The part of the robot or the world it sits in, for drills.
        at: The actions at which it may come up.
        spoils: For each action that it makes give up, the code. Causes that spoil nothing here are silent: the action
            is done, but not what it was for.
        hangs: What it goes away with.
        stations: Where it may come up; everywhere where it is empty.
        words: What a person who sees it would call it.
    """

    name: str
    part: str
    at: tuple[str, ...]
    spoils: Mapping[str, str] = field(default_factory=dict)
    hangs: Hangs = Hangs.ROBOT
    stations: tuple[str, ...] = ()
    words: str


def _cause(
    name: str, *, at: Sequence[str], hangs: str = Hangs.ROBOT, stations: Sequence[str] = (), **rest: Any
) -> Cause:
    return Cause(name=name, at=tuple(at), hangs=Hangs(hangs), stations=tuple(stations), **rest)


_TABLE: Mapping[str, Any] = shipped_data(__file__, "data/causes.yaml")
CAUSES: Mapping[str, Cause] = MappingProxyType(
    {name: _cause(name, **entry) for name, entry in _TABLE["causes"].items()}
)
"""All hidden causes by name, in the order in which they would be noticed."""
WHY: Mapping[str, str] = MappingProxyType(_TABLE["codes"])
"""What the robot says of each code: what it noticed, never the cause."""
_ROBOT: Mapping[str, Any] = shipped_data(__file__, "data/modules.yaml")
_MODULES: Mapping[str, Mapping[str, Any]] = _ROBOT["modules"]
BEHIND: Mapping[str, tuple[str, ...]] = {name: tuple(entry["causes"]) for name, entry in _MODULES.items()}
"""The hidden causes behind each module."""
ASKED: Mapping[str, str] = {name: entry["asked"] for name, entry in _MODULES.items()}
"""What people are asked about each module. Whatever the robot decided on, it took the answer to be no."""
GRAPHS: Mapping[str, tuple[str, ...]] = {action: tuple(names) for action, names in _ROBOT["actions"].items()}
"""Which modules stand behind an action, in the order in which each feeds the next."""
REMEDIED: Mapping[str, tuple[str, ...]] = {
    action: tuple(name for name, entry in _MODULES.items() if action in entry["remedies"])
    for action in dict.fromkeys(chain.from_iterable(entry["remedies"] for entry in _MODULES.values()))
}
"""Actions after which what a person said about a module no longer holds."""


def cause_of(part: str, failure: str) -> Cause:
    """The cause for a drill.

    Raises:
        BadSetting: There is no such failure of that part.
    """
    parts = sorted({cause.part for cause in CAUSES.values()})
    if part not in parts:
        raise BadSetting(f"nothing is known to fail at '{part}'", hint=f"Choose among: {', '.join(parts)}.")
    among = [cause.name for cause in CAUSES.values() if cause.part == part]
    if failure not in among:
        hint = f"At the {part}: {', '.join(among)}."
        raise BadSetting(f"'{failure}' is no failure of the {part}", hint=hint)
    return CAUSES[failure]


def chance(seed: int, what: str, count: int = 0) -> float:
    """A number on [0, 1) that depends on nothing but these: the same for every method that does the same things."""
    digest = blake2b(f"{seed}/{what}/{count}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


class Turn:
    """What an action works on. Made for one action, and thrown away after it.

    Args:
        state: As it is.
        rates: The world's numbers.
        action: Which action's turn it is.
        goal: Its inputs.
        attempt: As the caller counts.
        now_s: The time at which its effect happens.
    """

    def __init__(
        self, state: State, rates: Rates, action: str, goal: Mapping[str, Any], attempt: int = 1, now_s: float = 0.0
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
    def ended(self) -> State:
        """The state that the turn has made."""
        return replace(self.state, now_s=self.now_s, draws=self._draws, causes=tuple(sorted(self._causes)))

    def change(self, **what: Any) -> None:
        """Change the world."""
        if "hand" in what and what["hand"] != self.state.hand:
            what["handled"] = self.state.handled + 1
            self.let_go(Hangs.HAND)
        self.state = replace(self.state, **what)

    def draw(self, what: str) -> float:
        """Ask chance about something."""
        key = f"{self._about}/{what}"
        count = self._draws.get(key, 0)
        self._draws[key] = count + 1
        return chance(self.state.seed, key, count)

    def has(self, cause: str) -> bool:
        """Whether something is wrong."""
        return cause in self._causes

    def drop(self, cause: str) -> None:
        """Something is no longer wrong."""
        self._causes.discard(cause)

    def let_go(self, hangs: Hangs) -> None:
        """What causes hung on has changed: they are gone, until they are drawn again."""
        self._causes = {each for each in self._causes if CAUSES[each].hangs is not hangs}

    def come_up(self, *names: str) -> None:
        """Draw the causes that may come up at this action: all of them, or those named."""
        here = names or [cause.name for cause in CAUSES.values() if self.action in cause.at]
        for cause in (CAUSES[name] for name in here):
            if self.has(cause.name) or (cause.stations and self.state.base not in cause.stations):
                continue
            drawn = self.draw(cause.name) < self.rates.causes[cause.name].rate
            if drawn or cause.name in self.state.drills:
                drills = tuple(each for each in self.state.drills if each != cause.name)
                self.state = replace(self.state, drills=drills)
                self._causes.add(cause.name)

    def spoiled(self) -> Aborted | None:
        """How this action gives up, if a cause spoils it and luck does not save it."""
        for cause in CAUSES.values():
            code = cause.spoils.get(self.action)
            if code is not None and self.bites(cause):
                return Aborted(code=code, why=WHY[code])
        return None

    def bites(self, cause: Cause) -> bool:
        """Whether a cause is there and luck does not save this action from it."""
        return self.has(cause.name) and self.draw(f"luck/{cause.name}") >= self.rates.causes[cause.name].luck

    def remove(self) -> tuple[str, ...]:
        """Take away what this action takes away, as probably as the rates say; gives what is gone."""
        gone = []
        for name in sorted(self._causes):
            share = self.rates.causes[name].removed_by.get(self.action)
            if share is not None and self.draw(f"removes/{name}") < share:
                self.drop(name)
                gone.append(name)
        return tuple(gone)

    def moved(self) -> None:
        """Nothing is any more where it was seen."""
        self.change(scene=self.state.scene + 1)

    def score(self, module: str, right: bool) -> None:
        """What a module says of its own output: likelier high where it is right, density 2s against 2(1 - s)."""
        root = self.draw(f"score/{module}") ** 0.5
        self.state = replace(self.state, scores={**self.state.scores, module: root if right else 1.0 - root})


def confidence(module: str, state: State, rates: Rates) -> float:
    """P(the module is right | its last score): what it was before, by how well the score fits either way."""
    prior = 1.0
    for cause in BEHIND[module]:
        prior *= 1.0 - rates.causes[cause].rate
    score = min(max(state.scores.get(module, 0.5), 1e-6), 1.0 - 1e-6)
    right, wrong = prior * score, (1.0 - prior) * (1.0 - score)
    return right / (right + wrong)


def modules_of(action: str, state: State, rates: Rates) -> ModuleGraph | None:
    """The modules behind an action, each with its confidence now; None for actions that have none."""
    names = GRAPHS.get(action)
    if names is None:
        return None
    return ModuleGraph.chain(
        Module(name, confidence(name, state, rates), question=Question(ASKED[name], QuestionKind.YES_NO, guess=False))
        for name in names
    )
