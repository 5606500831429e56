"""Events that a memory writes in the journal, under the key `memory` and in the run in which it was learned.

The person's name, the owners, the label, the embedding and the picture's name are erased with any of the owners.
Modules, encoders, ids of questions, numbers and causes stay for ever: they must not name a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from handup.core import event

KEY = "memory"
"""The key of all entries of memories."""


class DropCause(StrEnum):
    """Kind of evidence against a memory."""

    OTHER_ANSWER = "other-answer"
    """A person gave another label for a similar input."""
    SAID = "said"
    """A person said that it is wrong."""
    FAILED = "failed"
    """The robot acted on it, and it turned out to be wrong."""


class Dropping(StrEnum):
    """Reason for dropping a memory."""

    OVERRULED = "overruled"
    """A newer answer about the same input holds."""
    DISTRUSTED = "distrusted"
    """Its trust fell below the limit."""
    FULL = "full"
    """The module has reached its limit of memories."""


@event(
    "memory.remembered",
    people=("by", "whose"),
    personal={"label": "whose", "embedding": "whose", "picture": "whose"},
)
@dataclass(frozen=True, kw_only=True)
class MemoryRemembered:
    """A person's correction of a module is remembered. Its number is that of the entry.

    Args:
        module: Name of the module.
        encoder: Name of the encoder.
        dimension: Length of the embedding.
        digest: Hash of the encoder.
        by: Name of the person who gave the label.
        whose: Names of all people to whom it belongs, `by` among them.
        label: The right label.
        embedding: Vector of the input, as base64 of float32, least byte first.
        question: Id of the question that was answered.
        picture: Name of the picture.
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
    """Evidence for a memory: a person's answer, or a success of the robot that acted on it.

    Args:
        memory: Number of the memory.
        by: Name of the person who said so; None where the robot saw it.
        evidence: Id of the question or action; each counts once.
        weight: Weight of the evidence, 0 to 1.
    """

    memory: int
    by: str | None = None
    evidence: str = ""
    weight: float = 1.0


@event("memory.contradicted", people=("by",))
@dataclass(frozen=True, kw_only=True)
class MemoryContradicted:
    """Evidence against a memory; the fields are those of `MemoryConfirmed`, and the cause."""

    memory: int
    cause: DropCause
    by: str | None = None
    evidence: str = ""
    weight: float = 1.0


@event("memory.dropped")
@dataclass(frozen=True, kw_only=True)
class MemoryDropped:
    """A memory is dropped: it is not used any more."""

    memory: int
    why: Dropping


@event("memory.forgotten", people=("by",))
@dataclass(frozen=True, kw_only=True)
class MemoryForgotten:
    """Memories are not used any more, on the wish of the person `by`, or of a program where that is None."""

    memories: tuple[int, ...]
    by: str | None = None


Weighed = MemoryConfirmed | MemoryContradicted
MemoryEvent = MemoryRemembered | Weighed | MemoryDropped | MemoryForgotten
