"""What a robot brings, as far as the validator must know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MACHINE_CODES = (
    *("abort", "check_failed", "bad_value", "bad_expression"),
    *("output_missing", "input_missing", "unknown_task", "too_deep", "too_many_rounds"),
    *("contradiction", "lost"),
)
"""The codes with which ops, tasks, loops, expressions and beliefs fail, and an action of which a person said so."""
LOOSE_LEAVES = ("choice", "loop", "outputs", "contradiction")
"""What else than an action, op, task or monitor can stand at the end of a failure's path."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What an action says of itself.

    Args:
        takes: Its inputs; a name with a `?` at the end may be missing.
        gives: Its results.
        codes: Of its aborts.
        repeatable: Whether it may be started again when nobody knows whether it had its effect.
    """

    takes: tuple[str, ...] = ()
    gives: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    repeatable: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """Inputs that must be there."""
        return tuple(name for name in self.takes if not name.endswith("?"))

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs."""
        return tuple(name.removesuffix("?") for name in self.takes)


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """Actions and monitors of a robot or a simulated world.

    Args:
        actions: By name.
        monitors: For each the codes with which it raises a failure.
    """

    actions: Mapping[str, Declared] = field(default_factory=dict)
    monitors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def abilities_of(actions: Mapping[str, object], monitors: Mapping[str, object] | None = None) -> Abilities:
    """Read what classes or factories of actions and monitors say of themselves.

    Args:
        actions: By name, each with `takes`, `gives`, `codes` and `repeatable`.
        monitors: By name, each with `codes`.
    """
    return Abilities(
        actions={name: _declared(maker) for name, maker in actions.items()},
        monitors={name: _words(maker, "codes") for name, maker in (monitors or {}).items()},
    )


def _declared(maker: object) -> Declared:
    return Declared(
        takes=_words(maker, "takes"),
        gives=_words(maker, "gives"),
        codes=_words(maker, "codes"),
        repeatable=bool(getattr(maker, "repeatable", False)),
    )


def _words(maker: object, name: str) -> tuple[str, ...]:
    return tuple(getattr(maker, name, ()))
