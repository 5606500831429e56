"""What the validator reads of an adapted action: a class is made of a base and these words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from handup.core import BadSetting

B = TypeVar("B")


def declared(
    base: type[B],
    name: str,
    *,
    takes: Iterable[str],
    gives: Iterable[str],
    codes: Iterable[str],
    repeatable: bool,
    about: str | None,
    **more: Any,
) -> type[B]:
    """A class of actions with a name of its own.

    Args:
        base: What it does.
        name: What recipes call it.
        takes: Its inputs; a `?` at the end of those that may be missing.
        gives: Its results.
        codes: Of its aborts.
        repeatable: Whether it may be started again when nobody knows whether it had its effect.
        about: One sentence for people.
        **more: What the base needs to know.

    Raises:
        BadSetting: A list is one text.
    """
    lists = {"takes": takes, "gives": gives, "codes": codes}
    for word, given in lists.items():
        if isinstance(given, str):
            raise BadSetting(f"{word} of the action '{name}' is the text {given!r}", hint="Give a tuple of texts.")
    body = {word: tuple(dict.fromkeys(given)) for word, given in lists.items()}
    return type(name, (base,), {"name": name, "repeatable": repeatable, "__doc__": about, **body, **more})
