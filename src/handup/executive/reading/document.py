"""A YAML document as nodes that know their line and column.

Of YAML only what data needs is read: maps with words as keys, lists and scalars; one document; no anchors, aliases,
tags or merge keys. The parser's events are taken one by one, so that a file which is too deep or too large is refused
at the place where it becomes so. They come from libyaml's scanner (ruamel.yaml.clib), which handup installs; where it
is missing, from ruamel.yaml's own, which reads the same and takes about eight times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from handup.core.checks import shown
from handup.executive.reading.notes import Notes
from handup.executive.reading.words import MAX_BYTES, MAX_DEPTH, MAX_SCALAR, MAX_VALUES, MAX_WORD

UNREADABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff\\ufffe\\uffff]")
"""Characters that YAML does not allow as they are, line breaks that its versions disagree on, and half characters."""
SYNTAX_HINT = "Mind the indentation (spaces, no tabs), the space after each colon, and closing quotes and brackets."
ALIAS_HINT = "Write the value out, or put quotes around it."


class Scalar(NamedTuple):
    """A text or number as written; `plain` where it stands without quotes, so that `true` is no text."""

    line: int
    column: int
    text: str
    plain: bool


class Listing(NamedTuple):
    """A list."""

    line: int
    column: int
    items: list[Any]


class Table(NamedTuple):
    """A map, in the order of the file."""

    line: int
    column: int
    entries: dict[str, Entry]


class Entry(NamedTuple):
    """A value of a map and the place of its key."""

    line: int
    column: int
    value: Any


Node = Scalar | Listing | Table


def read_document(text: str, notes: Notes) -> Node:
    """The root of the one document in a text. Problems that leave something to read are noted on the way.

    Raises:
        Refused: There is nothing to read: no YAML, too large, too deep. The reason is noted.
    """
    if len(text) > MAX_BYTES:
        notes.refuse(1, 1, f"a file of more than {MAX_BYTES} characters is not read", "Make several files of it.")
    odd = UNREADABLE.search(text)
    if odd is not None:
        line, column = text.count("\n", 0, odd.start()) + 1, odd.start() - text.rfind("\n", 0, odd.start())
        notes.refuse(line, column, f"the character U+{ord(odd.group()):04X} is not allowed here", "Remove it.")
    root = _Builder(notes).build(_events(text, notes))
    if root is None:
        notes.refuse(1, 1, "there is nothing to read", "Start with 'format: 1'.")
    return root


def _events(text: str, notes: Notes) -> Iterator[Any]:
    line, column = 1, 1
    try:
        for event in YAML(typ="safe").parse(text):
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            yield event
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if mark is not None:
            line, column = min(mark.line + 1, text.rstrip().count("\n") + 1), mark.column + 1
        problem = " ".join(str(error.problem).split())[:200]
        notes.refuse(line, column, f"this is no valid YAML: {problem}", SYNTAX_HINT)
    except (YAMLError, ValueError, OverflowError, AssertionError):
        # So the parser meets codes beyond Unicode such as "\UFFFFFFFF", and versions such as %YAML 1.9.
        notes.refuse(line, column, "this is no valid YAML", "Look for backslashes within quotes and for '%'.")


class _Builder:
    """Puts nodes together from events. Not recursive: the open lists and maps stand on a stack."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._root: Node | None = None
        self._stack: list[Listing | Table] = []
        self._keys: list[Scalar | None] = []
        self._values = 0

    def build(self, events: Iterator[Any]) -> Node | None:
        for event in events:
            kind, mark = type(event), event.start_mark
            if kind is ScalarEvent:
                if event.style == '"' or event.anchor is not None or event.tag or len(event.value) > MAX_SCALAR:
                    self._odd(event)
                self._put(Scalar(mark.line + 1, mark.column + 1, event.value[:MAX_SCALAR], not event.style))
            elif kind is MappingStartEvent:
                self._open(event, Table(mark.line + 1, mark.column + 1, {}))
            elif kind is SequenceStartEvent:
                self._open(event, Listing(mark.line + 1, mark.column + 1, []))
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._stack.pop()
                self._keys.pop()
            elif kind is AliasEvent:
                self._odd(event)
                self._put(Scalar(mark.line + 1, mark.column + 1, "", plain=True))
            elif kind is DocumentStartEvent and self._root is not None:
                self._notes.refuse(mark.line + 1, 1, "a second document begins here", "Keep one document per file.")
        return self._root

    def _open(self, event: Any, node: Listing | Table) -> None:
        if event.anchor is not None or event.tag is not None:
            self._odd(event)
        if len(self._stack) == MAX_DEPTH:
            hint = "Nest less deeply: make a task of the inner steps."
            self._notes.refuse(node.line, node.column, f"more than {MAX_DEPTH} levels are not read", hint)
        self._put(node)
        self._stack.append(node)
        self._keys.append(None)

    def _put(self, node: Node) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            cause = f"more than {MAX_VALUES} keys and values are not read"
            self._notes.refuse(node.line, node.column, cause, "Make several files of it.")
        if not self._stack:
            self._root = node
            return
        parent = self._stack[-1]
        if isinstance(parent, Listing):
            parent.items.append(node)
            return
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = self._key(node)
            return
        self._keys[-1] = None
        if isinstance(node, Scalar) and not node.text and node.plain:
            node = node._replace(line=key.line, column=key.column)  # nothing was written: the key is what can be shown
        if key.text in parent.entries:
            first = parent.entries[key.text].line
            cause = f"the key {shown(key.text)} stands twice"
            self._notes.add(key.line, key.column, cause, f"Keep one of them; the first is in line {first}.")
            return
        parent.entries[key.text] = Entry(key.line, key.column, node)

    def _key(self, node: Node) -> Scalar:
        if isinstance(node, Scalar) and node.text == "<<" and node.plain:
            self._notes.add(node.line, node.column, "merge keys (<<) are not read", "Write the values out.")
        if isinstance(node, Scalar) and len(node.text) <= MAX_WORD and node.text.isprintable():
            return node
        hint = f"A key is a word of one line and at most {MAX_WORD} characters."
        what = "a long or unprintable text" if isinstance(node, Scalar) else "a list or map"
        self._notes.add(node.line, node.column, f"{what} stands as a key", hint)
        return Scalar(node.line, node.column, f"({node.line}:{node.column})", plain=False)

    def _odd(self, event: Any) -> None:
        """Note what is not read of an event, or not as a whole."""
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        tag, text = getattr(event, "tag", None), getattr(event, "value", "")
        if event.anchor is not None:
            self._notes.add(line, column, "anchors and aliases (& and *) are not read", ALIAS_HINT)
        if tag is not None:
            hint = "Remove it, or put quotes around the value."
            self._notes.add(line, column, f"the tag {shown(str(tag))} is not read", hint)
        if len(text) > MAX_SCALAR:
            self._notes.add(line, column, f"a text has {len(text)} characters", f"Write at most {MAX_SCALAR}.")
        escaped = UNREADABLE.search(text)
        if escaped is not None:
            self._notes.add(line, column, f"the character U+{ord(escaped.group()):04X} is not allowed", "Remove it.")
