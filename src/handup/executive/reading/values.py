"""What all three kinds of files share: their words and limits, problems, names, numbers, plain data, expressions."""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from handup.core import BadExpression
from handup.core.checks import shown, suggestion
from handup.core.yaml_document import (
    MAX_WORD,
    NOTHING,
    Limits,
    Listing,
    Node,
    Scalar,
    Table,
    Unreadable,
    in_words,
    is_nothing,
    read_yaml,
)
from handup.executive.language import Expression, collected, literal, parse, tabled
from handup.executive.problem import Place, Problem
from handup.executive.recipe import FORMAT

MAX_BYTES = 2 * 1024 * 1024
"""The largest file that is read."""
MAX_PROBLEMS = 200
"""So many problems are told; a file with more is no recipe."""
DEFAULT_MOST = 1000
"""How often a loop runs at most, where the file does not say it and the validator sees that it comes to an end."""
MOST_ROUNDS = 1_000_000
"""The largest bound of a loop."""
MOST_LIMIT = 1000
"""The largest limit of a recovery."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
"""Of parameters and variables: what an expression can refer to."""
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
"""Of tasks, actions and recoveries: what can stand in a path."""
REFERENCE = re.compile(r"(?:params|var|database|beliefs|failure|tried)\.")
"""A text that begins like this is no text but a reference."""

STEPS = ("action", "task", "op", "choice", "loop")


LIMITS = Limits(size=MAX_BYTES, values=150_000, depth=50, text=10_000)
"""Of a file. Each choice or loop needs three or four levels."""


class Notes:
    """What is wrong in one file.

    Args:
        file: What to call it.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def place(self, line: int, column: int) -> Place:
        """A place in this file."""
        return Place(self.file, line, column)

    def add(self, line: int, column: int, cause: str, hint: str) -> None:
        """Note a problem, and go on.

        Raises:
            Unreadable: There are too many.
        """
        self.problems.append(Problem(self.place(line, column), cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            cause = f"there are {MAX_PROBLEMS} problems up to here, and the rest is not read"
            self.problems.append(Problem(self.place(line, column), cause, "Check that it is the right file."))
            raise Unreadable

    def read(self, text: str) -> Node:
        """Return the root of the file's text.

        Raises:
            Unreadable: There is nothing to read. The reason is noted.
        """
        return read_yaml(text, self.add, limits=LIMITS, start="Start with 'format: 1'.")


CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(NOTHING),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
MAX_DIGITS = 40


def place_of(node: Node, notes: Notes) -> Place:
    """Where a value begins; that of a text in quotes behind the quote."""
    quoted = isinstance(node, Scalar) and not node.plain
    return notes.place(node.line, node.column + 1 if quoted else node.column)


def table_of(node: Node, what: str, notes: Notes, *, hint: str) -> Table | None:
    """A map, or None and a note."""
    if isinstance(node, Table):
        return node
    notes.add(node.line, node.column, f"{what} is {in_words(node)}, not a map", hint)
    return None


def check_keys(table: Table, known: Collection[str], owner: str, notes: Notes, *, told: Collection[str] = ()) -> None:
    """Note every key that is not known, but for those that are told elsewhere."""
    for key, entry in table.entries.items():
        if key not in known and key not in told:
            notes.add(entry.line, entry.column, f"{shown(key)} is no key of {owner}", suggestion(key, known))


def check_format(table: Table, notes: Notes) -> None:
    """Note a file of no or another format."""
    entry = table.entries.get("format")
    if entry is None:
        notes.add(table.line, table.column, "the file does not say its format", f"Start with 'format: {FORMAT}'.")
    elif not isinstance(entry.value, Scalar) or entry.value.text != str(FORMAT):
        cause = f"the format is {in_words(entry.value)}, and this handup knows {FORMAT}"
        notes.add(entry.line, entry.column, cause, f"Write 'format: {FORMAT}'.")


def text_in(node: Node, what: str, notes: Notes) -> str:
    """A text, or an empty one and a note."""
    if isinstance(node, Scalar) and not is_nothing(node):
        return node.text
    notes.add(node.line, node.column, f"{what} is {in_words(node)}", "Write a text.")
    return ""


def word_in(node: Node, what: str, notes: Notes, *, pattern: re.Pattern[str] = WORD) -> str | None:
    """A name, or None and a note."""
    if isinstance(node, Scalar) and not is_nothing(node) and is_word(node.text, pattern):
        return node.text
    notes.add(node.line, node.column, f"{what} is {in_words(node)}", name_hint(pattern))
    return None


def is_word(text: str, pattern: re.Pattern[str] = WORD) -> bool:
    """Whether a text can be a name."""
    return len(text) <= MAX_WORD and pattern.fullmatch(text) is not None


def name_hint(pattern: re.Pattern[str]) -> str:
    """How names are written."""
    dash = "" if pattern is NAME else ", '-'"
    return f"A name has letters, digits, '_'{dash} and no digit at its beginning; at most {MAX_WORD} characters."


def names_in(node: Node, what: str, notes: Notes) -> tuple[str, ...]:
    """Names of parameters or variables: one, or a list of them, each once."""
    if is_nothing(node):
        return ()
    found: dict[str, None] = {}
    for item in node.items if isinstance(node, Listing) else [node]:
        name = word_in(item, f"a name in {what}", notes, pattern=NAME)
        if name in found:
            notes.add(item.line, item.column, f"{shown(name)} stands twice in {what}", "Keep one of them.")
        elif name is not None:
            found[name] = None
    return tuple(found)


def count_in(node: Node, what: str, notes: Notes, *, most: int, default: int) -> int:
    """A whole number from 1, or the default and a note."""
    if isinstance(node, Scalar) and node.plain and INTEGER.fullmatch(node.text) and len(node.text) <= MAX_DIGITS:
        number = int(node.text, 0) if node.text[:2] in {"0o", "0x"} else int(node.text)
        if 1 <= number <= most:
            return number
    notes.add(node.line, node.column, f"{what} is {in_words(node)}", f"Give a whole number from 1 to {most}.")
    return default


def data_in(node: Node, notes: Notes) -> Any:
    """Plain data as in JSON."""
    if isinstance(node, Scalar):
        return _scalar(node, notes)
    if isinstance(node, Listing):
        return [data_in(item, notes) for item in node.items]
    return {key: data_in(entry.value, notes) for key, entry in node.entries.items()}


def _scalar(node: Scalar, notes: Notes) -> Any:
    text = node.text
    if not node.plain:
        return text
    if text in CONSTANTS:
        return CONSTANTS[text]
    return _number(node, notes) if text[0] in "+-.0123456789" else text


def _number(node: Scalar, notes: Notes) -> Any:
    """A number, or a text that only begins like one."""
    text = node.text
    if INTEGER.fullmatch(text) and len(text) <= MAX_DIGITS:
        return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
    if not NUMBER.fullmatch(text) and not NO_NUMBER.fullmatch(text):
        return text
    number = float(text) if NUMBER.fullmatch(text) and len(text) <= MAX_DIGITS else math.inf
    if not math.isfinite(number):
        notes.add(node.line, node.column, f"{shown(text)} is no finite number", "Put quotes around a text.")
        return None
    return number


def unreadable(place: Place) -> Expression:
    """Stands for an expression that could not be read: nobody knows what it comes to, and it reads nothing."""
    return parse("aborts", place)


def condition_in(node: Node, what: str, notes: Notes) -> Expression:
    """An expression, or something in its place and a note."""
    if isinstance(node, Scalar) and not is_nothing(node):
        return _parsed(node, notes, quotes=False)
    notes.add(node.line, node.column, f"{what} is {in_words(node)}", 'Write an expression such as "var.count < 3".')
    return unreadable(place_of(node, notes))


def value_in(node: Node, notes: Notes) -> Expression:
    """The value of a parameter: a reference, `{expr: …}`, `{value: …}`, or plain data that may hold references."""
    if isinstance(node, Scalar):
        if REFERENCE.match(node.text):
            return _parsed(node, notes, quotes=True)
        return literal(_scalar(node, notes), place_of(node, notes))
    return _listed(node, notes) if isinstance(node, Listing) else _tabled(node, notes)


def _listed(node: Listing, notes: Notes) -> Expression:
    items, place = [value_in(item, notes) for item in node.items], place_of(node, notes)
    if all(each.constant for each in items):
        return literal([each.value({}) for each in items], place)
    return collected(items, place)


def _tabled(node: Table, notes: Notes) -> Expression:
    place = place_of(node, notes)
    if node.entries.keys() == {"value"}:
        return literal(data_in(node.entries["value"].value, notes), place)
    if node.entries.keys() == {"expr"}:
        return condition_in(node.entries["expr"].value, "'expr'", notes)
    entries = {key: value_in(entry.value, notes) for key, entry in node.entries.items()}
    if all(each.constant for each in entries.values()):
        return literal({key: each.value({}) for key, each in entries.items()}, place)
    return tabled(entries, place)


def _parsed(node: Scalar, notes: Notes, *, quotes: bool) -> Expression:
    place = place_of(node, notes)
    try:
        return parse(node.text, place)
    except BadExpression as error:
        hint = f"{error.hint} For a text that begins so, write {{value: …}}." if quotes else error.hint
        notes.add(error.line or node.line, error.column or node.column, error.cause, hint)
        return unreadable(place)


@contextmanager
def collector_resting() -> Iterator[None]:
    """Let Python's garbage collector rest while many small things are made and kept.

    What is read holds no cycles and all of it stays, yet the collector would look through it again and again: that
    was half of the time that a large file takes.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
