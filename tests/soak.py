"""Parameters of sweeps: a few of them in `make test`, the others only in `make soak`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def swept(values: Iterable[Any], *, test: Collection[Any]) -> list[Any]:
    """Return the values as parameters of a test; those that are not in `test` have the marker `soak`."""
    found = list(values)
    assert set(test) <= set(found), f"test must name some of {found}, got {test}"
    return [value if value in test else _soaked(value) for value in found]


def _soaked(value: Any) -> Any:
    given = value if isinstance(value, tuple) else (value,)
    return pytest.param(*given, marks=pytest.mark.soak)
