"""One action's turn in the world: it changes the state, and asks chance by what happens and how often that happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from handup.domains.kitting.causes import CAUSES, WHY, Cause, Hangs
from handup.domains.kitting.rates import Rates
from handup.domains.kitting.state import State
from handup.executive.action import Aborted


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
