"""Protocols of the two sides of the loop: the policy on one, the desk and its journal on the other."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from handup.core import Answer, ContractViolation, OutOfRange, Question, SkippingClock, Value
from handup.core.panels import Phase
from handup.journal.events import REPAIRED
from handup.policy import ModuleGraph

if TYPE_CHECKING:
    from handup.journal import Journal

LONGEST_SHOWN = 100
"""Longest part of a wrong value that a message shows, in characters."""

# -- the policy --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Pass:
    """Result of one forward pass of a policy.

    Args:
        outputs: Output of each module, in a form that an answer could have: words, truth, a number, a box, points.
            Give the name of anything larger, such as an image or a trajectory.
        confidences: Confidence of each module; one that is left out stays as it was.
        outdated: Modules whose answer was left aside, since it was about something else: a box around a pear says
            nothing once the food is a plum. They speak for themselves again, and may be asked about again.
        people: People whose words from earlier runs are in the outputs: if one of them is erased, the outputs are, too.
            Those who answered in this run need not be named.
    """

    outputs: Mapping[str, Value]
    confidences: Mapping[str, float]
    outdated: Collection[str] = ()
    people: Collection[str] = ()


@dataclass(frozen=True)
class Look:
    """Judgement of an action, right after it or later.

    Args:
        ok: True if it looks like a success.
        certainty: The probability that this look is right, from 0.5.
        started: For `sense`: False where the robot knows that it never began, so that it may begin now.

    Raises:
        OutOfRange: The certainty is outside 0.5 to 1.
    """

    ok: bool
    certainty: float = 1.0
    started: bool = True

    def __post_init__(self) -> None:
        if not 0.5 <= self.certainty <= 1.0:
            raise OutOfRange.of(
                "certainty", f"{self.certainty:g}", "lie between 0.5 and 1", hint="Turn 'ok' round below 0.5."
            )


def look_of(what: str, given: object) -> Look:
    """Check that a policy's method returned a `Look`, and return it.

    Args:
        what: Name of the method.
        given: Value that it returned.

    Raises:
        ContractViolation: It is no `Look` with a truth in it; a bare True does not say how certain that is.
    """
    if not isinstance(given, Look):
        raise ContractViolation(f"{what} gave {shown(given)}", hint=f"{what} must return Look(ok).")
    if not isinstance(given.ok, bool | np.bool_):
        raise ContractViolation(f"{what} gave Look({shown(given.ok)})", hint=f"{what} must return Look(True or False).")
    return given


def shown(value: object) -> str:
    """Return a value as a message shows it, cut where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


