"""Success expressions such as `all(food, any(camera, haptics), skill)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from handup.core import BadPolicy
from handup.policy.module import NAME, RESERVED, Gate

TOKEN = re.compile(rf"\s*(?:({NAME.pattern})|(.))")
MAX_DEPTH = 100
HINT = "Write for example: all(food, any(camera, haptics), skill)."


@dataclass(frozen=True)
class Combination:
    """`all(…)` or `any(…)` over module names and further combinations."""

    gate: Gate
    parts: tuple[Combination | str, ...]

    def names(self) -> Iterator[str]:
        """Every module name in reading order, as often as it stands there."""
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part.names()


def parse_expression(text: str) -> Combination:
    """Read an expression.

    Raises:
        BadPolicy: With the column at which reading stopped.
    """
    tokens = [(match.group(1) or match.group(2), match.start(1 if match.group(1) else 2)) for match in _tokens(text)]
    position = 0

    def fail(what: str) -> BadPolicy:
        column = tokens[position][1] + 1 if position < len(tokens) else len(text) + 1
        return BadPolicy(f"success expression: {what} at column {column}", hint=HINT)

    def take(expected: str) -> bool:
        nonlocal position
        if position < len(tokens) and tokens[position][0] == expected:
            position += 1
            return True
        return False

    def term(depth: int) -> Combination | str:
        nonlocal position
        if depth > MAX_DEPTH:
            raise fail(f"more than {MAX_DEPTH} levels")
        if position >= len(tokens) or not NAME.fullmatch(tokens[position][0]):
            raise fail("a name, all(…) or any(…) is missing")
        name = tokens[position][0]
        position += 1
        if name not in RESERVED:
            return name
        if not take("("):
            raise fail(f"'(' is missing after '{name}'")
        parts = [term(depth + 1)]
        while take(","):
            parts.append(term(depth + 1))
        if not take(")"):
            raise fail("',' or ')' is missing")
        return Combination(Gate.AND if name == "all" else Gate.OR, tuple(parts))

    result = term(0)
    if position < len(tokens):
        raise fail(f"{tokens[position][0]!r} is not expected")
    return Combination(Gate.AND, (result,)) if isinstance(result, str) else result


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return (match for match in TOKEN.finditer(text.rstrip()))
