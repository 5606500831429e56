"""Expressions: parsed once, computed as often as needed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import NamedTuple, NoReturn, TypeVar

from handup.core import BadExpression
from handup.core.checks import shown, suggestion
from handup.executive.language.values import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    MAX_DEPTH,
    MAX_TEXT,
    Data,
    is_list,
    is_number,
    kind_of,
)
from handup.executive.problem import NOWHERE, FilePlace

ROOTS = ("params", "var", "database", "beliefs", "failure", "tried", "aborts")
"""Names that an expression can begin to read from. All are maps but `aborts`, a number."""
OPEN = frozenset({"beliefs", "failure", "tried"})
"""Roots of which a missing entry is null: nobody believes it, the failure or the attempt does not have it."""

T = TypeVar("T")
Scope = Mapping[str, Data]
Name = tuple[str, ...]
Node = Callable[[Scope], Data]
Operands = tuple[tuple[str, Node], ...]
"""Signs, each with the operand behind it."""
WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
KEYWORDS = frozenset({"and", "or", "not", "in", *WORDS})
PLAIN = re.compile(rf"({'|'.join(ROOTS)})((?:\.[A-Za-z_][A-Za-z0-9_]*)+)", re.ASCII)
"""Pattern of a reference and nothing else, which is what most parameters are."""
TOKEN = re.compile(
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


@dataclass(frozen=True)
class Expression:
    """A value that may depend on parameters, variables, the database, beliefs and a failure.

    Made by `parse`, `literal`, `collected` and `tabled`.

    Args:
        text: Text as it stands in the file, for people; a literal in Python's way of writing it.
        root: The parsed expression.
        place: Place in the file.
        names: Names that it reads, such as `("var", "candidates")` or `("database", "poses", "table")`.
    """

    text: str
    root: Node = field(repr=False)
    place: FilePlace = field(default=NOWHERE, compare=False)
    names: frozenset[Name] = field(default=frozenset(), compare=False, repr=False)

    def value(self, scope: Scope) -> Data:
        """Return its value.

        Args:
            scope: For each root (`params`, `var`, `database`, `beliefs`, `failure`, `tried`, `aborts`) that can be read
                here, its content. A variable that is not set yet is null, and so is what `beliefs`, `failure` or
                `tried` do not have; everything else that is missing is an error.

        Raises:
            BadExpression: It has no value here, with the place; the task that computes it aborts.
        """
        try:
            return self.root(scope)
        except BadExpression as error:
            raise _placed(error, self.place) from None

    @property
    def constant(self) -> bool:
        """True if it is written out in the file, so that its value never changes."""
        return isinstance(self.root, _Constant)


def parse(text: str, place: FilePlace = NOWHERE) -> Expression:
    """Parse an expression.

        parse("len(var.candidates) > 0").value({"var": {"candidates": ["gear"]}})

    Args:
        text: At most `MAX_TEXT` characters.
        place: Place of its first character.

    Raises:
        BadExpression: It is no expression; the error has the place of the mistake.
    """
    # The quick way for most parameters; it gives what the parser would give.
    plain = PLAIN.fullmatch(text) if len(text) <= 200 else None
    if plain is not None and plain[1] != "aborts" and text.count(".") <= MAX_DEPTH:
        keys = tuple(plain[2][1:].split("."))
        return Expression(text, _Reference(plain[1], keys), place, frozenset({(plain[1], *keys)}))
    try:
        parser = _Parser(tokens_of(text))
        return Expression(text, parser.whole(), place, frozenset(parser.names))
    except BadExpression as error:
        raise _placed(error, place) from None


def literal(value: Data, place: FilePlace = NOWHERE) -> Expression:
    """Return plain data as an expression that is always this value."""
    return Expression(repr(value), _Constant(value), place)


def collected(items: Sequence[Expression], place: FilePlace = NOWHERE) -> Expression:
    """Return a list whose entries are computed."""
    names = frozenset().union(*(item.names for item in items))
    return Expression(
        f"[{', '.join(item.text for item in items)}]", _Call(_list, tuple(item.root for item in items)), place, names
    )


def tabled(entries: Mapping[str, Expression], place: FilePlace = NOWHERE) -> Expression:
    """Return a map whose values are computed."""
    text = ", ".join(f"{key!r}: {entry.text}" for key, entry in entries.items())
    names = frozenset().union(*(entry.names for entry in entries.values()))
    root = _Call(_Map(tuple(entries)), tuple(entry.root for entry in entries.values()))
    return Expression(f"{{{text}}}", root, place, names)


def _placed(error: BadExpression, place: FilePlace) -> BadExpression:
    """Return the same error, in a file. Its column in the text is counted from the text's first character."""
    column = place.column + (error.column - 1 if error.column else 0) if place.line else error.column
    return BadExpression(
        error.cause, hint=error.hint, file=place.file or None, line=place.line or None, column=column or None
    )


