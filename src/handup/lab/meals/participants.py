"""Simulated participants: how carefully somebody answers, and how they point. Every number of theirs is *assumed*."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from handup.core import BadSetting
from handup.people import PROFILES, AnswerModel, Care, SimulatedPerson


@dataclass(frozen=True, kw_only=True)
class Participant:
    """One simulated person, who takes part in a whole study.

    Args:
        number: From 0.
        care: How carefully they answer: right with .80, .90 or .97 from sight.
        motor: How they point, a name of `people.PROFILES`.
    """

    number: int
    care: Care
    motor: str

    def __post_init__(self) -> None:
        if self.motor not in PROFILES:
            raise BadSetting(f"there is no motor profile '{self.motor}'", hint=f"Use one of: {', '.join(PROFILES)}.")

    @property
    def person(self) -> SimulatedPerson:
        """As the desk's simulated channel takes them."""
        answers = AnswerModel(care=self.care)
        return SimulatedPerson(name=f"participant-{self.number}", answers=answers, motor=PROFILES[self.motor])

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        return {"participant": self.number, "care": str(self.care), "motor": self.motor}


def participants(count: int) -> Iterator[Participant]:
    """The first so many; every twelve of them have each care with each motor profile once."""
    cares, motors = tuple(Care), tuple(PROFILES)
    for number in range(count):
        yield Participant(number=number, care=cares[number % len(cares)], motor=motors[number % len(motors)])
