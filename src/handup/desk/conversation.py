"""One question, one person, one keyboard: what is typed becomes a value or one of the other replies."""

from __future__ import annotations

from collections.abc import Callable

from handup.core import (
    BadAnswer,
    Box,
    Point,
    Question,
    QuestionKind,
    ReplyKind,
    Resolution,
    ResumeHint,
    Value,
    check_value,
)
from handup.core.kinds import Shape
from handup.desk.keyboard import Typing
from handup.desk.saying import RESUMING, in_words, one_line
from handup.desk.screen import (
    COLUMNS,
    ELSE_KEY,
    HELP_KEY,
    NOT_NOW_KEY,
    ROWS,
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
LEAST_SIDE = 0.01
"""A smaller box is asked for again: per cent were taken for shares."""
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
                self._screen.say(f"{error.cause[:1].upper()}{error.cause[1:]}. {error.hint}")

    def _once(self) -> Value:
        question = self._question
        shape = question.rule.shape
        if shape is Shape.POINTS:
            return self._points()
        line = self._line(f"Your answer, {self._by}")
        if not line.strip():
            return self._guess()
        if line.startswith(AS_IT_IS):
            line = line[len(AS_IT_IS) :]
        elif question.choices:
            line = self._choice(line)
        if shape is Shape.NUMBER:
            return _numbers(line, 1)[0]
        if shape is Shape.BOX:
            return _box(line)
        if shape is Shape.RESOLUTION:
            return self._resolution(line)
        return line

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
        if question.rule.shape is Shape.WORDS:
            return line
        raise BadAnswer(f"'{one_line(line)[:60]}' is none of the choices", hint=how_to_answer(question))

    def _resolution(self, action: str) -> Resolution:
        guess = self._question.guess
        usual = guess.resume if isinstance(guess, Resolution) and guess.action == action else ResumeHint.NONE
        self._screen.say(f"{one_line(action)}: and how should the robot go on?")
        for number, each in enumerate(ResumeHint):
            self._screen.say(f"{number + 1}  {RESUMING[each]}", indent=2)
        self._screen.say(f"Type a number, or press Enter for: {RESUMING[usual]}.")
        while True:
            line = self._line("How to go on").strip()
            if not line:
                return Resolution(action=action, resume=usual)
            if line.isdecimal() and line.isascii() and 1 <= int(line[:9]) <= len(ResumeHint):
                return Resolution(action=action, resume=list(ResumeHint)[int(line) - 1])
            if line in tuple(ResumeHint):
                return Resolution(action=action, resume=ResumeHint(line))
            self._screen.say(f"Type a number from 1 to {len(ResumeHint)}, or press Enter.")

    def _points(self) -> tuple[Point, ...]:
        question, found = self._question, list[Point]()
        marks = question.marks or ("the point",)
        while len(found) < len(marks):
            line = self._line(f"{one_line(marks[len(found)])} ({len(found) + 1} of {len(marks)})").strip()
            if not line and not found and isinstance(question.guess, tuple):
                return question.guess
            try:
                found.append(_point(line))
            except BadAnswer as error:
                self._screen.say(f"{error.cause[:1].upper()}{error.cause[1:]}. {error.hint}")
        return tuple(found)

    def _line(self, label: str) -> str:
        """A line that is no command."""
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
        if self._warned or self._question.kind not in (QuestionKind.YES_NO, QuestionKind.PERMISSION):
            return False
        self._warned = True
        self._screen.say("n is 'not now'. Type n again for that; for 'no' type 2.")
        return True


def said_back(question: Question, value: Value) -> str:
    """What an answer was taken for."""
    return f"Your answer: {in_words(question, value)}"


def _numbers(line: str, *counts: int) -> list[float]:
    parts = line.replace("%", " ").replace(";", " ").split()
    if len(parts) == 1 and counts == (1,) and parts[0].count(",") == 1:
        parts = [parts[0].replace(",", ".")]  # how half of the world writes 0.5
    else:
        parts = [each for part in parts for each in part.split(",") if each]
    try:
        numbers = [float(each) for each in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in counts:
        wanted = "a number" if counts == (1,) else f"{' or '.join(map(str, counts))} numbers"
        raise BadAnswer(
            f"'{one_line(line)[:60]}' is not {wanted}",
            hint="Type digits, as in 7 or 2.5." if counts == (1,) else "Type digits with spaces between them.",
        )
    return numbers


def _field(number: float) -> Box:
    """A field of the picture by its number."""
    if not (number.is_integer() and 1 <= number <= ROWS * COLUMNS):
        raise BadAnswer(f"there is no field {number:g}", hint=f"Fields are 1 to {ROWS * COLUMNS}.")
    row, column = divmod(int(number) - 1, COLUMNS)
    return Box(left=column / COLUMNS, top=row / ROWS, right=(column + 1) / COLUMNS, bottom=(row + 1) / ROWS)


def _box(line: str) -> Box:
    numbers = _numbers(line, 1, 2, 4)
    if len(numbers) < 4:
        fields = [_field(each) for each in numbers]
        return Box(
            left=min(each.left for each in fields),
            top=min(each.top for each in fields),
            right=max(each.right for each in fields),
            bottom=max(each.bottom for each in fields),
        )
    left, top, right, bottom = (_share(each) for each in numbers)
    if abs(right - left) < LEAST_SIDE or abs(bottom - top) < LEAST_SIDE:
        raise BadAnswer("that box is smaller than 1% of the picture", hint="Numbers are per cent, 0 to 100.")
    return Box(left=left, top=top, right=right, bottom=bottom)


def _point(line: str) -> Point:
    if not line:
        raise BadAnswer("nothing was typed", hint="Type across and down in per cent, or the number of a field.")
    numbers = _numbers(line, 1, 2)
    if len(numbers) == 1:
        box = _field(numbers[0])
        return Point((box.left + box.right) / 2.0, (box.top + box.bottom) / 2.0)
    return Point(*(_share(each) for each in numbers))


def _share(number: float) -> float:
    if not 0.0 <= number <= 100.0:
        raise BadAnswer(f"{number:g} lies outside the picture", hint="Type per cent, 0 to 100.")
    return number / 100.0
