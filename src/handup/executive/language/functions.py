"""The functions that an expression may call: these and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

from handup.core import BadExpression
from handup.executive.language.limits import Data, kind_of, within_limits
from handup.executive.language.operators import add, is_list, is_number

WHOLE = re.compile(r"\s*[-+]?\d{1,18}\s*", re.ASCII)
DECIMAL = re.compile(r"\s*[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?\s*", re.ASCII)
MOST_PLACES = 15
"""The most decimal places that `round` keeps."""


@dataclass(frozen=True)
class Function:
    """One function.

    Args:
        least: The fewest arguments it takes.
        most: The most; None is as many as there are.
        compute: Its value.
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


def _abs(value: Data) -> Data:
    return abs(_number("abs", value))


def _round(value: Data, places: Data = 0) -> Data:
    if isinstance(places, bool) or not isinstance(places, int) or not 0 <= places <= MOST_PLACES:
        raise _unfit("round", places, f"Give 0 to {MOST_PLACES} places.")
    return within_limits(round(_number("round", value), places) if places else round(_number("round", value)))


def _sum(value: Data) -> Data:
    return reduce(add, (_number("sum", each) for each in _items("sum", value)), 0)


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
    if not all(is_number(each) for each in items) and not all(isinstance(each, str) for each in items):
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
    "abs": Function(1, 1, _abs),
    "round": Function(1, 2, _round),
    "sum": Function(1, 1, _sum),
    "any": Function(1, 1, lambda value: any(_items("any", value))),
    "all": Function(1, 1, lambda value: all(_items("all", value))),
    "sorted": Function(1, 1, _sorted),
    "str": Function(1, 1, _str),
    "int": Function(1, 1, _int),
    "float": Function(1, 1, _float),
    "bool": Function(1, 1, bool),
}
