"""What a person is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from handup.core.errors import BadSetting


class QuestionKind(StrEnum):
    """How an answer looks, and so which control a page shows."""

    CHOICE = "choice"
    TEXT = "text"
    YES_NO = "yes-no"
    NUMBER = "number"
    BOX = "box"
    POINTS = "points"
    DIAGNOSIS = "diagnosis"
    ACTION = "action"
    PERMISSION = "permission"
    PHYSICAL = "physical"


@dataclass(frozen=True)
class Question:
    """A question about one module, in the words of the person who will read it.

    Args:
        prompt: The sentence to show or say.
        kind: The shape of the answer.
        options: What to choose from, for `choice`.
    """

    prompt: str
    kind: QuestionKind = QuestionKind.TEXT
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in tuple(QuestionKind):
            raise BadSetting(f"{self.kind!r} is no kind of question", hint=f"Use one of: {', '.join(QuestionKind)}.")
        object.__setattr__(self, "kind", QuestionKind(self.kind))
        object.__setattr__(self, "options", tuple(self.options))
        if not self.prompt.strip():
            raise BadSetting("a question has no words", hint="Give it a prompt that a person can answer.")
        if self.kind is QuestionKind.CHOICE and len(self.options) < 2:
            raise BadSetting("a choice has fewer than two options", hint="List at least two under options.")

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {"prompt": self.prompt, "kind": str(self.kind), "options": list(self.options)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Question:
        """The question that `to_json` wrote."""
        return cls(record["prompt"], QuestionKind(record["kind"]), tuple(record["options"]))