class Policy(Protocol):
    """A robot's policy, as `run` drives it. It may also have what the protocols below name."""

    @property
    def graph(self) -> ModuleGraph:
        """Its modules."""

    def forward(self, answers: Mapping[str, Value]) -> Pass:
        """Run every module and return the outputs, with an answer in place of each module that was answered for."""

    def act(self, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Act. Called at most once for each action id, so a log of these ids is a log of the actions.

        If it can, the robot's driver should refuse an id that it has seen before, or that was declared void.
        """


@runtime_checkable
class Senses(Protocol):
    """A policy that can see what became of an action."""

    def sense(self, action_id: str) -> Look | None:
        """Look at an action whose outcome was lost, without moving; None where that cannot be seen."""


@runtime_checkable
class Doubts(Protocol):
    """A policy that knows when its own look at an action is worth little, so that a person should look."""

    def doubt(self, action_id: str) -> Question | None:
        """Return the yes-no question whether an action worked; None where the robot's own look at it counts.

        Asked right after `act`, and again by a program that goes on. Where nobody answers it, what `sense` says counts.
        """


@runtime_checkable
class Plans(Protocol):
    """A policy that can say what an action is for, in words for the question how a lost action turned out."""

    def plan(self, outputs: Mapping[str, Value]) -> str:
        """Describe in a few words what the policy does on these outputs: 'skewer the chicken'."""


@runtime_checkable
class Recovers(Protocol):
    """A policy with recoveries of its own, which a strategy may choose instead of acting or asking."""

    def recover(self, recovery: str, outputs: Mapping[str, Value], action_id: str) -> Look:
        """Run a recovery. A success ends the run, as that of `act` does. Called at most once for each action id."""


@runtime_checkable
class Supports(Protocol):
    """A policy that words the support that people are shown beside a question."""

    def support(self, module: str, support: str, outputs: Mapping[str, Value]) -> str:
        """Return the words of a kind of support, such as `both-90`, beside the question about a module."""


@runtime_checkable
class Words(Protocol):
    """A policy that words its questions itself."""

    def question(self, module: str, outputs: Mapping[str, Value]) -> Question:
        """Return the question about a module."""


@runtime_checkable
class Compares(Protocol):
    """A policy that knows when two outputs mean the same."""

    def differs(self, module: str, said: Value, answer: Value) -> bool:
        """Return whether an answer means something else than the module's own output."""


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
        """Id of the question, made of run, step and attempt."""

    @property
    def status(self) -> str:
        """Stage of its life, such as `answered` or `withdrawn`."""

    @property
    def ended(self) -> bool:
        """True when it is closed and nothing more can come of it."""

    @property
    def settled(self) -> bool:
        """True when the asker has something to learn: an answer, a deferral or an end."""

    @property
    def turn(self) -> str | None:
        """Name of the person with whom it is now."""

    @property
    def asked_s(self) -> float:
        """Time at which it came in."""

    @property
    def opened_s(self) -> float | None:
        """Time at which it was last put to a person."""

    @property
    def until_s(self) -> float | None:
        """Time until which a deferred question is put off."""

    @property
    def deadline_s(self) -> float | None:
        """Time after which an answer comes too late."""

    @property
    def by(self) -> str | None:
        """Name of the person who replied."""

    @property
    def cause(self) -> str | None:
        """Reason for a withdrawal; `stop` where somebody said stop."""

    @property
    def answer(self) -> Answer | None:
        """The person's answer."""


class AskingDesk(Protocol):
    """The desk, as far as a run needs it."""

    @property
    def journal(self) -> Journal:
        """The journal that everything is written to."""

    @property
    def stopped(self) -> bool:
        """True while a stop holds: somebody said stop, and nobody has enabled the robot since."""

    def stopped_since(self, seq: int) -> bool:
        """Return whether somebody said stop after an entry of the journal, even if it was lifted since."""

    def now_s(self) -> float:
        """Return the time, which never runs backwards."""

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> DeskQuestion:
        """Put a question; the same id again is the same question."""

    def wait(self, question: str, timeout_s: float | None = None) -> DeskQuestion | None:
        """Wait until a question is settled, or the robot stopped."""

    def record(self, question: str) -> DeskQuestion | None:
        """Return the question as it is now."""

    def withdraw(self, question: str, why: str) -> object:
        """Take a question back."""

    def tick(self) -> None:
        """Do what is due by the clock: reminders, deferrals, expiries."""

    def free_from_s(self, now_s: float) -> float:
        """Return the time from which somebody may be asked."""


@runtime_checkable
class ShowsPhase(Protocol):
    """A desk that shows people what a run is at, such as one on another machine."""

    def show(self, phase: Phase, doing: str | None = None) -> None:
        """Show people a phase, and at the end how the run ended, in words."""


@runtime_checkable
class HandsOn(Protocol):
    """A desk that can be told to whom a question goes on."""

    def hand_on(self, question: str, to: str) -> object:
        """Hand an open question on to another of its people. Whoever had it may still answer."""


@dataclass(frozen=True)
class AtDesk:
    """A desk as a run uses it.

    Args:
        desk: The desk.
        look_every_s: Interval at which its clock is read while nothing happens, in real seconds.
        since: The number of the run's first entry. A stop after it holds for the run, lifted or not.
    """

    desk: AskingDesk
    look_every_s: float
    since: int

    @property
    def stopped(self) -> bool:
        """True when somebody says stop now, or said so at any time since the run began."""
        return self.desk.stopped or self.desk.stopped_since(self.since)

    @property
    def repaired(self) -> bool:
        """True when the journal was repaired since the run began: some of what the run did may be missing."""
        return any(entry.kind == REPAIRED for entry in self.desk.journal.read(self.since, run=""))

    def show(self, phase: Phase, doing: str | None = None) -> None:
        """Show people what the run is at, where the desk can."""
        if isinstance(self.desk, ShowsPhase):
            self.desk.show(phase, doing)

    def settled(self, question: str, put_off_s: float | None = None, until_s: float = math.inf) -> DeskQuestion | None:
        """Wait for news of a question and return it; None after a stop, or when the time is up.

        Args:
            question: Its id.
            put_off_s: A deferral until this time is already known and is no news.
            until_s: Time until which to wait.
        """
        while not self.stopped:
            self.show(Phase.ASKING)
            # The head is read before the question, so that an entry written in between ends the pause below.
            seq = self.desk.journal.head().seq
            self.desk.tick()
            record = self.desk.record(question)
            assert record is not None
            if record.status == "deferred" and record.until_s is not None and record.until_s == put_off_s:
                self.pause(record.until_s, seq)
            elif record.settled:
                return record
            elif until_s == math.inf:
                self.desk.wait(question)
            elif self.desk.now_s() < until_s:
                self.desk.wait(question, 0.0)
                self.pause(until_s, seq)
            else:
                return None
        return None

    def ended(self, record: DeskQuestion) -> DeskQuestion | None:
        """Wait until a question is closed, however often it is put off, and return it; None after a stop."""
        later: DeskQuestion | None = record
        while later is not None and not later.ended:
            later = self.settled(later.id, later.until_s)
        return later

    def pause(self, until_s: float, seq: int) -> None:
        """Wait a while for a time or for an entry beyond `seq`, and have the desk do what is due."""
        left_s = until_s - self.desk.now_s()
        if left_s > 0.0:
            self.show(Phase.RESTING)
            clock = self.desk.journal.clock
            if isinstance(clock, SkippingClock):
                clock.skip_to(until_s)
            else:
                self.desk.journal.wait(seq, min(left_s, self.look_every_s))
        self.desk.tick()

    def rest(self, seconds: float, after: str, following: str) -> None:
        """Leave people alone between two questions, counted from the end of the first, unless both were asked."""
        # Counted from the journal and not from now, so that a restarted program does not begin the rest anew.
        until_s = max(entry.at_s for entry in self.desk.journal.read(key=after)) + seconds
        while self.desk.record(following) is None and not self.stopped and self.desk.now_s() < until_s:
            self.pause(until_s, self.desk.journal.head().seq)

    def next_end_s(self, questions: Iterable[str]) -> float:
        """Return when the first of some questions ends by itself; infinity where none does."""
        records = [self.desk.record(question) for question in questions]
        ends = [record.deadline_s for record in records if record is not None and not record.ended]
        return min((end_s for end_s in ends if end_s is not None), default=math.inf)

    def answers(self, questions: Mapping[str, str]) -> dict[str, Value]:
        """Return the answer to the question of each module, without answers that were erased."""
        records = {module: self.desk.record(question) for module, question in questions.items()}
        answers = {module: record.answer for module, record in records.items() if record is not None}
        return {module: answer.value for module, answer in answers.items() if answer and answer.value is not None}

    def withdraw(self, questions: Iterable[str]) -> None:
        """Take back those of the questions that are still open."""
        for question in questions:
            record = self.desk.record(question)
            if record is not None and not record.ended:
                self.desk.withdraw(question, "The robot no longer needs it.")
