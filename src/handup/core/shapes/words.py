"""Answers in words: free ones, one of the options, and an action with how to resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from handup.core.checks import CONTROL, MAX_OPTION, MAX_WORDS, check_text, one_line, shown
from handup.core.errors import BadAnswer
from handup.core.fields import schema_of
from handup.core.protocols import RandomSource
from handup.core.shapes.base import Schema, Shape, Talk, uniform
from handup.core.value import RESUMING, Resolution, ResumeHint

if TYPE_CHECKING:
    from handup.core.kinds import KindRule
    from handup.core.question import Question

DUNNO = "I do not know"
"""Wrong answer of a simulated person to a question in words without suggestions."""


class WordsShape(Shape[str]):
    """Words, of which some may be suggested."""

    made = str
    written: ClassVar[Schema] = {"type": "string", "maxLength": MAX_WORDS}
    noun = "a text"
    open = True

    def check(self, question: Question, value: object) -> str:
        if isinstance(value, str) and value in question.options and value.strip():
            return str(value)
        text = check_text("an answer", value, MAX_WORDS, error=BadAnswer, empty=False).strip()
        if CONTROL.search(text):
            raise BadAnswer("an answer holds control characters", hint="Give plain words.")
        return text

    def from_json(self, raw: Any) -> str:
        return check_text("an answer", raw, MAX_WORDS, error=BadAnswer)

    def schema(self, rule: KindRule) -> Schema:
        return {**self.written, "pattern": r"\S"}

    def in_words(self, question: Question, value: str) -> str:
        return one_line(value)

    def in_passing(self, value: str) -> str:
        return value

    def option(self, question: Question, value: str) -> str | None:
        return value

    def how_to_type(self, question: Question) -> str:
        return "Type the number of a suggestion, or your own words." if question.options else "Type your words."

    def wrong(self, question: Question, right: str, random: RandomSource) -> str:
        choices = question.choices
        return choices[int(uniform(random) * len(choices))] if choices else DUNNO


class OptionShape(WordsShape):
    """One of the options."""

    noun = "an option"
    open = False
    closed = True

    def check(self, question: Question, value: object) -> str:
        return option_of(question, value)

    def schema(self, rule: KindRule) -> Schema:
        return {"type": "string", "maxLength": MAX_OPTION}

    def schema_of(self, question: Question) -> Schema:
        return {"enum": list(question.options)}

    def how_to_type(self, question: Question) -> str:
        return "Type the number of your choice."


def option_of(question: Question, value: object) -> str:
    """Return one of the options of a question.

    Raises:
        BadAnswer: It is none of them.
    """
    if isinstance(value, str) and value in question.options:
        return str(value)
    listed = ", ".join(question.options[:10]) + (", …" if len(question.options) > 10 else "")
    raise BadAnswer(f"{shown(value)} is none of the options", hint=f"Give one of: {listed}.")


class ResolutionShape(Shape[Resolution]):
    """One of the options, and how to resume."""

    made = Resolution
    written: ClassVar[Schema] = schema_of(Resolution)
    noun = "an action"

    def check(self, question: Question, value: object) -> Resolution:
        resolution = Resolution(action=value) if isinstance(value, str) else self.from_json(value)
        option_of(question, resolution.action)
        return resolution

    def reads(self, raw: object) -> bool:
        return isinstance(raw, Resolution) or (isinstance(raw, Mapping) and "action" in raw)

    def from_json(self, raw: Any) -> Resolution:
        if isinstance(raw, Resolution):
            return raw
        if not isinstance(raw, Mapping) or "action" not in raw or not set(raw) <= {"action", "resume"}:
            raise BadAnswer(f"{shown(raw)} is no action", hint="Give an action, and how to resume.")
        return Resolution(**raw)

    def to_json(self, value: Resolution) -> Any:
        return {"action": value.action, "resume": str(value.resume)}

    def schema(self, rule: KindRule) -> Schema:
        return {"anyOf": [self.written, {"type": "string", "maxLength": MAX_OPTION}]}

    def in_words(self, question: Question, value: Resolution) -> str:
        resume = "" if value.resume is ResumeHint.NONE else f", then {RESUMING[value.resume]}"
        return f"{one_line(value.action)}{resume}"

    def in_passing(self, value: Resolution) -> str:
        return value.action

    def option(self, question: Question, value: Resolution) -> str | None:
        return value.action

    def lines(self, question: Question, value: Resolution) -> list[str]:
        return [value.action, *([] if value.resume is ResumeHint.NONE else [str(value.resume)])]

    def is_json(self, text: str) -> bool:
        return "{" in text

    def how_to_type(self, question: Question) -> str:
        return "Type the number of your choice."

    def typed(self, question: Question, line: str, talk: Talk) -> object:
        guess, hints = question.guess, tuple(ResumeHint)
        usual = guess.resume if isinstance(guess, Resolution) and guess.action == line else ResumeHint.NONE
        talk.say(f"{one_line(line)}: and how should the robot go on?")
        for number, hint in enumerate(hints, start=1):
            talk.say(f"{number}  {RESUMING[hint]}", indent=2)
        talk.say(f"Type a number, or press Enter for: {RESUMING[usual]}.")
        while True:
            word = talk.line("How to go on").strip()
            if not word:
                return Resolution(action=line, resume=usual)
            if word.isdecimal() and word.isascii() and 1 <= int(word[:9]) <= len(hints):
                return Resolution(action=line, resume=hints[int(word) - 1])
            if word in hints:
                return Resolution(action=line, resume=ResumeHint(word))
            talk.say(f"Type a number from 1 to {len(hints)}, or press Enter.")
