"""Settings of a run of the executive: every limit is a field with a default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from handup.core import BadRecord, BadSetting, Malformed, OutOfRange, UnknownName

MAX_TASKS = 64
"""Most tasks in each other that any run may have."""


class Unseen(StrEnum):
    """Policy for failures for which no recovery is left."""

    EXIT = "exit"
    """End the run: for development, when somebody looks and writes the next recovery."""
    RETRY = "retry"
    """Run the failed step again, `retries` times at most; then end the run."""
    ASK = "ask"
    """Ask a person."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Limits of a run, and its policy for failures for which no recovery is left.

    Args:
        unseen: Policy for failures for which no recovery is left.
        retries: Most times that a step runs again, with `Unseen.RETRY`.
        questions: Most questions to people about one fault of a step before it has worked, with `Unseen.ASK`.
            Another code is another fault.
        depth: Most recoveries in each other: 1 recovers the recipe only, 2 also its recoveries.
        tasks: Most tasks in each other.
        starts: Most actions that may be started in all.
        steps: Most steps of any kind in all.
        failures: Most failures in all.
        batch: Most events that may wait to be written while only actions run that may be repeated.
        lasts_s: Planned duration in seconds, for its measures: a run that breaks off stands still for the rest of it.
        unit: The action that is one unit of its work, for its measures; empty where there is none.
        proposed_after: Number of times that people must have solved a fault the same way before a rule is offered.
    """

    unseen: Unseen = Unseen.EXIT
    retries: int = 2
    questions: int = 3
    depth: int = 2
    tasks: int = MAX_TASKS
    starts: int = 100_000
    steps: int = 10_000_000
    failures: int = 10_000
    batch: int = 256
    lasts_s: float | None = None
    unit: str = ""
    proposed_after: int = 3

    def __post_init__(self) -> None:
        if self.unseen not in tuple(Unseen):
            raise UnknownName.of(
                "unseen", repr(self.unseen), f"be one of {', '.join(Unseen)}", hint="Choose one of them."
            )
        object.__setattr__(self, "unseen", Unseen(self.unseen))
        for name, low, high in (
            ("retries", 0, 1000),
            ("questions", 1, 1000),
            ("depth", 0, 10),
            ("tasks", 1, MAX_TASKS),
            ("starts", 1, 10**9),
            ("steps", 1, 10**12),
            ("failures", 1, 10**9),
            ("batch", 1, 10_000),
            ("proposed_after", 1, 1000),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                must = f"be a whole number from {low} to {high}"
                raise OutOfRange.of(name, repr(value), must, hint="Give a number of that range.")
        lasts_s = self.lasts_s
        if lasts_s is not None and not (isinstance(lasts_s, int | float) and 0.0 < lasts_s < math.inf):
            raise OutOfRange.of("lasts_s", repr(lasts_s), "be more than 0 seconds", hint="Give seconds, or nothing.")
        if not isinstance(self.unit, str):
            raise Malformed.of("unit", repr(self.unit), "be a text", hint="Give the name of an action.")

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> RunSettings:
        """Read the settings that `to_json` wrote.

        Raises:
            BadRecord: They are of a newer handup, or damaged.
        """
        known = {field.name for field in fields(cls)}
        try:
            return cls(**{name: record[name] for name in known & set(record)})
        except (BadSetting, TypeError) as error:
            raise BadRecord(f"the settings of a run are damaged ({error})", hint="Verify the journal.") from None

    def to_json(self) -> dict[str, Any]:
        """Return a plain record: keyword arguments for the same settings."""
        return {**asdict(self), "unseen": str(self.unseen)}
