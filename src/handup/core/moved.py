"""Names of 0.1.0 that moved: an import of an old name works until 0.3.0, and warns with the new one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MODULES = {
    "handup.cli.retelling": "handup.cli.journal_lines",
    "handup.cli.touring": "handup.cli.page",
    "handup.confidence.building": "handup.confidence.calibration_sets",
    "handup.domains.feeding.remembering": "handup.domains.feeding.memory_modules",
    "handup.domains.reaching.driving": "handup.domains.reaching.driven_hand",
    "handup.domains.reaching.steering": "handup.domains.reaching.stick_user",
    "handup.executive.checking": "handup.executive.validator",
    "handup.executive.proposing": "handup.executive.proposals",
    "handup.executive.reading": "handup.executive.reader",
    "handup.executive.rehearsing": "handup.executive.rehearsal",
}
NAMES = {
    "handup.domains.feeding": {"World": "PlateWorld"},
    "handup.domains.kitting": {"World": "KittingWorld"},
    "handup.domains.reaching": {"Ending": "AttemptEnding", "Run": "ReachRun", "Strategy": "SteeringHabit"},
    "handup.executive": {
        "Action": "RobotAction",
        "AtDesk": "PeopleAtDesk",
        "Bystander": "SimulatedBystander",
        "Level": "FailureLevel",
        "Said": "SimulatedSaying",
        "Settings": "RunSettings",
    },
    "handup.lab.engine": {"Option": "StudyOption"},
    "handup.intent": {"Problem": "QuestionProblem"},
    "handup.memory": {"Settings": "MemorySettings"},
}


def _warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is now {new}; the old name goes with handup 0.3", DeprecationWarning, stacklevel=3)


def moved_names(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package whose names were renamed."""
    names = NAMES[package]

    def __getattr__(name: str) -> Any:  # noqa: N807 - what it is called in tracebacks
        if name not in names:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        _warn(f"{package}.{name}", names[name])
        return getattr(import_module(package), names[name])

    return __getattr__


class _Finder(MetaPathFinder, Loader):
    """Finds a module under its old name, and gives the new one."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        old = next((old for old in MODULES if fullname == old or fullname.startswith(f"{old}.")), None)
        if old is None:
            return None
        new = MODULES[old] + fullname.removeprefix(old)
        _warn(fullname, new)
        # Both names are one module: its classes must not exist twice.
        sys.modules[fullname] = import_module(new)
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the module was imported under its new name."""


def keep_old_modules() -> None:
    """Let modules be imported by their old names, too."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        # In front: the folder of an old package may still be there, with nothing but compiled files in it.
        sys.meta_path.insert(0, _Finder())
