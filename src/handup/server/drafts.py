"""Half-made answers: in memory only, for one person and one question, gone with the question."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Draft:
    """What a person has said so far, and when by their device's clock."""

    value: Any
    at_s: float


class Drafts:
    """All half-made answers. Use it in the event loop only.

    Args:
        most: So many are kept; the oldest goes first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Draft] = OrderedDict()

    def get(self, person: str, question: str) -> Draft | None:
        """What there is."""
        return self._kept.get((question, person))

    def put(self, person: str, question: str, draft: Draft) -> None:
        """Keep one in place of the last."""
        self._kept.pop((question, person), None)
        self._kept[question, person] = draft
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def drop(self, person: str, question: str) -> None:
        """Forget one."""
        self._kept.pop((question, person), None)

    def ended(self, question: str) -> None:
        """A question takes no answers any more."""
        for key in [each for each in self._kept if each[0] == question]:
            del self._kept[key]
