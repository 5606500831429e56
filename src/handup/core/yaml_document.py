"""A YAML document as nodes that know their line and column.

Of YAML only what data needs is read: maps with words as keys, lists and scalars; one document; no anchors, aliases,
tags or merge keys. The parser's events are taken one by one, so that a file which is too deep or too large is refused
at the place where it becomes so. They come from libyaml's scanner (ruamel.yaml.clib), which handup installs. What that
refuses, and everything where it is missing, is read by ruamel.yaml's own, which takes about eight times as long: it
knows that `22:00` and `Which?` need no quotes within braces, and says better why it stops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from handup.core.checks import shown
from handup.core.errors import HandupError

MAX_WORD = 100
"""The longest key, in characters."""
NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
LINE_BREAK = re.compile(r"\r\n?|\n")
UNREADABLE = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff\\ufffe\\uffff]")
"""Characters that YAML does not allow as they are, line breaks that its versions disagree on, and half characters."""
SYNTAX_HINT = "Mind the indentation (spaces, no tabs), the space after each colon, and closing quotes and brackets."
KEY_HINT = f"A key is a word of one line and at most {MAX_WORD} characters."

Note = Callable[[int, int, str, str], None]
"""Takes a mistake: line and column, counted from 1, cause and hint. It may raise."""


class Unreadable(Exception):
    """Nothing more can be read of a text; why was noted. No room lets it out."""


@dataclass(frozen=True, kw_only=True)
class YamlLimits:
    """Bounds of what is read of a file.

    Args:
        size: Characters in all.
        values: Keys and values.
        depth: Lists and maps within each other.
        text: Characters of one value.
    """

    size: int
    values: int
    depth: int
    text: int


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
    items: list[Scalar | Listing | YamlMap]


class YamlMap(NamedTuple):
    """A map, in the order of the file."""

    line: int
    column: int
    entries: dict[str, YamlEntry]


class YamlEntry(NamedTuple):
    """A value of a map and the place of its key."""

    line: int
    column: int
    value: Scalar | Listing | YamlMap


Node = Scalar | Listing | YamlMap


def read_yaml(text: str, note: Note, *, limits: YamlLimits, start: str) -> Node:
    """Return the root of the one document in a text. Mistakes that leave something to read are noted on the way.

    Args:
        text: The text.
        note: Takes each mistake; `raising` makes one that stops at the first.
        limits: Bounds of what is read.
        start: What to do where there is nothing to read.

    Raises:
        Unreadable: There is nothing to read: no YAML, too large, too deep. The reason is noted.
    """
    reader = _Reader(text, limits)
    root: Node | None = None
    with suppress(Unreadable):
        root = reader.read(start)
    for mistake in reader.mistakes:
        note(*mistake)
    if root is None:
        raise Unreadable
    return root


def raising(error: type[HandupError]) -> Note:
    """Return a note that raises what it is given, with the line."""

    def refuse(line: int, _: int, cause: str, hint: str) -> NoReturn:
        raise error(cause, hint=hint, line=line) from None

    return refuse


def in_words(node: Node) -> str:
    """Name a value for a message."""
    if isinstance(node, Scalar):
        return "empty" if is_nothing(node) else shown(node.text)
    return "a list" if isinstance(node, Listing) else "a map"


def is_nothing(node: Node) -> bool:
    """Return True for YAML's null, written or left out."""
    return isinstance(node, Scalar) and node.plain and node.text in NOTHING


