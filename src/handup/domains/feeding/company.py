"""Who is at the table while the robot eats: nobody who could see it, or somebody who watches and may say stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from handup.core import Question, Value
from handup.desk import Channel, Desk
from handup.domains.feeding.policy import BitePolicy
from handup.domains.feeding.seeing import Picture
from handup.domains.feeding.served import Bite
from handup.policy import ModuleGraph
from handup.recover import Look, Pass, Policy

if TYPE_CHECKING:
    from handup.domains.feeding.meal import Meal


class Company(Protocol):
    """Those at the table, and what a meal does for them beside eating."""

    @property
    def channels(self) -> Sequence[Channel]:
        """How it hears that something is asked."""
        ...

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """The meal begins, or goes on."""
        ...

    def guard(self, seconds: float) -> None:
        """As for `World.execute`: called all the time while the arm moves. It may wait, and may raise `Halted`."""
        ...

    def shown(self, name: str, picture: Picture) -> None:
        """A question about this picture comes next."""
        ...

    def watching(self, policy: BitePolicy, name: str, number: int) -> Policy:
        """The policy of a bite, as somebody watches it."""
        ...

    def over(self, bites: Sequence[Bite]) -> None:
        """One more bite is over."""
        ...

    def rest(self, until_s: float) -> None:
        """Somebody chews, until a time of the desk's clock."""
        ...

    def goes_on(self) -> bool:
        """Somebody said stop: wait until the robot is enabled, or say that it is not waited for."""
        ...


class Nobody:
    """Nobody sees it: no time is spent on showing, and after a stop nobody waits."""

    channels: Sequence[Channel] = ()

    def sits_down(self, meal: Meal, desk: Desk) -> None:
        """Nothing."""

    def guard(self, seconds: float) -> None:
        """Nothing."""

    def shown(self, name: str, picture: Picture) -> None:
        """Nothing."""

    def watching(self, policy: BitePolicy, name: str, number: int) -> Policy:
        """The policy itself."""
        return policy

    def over(self, bites: Sequence[Bite]) -> None:
        """Nothing."""

    def rest(self, until_s: float) -> None:
        """Nothing."""

    def goes_on(self) -> bool:
        """No: what follows is stopped, too."""
        return False


class Watcher(Protocol):
    """Somebody who is told what a policy is at."""

    def looks(self, policy: BitePolicy) -> None:
        """It looks at the plate."""
        ...

    def thinks(self, policy: BitePolicy) -> None:
        """Every module has said what it thinks."""
        ...

    def moves(self, policy: BitePolicy, outputs: Mapping[str, Value]) -> None:
        """It is about to act. Whoever is told may wait here, and may raise `Halted`."""
        ...

    def moved(self, policy: BitePolicy, look: Look) -> None:
        """It has acted, and looked at the fork."""
        ...


class WatchedPolicy:
    """Does what another one does, and tells.

    Args:
        policy: The one that does it.
        watcher: Who is told.
    """

    outdated_by_acting = BitePolicy.outdated_by_acting

    def __init__(self, policy: BitePolicy, watcher: Watcher) -> None:
        self._policy, self._watcher = policy, watcher

    @property
    def graph(self) -> ModuleGraph:
        """Its modules."""
        return self._policy.graph

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """As the policy's."""
        self._watcher.looks(self._policy)
        made = self._policy.forward(answers)
        self._watcher.thinks(self._policy)
        return made

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """As the policy's."""
        self._watcher.moves(self._policy, outputs)
        look = self._policy.act(outputs, action_id)
        self._watcher.moved(self._policy, look)
        return look

    def sense(self, action_id: str) -> Look | None:
        """As the policy's."""
        return self._policy.sense(action_id)

    def doubt(self, action_id: str) -> Question | None:
        """As the policy's."""
        return self._policy.doubt(action_id)

    def plan(self, outputs: Mapping[str, Value]) -> str:
        """As the policy's."""
        return self._policy.plan(outputs)

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """As the policy's."""
        return self._policy.question(module, outputs)

    def differs(self, module: str, said: Value, answer: Value) -> bool:
        """As the policy's."""
        return self._policy.differs(module, said, answer)
