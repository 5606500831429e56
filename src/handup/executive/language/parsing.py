"""From words to parts: one function per level of precedence, from `or` down to names and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile
from typing import NoReturn, TypeVar

from handup.core import BadExpression
from handup.core.checks import shown, suggestion
from handup.executive.language.functions import FUNCTIONS
from handup.executive.language.limits import MAX_DEPTH
from handup.executive.language.nodes import (
    ROOTS,
    Arithmetic,
    Both,
    Call,
    Comparison,
    Constant,
    Either,
    Items,
    Minus,
    Node,
    Not,
    Pairs,
    Pick,
    Reference,
)
from handup.executive.language.operators import COMPARISONS
from handup.executive.language.tokens import Token, tokens_of

T = TypeVar("T")
WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
KEYWORDS = frozenset({"and", "or", "not", "in", *WORDS})
PLAIN = re.compile(rf"({'|'.join(ROOTS)})((?:\.[A-Za-z_][A-Za-z0-9_]*)+)", re.ASCII)
"""A reference and nothing else, which is what most parameters are."""


def parse_text(text: str) -> Node:
    """The parts of an expression.

    Raises:
        BadExpression: With the column, counted from 1.
    """
    plain = PLAIN.fullmatch(text) if len(text) <= 200 else None
    if plain is not None and plain[1] != "aborts" and text.count(".") <= MAX_DEPTH:
        return Reference(plain[1], tuple(plain[2][1:].split(".")))
    return _Parser(tokens_of(text)).whole()


class _Parser:
    """Walks along the words once. As deep as the nesting, which is bounded."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        if self._here.kind == "end":
            self._fail("an expression is empty", "Write a condition or a value.")
        node = self._either()
        if self._here.kind != "end":
            self._fail(f"{self._shown} stands where the expression should end", "Is there a sign or bracket missing?")
        return node

    @property
    def _here(self) -> Token:
        return self._tokens[self._at]

    @property
    def _shown(self) -> str:
        return self._here.word if self._here.kind == "end" else shown(self._here.word)

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
        return self._deeper(self._either)

    def _either(self) -> Node:
        operands = [self._both()]
        while self._take("or"):
            operands.append(self._both())
        return operands[0] if len(operands) == 1 else Either(tuple(operands))

    def _both(self) -> Node:
        operands = [self._negation()]
        while self._take("and"):
            operands.append(self._negation())
        return operands[0] if len(operands) == 1 else Both(tuple(operands))

    def _negation(self) -> Node:
        if self._take("not"):
            return Not(self._deeper(self._negation))
        return self._comparison()

    def _comparison(self) -> Node:
        first, rest = self._sum(), []
        while (sign := self._comparing()) is not None:
            rest.append((sign, self._sum()))
        return Comparison(first, tuple(rest)) if rest else first

    def _comparing(self) -> str | None:
        if self._is("not") and self._tokens[self._at + 1].word == "in":
            self._at += 2
            return "not in"
        word = self._here.word
        return word if self._is(*COMPARISONS) and self._take(word) else None

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._signed, "*", "/", "//", "%")

    def _chain(self, operand: Callable[[], Node], *signs: str) -> Node:
        first, rest = operand(), []
        while self._is(*signs):
            sign = self._here.word
            self._take(sign)
            rest.append((sign, operand()))
        return Arithmetic(first, tuple(rest)) if rest else first

    def _signed(self) -> Node:
        if self._take("-"):
            return Minus(self._deeper(self._signed))
        return self._entries(self._atom())

    def _entries(self, node: Node) -> Node:
        keys: list[Node] = []
        while self._is(".", "["):
            if self._take("."):
                keys.append(Constant(self._key()))
            else:
                self._take("[")
                keys.append(self._inner())
                self._need("]")
        if isinstance(node, Reference) and node.root != "aborts":
            known = tuple(takewhile(lambda key: isinstance(key, Constant) and isinstance(key.data, str), keys))
            if not known:
                self._fail(f"'{node.root}' is read as a whole", f"Say what of it, such as {node.root}.name.")
            node = Reference(node.root, tuple(key.data for key in known if isinstance(key, Constant)))
            keys = keys[len(known) :]
        return Pick(node, tuple(keys)) if keys else node

    def _key(self) -> str:
        token = self._here
        if token.kind != "name":
            self._fail(f"{self._shown} stands where a name should", "Write a name after the point.")
        self._at += 1
        return token.word

    def _atom(self) -> Node:
        token = self._here
        if token.kind in {"number", "text"}:
            self._at += 1
            return Constant(token.data)
        if self._take("("):
            node = self._inner()
            self._need(")")
            return node
        if self._take("["):
            return Items(tuple(self._listed("]", self._inner)))
        if self._take("{"):
            return Pairs(tuple(self._listed("}", self._pair)))
        if token.kind != "name" or (token.word in KEYWORDS and token.word not in WORDS):
            self._fail(f"{self._shown} stands where a value should", "Is there a value missing before it?")
        return self._named(token)

    def _named(self, token: Token) -> Node:
        self._at += 1
        if token.word in WORDS:
            return Constant(WORDS[token.word])
        if self._is("("):
            return self._call(token)
        if token.word not in ROOTS:
            self._at -= 1
            hint = f"{suggestion(token.word, ROOTS)} Put quotes around a text."
            self._fail(f"{self._shown} is not known here", hint)
        return Reference(token.word, ())

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
        return Call(token.word, arguments)

    def _listed(self, end: str, one: Callable[[], T]) -> list[T]:
        found: list[T] = []
        while not self._take(end):
            found.append(one())
            if not self._is(end) and not self._take(","):
                self._fail(f"{self._shown} stands where ',' or '{end}' should", f"Close it with '{end}'.")
        return found

    def _pair(self) -> tuple[str, Node]:
        token = self._here
        if token.kind != "text":
            self._fail(f"{self._shown} stands as a key", "Put quotes around it.")
        self._at += 1
        self._need(":")
        return token.data, self._inner()

    def _fail(self, cause: str, hint: str) -> NoReturn:
        raise BadExpression(cause, hint=hint, column=self._here.column)
