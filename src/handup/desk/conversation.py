"""One question, one person, one keyboard: what is typed becomes a value or one of the other replies."""

from __future__ import annotations

from collections.abc import Callable

from handup.core import BadAnswer, Question, ReplyKind, Value, check_value, in_words
from handup.core.checks import one_line
from handup.desk.keyboard import Typing
from handup.desk.screen import (
    ELSE_KEY,
    HELP_KEY,
    NOT_NOW_KEY,
    STOP_KEY,
    TRY_KEY,
    Screen,
    help_on,
    how_to_answer,
    takes_enter,
)

COMMANDS = {
    STOP_KEY: ReplyKind.STOP,
    "stop": ReplyKind.STOP,
    NOT_NOW_KEY: ReplyKind.NOT_NOW,
    "not now": ReplyKind.NOT_NOW,
    ELSE_KEY: ReplyKind.SOMEONE_ELSE,
    "someone else": ReplyKind.SOMEONE_ELSE,
    TRY_KEY: ReplyKind.LET_ROBOT_TRY,
    "let the robot try": ReplyKind.LET_ROBOT_TRY,
}
AS_IT_IS = "="
"""What follows this is an answer, whatever it could mean here."""
WORDS_OF_TWO = {"yes": ("y", "yes"), "no": ("no",), "done": ("d", "done"), "cannot": ("c", "cannot", "can't")}
"""What else is understood for the kinds of two options. Never `n` for no: it means not now."""


class Gone(Exception):
    """The question went away while the person was typing."""


class Said(Exception):
    """The person said one of the replies that are always there."""

    def __init__(self, kind: ReplyKind) -> None:
        super().__init__(kind)
        self.kind = kind


class Conversation:
    """Asks until there is a value that the question allows. A wrong key is explained and costs nothing.

    Args:
        question: What is asked.
        screen: Where to say something.
        typing: Where lines come from.
        gone: Whether the question went away.
        by: Who answers.
    """

    def __init__(self, question: Question, screen: Screen, typing: Typing, gone: Callable[[], bool], by: str) -> None:
        self._question = question
        self._screen = screen
        self._typing = typing
        self._gone = gone
        self._by = by
        self._warned = False

    def value(self) -> Value:
        """What the person answers.

        Raises:
            Said: They said something else than an answer.
            Gone: The question went away.
            EOFError: They left.
        """
        while True:
            try:
                return check_value(self._question, self._once())
            except BadAnswer as error:
                self.say(error.sentence)

    def _once(self) -> object:
        question, shape = self._question, self._question.rule.shape
        line = self.line(shape.label(question) or f"Your answer, {self._by}")
        if not line.strip():
            return self._guess()
        if line.startswith(AS_IT_IS):
            line = line[len(AS_IT_IS) :]
        elif question.choices:
            line = self._choice(line)
        return shape.typed(question, line, self)

    def say(self, text: str, *, indent: int = 0) -> None:
        """Show a paragraph."""
        self._screen.say(text, indent=indent)

    def _guess(self) -> Value:
        guess = self._question.guess
        if guess is None:
            raise BadAnswer("nothing was typed", hint=how_to_answer(self._question))
        if not takes_enter(self._question):
            raise BadAnswer("Enter gives no permission", hint=how_to_answer(self._question))
        return guess

    def _choice(self, line: str) -> str:
        """The option that a line means; the line itself where it means none."""
        question, typed = self._question, " ".join(line.split()).casefold()
        if typed.isdecimal() and typed.isascii():
            if not 1 <= int(typed[:9]) <= len(question.choices):
                raise BadAnswer(f"there is no number {typed[:20]}", hint=how_to_answer(question))
            return question.choices[int(typed) - 1]
        for choice in question.choices:
            if typed == one_line(choice).casefold() or typed in WORDS_OF_TWO.get(choice, ()):
                return choice
        if question.rule.shape.open:
            return line
        raise BadAnswer(f"'{one_line(line)[:60]}' is none of the choices", hint=how_to_answer(question))

    def line(self, label: str) -> str:
        """The next line that is no command.

        Raises:
            Said: It is one.
            Gone: The question went away.
            EOFError: The person left.
        """
        while True:
            self._screen.prompt(label)
            line = self._typing.line(self._gone)
            if line is None:
                raise Gone
            if not self._typing.live:
                self._screen.newline()  # nobody saw the end of the line being typed
            typed = " ".join(line.split()).casefold()
            if typed in {HELP_KEY, "help"}:
                self._screen.say(help_on(self._question))
                self._screen.keys(self._question)
                continue
            kind = COMMANDS.get(typed)
            if kind is None:
                return line
            if typed == NOT_NOW_KEY and self._means_no():
                continue
            if kind is ReplyKind.LET_ROBOT_TRY and (only_people := self._question.rule.only_people):
                self._screen.say(only_people)
                continue
            raise Said(kind)

    def _means_no(self) -> bool:
        """Whether to ask again, since n may have meant no; the second time it is not now."""
        if self._warned or "no" not in self._question.rule.two:
            return False
        self._warned = True
        self._screen.say("n is 'not now'. Type n again for that; for 'no' type 2.")
        return True


def said_back(question: Question, value: Value) -> str:
    """What an answer was taken for."""
    return f"Your answer: {in_words(question, value)}"
