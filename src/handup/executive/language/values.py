"""Plain data of expressions: its limits, and what the operators and functions make of it.

Whatever an expression says, computing it takes next to no time. Numbers go with numbers and texts with texts: nothing
is turned into something else on the way.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from functools import reduce
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
"""The most characters and entries, on all levels together, of an input of a step."""
MAX_LEVELS = 100
"""The most levels of an input of a step."""

Data = Any
"""Plain data as in JSON: None, bool, int, float, str, list, dict."""


def within_limits(value: Data) -> Data:
    """Return a value that was just made, if it is not too large.

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
    """Return an input of a step, if it is not too large on all levels together.

    A list may hold another one twice, that one the next, and so on: a few lines of a recipe then stand for more than
    any machine can write down.

    Raises:
        BadExpression: It is too large, or too deep.
    """
    # Level by level, counting each mention of a shared list: its copies would be written down one by one.
    left, level = MAX_PARTS, [value]
    for _ in range(MAX_LEVELS):
        below: list[Data] = []
        for entry in level:
            if isinstance(entry, (str, list, tuple, Mapping)):
                left -= len(entry)
                if left < 0:
                    raise BadExpression(f"'{name}' has more than {MAX_PARTS} parts", hint="Give less of it.")
                if not isinstance(entry, str):
                    below += entry.values() if isinstance(entry, Mapping) else entry
        if not below:
            return value
        level = below
    raise BadExpression(f"'{name}' has more than {MAX_LEVELS} levels", hint="Give less of it.")


def kind_of(value: Data) -> str:
    """Return the kind of a value, in words for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a map" if isinstance(value, Mapping) else "a list"


Two = Callable[[Data, Data], Data]


def is_number(value: Data) -> bool:
    """Return whether a value is a number; a truth value is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_list(value: Data) -> bool:
    """Return whether a value is a list."""
    return isinstance(value, (list, tuple))


def add(left: Data, right: Data) -> Data:
    """Add two numbers, or join two texts or two lists."""
    if is_list(left) and is_list(right):
        return within_limits([*left, *right])
    if not (is_number(left) and is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
        raise _no_fit("+", left, right)
    return within_limits(left + right)


def _of_numbers(sign: str, compute: Two) -> Two:
    def computed(left: Data, right: Data) -> Data:
        if not is_number(left) or not is_number(right):
            raise _no_fit(sign, left, right)
        try:
            return within_limits(compute(left, right))
        except ZeroDivisionError:
            raise BadExpression("a number is divided by zero", hint="Check the divisor before.") from None
        except OverflowError:
            raise BadExpression("the result is too large a number", hint="Check the numbers that go in.") from None

    return computed


def _in_order(sign: str, compare: Two) -> Two:
    def compared(left: Data, right: Data) -> Data:
        texts = isinstance(left, str) and isinstance(right, str)
        if not texts and not (is_number(left) and is_number(right)):
            raise _no_fit(sign, left, right)
        return compare(left, right)

    return compared


def _is_in(left: Data, right: Data) -> bool:
    if isinstance(right, str):
        if not isinstance(left, str):
            raise _no_fit("in", left, right)
        return left in right
    if isinstance(right, Mapping):
        return isinstance(left, str) and left in right
    if not is_list(right):
        raise _no_fit("in", left, right)
    return left in right


def _no_fit(sign: str, left: Data, right: Data) -> BadExpression:
    cause = f"'{sign}' stands between {kind_of(left)} and {kind_of(right)}"
    return BadExpression(cause, hint="Give it values of one kind; int(…), float(…) and str(…) turn one into another.")


ARITHMETIC: Mapping[str, Two] = {
    "+": add,
    "-": _of_numbers("-", operator.sub),
    "*": _of_numbers("*", operator.mul),
    "/": _of_numbers("/", operator.truediv),
    "//": _of_numbers("//", operator.floordiv),
    "%": _of_numbers("%", operator.mod),
}
COMPARISONS: Mapping[str, Two] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": _in_order("<", operator.lt),
    "<=": _in_order("<=", operator.le),
    ">": _in_order(">", operator.gt),
    ">=": _in_order(">=", operator.ge),
    "in": _is_in,
    "not in": lambda left, right: not _is_in(left, right),
}


