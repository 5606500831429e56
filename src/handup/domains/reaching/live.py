"""Somebody drives at a page: real time, a hand that stands still when nothing is heard, questions through the desk.

The attempt is kept in the store as it goes. Whoever starts again after a crash goes on with it, its question included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from handup.core import BadRecord, Limits, Person, StoreUnavailable
from handup.core.panels import Phase, ThingPart
from handup.desk import Desk, Record
from handup.desk.status import Status
from handup.domains.reaching.driving import Drive, Driven, Push
from handup.domains.reaching.page_state import Noticing, ending_of, panels_of, said_of, spoken, things_of
from handup.domains.reaching.scenes import CONTROL_S
from handup.domains.reaching.steering import Mode
from handup.intent import Assistant
from handup.intent.assistant import State
from handup.intent.pose import Vector
from handup.people import Workload

ROBOT = "hand"
"""The robot's name."""
NAME = "you"
"""Whom it asks."""
PERSON = Person(name=NAME, limits=Limits(per_hour=20))
"""Nobody at a stick is asked more often than this, whatever the helper."""
RUN = "reach"
"""How the names of its runs begin, and of what is kept of them."""
SILENT_S = 0.4
"""Without a push for so long the hand stands still: a page that is there says four times a second that it is."""
TELL_S, LOOK_S = 0.1, 0.1
"""So often the page is told, and the journal looked at."""
KEEP_S = 2.0
"""So often the attempt is kept while the hand is driven; at a question and its answer always."""
BEHIND_S = 0.25
"""Time that was lost by more than this, on a busy machine, is not made up for: the hand would jump."""
STOP_SEEN = "The robot was told by its link to stop."
GONE = "The robot was ended while it asked."


class Pushed(Protocol):
    """A push as the link hears it."""

    @property
    def by(self) -> str:
        """Who."""
        ...

    @property
    def mode(self) -> str:
        """`translate` or `rotate`."""
        ...

    @property
    def push(self) -> Vector:
        """Along three axes."""
        ...

    @property
    def close(self) -> bool:
        """Whether the hand is to close."""
        ...

    @property
    def heard_s(self) -> float:
        """When, by the clock of `Seat`."""
        ...


