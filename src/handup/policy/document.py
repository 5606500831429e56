"""A YAML document as nodes that know their line.

Of YAML only what data needs is read: mappings with words as keys, lists and scalars; one document; no anchors, aliases
or tags. What is read stays bounded in depth and number of values, so that a hostile file costs time in proportion to
its size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from handup.core import BadPolicy

MAX_VALUES = 250_000
"""The most keys and values in a document."""
MAX_DEPTH = 10
"""The deepest nesting of lists and mappings; a policy needs 4."""
MAX_WORD = 100
"""The longest key, in characters; what is shown of a text in a message is shorter."""

LINE_BREAK = re.compile(r"\r\n?|\n")
HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
HINT = "Mind the indentation (spaces, no tabs), the space after each colon, and closing quotes and brackets."


class Scalar(NamedTuple):
    """A text or number as written; `plain` where it stands without quotes, so that `true` is no text."""

    line: int
    text: str
    plain: bool


class Listing(NamedTuple):
    """A list."""

    line: int
    items: list[Scalar | Listing | Table]


class Table(NamedTuple):
    """A mapping, in the order of the file."""

    line: int
    entries: dict[str, Entry]


class Entry(NamedTuple):
    """A value of a mapping and the line of its key."""

    line: int
    value: Scalar | Listing | Table


Node = Scalar | Listing | Table


def read_document(text: str) -> Node:
    """The root of the one document in a text.

    Raises:
        BadPolicy: The text is no YAML, holds nothing, or more than is read here; with the line, but no file.
    """
    return _Document(text).read()


def in_words(node: Node) -> str:
    """What a value is, for a message."""
    if isinstance(node, Listing):
        return "a list"
    if isinstance(node, Table):
        return "a mapping"
    return "empty" if is_nothing(node) else shown(node.text)


def is_nothing(node: Node) -> bool:
    """Whether a value is YAML's null, written or left out."""
    return isinstance(node, Scalar) and node.plain and node.text in {"", "~", "null", "Null", "NULL"}


def shown(text: str) -> str:
    """A text in quotes and in one line for a message, cut where it is long."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


class _Document:
    """Reads events one by one. Recursion is as deep as the nesting, which is bounded."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._events: Iterator[Event] = YAML(typ="safe", pure=True).parse(text)
        self._line = 1
        self._values = 0

    def read(self) -> Node:
        root: Node | None = None
        for event in self._until(StreamEndEvent):
            if isinstance(event, DocumentStartEvent) and root is not None:
                self._fail("a second document begins here", "Keep one document per file, without '---' inside.")
            if isinstance(event, NodeEvent):
                root = self._node(event, 0)
        if root is None:
            self._fail("there is nothing to read", "Start with 'modules:'.", 1)
        return root

    def _until(self, end: type[Event]) -> Iterator[Event]:
        while not isinstance(event := self._next(), end):
            yield event

    def _next(self) -> Any:
        """The next event; as `Any`, since which fields it has depends on its class."""
        try:
            event = next(self._events)
        except MarkedYAMLError as error:
            self._fail(_cause(error), HINT, self._line_of(error))
        except ReaderError as error:
            line = self._lines_before(error.position)
            self._fail(f"the character U+{error.character:04X} is not allowed here", "Remove it.", line)
        except (ValueError, OverflowError, AssertionError):
            # So ruamel.yaml meets codes beyond Unicode such as "\UFFFFFFFF", and versions such as %YAML 1.9.
            self._fail("this is no valid YAML", "Look for backslashes within quotes and for '%'.")
        self._line = event.start_mark.line + 1
        return event

    def _line_of(self, error: MarkedYAMLError) -> int:
        """Where reading stopped; the last line with anything in it where that was the end."""
        mark = error.problem_mark or error.context_mark
        return self._line if mark is None else min(mark.line + 1, self._lines_before(len(self._text.rstrip())))

    def _lines_before(self, position: int) -> int:
        return len(LINE_BREAK.findall(self._text, 0, position)) + 1

    def _node(self, event: Any, depth: int) -> Node:
        line = self._line
        self._values += 1
        if self._values > MAX_VALUES:
            self._fail(f"more than {MAX_VALUES} keys and values are not read", "Make it smaller.")
        if isinstance(event, AliasEvent) or event.anchor is not None:
            self._fail("anchors and aliases (& and *) are not read", "Write the value out, or put quotes around it.")
        if event.tag is not None:
            self._fail(f"the tag {shown(str(event.tag))} is not read", "Remove it, or put quotes around the value.")
        if isinstance(event, ScalarEvent):
            if HALF_CHARACTER.search(event.value):
                self._fail("a text holds half a character", "Write the character itself instead of its code.")
            return Scalar(line, event.value, event.style is None)
        if depth == MAX_DEPTH:
            self._fail(f"more than {MAX_DEPTH} levels of lists and mappings are not read", "Nest less deeply.")
        if isinstance(event, SequenceStartEvent):
            return Listing(line, [self._node(item, depth + 1) for item in self._until(SequenceEndEvent)])
        return Table(line, self._entries(depth + 1))

    def _entries(self, depth: int) -> dict[str, Entry]:
        entries: dict[str, Entry] = {}
        for event in self._until(MappingEndEvent):
            key = self._node(event, depth)
            if not isinstance(key, Scalar) or len(key.text) > MAX_WORD or not key.text.isprintable():
                hint = f"A key is a word of one line and at most {MAX_WORD} characters."
                self._fail(f"{in_words(key)} stands as a key", hint, key.line)
            if key.text in entries:
                hint = f"Keep one of them; the first is in line {entries[key.text].line}."
                self._fail(f"the key {shown(key.text)} stands twice", hint, key.line)
            value = self._node(self._next(), depth)
            if isinstance(value, Scalar) and not value.text:
                # The parser sees that nothing was written only at the next thing, lines later perhaps.
                value = value._replace(line=key.line)
            entries[key.text] = Entry(key.line, value)
        return entries

    def _fail(self, cause: str, hint: str, line: int | None = None) -> NoReturn:
        raise BadPolicy(cause, hint=hint, line=line or self._line) from None


def _cause(error: MarkedYAMLError) -> str:
    problem = " ".join(str(error.problem).split())
    began, stopped = error.context_mark, error.problem_mark
    if began is not None and stopped is not None and began.line < stopped.line:
        problem = f"{problem} {error.context} that begins in line {began.line + 1}"
    return f"this is no valid YAML: {problem if len(problem) <= 200 else f'{problem[:200]}…'}"
