"""What the operators do. Numbers with numbers, texts with texts: nothing is turned into something else on the way."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from handup.core import BadExpression
from handup.executive.language.limits import Data, kind_of, within_limits

Two = Callable[[Data, Data], Data]


def is_number(value: Data) -> bool:
    """Whether a value is a number; truth is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_list(value: Data) -> bool:
    """Whether a value is a list."""
    return isinstance(value, (list, tuple))


def add(left: Data, right: Data) -> Data:
    """The sum of numbers; texts and lists one after the other."""
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
