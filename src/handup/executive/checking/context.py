"""What is checked, against what a robot brings, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handup.core import BadExpression
from handup.executive.language import Expression
from handup.executive.machine.steps import OPS
from handup.executive.problem import Place, Problem
from handup.executive.reading import MAX_PROBLEMS
from handup.executive.recipe import OpStep, Recipes, RunStep, Step
from handup.executive.recovery import Recovery

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


class Enough(Exception):
    """There are as many problems as anybody wants to read. Never leaves the validator."""


class Context:
    """One pass of the validator.

    Args:
        recipes: What is checked.
        recoveries: What is checked with it.
        abilities: What the robot brings; None if that is not known.
    """

    def __init__(self, recipes: Recipes, recoveries: Sequence[Recovery], abilities: Abilities | None) -> None:
        self.recipes = recipes
        self.recoveries = recoveries
        self.abilities = abilities
        self.problems: list[Problem] = []

    def add(self, place: Place, cause: str, hint: str) -> None:
        """Note a problem.

        Raises:
            Enough: There are too many.
        """
        self.problems.append(Problem(place, cause, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise Enough


def sets_of(step: Step) -> tuple[str, ...]:
    """The variables that a step sets itself: those it names; counting by `name` sets that one where it names none."""
    if not isinstance(step, RunStep):
        return ()
    if not step.var and isinstance(step, OpStep) and step.name in OPS and "name" in OPS[step.name].one_of:
        counted = counted_name(step)
        return () if counted is None else (counted,)
    return step.var


def counted_name(step: Step) -> str | None:
    """The variable that an increment or decrement counts by its name."""
    name = step.params.get("name") if isinstance(step, OpStep) else None
    value = name.value({}) if name is not None and name.constant else None
    return value if isinstance(value, str) else None


def variables_in(expression: Expression) -> list[str]:
    """The variables that an expression reads, sorted."""
    return sorted({name[1] for name in expression.names if name[0] == "var"})


def constant_of(condition: Expression) -> bool | None:
    """Whether a condition that reads nothing holds; None where it depends on something, or has no value."""
    if condition.names:
        return None
    try:
        return bool(condition.value({}))
    except BadExpression:
        return None
