"""Answers of people, and the other replies they may give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any

from handup.core.checks import MAX_ID, MAX_NAME, from_record, shown
from handup.core.errors import BadAnswer
from handup.core.fields import Name, Number, Share, Text, check_rules
from handup.core.kinds import Value, value_from_json, value_to_json

SCHEMA = 1
"""Schema number of answers and replies in JSON."""
ASKED = Name(MAX_ID)
"""Rule of the question of a reply; only a stop may come without one."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Answer of a person.

    Args:
        value: Its content; None where it was erased.
        by: Name of the person.
        latency_s: Seconds between the question and the answer, at least 0.
        certainty: How sure the person was, 0 to 1; 1 where they did not say.

    Raises:
        BadAnswer: A field breaks its rule.
    """

    value: Value | None
    by: Annotated[str, Name()] | None = None
    latency_s: Annotated[float, Number(least=0.0)] | None = None
    certainty: Annotated[float, Share(called="certainty")] = 1.0

    def __post_init__(self) -> None:
        check_rules(self, "an answer", BadAnswer)
        object.__setattr__(self, "value", value_from_json(self.value))

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"schema": SCHEMA, **record, "value": value_to_json(self.value)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Answer:
        """Return the answer that `to_json` wrote.

        Raises:
            BadAnswer: It is no answer.
            BadRecord: It is of a newer schema.
        """
        return from_record(cls, "an answer", record, newest=SCHEMA, error=BadAnswer)


class ReplyKind(StrEnum):
    """Kinds of reply: an answer, or one of the four that are always possible."""

    ANSWER = "answer"
    NOT_NOW = "not-now"
    SOMEONE_ELSE = "someone-else"
    LET_ROBOT_TRY = "let-robot-try"
    STOP = "stop"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Reply of a person, as it comes from a device.

    Args:
        question: The id of the question that was on the screen; a stop may come without one.
        kind: An answer, or one of the replies that are always there.
        by: Name of the person.
        token: Made by the device, once for each reply and used again when it is sent again, so that a reply that is
            sent twice counts once.
        value: Content of an answer; None for every other reply.
        device: Name of the device.
        until_s: For *not now*: time in seconds from which the question may come again.
        certainty: How sure the person was, 0 to 1.

    Raises:
        BadAnswer: A field breaks its rule, an answer has no value, or another reply has one.
    """

    question: Annotated[str, Text(MAX_ID)]
    kind: ReplyKind
    by: Annotated[str, Name(person=True)]
    token: Annotated[str, Name()]
    value: Value | None = None
    device: Annotated[str, Text(MAX_NAME)] = ""
    until_s: Annotated[float, Number()] | None = None
    certainty: Annotated[float, Share(called="certainty")] = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in tuple(ReplyKind):
            raise BadAnswer(f"{shown(self.kind)} is no kind of reply", hint=f"Use one of: {', '.join(ReplyKind)}.")
        object.__setattr__(self, "kind", ReplyKind(self.kind))
        if self.kind is not ReplyKind.STOP:
            ASKED.check("question of a reply", self.question, BadAnswer)
        check_rules(self, "a reply", BadAnswer)
        object.__setattr__(self, "value", value_from_json(self.value))
        if (self.value is not None) != (self.kind is ReplyKind.ANSWER):
            says = "says nothing" if self.value is None else "says something"
            raise BadAnswer(f"a reply '{self.kind}' {says}", hint="An answer has a value, and nothing else has one.")
        if self.until_s is not None and self.kind is not ReplyKind.NOT_NOW:
            raise BadAnswer(f"a reply '{self.kind}' has a time", hint="Only 'not-now' may say until when.")

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"schema": SCHEMA, **record, "kind": str(self.kind), "value": value_to_json(self.value)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Reply:
        """Return the reply that `to_json` wrote, or that a device made.

        Raises:
            BadAnswer: It is no reply.
            BadRecord: It is of a newer schema.
        """
        return from_record(cls, "a reply", record, newest=SCHEMA, error=BadAnswer)
