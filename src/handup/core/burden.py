"""What happens to the people around a robot while it recovers, told to whoever keeps count of their load."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from handup.core.costs import CostModel


class BurdenKind(StrEnum):
    """What a person bore."""

    ANSWERED = "answered"
    """Answered a question."""
    FAILED = "failed"
    """Saw an attempt fail."""
    WAITED = "waited"
    """Waited for the robot: while it acted, or while it had decided to wait."""


@dataclass(frozen=True, kw_only=True)
class Burden:
    """One thing that a person bore.

    Args:
        kind: What it was.
        now_s: When it ended.
        module: For an answer, the position of the module that was asked about.
        by: Who answered, where that is known.
        waited_s: For a wait, how long it was.
    """

    kind: BurdenKind
    now_s: float
    module: int | None = None
    by: str | None = None
    waited_s: float = 0.0


@runtime_checkable
class LivingCosts(CostModel, Protocol):
    """A cost model that hears what happens. Immutable: it gives another one back.

    `Session` calls `after` for every burden, when it is told and again when it is rebuilt from a record, so equal
    histories lead to equal costs.
    """

    def after(self, burden: Burden) -> LivingCosts:
        """The model after something happened."""
        ...
