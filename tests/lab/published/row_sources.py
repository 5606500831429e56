"""Lists the files that make rows: `python -m tests.lab.published.row_sources [FAMILY …]`.

A file belongs to a family when a function of it runs while a small sample of all of the family's ways of making rows
is simulated, when such a function or such a file's own body uses a class or a constant of it, or when it is data that
is opened on the way. Takes some minutes; the test of the lists traces a part of it.
"""

from __future__ import annotations

import ast
import dis
import gc
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from handup.lab.engine import Batch, Columns
from handup.lab.engine.store import LISTS, PACKAGE
from tests.lab.published import adapter

FAMILIES = (
    *("cells", "meals", "recoveries", "reaching", "workload-sensitivity", "real-scores", "whom", "crews"),
    *adapter.INTERRUPT,
)
COMMAND = "python -m tests.lab.published.row_sources"
GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
ENGINE = "lab/engine/"
"""What hands out batches and keeps rows; a batch's own config says what decides its rows."""
DATA = (".json", ".npz", ".onnx", ".yaml")


@dataclass(frozen=True)
class Trace:
    """Functions of the package that ran, and its data files that were opened."""

    codes: set[CodeType] = field(default_factory=set)
    opened: set[Path] = field(default_factory=set)

    def run(self, work: Callable[[], object]) -> None:
        """Do something, and note what runs in all of its threads."""
        _clear_caches()
        _listeners.append(self)
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            work()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            _listeners.remove(self)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        # Bodies of modules and classes are no functions: imports that happen on the way say nothing about rows.
        if event == "call" and frame.f_code.co_flags & CO_OPTIMIZED:
            self.codes.add(frame.f_code)

    def files(self) -> list[str]:
        """Return the files that make rows, as paths relative to the package."""
        ran: dict[Path, list[CodeType]] = {}
        for code in self.codes:
            path = Path(code.co_filename)
            if path.is_relative_to(PACKAGE):
                ran.setdefault(path, []).append(code)
        found, todo = set(self.opened), list(ran)
        while todo:
            path = todo.pop()
            if path not in found:
                found.add(path)
                todo += _used(path, ran.get(path, ()))
        names = sorted(path.relative_to(PACKAGE).as_posix() for path in found)
        return [name for name in names if not name.startswith(ENGINE)]


_listeners: list[Trace] = []


def _on_open(event: str, given: tuple[Any, ...]) -> None:
    if event == "open" and _listeners and isinstance(given[0], str) and given[0].endswith(DATA):
        path = Path(given[0])
        if path.is_relative_to(PACKAGE):
            for trace in _listeners:
                trace.opened.add(path)


sys.addaudithook(_on_open)


def _clear_caches() -> None:
    """Forget what functions remember, so that what they read and call is seen."""
    for each in gc.get_objects():
        if type(each).__name__ == "_lru_cache_wrapper" and str(getattr(each, "__module__", "")).startswith("handup."):
            each.cache_clear()


def _used(path: Path, ran: Sequence[CodeType]) -> Iterator[Path]:
    """Yield the files whose classes and constants the functions that ran, and the file's own body, use.

    Functions that were called were seen by themselves; those that a body of a module calls were not, and count.
    """
    module = _module_of(path)
    body = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    for code, is_body in (*((each, False) for each in ran), *((each, True) for each in _bodies(body))):
        for name, attribute in _loaded(code):
            yield from _defined(module, name, attribute, functions=is_body)


def _bodies(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module and of the classes in it, but not of functions."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType) and not each.co_flags & CO_OPTIMIZED:
            yield from _bodies(each)


def _loaded(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield the global names that code loads, with the attribute that is taken of them at once.

    An exception that is only caught says nothing about rows: whoever raises it runs, or no row knows of it.
    """
    name = ""
    steps = list(dis.get_instructions(code))
    for step, following in zip(steps, (*(step.opname for step in steps[1:]), ""), strict=True):
        if following == "CHECK_EXC_MATCH":
            name = ""
        elif step.opname in GLOBALS:
            name = str(step.argval)
            yield name, ""
        elif step.opname in ATTRIBUTES and name:
            yield name, str(step.argval)
            name = ""
        else:
            name = ""


def _defined(module: ModuleType, name: str, attribute: str, *, functions: bool) -> Iterator[Path]:
    """Yield the file that defines a name which a module uses, if it is another file of the package."""
    value = getattr(module, name, None)
    if isinstance(value, ModuleType):
        if attribute and value.__name__.startswith("handup"):
            yield from _defined(value, attribute, "", functions=functions)
        return
    while (source := _imports(module).get(name)) is not None:
        module, name = import_module(source[0]), source[1]
        if isinstance(getattr(module, name, None), ModuleType):
            return
    if callable(value) and not isinstance(value, type) and not functions:
        return
    path = Path(module.__file__ or "")
    if path.is_relative_to(PACKAGE) and hasattr(module, name):
        yield path
    for base in value.__mro__ if isinstance(value, type) else ():
        if base.__module__.startswith("handup."):
            yield Path(sys.modules[base.__module__].__file__ or "")


@cache
def _imports(module: ModuleType) -> dict[str, tuple[str, str]]:
    """Return what a module imports by name from the package: its own name for it, then module and name there."""
    if not (module.__file__ or "").startswith(str(PACKAGE)):
        return {}
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    return {
        name.asname or name.name: (each.module, name.name)
        for each in ast.walk(tree)
        if isinstance(each, ast.ImportFrom) and each.module is not None and each.module.startswith("handup")
        for name in each.names
    }


def _module_of(path: Path) -> ModuleType:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


def listed(family: str) -> list[str]:
    return (LISTS / f"{family}.txt").read_text(encoding="utf-8").splitlines()


def traced(samples: Iterable[adapter.Sample]) -> list[str]:
    trace = Trace()
    for maker, batch in samples:
        trace.run(partial(_simulate, maker.make, batch))
    return trace.files()


def _simulate(make: Callable[[Batch], Columns], batch: Batch) -> None:
    """Make the rows of a batch that is itself made anew: what its constructor looks up decides rows too."""
    make(replace(batch))


def main(families: Sequence[str]) -> None:
    """Write the lists of some families, or of all."""
    for family in families or FAMILIES:
        found = traced(adapter.samples(family))
        (LISTS / f"{family}.txt").write_text("".join(f"{name}\n" for name in found), encoding="utf-8")
        sys.stderr.write(f"{family}: {len(found)} files\n")


if __name__ == "__main__":
    main(sys.argv[1:])
