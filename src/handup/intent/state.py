"""All that an assistant remembers, and how it stands in a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handup.core import BadRecord, HandupError
from handup.core.checks import check_count, check_fields, check_number
from handup.intent.asking import Ask, ask_from_json
from handup.intent.belief import Belief
from handup.intent.command import Command
from handup.intent.goals import Goals
from handup.intent.seconds import Pace
from handup.intent.stick import Joystick
from handup.people import Workload

SCHEMA = 1
HOLD = "hold"
"""Why nothing is added to the stick before the first step, and after bad input."""
TIMES = ("now_s", "seen_s", "against_s", "turned_s", "quiet_until_s")
COUNTS = ("unheard", "questions", "reopened")


@dataclass(frozen=True, eq=False, kw_only=True)
class State:
    """What an assistant remembers from step to step.

    Args:
        belief: What the person may want.
        workload: Everybody's load by questions.
        now_s: Since the beginning.
        seen_s: Time of pushing that is not evidence yet.
        against_s: For how long the person has worked against what the robot would do; since the last answer at most.
        turned_s: For how long the person has turned the hand; it fades while they do not.
        quiet_until_s: Nothing is asked before this, since the last question was not answered.
        unheard: How many questions in a row were not answered.
        questions: How many were asked.
        reopened: How often opposition has opened questions again.
        pace: How hard the person pushes.
        stick: The last push.
        asked: Keys of questions that were asked and are not open again.
        confirmed: Goals that answers pointed at.
        denied: Goals that a no ruled out.
        open: The question that is not answered yet.
        command: What is added to the stick. A record does not keep it: who comes back from one moves nothing before the
            next plan.
    """

    belief: Belief
    workload: Workload
    now_s: float = 0.0
    seen_s: float = 0.0
    against_s: float = 0.0
    turned_s: float = 0.0
    quiet_until_s: float = 0.0
    unheard: int = 0
    questions: int = 0
    reopened: int = 0
    pace: Pace = field(default_factory=Pace)
    stick: Joystick = field(default_factory=Joystick)
    asked: frozenset[str] = frozenset()
    confirmed: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()
    open: Ask | None = None
    command: Command = field(default_factory=lambda: Command(why=HOLD))

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        return {
            "schema": SCHEMA,
            "belief": self.belief.to_json(),
            "workload": self.workload.to_json(),
            **{name: getattr(self, name) for name in (*TIMES, *COUNTS)},
            "pace": [self.pace.pushed, self.pace.squared, self.pace.seconds],
            "stick": self.stick.to_json(),
            "asked": sorted(self.asked),
            "confirmed": sorted(self.confirmed),
            "denied": sorted(self.denied),
            "open": None if self.open is None else self.open.to_json(),
        }

    @classmethod
    def from_json(cls, goals: Goals, record: Mapping[str, Any]) -> State:
        """The state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, of a newer schema, or of other goals.
        """
        names = ("belief", "workload", *TIMES, *COUNTS, "pace", "stick", "asked", "confirmed", "denied", "open")
        found = check_fields("an assistant", record, names, needed=names, newest=SCHEMA, error=BadRecord)
        numbers: dict[str, Any] = {name: check_number(name, found[name], error=BadRecord) for name in TIMES}
        numbers |= {name: check_count(name, found[name], least=0, error=BadRecord) for name in COUNTS}
        try:
            return cls(
                belief=Belief.from_json(goals, found["belief"]),
                workload=Workload.from_json(found["workload"]),
                **numbers,
                pace=Pace(*found["pace"]),
                stick=Joystick.from_json(found["stick"]),
                asked=frozenset(map(str, found["asked"])),
                confirmed=frozenset(map(int, found["confirmed"])) & frozenset(range(len(goals))),
                denied=frozenset(map(int, found["denied"])) & frozenset(range(len(goals))),
                open=None if found["open"] is None else ask_from_json(goals, found["open"]),
            )
        except BadRecord:
            raise
        except (HandupError, TypeError, ValueError) as error:
            cause = error.cause if isinstance(error, HandupError) else str(error)
            raise BadRecord(f"an assistant is damaged ({cause})", hint="Begin a new one.") from error
