"""Reader of one file, for all three kinds: words and limits, problems, names, numbers, plain data, expressions."""

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
    Listing,
    Node,
    Scalar,
    Unreadable,
    YamlEntry,
    YamlLimits,
    YamlMap,
    in_words,
    is_nothing,
    read_yaml,
)
from handup.executive.language import Expression, collected, literal, parse, tabled
from handup.executive.problem import FilePlace, Problem
from handup.executive.recipe import FORMAT

MAX_BYTES = 2 * 1024 * 1024
"""The largest file that is read."""
MAX_PROBLEMS = 200
"""Most problems that are reported; a file with more is probably not a recipe."""
DEFAULT_MOST = 1000
"""Bound of a loop without `most` for which the validator sees that it comes to an end."""
MOST_ROUNDS = 1_000_000
"""The largest bound of a loop."""
MOST_LIMIT = 1000
"""The largest limit of a recovery."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
"""Pattern of parameters and variables: what an expression can refer to."""
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
"""Pattern of tasks, actions and recoveries: what can stand in a path."""
REFERENCE = re.compile(r"(?:params|var|database|beliefs|failure|tried)\.")
"""Pattern of the beginning of a text that is read as a reference."""

STEPS = ("action", "task", "op", "choice", "loop")
LIMITS = YamlLimits(size=MAX_BYTES, values=150_000, depth=50, text=10_000)
"""Limits of a file. Each choice or loop needs three or four levels."""
CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(NOTHING),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
MAX_DIGITS = 40


class FileReader:
    """Reader of the values of one file, which notes what is wrong with them.

    A value that cannot be read is noted and replaced by something harmless, so that the rest is read as well. `what`
    names a value in problems.

    Args:
        file: Name of the file, for problems.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def root(self, text: str) -> Node:
        """Return the root of the file's text.

        Raises:
            Unreadable: There is nothing to read. The reason is noted.
        """
        return read_yaml(text, self._note, limits=LIMITS, start="Start with 'format: 1'.")

    def place(self, at: Node | YamlEntry) -> FilePlace:
        """Return the place of a value or a key."""
        return FilePlace(self.file, at.line, at.column)

    def add(self, at: Node | YamlEntry, cause: str, hint: str) -> None:
        """Note a problem, and go on.

        Raises:
            Unreadable: There are too many.
        """
        self._note(at.line, at.column, cause, hint)

    def _note(self, line: int, column: int, cause: str, hint: str) -> None:
        place = FilePlace(self.file, line, column)
        self.problems.append(Problem(place, cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            cause = f"there are {MAX_PROBLEMS} problems up to here, and the rest is not read"
            self.problems.append(Problem(place, cause, "Check that it is the right file."))
            raise Unreadable

    # -- maps and names ----------------------------------------------------------------------------------------------

    def table(self, node: Node, what: str, *, hint: str, keys: Collection[str] = ()) -> YamlMap | None:
        """Return a map, or None. If `keys` are given, it may have no others."""
        if not isinstance(node, YamlMap):
            self.add(node, f"{what} is {in_words(node)}, not a map", hint)
            return None
        if keys:
            self.check_keys(node, keys, what)
        return node

    def file_table(self, root: Node, *, holds: str) -> YamlMap | None:
        """Return the map that the file holds, or None. A file without the right format is noted."""
        table = self.table(root, "the file", hint=f"Start with 'format: {FORMAT}', then {holds}.")
        if table is None:
            return None
        entry = table.entries.get("format")
        if entry is None:
            self.add(table, "the file does not say its format", f"Start with 'format: {FORMAT}'.")
        elif not isinstance(entry.value, Scalar) or entry.value.text != str(FORMAT):
            cause = f"the format is {in_words(entry.value)}, and this handup knows {FORMAT}"
            self.add(entry, cause, f"Write 'format: {FORMAT}'.")
        return table

    def check_keys(self, table: YamlMap, known: Collection[str], owner: str, *, told: Collection[str] = ()) -> None:
        """Note every key that is not known, except those that are reported elsewhere."""
        for key, entry in table.entries.items():
            if key not in known and key not in told:
                self.add(entry, f"{shown(key)} is no key of {owner}", suggestion(key, known))

    def text(self, node: Node | None, what: str) -> str:
        """Return a text; an empty one if there is none."""
        if node is None:
            return ""
        if isinstance(node, Scalar) and not is_nothing(node):
            return node.text
        self.add(node, f"{what} is {in_words(node)}", "Write a text.")
        return ""

    def word(self, node: Node, what: str, *, pattern: re.Pattern[str] = WORD) -> str | None:
        """Return a name, or None."""
        if isinstance(node, Scalar) and not is_nothing(node) and is_word(node.text, pattern):
            return node.text
        self.add(node, f"{what} is {in_words(node)}", name_hint(pattern))
        return None

    def names(self, node: Node | None, what: str) -> tuple[str, ...]:
        """Return names of parameters or variables: one, or a list of them, each once."""
        if node is None or is_nothing(node):
            return ()
        names: dict[str, None] = {}
        for item in node.items if isinstance(node, Listing) else [node]:
            name = self.word(item, f"a name in {what}", pattern=NAME)
            if name in names:
                self.add(item, f"{shown(name)} stands twice in {what}", "Keep one of them.")
            elif name is not None:
                names[name] = None
        return tuple(names)

    # -- numbers and plain data --------------------------------------------------------------------------------------

    def count(self, node: Node | None, what: str, *, most: int, default: int) -> int:
        """Return a whole number from 1, or the default."""
        if node is None:
            return default
        if isinstance(node, Scalar) and node.plain and INTEGER.fullmatch(node.text) and len(node.text) <= MAX_DIGITS:
            number = int(node.text, 0) if node.text[:2] in {"0o", "0x"} else int(node.text)
            if 1 <= number <= most:
                return number
        self.add(node, f"{what} is {in_words(node)}", f"Give a whole number from 1 to {most}.")
        return default

    def data(self, node: Node) -> Any:
        """Return plain data as in JSON."""
        if isinstance(node, Scalar):
            return self._scalar(node)
        if isinstance(node, Listing):
            return [self.data(item) for item in node.items]
        return {key: self.data(entry.value) for key, entry in node.entries.items()}

    def _scalar(self, node: Scalar) -> Any:
        text = node.text
        if not node.plain:
            return text
        if text in CONSTANTS:
            return CONSTANTS[text]
        return self._number(node) if text[0] in "+-.0123456789" else text

    def _number(self, node: Scalar) -> Any:
        """Return a number, or a text that only begins like one."""
        text = node.text
        if INTEGER.fullmatch(text) and len(text) <= MAX_DIGITS:
            return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
        if not NUMBER.fullmatch(text) and not NO_NUMBER.fullmatch(text):
            return text
        # A number of very many digits is refused like infinity: reading it would take long.
        number = float(text) if NUMBER.fullmatch(text) and len(text) <= MAX_DIGITS else math.inf
        if not math.isfinite(number):
            self.add(node, f"{shown(text)} is no finite number", "Put quotes around a text.")
            return None
        return number

    # -- expressions -------------------------------------------------------------------------------------------------

    def condition(self, node: Node, what: str) -> Expression:
        """Return an expression."""
        if isinstance(node, Scalar) and not is_nothing(node):
            return self._parsed(node, quotes=False)
        self.add(node, f"{what} is {in_words(node)}", 'Write an expression such as "var.count < 3".')
        return unreadable(self._begins(node))

    def condition_or_none(self, node: Node | None, what: str) -> Expression | None:
        """Return an expression, or None where none is written."""
        return None if node is None else self.condition(node, what)

    def value(self, node: Node) -> Expression:
        """Return a parameter: a reference, `{expr: …}`, `{value: …}`, or plain data that may hold references."""
        if isinstance(node, Scalar):
            if REFERENCE.match(node.text):
                return self._parsed(node, quotes=True)
            return literal(self._scalar(node), self._begins(node))
        place = self._begins(node)
        if isinstance(node, Listing):
            items = [self.value(item) for item in node.items]
            constant = all(item.constant for item in items)
            return literal([item.value({}) for item in items], place) if constant else collected(items, place)
        return self._map(node, place)

    def _map(self, node: YamlMap, place: FilePlace) -> Expression:
        if node.entries.keys() == {"value"}:
            return literal(self.data(node.entries["value"].value), place)
        if node.entries.keys() == {"expr"}:
            return self.condition(node.entries["expr"].value, "'expr'")
        entries = {key: self.value(entry.value) for key, entry in node.entries.items()}
        if all(entry.constant for entry in entries.values()):
            return literal({key: entry.value({}) for key, entry in entries.items()}, place)
        return tabled(entries, place)

    def _parsed(self, node: Scalar, *, quotes: bool) -> Expression:
        place = self._begins(node)
        try:
            return parse(node.text, place)
        except BadExpression as error:
            hint = f"{error.hint} For a text that begins so, write {{value: …}}." if quotes else error.hint
            self._note(error.line or node.line, error.column or node.column, error.cause, hint)
            return unreadable(place)

    def _begins(self, node: Node) -> FilePlace:
        """Return the place where a value begins; for a text in quotes, the place behind the quote."""
        quoted = isinstance(node, Scalar) and not node.plain
        return FilePlace(self.file, node.line, node.column + quoted)


def is_word(text: str, pattern: re.Pattern[str] = WORD) -> bool:
    """Return True for a text that can be a name."""
    return len(text) <= MAX_WORD and pattern.fullmatch(text) is not None


def name_hint(pattern: re.Pattern[str]) -> str:
    """Return a hint on how names are written."""
    dash = "" if pattern is NAME else ", '-'"
    return f"A name has letters, digits, '_'{dash} and no digit at its beginning; at most {MAX_WORD} characters."


def unreadable(place: FilePlace) -> Expression:
    """Return a stand-in for an expression that could not be read: it has no known value, and reads nothing."""
    return parse("aborts", place)


@contextmanager
def collector_resting() -> Iterator[None]:
    """Let Python's garbage collector rest while many small things are made and kept.

    What is read holds no cycles and all of it stays, yet the collector would look through it again and again: that
    was half of the time that a large file takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