WHOLE = re.compile(r"\s*[-+]?\d{1,18}\s*", re.ASCII)
DECIMAL = re.compile(r"\s*[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?\s*", re.ASCII)
MOST_PLACES = 15
"""The most decimal places that `round` keeps."""


@dataclass(frozen=True)
class Function:
    """One function of the language.

    Args:
        least: The fewest arguments it takes.
        most: The most arguments; None for no limit.
        compute: Function that computes its value.
    """

    least: int
    most: int | None
    compute: Callable[..., Data]


def _len(value: Data) -> Data:
    if not is_list(value) and not isinstance(value, (str, Mapping)):
        raise _unfit("len", value, "Give a list, a map or a text.")
    return len(value)


def _extreme(name: str, pick: Callable[[list[Data]], Data]) -> Callable[..., Data]:
    def extreme(*values: Data) -> Data:
        return pick(_alike(name, _items(name, values[0]) if len(values) == 1 else list(values)))

    return extreme


def _sorted(value: Data) -> Data:
    items = _items("sorted", value)
    return sorted(_alike("sorted", items)) if items else []


def _round(value: Data, places: Data = 0) -> Data:
    if isinstance(places, bool) or not isinstance(places, int) or not 0 <= places <= MOST_PLACES:
        raise _unfit("round", places, f"Give 0 to {MOST_PLACES} places.")
    return within_limits(round(_number("round", value), places) if places else round(_number("round", value)))


def _str(value: Data) -> Data:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str) or is_number(value):
        return str(value)
    raise _unfit("str", value, "Give a number, a text, or a truth value.")


def _int(value: Data) -> Data:
    if isinstance(value, str):
        if not WHOLE.fullmatch(value):
            raise _unfit("int", value, "Give a whole number of at most 18 digits.")
        return int(value)
    return within_limits(int(value if isinstance(value, bool) else _number("int", value)))


def _float(value: Data) -> Data:
    if isinstance(value, str):
        if not DECIMAL.fullmatch(value):
            raise _unfit("float", value, "Give a number such as '0.5'.")
        return within_limits(float(value))
    return float(value if isinstance(value, bool) else _number("float", value))


def _items(name: str, value: Data) -> list[Data]:
    if not is_list(value):
        raise _unfit(name, value, "Give a list.")
    return list(value)


def _alike(name: str, items: list[Data]) -> list[Data]:
    if not items:
        raise BadExpression(f"{name} got an empty list", hint="Check its length before.")
    if not all(is_number(item) for item in items) and not all(isinstance(item, str) for item in items):
        raise BadExpression(f"{name} got values that have no order", hint="Give numbers only, or texts only.")
    return items


def _number(name: str, value: Data) -> Data:
    if not is_number(value):
        raise _unfit(name, value, "Give a number.")
    return value


def _unfit(name: str, value: Data, hint: str) -> BadExpression:
    return BadExpression(f"{name} cannot take {kind_of(value)}", hint=hint)


FUNCTIONS: Mapping[str, Function] = {
    "len": Function(1, 1, _len),
    "min": Function(1, None, _extreme("min", min)),
    "max": Function(1, None, _extreme("max", max)),
    "abs": Function(1, 1, lambda value: abs(_number("abs", value))),
    "round": Function(1, 2, _round),
    "sum": Function(1, 1, lambda value: reduce(add, (_number("sum", item) for item in _items("sum", value)), 0)),
    "any": Function(1, 1, lambda value: any(_items("any", value))),
    "all": Function(1, 1, lambda value: all(_items("all", value))),
    "sorted": Function(
        1, 1, lambda value: sorted(_alike("sorted", items)) if (items := _items("sorted", value)) else []
    ),
    "str": Function(1, 1, _str),
    "int": Function(1, 1, _int),
    "float": Function(1, 1, _float),
    "bool": Function(1, 1, bool),
}
