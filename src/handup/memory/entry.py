"""What a memory gives out: a correction as it is remembered, and one that is recalled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from handup.core import BadSetting
from handup.core.checks import check_text
from handup.core.kinds import MAX_ID, MAX_NAME, MAX_OPTION
from handup.memory.embedder import Encoder
from handup.memory.trust import Trust


class Status(StrEnum):
    """Where a memory stands. What left `kept` never comes back."""

    KEPT = "kept"
    DROPPED = "dropped"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Which input a correction is about.

    Args:
        question: The id of the question that was answered. The same question teaches a module once, however often it
            is told. It stays in the journal for ever: name nobody.
        run: The run it came from; stays, too.
        picture: The name of the picture. It is erased with the people whose it is.

    Raises:
        BadSetting: One of them is no text, or too long.
    """

    question: str = ""
    run: str = ""
    picture: str = ""

    def __post_init__(self) -> None:
        check_text("a question's id", self.question, MAX_ID, error=BadSetting)
        check_text("a run", self.run, MAX_NAME, error=BadSetting)
        check_text("a picture's name", self.picture, MAX_OPTION, error=BadSetting)


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A correction, with where it comes from.

    Args:
        id: Its number: that of its entry in the journal.
        module: Which module it corrects.
        label: What a person said.
        by: Who.
        whose: Everybody whose it is; erasing any of them erases it.
        at_s: When it was remembered, by the journal's clock.
        source: Which input.
        encoder: Which encoder made its vector.
        trust: How far it is believed.
        status: Whether it is still used.
    """

    id: int
    module: str
    label: str
    by: str
    whose: tuple[str, ...]
    at_s: float
    source: Source
    encoder: Encoder
    trust: Trust = field(default_factory=Trust)
    status: Status = Status.KEPT

    @property
    def kept(self) -> bool:
        """Whether it is still used."""
        return self.status is Status.KEPT


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """A correction that is reused.

    Args:
        memory: Which one.
        similarity: How similar its input is to the present one: the cosine, at most 1.
        probabilities: The paper's C.3: the label has the similarity, the other candidates share the rest.
    """

    memory: Remembered
    similarity: float
    probabilities: Mapping[str, float]

    @property
    def label(self) -> str:
        """What was said then."""
        return self.memory.label

    @property
    def reason(self) -> str:
        """Why, in words, without the name of anybody."""
        return f"a person said '{self.label}' of something {100 * self.similarity:.0f} % alike"
