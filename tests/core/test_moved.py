"""Names of 0.1.0 that moved can still be imported, with a warning that says the new one."""

from __future__ import annotations

import importlib
import sys

import pytest

from handup.core.moved import MODULES, NAMES


@pytest.mark.parametrize(("old", "new"), MODULES.items())
def test_a_module_is_found_under_its_old_name(old: str, new: str) -> None:
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=new):
        module = importlib.import_module(old)
    assert module is importlib.import_module(new), "its classes do not exist twice"


@pytest.mark.parametrize(("package", "old"), [(package, old) for package, names in NAMES.items() for old in names])
def test_a_name_is_found_under_its_old_name(package: str, old: str) -> None:
    module = importlib.import_module(package)
    with pytest.warns(DeprecationWarning, match=NAMES[package][old]):
        assert getattr(module, old) is getattr(module, NAMES[package][old])


def test_a_name_that_never_was_is_refused_as_ever() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        importlib.import_module("handup.memory").Nothing  # noqa: B018
