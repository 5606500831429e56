"""Checks of what a session is told: times, truth values, and numbers for each module."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from handup.core import Malformed, OutOfRange, WrongSize

T = TypeVar("T", float, float | None)


def seconds(value: T) -> T:
    """Check a time, which may be left out, and return it.

    Raises:
        OutOfRange: It is not finite.
    """
    if value is None:
        return value
    if not math.isfinite(value):
        raise OutOfRange.of("the time", value, "be finite", hint="Pass seconds from a clock.")
    return float(value)


def truth(what: str, value: object) -> bool:
    """Check that a value is true or false, Python's or numpy's, and return it.

    Raises:
        Malformed: It is something else: "no" is neither true nor false.
    """
    if not isinstance(value, bool | np.bool_):
        raise Malformed.of(what, repr(value), "be True or False", hint="Pass a truth value.")
    return bool(value)


def one_each(what: str, values: Sequence[float] | NDArray[np.float64], modules: int) -> NDArray[np.float64]:
    """Check that there is one number for each module, and return them as an array.

    Raises:
        WrongSize: There are more or fewer.
        Malformed: A value is not a number.
    """
    if len(values) != modules:
        given = f"{len(values)} for {modules} modules"
        raise WrongSize.of(what, given, "have one value per module", hint="Give one per module.")
    array = np.asarray(values, dtype=np.float64)
    if np.isnan(array).any():
        raise Malformed.of(what, "NaN", "be numbers", hint="Give one number per module.")
    return array