class Wire(Protocol):
    """The robot's link to the server."""

    @property
    def alive(self) -> bool:
        """Whether the server was heard just now, and says that the robot may move."""
        ...

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop, as far as the link knows."""
        ...

    @property
    def stick(self) -> Pushed | None:
        """The latest push."""
        ...

    def state(self, state: Mapping[str, Any], /) -> object:
        """What the robot is at. Only the latest counts; never raises."""
        ...


@dataclass
class Seat:
    """One attempt of somebody at a page.

    Args:
        drive: The attempt.
        wire: The robot's link.
        desk: Where it asks.
        run: Names its questions in the journal.
        clock: Real time in seconds, for tests.
        sleep: For tests.
    """

    drive: Drive
    wire: Wire
    desk: Desk
    run: str
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    _things: list[ThingPart] = field(init=False)
    _asked: Record | None = field(default=None, init=False)
    _looked: float = field(default=float("-inf"), init=False)
    _listened: float = field(default=float("-inf"), init=False)
    _told: float = field(default=float("-inf"), init=False)
    _kept: float = field(default=float("-inf"), init=False)
    _stopped: bool = field(default=False, init=False)
    _noticing: Noticing = field(default_factory=Noticing, init=False)

    def __post_init__(self) -> None:
        self._things = things_of(self.drive.scene)

    def drive_on(self) -> Driven:
        """Until something is held or the time is up. Whoever is told to leave takes back what was asked."""
        try:
            self._drive_on()
        except (KeyboardInterrupt, SystemExit):
            self._end("the robot was told to leave")
            raise
        self._end("it is over")
        self._tell(Phase.DONE, ending_of(self.drive))
        return self.drive.result()

    def _drive_on(self) -> None:
        due = self.clock()
        while not self.drive.over:
            self._step()
            due = max(due + CONTROL_S, self.clock() - BEHIND_S)
            if (early_s := due - self.clock()) > 0.0:
                self.sleep(early_s)

    def _end(self, why: str) -> None:
        self._take_back(why)
        keep(self.desk, {"assistant": self.drive.assistant.again().to_json()})

    def _keep(self) -> None:
        """Keep the attempt, so that it can go on after a crash."""
        self._kept = self.clock()
        keep(self.desk, {"run": self.run, "drive": self.drive.to_json()})

    def _step(self) -> None:
        if self._halted():
            self.drive.tick(None)
            return self._tell_soon(Phase.STOPPED, "stopped; nothing moves until somebody lets it go on")
        if self.drive.question is not None:
            self._hear_answer()
            if self.drive.question is not None:
                self.drive.tick(None)
                return self._tell_soon(Phase.ASKING, said_of("asking"))
        push = self._push()
        misses, before = self.drive.misses, self.drive.hand.pose
        self.drive.tick(push)
        if push is None:
            return self._tell_soon(Phase.HOLDING, "standing still", self._why_holding())
        self._noticing.look(self.drive, push, before, missed=self.drive.misses > misses, now_s=self.clock())
        if self.drive.question is None and self.clock() >= self._kept + KEEP_S:
            self._keep()
        return self._tell_soon(self._phase(push), *self._words())

    # -- what is heard ------------------------------------------------------------------------------------------------

    def _push(self) -> Push | None:
        """What the person commands, while they and the server are heard."""
        heard = self.wire.stick
        if heard is None or not self.wire.alive or self.clock() - heard.heard_s > SILENT_S:
            return None
        return Push(Mode(heard.mode), heard.push, heard.close)

    def _why_holding(self) -> str:
        return "Nobody steers" if self.wire.alive else "The link is lost"

    def _halted(self) -> bool:
        """Whether everything is stopped, by the link or in the journal. What was asked is taken back by a stop."""
        if self.wire.stopped and not self._stopped:
            self._latch()
        if self.clock() >= self._looked + LOOK_S:
            self._looked = self.clock()
            self._stopped = self.desk.stopped
        return self._stopped or self.wire.stopped

    def _latch(self) -> None:
        """A stop that only the link brought is written, where nobody else has."""
        if not self.desk.stopped:
            self.desk.stop(NAME, STOP_SEEN)
        self._stopped = True

    # -- what is asked ------------------------------------------------------------------------------------------------

    def _hear_answer(self) -> None:
        """Ask what is not asked yet; take what came of it, ten times a second. For what does not fit nobody waits."""
        asked = self.drive.question
        assert asked is not None
        if self._asked is None:
            self._keep()
            self._asked = self.desk.ask(
                asked.question, run=self.run, step="goal", attempt=self.drive.questions, load=self.drive.load
            )
            self._tell(Phase.ASKING, said_of("asking"))
            if self._asked.status is Status.HELD:
                self._go_on("it is more than the person may be asked now")
                return
        if self.clock() < self._listened + LOOK_S:
            return
        self._listened = self.clock()
        record = self.desk.wait(self._asked.id, 0.0)
        if record is None or not record.settled:
            return
        if record.status is Status.ANSWERED and record.answer is not None and record.answer.value is not None:
            self._asked = None
            self.drive.answer(record.answer.value, record.by or NAME)
            self._keep()
        else:
            self._go_on("the hand goes on without it")

    def _go_on(self, why: str) -> None:
        """Without an answer."""
        self._take_back(why)
        self.drive.unanswered()
        self._keep()

    def _take_back(self, why: str) -> None:
        """What was asked is asked no more, also where it was put off."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self.desk.withdraw(asked.id, why)

    # -- what is told -------------------------------------------------------------------------------------------------

    def _phase(self, push: Push) -> Phase:
        if push.idle and self.drive.command.still:
            return Phase.RESTING
        return Phase.HOLDING if self._noticing.stopped else Phase.MOVING

    def _words(self) -> tuple[str, str]:
        """What it does, and why: what did not work comes first."""
        noticed, command = self._noticing, self.drive.command
        if noticed.why:
            return noticed.doing, noticed.why
        return said_of(command.why, turns=any(command.angular), still=command.still), ""

    def _tell_soon(self, phase: Phase, doing: str, why: str = "") -> None:
        if self.clock() >= self._told + TELL_S:
            self._tell(phase, doing, why)

    def _tell(self, phase: Phase, doing: str, why: str = "") -> None:
        self._told = self.clock()
        heard = self.wire.stick
        there = heard is not None and self.clock() - heard.heard_s <= SILENT_S
        task = f"Take {spoken(self.drive.task)}" if self.drive.task else "Take what you like"
        self.wire.state(
            {
                "robot": ROBOT,
                "phase": phase,
                "title": task,
                "doing": doing,
                "why": why,
                "panels": panels_of(self.drive, self._things, heard.by if heard is not None and there else ""),
            }
        )


def keep(desk: Desk, what: Mapping[str, Any]) -> None:
    """Keep something of an attempt in the store; where that cannot be written now, it is with the next."""
    with suppress(StoreUnavailable):
        desk.journal.save_snapshot(RUN, desk.journal.head().seq, what)


def go_on(drive: Drive, desk: Desk) -> tuple[Drive, str]:
    """What to drive, and the name of its run: the attempt that was cut off on this store, if it is this one.

    A new attempt knows the person from the one before, of whatever scene: their pace, their load, and whether they
    would rather not be asked now. Questions of other runs, for whose answers nobody waits any more, are taken back.

    Args:
        drive: What is wanted: scene, task, helper and terms.
        desk: Where it asks.
    """
    found = desk.journal.snapshot(RUN)
    kept = {} if found is None else found.state
    run, now_s = f"{RUN}-{desk.journal.head().seq + 1}", desk.now_s()
    drive = replace(drive, person=NAME, now_s=now_s)
    drive.assistant.state = _knowing(kept, drive.assistant.state)
    if "drive" in kept:
        with suppress(BadRecord):  # something else was driven
            drive.restore(kept["drive"])
            run = str(kept["run"])
    for each in desk.pending():
        if each.run.startswith(f"{RUN}-") and (each.run != run or drive.question is None):
            desk.withdraw(each.id, GONE)
    return drive, run


def _knowing(kept: Mapping[str, Any], fresh: State) -> State:
    """A fresh state, with what the attempt before, over or cut off, leaves known of the person.

    Of a helper that has other settings by now, only what the person bore.
    """
    record = kept.get("assistant") or dict(kept.get("drive") or {}).get("assistant") or {}
    with suppress(BadRecord):
        known = Assistant.from_json(record).again().state
        return replace(known, belief=fresh.belief, now_s=max(known.now_s, fresh.now_s))
    with suppress(BadRecord):
        return replace(fresh, workload=Workload.from_json(record.get("workload", {})))
    return fresh
