"""The terms of a run of the executive: every limit is a field with a default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from handup.core import BadRecord, BadSetting

MAX_TASKS = 64
"""No run may have more tasks standing in each other."""


class Unseen(StrEnum):
    """What happens when no recovery is left for a failure."""

    EXIT = "exit"
    """The run ends: for development, where somebody looks and writes the next recovery."""
    RETRY = "retry"
    """The failed step runs again, `retries` times at most; then the run ends."""
    ASK = "ask"
    """A person is asked."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a run may take, and what it does when it knows no further.

    Args:
        unseen: What happens when no recovery is left.
        retries: With `Unseen.RETRY`, so often a step runs again.
        questions: With `Unseen.ASK`, so often people are asked about one fault of a step before it has worked. Another
            code is another fault.
        depth: So deep recoveries may stand in each other: 1 recovers the recipe only, 2 also its recoveries.
        tasks: So deep tasks may stand in each other.
        starts: So many actions may be started in all.
        steps: So many steps of any kind may be taken in all.
        failures: So many failures there may be in all.
        batch: So many events may wait to be written while only actions run that may be repeated.
        lasts_s: How long the run is to last, for its measures: one that breaks off stands still for the rest of it.
        unit: The action that is one unit of its work, for its measures; empty where there is none.
        proposed_after: So often people must have solved a fault the same way before a rule is offered.
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
            raise BadSetting(f"unseen is {self.unseen!r}", hint=f"Use one of: {', '.join(Unseen)}.")
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
                raise BadSetting(f"{name} is {value!r}", hint=f"Give a whole number from {low} to {high}.")
        lasts_s = self.lasts_s
        if lasts_s is not None and not (isinstance(lasts_s, int | float) and 0.0 < lasts_s < math.inf):
            raise BadSetting(f"lasts_s is {lasts_s!r}", hint="Give seconds, more than 0, or nothing.")
        if not isinstance(self.unit, str):
            raise BadSetting(f"unit is {self.unit!r}", hint="Give the name of an action, or nothing.")

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Settings:
        """The settings that `to_json` wrote.

        Raises:
            BadRecord: They are of a newer handup, or damaged.
        """
        known = {each.name for each in fields(cls)}
        try:
            return cls(**{name: record[name] for name in known & set(record)})
        except (BadSetting, TypeError) as error:
            raise BadRecord(f"the settings of a run are damaged ({error})", hint="Verify the journal.") from None

    def to_json(self) -> dict[str, Any]:
        """A plain record: keyword arguments for the same settings."""
        return {**asdict(self), "unseen": str(self.unseen)}