# -- parts: each is called with a scope and gives its value there ------------------------------------------------------


@dataclass(frozen=True)
class _Constant:
    """A number, a text, true, false, null, or any plain data from a file."""

    data: Data

    def __call__(self, scope: Scope) -> Data:
        return self.data


@dataclass(frozen=True)
class _Reference:
    """`var.candidates`, `database.poses.table`: a root and keys."""

    root: str
    keys: Name

    def __call__(self, scope: Scope) -> Data:
        try:
            value = scope[self.root]
        except KeyError:
            hint = f"There is: {', '.join(scope)}." if scope else "Nothing can be read here."
            raise BadExpression(f"there is no '{self.root}' here", hint=hint) from None
        for depth, key in enumerate(self.keys):
            try:
                value = value[key]
            except (KeyError, TypeError, IndexError):
                if self.root in OPEN and (value is None or isinstance(value, Mapping)):
                    return None
                if self.root == "var" and depth == 0:
                    return None  # not set yet
                raise _no_key(".".join((self.root, *self.keys[:depth])), value, key) from None
        return value


@dataclass(frozen=True)
class _Pick:
    """`list[0]`, `(…).key`, `database.poses[params.name]`: entries of a value, by keys that may be computed."""

    whole: Node
    keys: tuple[Node, ...]

    def __call__(self, scope: Scope) -> Data:
        value = self.whole(scope)
        for key in self.keys:
            value = _entry(value, key(scope))
        return value


@dataclass(frozen=True)
class _AndOr:
    """`x and y`: the first that is not true, or the last; `x or y`: the first that is true. No more is computed."""

    first: Node
    rest: Operands
    until: bool

    def __call__(self, scope: Scope) -> Data:
        value = self.first(scope)
        for _, node in self.rest:
            if bool(value) is self.until:
                break
            value = node(scope)
        return value


@dataclass(frozen=True)
class _Arithmetic:
    """`x + y - z` and the like, from left to right."""

    first: Node
    rest: Operands

    def __call__(self, scope: Scope) -> Data:
        value = self.first(scope)
        for sign, node in self.rest:
            value = ARITHMETIC[sign](value, node(scope))
        return value


@dataclass(frozen=True)
class _Comparison:
    """`x < y`, and chains such as `0 < x <= 3`."""

    first: Node
    rest: Operands

    def __call__(self, scope: Scope) -> Data:
        left = self.first(scope)
        for sign, node in self.rest:
            right = node(scope)
            if not COMPARISONS[sign](left, right):
                return False
            left = right
        return True


@dataclass(frozen=True)
class _Call:
    """`len(x)`, `not x`, `-x`, `[x, y]` and `{"key": x}`: something made of values."""

    compute: Callable[..., Data]
    arguments: tuple[Node, ...]

    def __call__(self, scope: Scope) -> Data:
        return self.compute(*[argument(scope) for argument in self.arguments])


def _negative(value: Data) -> Data:
    if not is_number(value):
        raise BadExpression(f"'-' stands before {kind_of(value)}", hint="Give a number.")
    return -value


def _list(*values: Data) -> Data:
    return list(values)


@dataclass(frozen=True)
class _Map:
    """Makes a map of values by its keys."""

    keys: tuple[str, ...]

    def __call__(self, *values: Data) -> Data:
        return dict(zip(self.keys, values, strict=True))


