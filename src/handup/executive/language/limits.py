"""How much an expression may be and make. Whatever stands in a recipe, its value is there at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from typing import Any

from handup.core import BadExpression

MAX_TEXT = 1000
"""The longest expression, in characters."""
MAX_DEPTH = 40
"""The deepest nesting of brackets and operators."""
MAX_SIZE = 10_000
"""The most characters or entries of a value that an expression makes."""
MAX_NUMBER = 10**18
"""The largest whole number that an expression makes."""
MAX_PARTS = 100_000
"""The most characters and entries, on all levels together, of what a step is given …"""
MAX_LEVELS = 100
"""… and the most levels."""

Data = Any
"""Plain data as in JSON: None, bool, int, float, str, list, dict."""


def within_limits(value: Data) -> Data:
    """A value that was just made, if it is not too large.

    Raises:
        BadExpression: It is too large, or no finite number.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadExpression("the result is no finite number", hint="Check the numbers that go in.")
    elif isinstance(value, int):
        if abs(value) > MAX_NUMBER:
            raise BadExpression("the result is too large a number", hint=f"Stay within {MAX_NUMBER:g}.")
    elif isinstance(value, Sized) and len(value) > MAX_SIZE:
        raise BadExpression(f"the result has {len(value)} parts", hint=f"Make at most {MAX_SIZE}.")
    return value


def bounded(name: str, value: Data) -> Data:
    """What a step is given, if it is not too large on all levels together.

    A list may hold another one twice, that one the next, and so on: a few lines of a recipe then stand for more than
    any machine can write down.

    Raises:
        BadExpression: It is too large, or too deep.
    """
    left, level = MAX_PARTS, [value]
    for _ in range(MAX_LEVELS):
        below: list[Data] = []
        for each in level:
            if isinstance(each, (str, list, tuple, Mapping)):
                left -= len(each)
                if left < 0:
                    raise BadExpression(f"'{name}' has more than {MAX_PARTS} parts", hint="Give less of it.")
                if not isinstance(each, str):
                    below += each.values() if isinstance(each, Mapping) else each
        if not below:
            return value
        level = below
    raise BadExpression(f"'{name}' has more than {MAX_LEVELS} levels", hint="Give less of it.")


def kind_of(value: Data) -> str:
    """What a value is, for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a map" if isinstance(value, Mapping) else "a list"
