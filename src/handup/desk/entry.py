"""What the desk needs to know of an entry of the journal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Entry(Protocol):
    """What the state needs of an entry of the journal."""

    @property
    def seq(self) -> int:
        """Its number."""
        ...

    @property
    def at_s(self) -> float:
        """When it was written."""
        ...

    @property
    def run(self) -> str:
        """The run it belongs to."""
        ...

    @property
    def key(self) -> str:
        """The question it belongs to."""
        ...

    @property
    def event(self) -> object:
        """What happened."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fact:
    """An entry that is not written yet: the desk thinks ahead with it."""

    seq: int
    at_s: float
    run: str
    key: str
    event: object
