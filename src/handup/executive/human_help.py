"""People whom an executive asks: at the desk, or, in studies, a simulated bystander."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from handup.core import Clock, ManualClock, Question, Value, check_value
from handup.recover import AskingDesk


@dataclass(frozen=True, kw_only=True)
class Heard:
    """Reply to a question, or its end without one.

    Args:
        value: The answer; None where there was none.
        by: Who answered.
        let_try: Whether they said to let the robot try instead.
    """

    value: Value | None = None
    by: str | None = None
    let_try: bool = False


class People(Protocol):
    """Whom an executive asks."""

    @property
    def stopped(self) -> bool:
        """True when somebody said stop."""
        ...

    def ask(self, question: Question, step: str) -> str:
        """Put a question and return its id; the same step of the same run is the same question."""
        ...

    def heard(self, question: str) -> Heard | None:
        """Return the reply; None while the question is open. Never blocks."""
        ...

    def wait(self, question: str, seconds: float) -> None:
        """Let time pass until there is news, but no longer than `seconds` where time is real."""
        ...

    def withdraw(self, question: str) -> None:
        """Withdraw the question if it is still open."""
        ...


@dataclass(frozen=True)
class PeopleAtDesk:
    """People at a desk.

    Args:
        desk: The desk.
        run: The run's id, which the ids of the questions begin with.
        patience_s: Time after which an answer comes too late, in seconds; None for no limit.
    """

    desk: AskingDesk
    run: str
    patience_s: float | None = None

    @property
    def stopped(self) -> bool:
        """True when somebody said stop, and nobody has enabled the robot since."""
        return self.desk.stopped

    def ask(self, question: Question, step: str) -> str:
        """Put a question, or return its id where it was put before."""
        if self.patience_s is not None:
            question = replace(question, deadline_s=self.desk.now_s() + self.patience_s)
        return self.desk.ask(question, run=self.run, step=step).id

    def heard(self, question: str) -> Heard | None:
        """Return the reply; None while the question is open."""
        self.desk.tick()
        record = self.desk.record(question)
        if record is None or not record.ended:
            return None
        if record.answer is not None and record.answer.value is not None:
            return Heard(value=record.answer.value, by=record.answer.by)
        return Heard(by=record.by, let_try=record.status == "delegated")

    def wait(self, question: str, seconds: float) -> None:
        """Wait at the desk."""
        self.desk.wait(question, seconds)

    def withdraw(self, question: str) -> None:
        """Withdraw the question if it is still open."""
        record = self.desk.record(question)
        if record is not None and not record.ended:
            self.desk.withdraw(question, "The robot no longer needs it.")


@dataclass(frozen=True, kw_only=True)
class SimulatedSaying:
    """Reply of a simulated person.

    Args:
        value: Their answer.
        latency_s: Time until they reply, in seconds.
        by: Their name.
    """

    value: Value
    latency_s: float = 0.0
    by: str = "simulated bystander"


class SimulatedBystander:
    """Simulated person who answers after a while, without a desk or a journal. For studies, never as data.

    Args:
        says: Returns the reply to a question; None where they do not answer, which ends the wait after `patience_s`.
        clock: The run's clock.
        patience_s: Time that the robot waits for an answer, in seconds.
    """

    stopped = False

    def __init__(
        self, says: Callable[[Question], SimulatedSaying | None], clock: Clock, *, patience_s: float = 600.0
    ) -> None:
        self._says = says
        self._clock = clock
        self._patience_s = patience_s
        self._coming: dict[str, tuple[float, Heard]] = {}

    def ask(self, question: Question, step: str) -> str:
        """Put a question; the time of its reply is settled now."""
        if step not in self._coming:
            reply = self._says(question)
            if reply is None:
                self._coming[step] = self._clock.now_s() + self._patience_s, Heard()
            else:
                heard = Heard(value=check_value(question, reply.value), by=reply.by)
                self._coming[step] = self._clock.now_s() + reply.latency_s, heard
        return step

    def heard(self, question: str) -> Heard | None:
        """Return the reply once its time has come."""
        at_s, heard = self._coming[question]
        return heard if at_s <= self._clock.now_s() else None

    def wait(self, question: str, seconds: float) -> None:
        """Let time pass until the reply."""
        pass_time(self._clock, max(0.0, self._coming[question][0] - self._clock.now_s()))

    def withdraw(self, question: str) -> None:
        """Do nothing: a reply that nobody waits for is simply not read."""


def pass_time(clock: Clock, seconds: float) -> None:
    """Let time pass: a simulated clock moves on at once, for a real one the program sleeps."""
    if isinstance(clock, ManualClock):
        clock.advance(seconds)
    else:
        time.sleep(seconds)
