"""What a session is told from outside, checked at the door."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from handup.core import BadSetting

T = TypeVar("T", float, float | None)


def seconds(value: T) -> T:
    """A time that may be left out.

    Raises:
        BadSetting: It is not finite.
    """
    if value is None:
        return value
    if not math.isfinite(value):
        raise BadSetting(f"the time is {value}", hint="Pass seconds from a clock.")
    return float(value)


def truth(what: str, value: object) -> bool:
    """What is true or false, Python's or numpy's.

    Raises:
        BadSetting: It is something else: "no" is neither true nor false.
    """
    if not isinstance(value, bool | np.bool_):
        raise BadSetting(f"{what} is {value!r}", hint="Give True or False.")
    return bool(value)


def one_each(what: str, values: Sequence[float] | NDArray[np.float64], modules: int) -> NDArray[np.float64]:
    """One number per module.

    Raises:
        BadSetting: There are more or fewer, or one is no number.
    """
    if len(values) != modules:
        raise BadSetting(f"{len(values)} {what} for {modules} modules", hint="Give one per module.")
    array = np.asarray(values, dtype=np.float64)
    if np.isnan(array).any():
        raise BadSetting(f"one of the {what} is no number", hint="Give one number per module.")
    return array
