"""The small operations on data that a recipe may use. Pure: inputs in, a value out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handup.core.checks import shown
from handup.executive.language.values import within_limits

Values = Mapping[str, Any]


class Refused(Exception):
    """An op aborts. Never leaves the machine, which makes a failure of it."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused("bad_value", f"{what} is {shown(value)}, and no number.")
    return value


def _given(values: Values, name: str) -> Any:
    if name not in values:
        raise Refused("bad_value", f"It was not given '{name}'.")
    return values[name]


def _assign(values: Values, var: Values) -> Any:
    return _given(values, "value")


def _counted(values: Values, var: Values, sign: int) -> float:
    if "name" in values:
        name = values["name"]
        if name not in var:
            raise Refused("bad_value", f"There is no variable {shown(name)} to count with.")
        start = var[name]
    else:
        start = _given(values, "value")
    found: float = within_limits(_number(start, "What is to be counted") + sign * _number(values.get("by", 1), "'by'"))
    return found


def _make_boolean(values: Values, var: Values) -> bool:
    return bool(_given(values, "value"))


def _negate(values: Values, var: Values) -> bool:
    return not _given(values, "value")


def _get_index(values: Values, var: Values) -> Any:
    value, index = _given(values, "value"), _given(values, "index")
    try:
        return value[index]
    except (LookupError, TypeError):
        raise Refused("bad_value", f"There is nothing at {shown(index)}.") from None


def _check_value(values: Values, var: Values) -> bool:
    value, wanted = _given(values, "value"), _given(values, "equals")
    if value != wanted:
        raise Refused("check_failed", f"It is {shown(value)}, and should be {shown(wanted)}.")
    return True


def _abort(values: Values, var: Values) -> None:
    raise Refused(str(values.get("code", "abort")), str(values.get("why", "The recipe says to abort here.")))


def _nothing(values: Values, var: Values) -> None:
    return None


OPS: Mapping[str, Callable[[Values, Values], Any]] = {
    "assign": _assign,
    "increment": lambda values, var: _counted(values, var, 1),
    "decrement": lambda values, var: _counted(values, var, -1),
    "make_boolean": _make_boolean,
    "negate": _negate,
    "get_index": _get_index,
    "check_value": _check_value,
    "print": _nothing,
    "abort": _abort,
    "noop": _nothing,
}
"""Each op by its name: from its inputs and the task's variables to what it gives. `print` is said by the machine."""


def target(op: str, values: Values, var: tuple[str, ...]) -> tuple[str, ...]:
    """The variables that an op sets: those that its step names, or else the one that it counts."""
    if not var and op in ("increment", "decrement") and "name" in values:
        return (str(values["name"]),)
    return var
