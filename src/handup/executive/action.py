"""Actions: the primitives that a robot brings, with one interface and found by name."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from handup.core import BadRecord, Registry

Data = Any
"""Plain data as in JSON: None, bool, int, float, str, list, dict."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """Outcome of an action that did its work.

    Args:
        results: What it found out or made, by name.
        beliefs: What the script holds to be true from now on, by key: the belief system fills itself.
    """

    results: Mapping[str, Data] = field(default_factory=dict)
    beliefs: Mapping[str, Data] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Aborted:
    """Outcome of an action that gave up. Not an exception: failing is part of the work.

    Args:
        code: A stable word for what went wrong, such as `no_plan`.
        why: Explanation for people, one sentence.
        fields: Further details for a recovery or a person.
    """

    code: str
    why: str = ""
    fields: Mapping[str, Data] = field(default_factory=dict)


Outcome = Done | Aborted


@dataclass(frozen=True)
class NotStarted:
    """Result of `sense`: the start never reached the robot, so that nothing happened and it may be started now."""


@dataclass(frozen=True)
class Working:
    """Yielded by an action that goes on: it has nothing to do for `for_s` seconds.

    Args:
        for_s: Seconds until it wants its next turn. A real clock sleeps less if a monitor or a stop is due, a
            simulated clock moves on at once.
        doing: Activity, for the monitor view.
    """

    for_s: float
    doing: str = ""


@dataclass(frozen=True, kw_only=True)
class Call:
    """Order to an action to start.

    Args:
        goal: Its inputs, by name.
        attempt: 1 the first time this step runs, 2 after one abort, and so on, so that a retry may draw anew.
        number: Number of this start in the run; never used twice. A robot may keep it with its effects.
        again: True if an earlier start of the same step may have had its effect already: the program was killed and the
            action is marked `repeatable`, or a monitor interrupted it and it may have left traces.
        beliefs: What the script, monitors and people hold to be true, by key.
    """

    goal: Mapping[str, Data]
    attempt: int = 1
    number: int = 0
    again: bool = False
    beliefs: Mapping[str, Data] = field(default_factory=dict)


class RobotAction(Protocol):
    """A primitive. The constructor touches nothing outside; `step` never blocks; `stop` is safe twice.

    The validator reads the class attributes `name`, `takes` (inputs; a name with a `?` at the end may be missing),
    `gives` (results), `codes` (of its aborts) and `repeatable` (may be started again when nobody knows whether it had
    its effect). Optional methods: `modules(failure)` makes the `ModuleGraph` of the question when recoveries run out,
    and `sense(call)` looks whether a start whose outcome was lost had its effect: an `Outcome`, or None if unsure.
    """

    name: ClassVar[str]
    takes: ClassVar[tuple[str, ...]]
    gives: ClassVar[tuple[str, ...]]
    repeatable: ClassVar[bool]
    codes: ClassVar[tuple[str, ...]]

    def start(self, call: Call) -> None:
        """Begin. Called once per instance."""
        ...

    def step(self) -> Generator[Working, None, Outcome]:
        """Do the work: yield while it goes on, and return how it ended."""
        ...

    def stop(self) -> None:
        """Make safe, at any time."""
        ...


def plain(value: object) -> Data:
    """Return a copy of plain data, so that nobody changes it later: tuples as lists, as the journal gives it back.

    Raises:
        BadRecord: It is not plain data.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if not isinstance(value, dict):
        raise BadRecord(
            f"a value must be plain data, got {type(value).__name__}",
            hint="Give None, truth, numbers, texts, lists and maps of these.",
        )
    for key in value:
        if not isinstance(key, str):
            raise BadRecord(f"a map must have texts as keys, got {key!r}", hint="Use texts as keys.")
    return {key: plain(entry) for key, entry in value.items()}


ACTIONS: Registry[RobotAction] = Registry("action", "handup.actions")
"""Actions that need no world, and those of outside packages."""
