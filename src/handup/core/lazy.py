"""Lazy import: names of a package that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose names come from some of its modules.

    A command starts in half the time where it does not import what it does not use, and some names need an extra.

    Args:
        package: Full name of the package.
        modules: Names by module, relative to the package; a name may be a module below that.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def __getattr__(name: str) -> Any:  # noqa: N807 - what it is called in tracebacks
        if name not in module_of:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        module = import_module(f"{package}.{module_of[name]}")
        value = getattr(module, name) if hasattr(module, name) else import_module(f"{module.__name__}.{name}")
        return vars(import_module(package)).setdefault(name, value)

    return __getattr__
