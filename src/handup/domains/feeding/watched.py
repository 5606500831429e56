"""A policy of a bite that says what it is at: for whoever watches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from handup.core import Question, Value
from handup.domains.feeding.policy import BitePolicy
from handup.policy import ModuleGraph
from handup.recover import Look, Pass


class Watcher(Protocol):
    """Who is told."""

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
