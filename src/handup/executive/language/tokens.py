"""The words of an expression."""

from __future__ import annotations

import re
from typing import NamedTuple

from handup.core import BadExpression
from handup.core.checks import shown
from handup.executive.language.values import MAX_TEXT, Data

WORD = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)
  | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign>//|==|!=|<=|>=|[-+*/%<>()\[\]{},.:])
    """,
    re.VERBOSE | re.ASCII,
)
ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t"}
MAX_DIGITS = 40


class Token(NamedTuple):
    """One word: a `number`, `text`, `name` or `sign`, or the `end`.

    Args:
        kind: Which of them.
        word: As written.
        data: What a number or text stands for.
        column: Of its first character, counted from 1.
    """

    kind: str
    word: str
    data: Data
    column: int


def tokens_of(text: str) -> list[Token]:
    """All words, and the end.

    Raises:
        BadExpression: The text is too long, or something in it is no word; with the column.
    """
    if len(text) > MAX_TEXT:
        raise BadExpression(
            f"an expression has {len(text)} characters", hint=f"Write at most {MAX_TEXT}; use variables.", column=1
        )
    found, position = [], 0
    while position < len(text):
        match = WORD.match(text, position)
        if match is None:
            raise _no_word(text, position)
        kind, word = match.lastgroup or "", match.group()
        if kind != "space":
            found.append(Token(kind, word, _data(kind, word, position + 1), position + 1))
        position = match.end()
    found.append(Token("end", "the end", None, len(text) + 1))
    return found


def _data(kind: str, word: str, column: int) -> Data:
    if kind == "text":
        return _unescaped(word[1:-1], column + 1)
    if kind != "number":
        return None
    if len(word) > MAX_DIGITS:
        raise BadExpression("a number has too many digits", hint=f"Write at most {MAX_DIGITS}.", column=column)
    if word.isdigit():
        if len(word) > 18:
            raise BadExpression("a whole number is too large", hint="Write at most 18 digits.", column=column)
        return int(word)
    number = float(word)
    if number == float("inf"):
        raise BadExpression(f"{word} is no finite number", hint="Write a smaller number.", column=column)
    return number


def _unescaped(text: str, column: int) -> str:
    parts, position = [], 0
    while (slash := text.find("\\", position)) >= 0:
        letter = text[slash + 1]
        if letter not in ESCAPES:
            hint = "Known: \\\\, \\', \\\", \\n, \\t; or write the character itself."
            raise BadExpression(f"{shown(chr(92) + letter)} stands in a text", hint=hint, column=column + slash)
        parts += [text[position:slash], ESCAPES[letter]]
        position = slash + 2
    return "".join([*parts, text[position:]])


def _no_word(text: str, position: int) -> BadExpression:
    sign = text[position]
    hint = {
        "=": "Write '==' to compare.",
        "&": "Write 'and'.",
        "|": "Write 'or'.",
        "!": "Write 'not'.",
        "'": "Close the quote.",
        '"': "Close the quote.",
    }.get(sign, "Remove it, or put quotes around a text.")
    return BadExpression(f"{shown(sign)} has no meaning in an expression", hint=hint, column=position + 1)