class _Reader:
    """Puts nodes together from events. Not recursive: the open lists and maps stand on a stack."""

    def __init__(self, text: str, limits: YamlLimits) -> None:
        self._text, self._limits = text, limits
        self._begin()

    def _begin(self) -> None:
        self._last = 1, 1
        self._root: Node | None = None
        self.mistakes: list[tuple[int, int, str, str]] = []
        self._stack: list[Listing | YamlMap] = []
        self._keys: list[Scalar | None] = []
        self._values = 0

    def read(self, start: str) -> Node:
        from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import, and many programs read no file
        from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

        if len(self._text) > self._limits.size:
            self._refuse(1, 1, f"a text of more than {self._limits.size} characters is not read", "Make it smaller.")
        odd = UNREADABLE.search(self._text)
        if odd is not None:
            self._refuse(*self._place(odd.start()), f"{_code(odd)} is not allowed here", "Remove it.")
        # Codes beyond Unicode such as "\UFFFFFFFF" and versions such as %YAML 1.9 are met with the other errors.
        failures = (YAMLError, ValueError, OverflowError, AssertionError)
        try:
            self._build(YAML(typ="safe").parse(self._text))
        except failures:
            self._begin()
            try:
                self._build(YAML(typ="safe", pure=True).parse(self._text))
            except MarkedYAMLError as error:
                mark = error.problem_mark or error.context_mark
                # The last line with anything in it, where reading stopped at the end.
                place = self._place(min(mark.index, len(self._text.rstrip())))
                self._refuse(*place, _cause(error), SYNTAX_HINT)
            except failures:
                self._refuse(*self._last, "this is no valid YAML", "Look for backslashes within quotes and for '%'.")
        if self._root is None:
            self._refuse(1, 1, "there is nothing to read", start)
        return self._root

    def _note(self, line: int, column: int, cause: str, hint: str) -> None:
        self.mistakes.append((line, column, cause, hint))

    def _refuse(self, line: int, column: int, cause: str, hint: str) -> NoReturn:
        self._note(line, column, cause, hint)
        raise Unreadable

    def _place(self, position: int) -> tuple[int, int]:
        lines = LINE_BREAK.split(self._text[:position])
        return len(lines), len(lines[-1]) + 1

    def _build(self, events: Iterator[Any]) -> None:
        from ruamel.yaml import events as kinds  # noqa: PLC0415

        scalar, mapping, sequence = kinds.ScalarEvent, kinds.MappingStartEvent, kinds.SequenceStartEvent
        ends, most = (kinds.MappingEndEvent, kinds.SequenceEndEvent), self._limits.text
        for event in events:
            kind, mark = type(event), event.start_mark
            self._last = mark.line + 1, mark.column + 1
            if kind is scalar:
                if event.style == '"' or event.anchor is not None or event.tag or len(event.value) > most:
                    self._odd(event)
                self._put(Scalar(*self._last, event.value[:most], not event.style))
            elif kind is mapping:
                self._open(event, YamlMap(*self._last, {}))
            elif kind is sequence:
                self._open(event, Listing(*self._last, []))
            elif kind in ends:
                self._stack.pop()
                self._keys.pop()
            elif kind is kinds.AliasEvent:
                self._odd(event)
                self._put(Scalar(*self._last, "", plain=True))
            elif kind is kinds.DocumentStartEvent and self._root is not None:
                hint = "Keep one document per file, without '---' inside."
                self._refuse(mark.line + 1, 1, "a second document begins here", hint)

    def _open(self, event: Any, node: Listing | YamlMap) -> None:
        if event.anchor is not None or event.tag is not None:
            self._odd(event)
        if len(self._stack) == self._limits.depth:
            cause = f"more than {self._limits.depth} levels of lists and maps are not read"
            self._refuse(node.line, node.column, cause, "Nest less deeply.")
        self._put(node)
        self._stack.append(node)
        self._keys.append(None)

    def _put(self, node: Node) -> None:
        self._values += 1
        if self._values > self._limits.values:
            cause = f"more than {self._limits.values} keys and values are not read"
            self._refuse(node.line, node.column, cause, "Make it smaller.")
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
            self._note(key.line, key.column, cause, f"Keep one of them; the first is in line {first}.")
            return
        parent.entries[key.text] = YamlEntry(key.line, key.column, node)

    def _key(self, node: Node) -> Scalar:
        if isinstance(node, Scalar) and node.text == "<<" and node.plain:
            self._note(node.line, node.column, "merge keys (<<) are not read", "Write the values out.")
        if isinstance(node, Scalar) and len(node.text) <= MAX_WORD and node.text.isprintable():
            return node
        self._note(node.line, node.column, f"{in_words(node)} stands as a key", KEY_HINT)
        return Scalar(node.line, node.column, f"({node.line}:{node.column})", plain=False)

    def _odd(self, event: Any) -> None:
        """Note what is not read of an event, or not as a whole."""
        line, column = self._last
        tag, text = getattr(event, "tag", None), getattr(event, "value", "")
        if event.anchor is not None:
            hint = "Write the value out, or put quotes around it."
            self._note(line, column, "anchors and aliases (& and *) are not read", hint)
        if tag is not None:
            hint = "Remove it, or put quotes around the value."
            self._note(line, column, f"the tag {shown(str(tag))} is not read", hint)
        if len(text) > self._limits.text:
            self._note(line, column, f"a text has {len(text)} characters", f"Write at most {self._limits.text}.")
        escaped = UNREADABLE.search(text)
        if escaped is not None:
            self._note(line, column, f"{_code(escaped)} is not allowed", "Remove it.")


def _code(odd: re.Match[str]) -> str:
    return f"the character U+{ord(odd.group()):04X}"


def _cause(error: Any) -> str:
    problem = " ".join(str(error.problem).split())
    began, stopped = error.context_mark, error.problem_mark
    if began is not None and stopped is not None and began.line < stopped.line:
        problem = f"{problem} {error.context} that begins in line {began.line + 1}"
    return f"this is no valid YAML: {problem if len(problem) <= 200 else f'{problem[:200]}…'}"