def _entry(value: Data, key: Data) -> Data:
    if isinstance(value, Mapping):
        if isinstance(key, str) and key in value:
            return value[key]
    elif (is_list(value) or isinstance(value, str)) and isinstance(key, int) and not isinstance(key, bool):
        if -len(value) <= key < len(value):
            return value[key]
        cause = f"entry {key} is read of {kind_of(value)} of {len(value)}"
        raise BadExpression(cause, hint="Check the length before; the first entry is 0.")
    raise _no_key("the value", value, key)


def _no_key(where: str, value: Data, key: Data) -> BadExpression:
    if not isinstance(value, Mapping):
        return BadExpression(f"{where} is {kind_of(value)} and has no {shown(key)}", hint="Check what it holds.")
    known = ", ".join(str(name) for name in list(value)[:8])
    return BadExpression(f"{where} has no {shown(key)}", hint=f"It has: {known}." if known else "It is empty.")


# -- the words of an expression ----------------------------------------------------------------------------------------


class Token(NamedTuple):
    """One token: a `number`, `text`, `name` or `sign`, or the `end`.

    Args:
        kind: Kind of token.
        word: Text as written.
        data: Value of a number or text.
        column: Column of its first character, counted from 1.
    """

    kind: str
    word: str
    data: Data
    column: int


def tokens_of(text: str) -> list[Token]:
    """Return all tokens, and the end.

    Raises:
        BadExpression: The text is too long, or something in it is no word; with the column.
    """
    if len(text) > MAX_TEXT:
        raise BadExpression(
            f"an expression has {len(text)} characters", hint=f"Write at most {MAX_TEXT}; use variables.", column=1
        )
    tokens, position = [], 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise _no_word(text, position)
        kind, word = match.lastgroup or "", match.group()
        if kind != "space":
            tokens.append(Token(kind, word, _data(kind, word, position + 1), position + 1))
        position = match.end()
    tokens.append(Token("end", "the end", None, len(text) + 1))
    return tokens


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


# -- from words to parts: a table of precedence, then signs, keys, names and numbers -----------------------------------


LEVELS: Sequence[tuple[Callable[[Node, Operands], Node], Collection[str]]] = (
    (partial(_AndOr, until=True), ("or",)),
    (partial(_AndOr, until=False), ("and",)),
    (_Comparison, COMPARISONS),
    (_Arithmetic, ("+", "-")),
    (_Arithmetic, ("*", "/", "//", "%")),
)
"""Levels of precedence from the loosest on: what is made of the operands, and the signs between them. A `not` stands
before a comparison."""


