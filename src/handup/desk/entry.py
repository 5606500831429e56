"""An entry of the journal before it is written."""

from __future__ import annotations

from dataclasses import dataclass

from handup.core import type_of


@dataclass(frozen=True, kw_only=True)
class Fact:
    """An entry that is not written yet: the desk thinks ahead with it."""

    seq: int
    at_s: float
    run: str
    key: str
    event: object

    @property
    def kind(self) -> str:
        """The kind of event."""
        return type_of(self.event).kind
