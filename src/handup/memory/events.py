"""What a memory writes in the journal. The entry's run is the one it was learned in; its key is `memory`.

Who said it, whose input it was, what was said, the embedding and the picture's name can be erased, with any of the
people whose they are. Modules, encoders, ids of questions, numbers and causes stay: name nobody in those.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from handup.core import event

KEY = "memory"
"""The key of all entries of memories."""


class Cause(StrEnum):
    """What spoke against a memory."""

    OTHER_ANSWER = "other-answer"
    """A person said something else of an input like it."""
    SAID = "said"
    """A person said that it is wrong."""
    FAILED = "failed"
    """It was acted on, and turned out to be wrong."""


class Dropping(StrEnum):
    """Why a memory was dropped."""

    OVERRULED = "overruled"
    """A person's newer word about the same input holds."""
    DISTRUSTED = "distrusted"
    """Too much spoke against it."""
    FULL = "full"
    """Others needed the room."""


@event(
    "memory.remembered",
    people=("by", "whose"),
    personal={"label": "whose", "embedding": "whose", "picture": "whose"},
)
@dataclass(frozen=True, kw_only=True)
class MemoryRemembered:
    """A person corrected a module, and that is kept. Its number is the entry's.

    Args:
        module: Which module.
        encoder: The name of the encoder.
        dimension: How many numbers the embedding has.
        digest: The encoder's hash.
        by: Who said it.
        whose: Everybody whose it is, `by` among them.
        label: What was said.
        embedding: Of the input, as base64 of float32, least byte first.
        question: The id of the question that was answered.
        picture: The name of the picture.
    """

    module: str
    encoder: str
    dimension: int
    digest: str
    by: str
    whose: tuple[str, ...]
    label: str | None
    embedding: str | None
    question: str = ""
    picture: str | None = ""


@event("memory.confirmed", people=("by",))
@dataclass(frozen=True, kw_only=True)
class MemoryConfirmed:
    """Something spoke for a memory: a person, or that it was acted on and was right.

    Args:
        memory: Its number.
        by: Who said so; None where the robot saw it.
        evidence: The id of the question or action; each counts once.
        weight: How much it counts, up to 1.
    """

    memory: int
    by: str | None = None
    evidence: str = ""
    weight: float = 1.0


@event("memory.contradicted", people=("by",))
@dataclass(frozen=True, kw_only=True)
class MemoryContradicted:
    """Something spoke against a memory; the fields are those of `MemoryConfirmed`, and the cause."""

    memory: int
    cause: Cause
    by: str | None = None
    evidence: str = ""
    weight: float = 1.0


@event("memory.dropped")
@dataclass(frozen=True, kw_only=True)
class MemoryDropped:
    """A memory is not used any more."""

    memory: int
    why: Dropping


@event("memory.forgotten", people=("by",))
@dataclass(frozen=True, kw_only=True)
class MemoryForgotten:
    """Memories are not used any more, since somebody wanted that; `by` is None where a program did."""

    memories: tuple[int, ...]
    by: str | None = None


Weighed = MemoryConfirmed | MemoryContradicted
MemoryEvent = MemoryRemembered | Weighed | MemoryDropped | MemoryForgotten
