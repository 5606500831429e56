"""Base of all shapes of answers: checks, JSON, words, the terminal and simulated people.

A new shape is a class beside these, a rule in `kinds.py` that refers to it, and a component of the page.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from handup.core.protocols import RandomSource
from handup.core.value import Point

if TYPE_CHECKING:
    from handup.core.kinds import KindRule
    from handup.core.question import Question

V = TypeVar("V")
Schema = Mapping[str, Any]


class Talk(Protocol):
    """A person at a terminal, for shapes that ask for more than one line."""

    def line(self, label: str) -> str:
        """Return the next line that is an answer."""
        ...

    def say(self, text: str, *, indent: int = 0) -> None:
        """Show a paragraph."""
        ...


class Shape(ABC, Generic[V]):
    """Base of all shapes. A kind of question names its shape, and nothing else knows how shapes differ.

    Attributes:
        made: The type of its values.
        written: JSON Schema of a value as it is written. No JSON fits two different schemas.
        noun: Noun for one of its values, for messages.
        open: True where a value may lie outside the question's choices.
        closed: True where a value is one of the question's options and nothing else.
        shell_hint: Hint for the shell where a text is no JSON.
    """

    made: ClassVar[type]
    written: ClassVar[Schema]
    noun: ClassVar[str]
    open: ClassVar[bool] = False
    closed: ClassVar[bool] = False
    shell_hint: ClassVar[str] = "Give JSON, such as [0.1, 0.2, 0.5, 0.75] for a box."

    # -- its values and their JSON -------------------------------------------------------------------------------------

    @abstractmethod
    def check(self, question: Question, value: object) -> V:
        """Return the value in the form that a question wants, from a value, its JSON, or another notation of it.

        Raises:
            BadAnswer: The question does not allow it; the hint says what is allowed.
        """

    def reads(self, raw: object) -> bool:
        """Tell whether a value, or its JSON, is of this shape and of no other."""
        return isinstance(raw, self.made)

    @abstractmethod
    def from_json(self, raw: Any) -> V:
        """Return a value from its JSON or from itself, whatever the question.

        Raises:
            BadAnswer: It is not a value of this shape.
        """

    def to_json(self, value: V) -> Any:
        """Return a value as plain data; `from_json` reads it back."""
        return value

    def schema(self, rule: KindRule) -> Schema:
        """Return the JSON Schema of all that `check` takes for a kind of question, as far as a schema can say."""
        return self.written

    def schema_of(self, question: Question) -> Schema:
        """Return the same schema for one question."""
        return self.schema(question.rule)

    def oddity(self, value: object) -> str:
        """Return a complaint about a value that only a person may give in this form; empty where there is none."""
        return ""

    # -- people --------------------------------------------------------------------------------------------------------

    @abstractmethod
    def in_words(self, question: Question, value: V) -> str:
        """Return a value in one line for a person."""

    def in_passing(self, value: V) -> str:
        """Return a value in a few words, to stand beside others and without its question."""
        return self.noun

    def option(self, question: Question, value: V) -> str | None:
        """Return the choice of the question that a value stands for, in words; None where it stands for none."""
        return None

    def lines(self, question: Question, value: V) -> list[str]:
        """Return a value as lines for the shell."""
        return [str(value)]

    def is_json(self, text: str) -> bool:
        """Tell whether a text of the shell is the JSON of a value; otherwise it is the value itself."""
        return False

    # -- a terminal ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def how_to_type(self, question: Question) -> str:
        """Return instructions for a person who types, in a sentence or two."""

    def label(self, question: Question) -> str:
        """Return the prompt of the first line; empty for the usual prompt."""
        return ""

    def typed(self, question: Question, line: str, talk: Talk) -> object:
        """Return the value that a line means, or another notation that `check` accepts.

        Args:
            question: The question.
            line: The line that was typed. The number of an option has become its words already.
            talk: Terminal on which to ask for further lines.

        Raises:
            BadAnswer: The line means no value.
        """
        return line

    # -- simulated people ----------------------------------------------------------------------------------------------

    def places(self, value: V) -> tuple[Point, ...]:
        """Return the places on the picture that show a value; none for shapes that are not pointed out."""
        return ()

    def pointed(self, places: Sequence[Point], right: V) -> V:
        """Return the value that a person gives who points at these places and means the right value."""
        return right

    def wrong(self, question: Question, right: V, random: RandomSource) -> V:
        """Return a random wrong value, for questions without choices."""
        return right


def uniform(random: RandomSource) -> float:
    """Return a random number from 0 to 1."""
    return float(random.random((1,))[0])
