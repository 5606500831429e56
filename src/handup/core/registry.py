"""Registries: classes and objects by name, of handup itself and of outside packages (entry points)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from handup.core.checks import suggestion
from handup.core.errors import ConflictingSettings, ContractViolation, UnknownMethod, UnknownName

T = TypeVar("T")
C = TypeVar("C", bound=type)


class Registry(Generic[T]):
    """Classes by name, made with keyword settings.

    Args:
        kind: Noun for messages, such as "calibrator".
        group: The entry-point group in which outside packages announce theirs.
    """

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self.group = group
        self._makers: dict[str, Callable[..., T]] = {}
        self._outside_loaded = False

    def register(self, maker: C) -> C:
        """Class decorator: make a class known by its `name`."""
        name = _name_of(maker)
        if name in self._makers:
            raise ConflictingSettings(f"two {self.kind}s are called '{name}'", hint="Rename one of them.")
        self._makers[name] = maker
        return maker

    def names(self) -> tuple[str, ...]:
        """Return all known names, handup's own first."""
        self._load_outside()
        return tuple(self._makers)

    def maker(self, name: str) -> Callable[..., T]:
        """Return the class of a name.

        Raises:
            UnknownMethod: No class has it; the hint gives the nearest known name.
        """
        if name not in self._makers:
            self._load_outside()
        if name not in self._makers:
            raise UnknownMethod(f"no {self.kind} is called '{name}'", hint=suggestion(name, self._makers))
        return self._makers[name]

    def make(self, name: str, settings: Mapping[str, Any]) -> T:
        """Return an instance; settings that its class does not have are left out."""
        maker = self.maker(name)
        known = settings_of(maker)
        return maker(**{key: value for key, value in settings.items() if key in known})

    def _load_outside(self) -> None:
        if self._outside_loaded:
            return
        self._outside_loaded = True
        for entry in entry_points(group=self.group):
            if entry.name in self._makers:
                continue
            maker = entry.load()
            if _name_of(maker) != entry.name:
                raise ContractViolation(
                    f"entry point '{entry.name}' of {self.group} leads to a {self.kind} called '{_name_of(maker)}'",
                    hint="Give both the same name.",
                )
            self._makers[entry.name] = maker


class Announced(Generic[T]):
    """Objects that packages announce in a group of entry points. Loading one loads no other.

    Args:
        kind: Noun for messages, such as "study".
        group: The group of entry points.
        made: Class of the objects, which have a `name`.
        hint: Words that follow the nearest known name where a name is unknown.
    """

    def __init__(self, kind: str, group: str, made: type[T], hint: str = "") -> None:
        self.kind, self.group, self.made, self.hint = kind, group, made, hint

    def names(self) -> tuple[str, ...]:
        """Return all names, handup's own first."""
        return tuple(self._entries())

    def get(self, name: str) -> T:
        """Return the object of a name.

        Raises:
            UnknownName: There is none; the hint gives the nearest known name.
            ContractViolation: It cannot be loaded, or is something else.
        """
        entries = self._entries()
        if name not in entries:
            raise UnknownName(
                f"there is no {self.kind} '{name}'", hint=f"{suggestion(name, entries)} {self.hint}".strip()
            )
        try:
            thing = entries[name].load()
        except (ImportError, AttributeError) as error:
            raise ContractViolation(
                f"{self.kind} '{name}' cannot be loaded from {entries[name].value} ({error})",
                hint="Install what its package needs, or remove the package.",
            ) from error
        if not isinstance(thing, self.made) or getattr(thing, "name", None) != name:
            raise ContractViolation(
                f"entry point '{name}' of {self.group} leads to {getattr(thing, 'name', thing)!r}",
                hint=f"Let it lead to a {self.made.__module__}.{self.made.__name__} of the same name.",
            )
        return thing

    def _entries(self) -> dict[str, EntryPoint]:
        # The first object of a name counts: no outside package can take the place of handup's own.
        entries = sorted(entry_points(group=self.group), key=lambda entry: entry.value.partition(".")[0] != "handup")
        listed: dict[str, EntryPoint] = {}
        for entry in entries:
            listed.setdefault(entry.name, entry)
        return listed


def _name_of(maker: object) -> str:
    name = getattr(maker, "name", None)
    if not isinstance(name, str) or not name:
        raise ContractViolation(f"{maker!r} has no name", hint="Give the class a ClassVar[str] called 'name'.")
    return name


def settings_of(maker: object) -> tuple[str, ...]:
    """Return the names of the settings of a dataclass or of its instance."""
    return tuple(field.name for field in fields(maker)) if is_dataclass(maker) else ()
