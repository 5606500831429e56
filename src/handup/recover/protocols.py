"""What the loop stands between: the policy on one side, the desk and its journal on the other."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from handup.core import Answer, BadSetting, ContractViolation, Question, SkippingClock, Value
from handup.journal.events import REPAIRED
from handup.policy import ModuleGraph

if TYPE_CHECKING:
    from handup.journal import Journal

LONGEST_SHOWN = 100
"""So many characters of a wrong value stand in a message."""

# -- the policy --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Pass:
    """What a forward pass of a policy gave.

    Args:
        outputs: What each module says: what an answer could say, so words, truth, a number, a box, points. Name
            what is larger, an image or a trajectory, by a word.
        confidences: How sure each module is; one that is left out stays as it was.
        outdated: Modules whose answer was left aside, since it was about something else: a box around a pear says
            nothing once the food is a plum. They speak for themselves again, and may be asked about again.
        people: Whose earlier words are in the outputs, which are erased with them; those who answered in this run are
            known.
    """

    outputs: Mapping[str, Value]
    confidences: Mapping[str, float]
    outdated: Collection[str] = ()
    people: Collection[str] = ()


@dataclass(frozen=True)
class Look:
    """How an action looks, after it or later.

    Args:
        ok: Whether it looks like a success.
        certainty: The probability that this look is right, from 0.5.
        started: For `sense`: False where the robot knows that it never began, so that it may begin now.

    Raises:
        BadSetting: A certainty outside 0.5 to 1.
    """

    ok: bool
    certainty: float = 1.0
    started: bool = True

    def __post_init__(self) -> None:
        if not 0.5 <= self.certainty <= 1.0:
            raise BadSetting(f"certainty is {self.certainty:g}", hint="Give 0.5 to 1; turn 'ok' round below 0.5.")


def look_of(what: str, given: object) -> Look:
    """What a policy saw.

    Args:
        what: The method that gave it.
        given: What it gave.

    Raises:
        ContractViolation: It is no `Look` with a truth in it; a bare True does not say how certain that is.
    """
    if not isinstance(given, Look):
        raise ContractViolation(f"{what} gave {shown(given)}", hint=f"{what} must return Look(ok).")
    if not isinstance(given.ok, bool | np.bool_):
        raise ContractViolation(f"{what} gave Look({shown(given.ok)})", hint=f"{what} must return Look(True or False).")
    return given


def shown(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


class Policy(Protocol):
    """A robot's policy, as `run` drives it. It may also have what the protocols below name."""

    @property
    def graph(self) -> ModuleGraph:
        """Its modules."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """What every module says, with an answer in the place of each module that a person answered for."""

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Do it. Called at most once for each action id, so a log of these ids says what was done.

        A driver that can should refuse an id that it was told to be void, and one that it has seen.
        """


@runtime_checkable
class Senses(Protocol):
    """A policy that can see what became of an action."""

    def sense(self, action_id: str) -> Look | None:
        """How an action looks whose outcome was lost, without moving; None where that cannot be told."""


@runtime_checkable
class Doubts(Protocol):
    """A policy that knows when its own look at what it did is worth little, and would rather have a person look."""

    def doubt(self, action_id: str) -> Question | None:
        """The yes-no question whether an action worked; None where the robot's own look at it counts.

        Asked right after `act`, and again by a program that goes on. Where nobody answers it, what `sense` says counts.
        """


@runtime_checkable
class Plans(Protocol):
    """A policy that can say what an action was to do: for the question what became of one that was cut off."""

    def plan(self, outputs: Mapping[str, Value]) -> str:
        """What it does on these outputs, in a few words: 'skewer the chicken'."""


@runtime_checkable
class Words(Protocol):
    """A policy that words its questions itself."""

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """The question about a module."""


@runtime_checkable
class Compares(Protocol):
    """A policy that knows when two outputs mean the same."""

    def differs(self, module: str, said: Value, answer: Value) -> bool:
        """Whether an answer is another than what the module had said."""


@runtime_checkable
class SeesAnew(Protocol):
    """A policy whose world changes when it acts: it looks again, by `forward`, after every attempt that failed."""

    @property
    def outdated_by_acting(self) -> Collection[str]:
        """Modules for which an answer holds only until the robot acts, such as a place on a picture."""


# -- the desk ----------------------------------------------------------------------------------------------------------


class DeskQuestion(Protocol):
    """A question at the desk."""

    @property
    def id(self) -> str:
        """Made of run, step and attempt."""

    @property
    def status(self) -> str:
        """Where it is in its life."""

    @property
    def ended(self) -> bool:
        """Whether no more can come of it."""

    @property
    def settled(self) -> bool:
        """Whether there is something to tell whoever asked."""

    @property
    def until_s(self) -> float | None:
        """For a deferred question, until when."""

    @property
    def deadline_s(self) -> float | None:
        """When an answer comes too late."""

    @property
    def by(self) -> str | None:
        """Who replied."""

    @property
    def cause(self) -> str | None:
        """Why it was withdrawn; `stop` where somebody said stop."""

    @property
    def answer(self) -> Answer | None:
        """What they answered."""


class AskingDesk(Protocol):
    """The desk, as far as a run needs it."""

    @property
    def journal(self) -> Journal:
        """Where everything is written."""

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop, and nobody has enabled the robot since."""

    def stopped_since(self, seq: int) -> bool:
        """Whether somebody said stop after an entry of the journal, also where that was lifted since."""

    def now_s(self) -> float:
        """The time, which never runs backwards."""

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> DeskQuestion:
        """Put a question; the same id again is the same question."""

    def wait(self, question: str, timeout_s: float | None = None) -> DeskQuestion | None:
        """Wait until a question is settled, or the robot stopped."""

    def record(self, question: str) -> DeskQuestion | None:
        """The question as it is."""

    def withdraw(self, question: str, why: str) -> object:
        """Take a question back."""

    def tick(self) -> None:
        """Do what is due by the clock."""

    def free_from_s(self, now_s: float) -> float:
        """From when somebody may be asked."""


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

    def settled(self, question: str, put_off_s: float | None = None) -> DeskQuestion | None:
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

    def ended(self, record: DeskQuestion) -> DeskQuestion | None:
        """A question once no more can come of it, however often it is put off; None after a stop."""
        later: DeskQuestion | None = record
        while later is not None and not later.ended:
            later = self.settled(later.id, later.until_s)
        return later

    def pause(self, until_s: float, seq: int) -> None:
        """Wait a while for a time or for an entry beyond `seq`, and have the desk do what is due."""
        left_s = until_s - self.desk.now_s()
        if left_s > 0.0:
            clock = self.desk.journal.clock
            if isinstance(clock, SkippingClock):
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
