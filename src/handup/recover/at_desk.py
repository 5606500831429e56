"""What a run does at the desk: wait for news of a question, wait for a time, take questions back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from handup.core import Value
from handup.recover.sides import Asked, AskingDesk, Skips

REPAIRED = "journal.repaired"
"""The kind of entry that says that the journal was repaired. It belongs to no run."""


@dataclass(frozen=True)
class AtDesk:
    """A desk as a run uses it.

    Args:
        desk: The desk.
        look_every_s: While nothing happens, its clock is looked at so often, in real seconds.
        since: The number of the run's first entry. A stop after it holds for the run, lifted or not.
    """

    desk: AskingDesk
    look_every_s: float
    since: int

    @property
    def stopped(self) -> bool:
        """Whether somebody says stop, or said so at any time since the run began."""
        return self.desk.stopped or self.desk.stopped_since(self.since)

    @property
    def repaired(self) -> bool:
        """Whether the journal was repaired since the run began, so that some of what it did may be lost."""
        return any(entry.kind == REPAIRED for entry in self.desk.journal.read(self.since, run=""))

    def settled(self, question: str, put_off_s: float | None = None) -> Asked | None:
        """A question once there is something to tell of it; None after a stop.

        Args:
            question: Its id.
            put_off_s: That it was put off until then is known already, and no news.
        """
        while not self.stopped:
            seq = self.desk.journal.head().seq
            self.desk.tick()
            record = self.desk.record(question)
            assert record is not None
            if record.status == "deferred" and record.until_s is not None and record.until_s == put_off_s:
                self.pause(record.until_s, seq)
            elif record.settled:
                return record
            else:
                self.desk.wait(question)
        return None

    def ended(self, record: Asked) -> Asked | None:
        """A question once no more can come of it, however often it is put off; None after a stop."""
        later: Asked | None = record
        while later is not None and not later.ended:
            later = self.settled(later.id, later.until_s)
        return later

    def pause(self, until_s: float, seq: int) -> None:
        """Wait a while for a time or for an entry beyond `seq`, and have the desk do what is due."""
        left_s = until_s - self.desk.now_s()
        if left_s > 0.0:
            clock = self.desk.journal.clock
            if isinstance(clock, Skips):
                clock.skip_to(until_s)
            else:
                self.desk.journal.wait(seq, min(left_s, self.look_every_s))
        self.desk.tick()

    def rest(self, seconds: float, after: str, following: str) -> None:
        """Leave people alone between two questions, counted from the end of the first, unless both were asked."""
        until_s = max(entry.at_s for entry in self.desk.journal.read(key=after)) + seconds
        while self.desk.record(following) is None and not self.stopped and self.desk.now_s() < until_s:
            self.pause(until_s, self.desk.journal.head().seq)

    def next_end_s(self, questions: Iterable[str]) -> float:
        """When the first of some questions comes to its end by itself; infinity where none does."""
        records = [self.desk.record(question) for question in questions]
        ends = [record.deadline_s for record in records if record is not None and not record.ended]
        return min((end_s for end_s in ends if end_s is not None), default=math.inf)

    def answers(self, questions: Mapping[str, str]) -> dict[str, Value]:
        """What was answered to the question of each module, without what was erased."""
        found = {module: self.desk.record(question) for module, question in questions.items()}
        answers = {module: record.answer for module, record in found.items() if record is not None}
        return {module: each.value for module, each in answers.items() if each and each.value is not None}

    def withdraw(self, questions: Iterable[str]) -> None:
        """Take back those of the questions that are still open."""
        for question in questions:
            record = self.desk.record(question)
            if record is not None and not record.ended:
                self.desk.withdraw(question, "The robot no longer needs it.")