class _Parser:
    """Recursive parser that walks along the tokens once. It goes as deep as the nesting, which is bounded."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self.names: set[Name] = set()

    def whole(self) -> Node:
        if self._token.kind == "end":
            self._fail("an expression is empty", "Write a condition or a value.")
        node = self._level()
        if self._token.kind != "end":
            self._fail(f"{self._shown} stands where the expression should end", "Is there a sign or bracket missing?")
        return node

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    @property
    def _shown(self) -> str:
        return self._token.word if self._token.kind == "end" else shown(self._token.word)

    def _is(self, *words: str) -> bool:
        token = self._tokens[self._at]
        return token.word in words and token.kind in {"sign", "name"}

    def _take(self, word: str) -> bool:
        if not self._is(word):
            return False
        self._at += 1
        return True

    def _need(self, word: str) -> None:
        if not self._take(word):
            self._fail(f"{self._shown} stands where '{word}' should", f"Write '{word}'.")

    def _deeper(self, inner: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail("an expression is nested too deeply", f"Nest at most {MAX_DEPTH} levels; use variables.")
        node = inner()
        self._depth -= 1
        return node

    def _inner(self) -> Node:
        return self._deeper(self._level)

    def _level(self, level: int = 0) -> Node:
        """Read what stands on a level of precedence: operands of the next level, with the signs of this one between."""
        if level == len(LEVELS):
            return self._signed()
        make, signs = LEVELS[level]
        if signs is COMPARISONS and self._take("not"):
            return _Call(operator.not_, (self._deeper(lambda: self._level(level)),))
        first, rest = self._level(level + 1), []
        while (sign := self._sign(signs)) is not None:
            rest.append((sign, self._level(level + 1)))
        return make(first, tuple(rest)) if rest else first

    def _sign(self, signs: Collection[str]) -> str | None:
        if signs is COMPARISONS and self._is("not") and self._tokens[self._at + 1].word == "in":
            self._at += 2
            return "not in"
        word = self._token.word
        return word if self._is(*signs) and self._take(word) else None

    def _signed(self) -> Node:
        if self._take("-"):
            return _Call(_negative, (self._deeper(self._signed),))
        return self._entries(self._atom())

    def _entries(self, node: Node) -> Node:
        keys: list[Node] = []
        while self._is(".", "["):
            if self._take("."):
                keys.append(_Constant(self._key()))
            else:
                self._take("[")
                keys.append(self._inner())
                self._need("]")
        # A reference takes in all plain keys that follow, so that the validator knows exactly what is read.
        if isinstance(node, _Reference) and node.root != "aborts":
            known = tuple(takewhile(lambda key: isinstance(key, _Constant) and isinstance(key.data, str), keys))
            if not known:
                self._fail(f"'{node.root}' is read as a whole", f"Say what of it, such as {node.root}.name.")
            node = _Reference(node.root, tuple(key.data for key in known if isinstance(key, _Constant)))
            keys = keys[len(known) :]
        if isinstance(node, _Reference):
            self.names.add((node.root, *node.keys))
        return _Pick(node, tuple(keys)) if keys else node

    def _key(self) -> str:
        token = self._token
        if token.kind != "name":
            self._fail(f"{self._shown} stands where a name should", "Write a name after the point.")
        self._at += 1
        return token.word

    def _atom(self) -> Node:
        token = self._token
        if token.kind in {"number", "text"}:
            self._at += 1
            return _Constant(token.data)
        if self._take("("):
            node = self._inner()
            self._need(")")
            return node
        if self._take("["):
            return _Call(_list, tuple(self._listed("]", self._inner)))
        if self._take("{"):
            pairs = self._listed("}", self._pair)
            return _Call(_Map(tuple(key for key, _ in pairs)), tuple(value for _, value in pairs))
        if token.kind != "name" or (token.word in KEYWORDS and token.word not in WORDS):
            self._fail(f"{self._shown} stands where a value should", "Is there a value missing before it?")
        return self._named(token)

    def _named(self, token: Token) -> Node:
        self._at += 1
        if token.word in WORDS:
            return _Constant(WORDS[token.word])
        if self._is("("):
            return self._call(token)
        if token.word not in ROOTS:
            self._at -= 1
            hint = f"{suggestion(token.word, ROOTS)} Put quotes around a text."
            self._fail(f"{self._shown} is not known here", hint)
        return _Reference(token.word, ())

    def _call(self, token: Token) -> Node:
        function = FUNCTIONS.get(token.word)
        if function is None:
            self._at -= 1
            self._fail(f"there is no function {self._shown}", suggestion(token.word, FUNCTIONS))
        self._take("(")
        arguments = tuple(self._listed(")", self._inner))
        if len(arguments) < function.least or (function.most is not None and len(arguments) > function.most):
            many = f"{function.least}" if function.most == function.least else f"{function.least} or more"
            cause = f"{token.word} got {len(arguments)} values"
            raise BadExpression(cause, hint=f"Give it {many}.", column=token.column)
        return _Call(function.compute, arguments)

    def _listed(self, end: str, entry: Callable[[], T]) -> list[T]:
        entries: list[T] = []
        while not self._take(end):
            entries.append(entry())
            if not self._is(end) and not self._take(","):
                self._fail(f"{self._shown} stands where ',' or '{end}' should", f"Close it with '{end}'.")
        return entries

    def _pair(self) -> tuple[str, Node]:
        token = self._token
        if token.kind != "text":
            self._fail(f"{self._shown} stands as a key", "Put quotes around it.")
        self._at += 1
        self._need(":")
        return token.data, self._inner()

    def _fail(self, cause: str, hint: str) -> NoReturn:
        raise BadExpression(cause, hint=hint, column=self._token.column)
