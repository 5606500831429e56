"""Drive at a page: real time, a hand that stands still when nothing is heard, questions through the desk.

A `Seat` is the task of the reaching domain (see `handup.domains.Task`): one step is one control step.

The attempt is kept in the store as it goes. Whoever starts again after a crash goes on with it, its question included.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import BadRecord, Limits, Person, StoreUnavailable
from handup.core.panels import Phase, ThingPart
from handup.desk import Desk, Record
from handup.desk.status import Status
from handup.domains.domain import STOPPED, Workplace
from handup.domains.guard import Link
from handup.domains.reaching.driven_hand import DevicePush, Drive
from handup.domains.reaching.page_state import Noticing, ending_of, panels_of, said_of, spoken, things_of
from handup.domains.reaching.scenes import CONTROL_S
from handup.domains.reaching.stick_user import Mode
from handup.intent import Assistant
from handup.intent.assistant import AssistantState
from handup.people import Workload

ROBOT = "hand"
"""Name of the robot."""
NAME = "you"
"""Name of the person whom it asks."""
PERSON = Person(name=NAME, limits=Limits(per_hour=20))
"""Person at the stick, with the most questions an hour that they get, whatever the helper."""
RUN = "reach"
"""Prefix of the names of runs, and name of the snapshot that is kept of them."""
SILENT_S = 0.4
"""Time without a push after which the hand stands still, in seconds: a page sends one four times a second."""
LISTEN_S = 0.1
"""Seconds between two looks for an answer."""
KEEP_S = 2.0
"""Seconds between two savings of the attempt while the hand is driven; questions and answers save it always."""
BEHIND_S = 0.25
"""Most delay that is made up for, in seconds: after a longer one, on a busy machine, the hand would jump."""
STEP = "goal"
"""Step of every question of an attempt."""
GONE = "The robot was ended while it asked."


@dataclass
class Seat:
    """One attempt of a person at a page.

    Args:
        drive: The attempt.
        place: Workplace of the robot; its link hears the stick, and its run names the questions.
    """

    drive: Drive
    place: Workplace
    interruptible: bool = field(default=True, init=False)
    _things: list[ThingPart] = field(init=False)
    _status: tuple[Phase, str, str] = field(init=False)
    _asked: Record | None = field(default=None, init=False)
    _due: float = field(init=False)
    _listened: float = field(default=float("-inf"), init=False)
    _kept: float = field(default=float("-inf"), init=False)
    _ended: bool = field(default=False, init=False)
    _noticing: Noticing = field(default_factory=Noticing, init=False)

    def __post_init__(self) -> None:
        self._things = things_of(self.drive.scene)
        self._status = Phase.RESTING, said_of("hold"), ""
        self._due = self.place.clock()
        self.desk = self.place.sit_down(PERSON)

    @property
    def link(self) -> Link:
        """The link that hears the stick."""
        assert self.place.link is not None
        return self.place.link

    def step(self) -> float | None:
        """Do one control step when it is due; None once something is held or the time is up."""
        if self.drive.over:
            self.end("it is over")
            self._status = Phase.DONE, ending_of(self.drive), ""
            return None
        self._status = self._step()
        # Late by a little: catch up. Late by more: start the count anew.
        self._due = max(self._due + CONTROL_S, self.place.clock() - BEHIND_S)
        if (early_s := self._due - self.place.clock()) > 0.0:
            self.place.sleep(early_s)
        return 0.0

    def hold(self, held: bool) -> None:
        """Do nothing: the hand stands still by itself while nobody is heard."""

    def close(self) -> None:
        """Keep the attempt as it is, so that it can go on later."""
        if not self._ended:
            self._keep()

    def end(self, why: str) -> None:
        """End the attempt: withdraw its question, and keep what was learnt of the person. Safe to call twice."""
        if not self._ended:
            self._ended = True
            self._take_back(why)
            keep(self.desk, {"assistant": self.drive.assistant.again().to_json()})

    def result(self) -> Mapping[str, Any]:
        """Return the measures of the attempt."""
        return {**self.drive.result().to_json(), "in_words": f"{ending_of(self.drive)}.".capitalize()}

    def view(self) -> Mapping[str, Any]:
        """Return the attempt as people see it."""
        heard = self.link.stick
        there = heard is not None and self.place.clock() - heard.heard_s <= SILENT_S
        phase, doing, why = self._status
        return {
            "phase": phase,
            "title": f"Take {spoken(self.drive.task)}" if self.drive.task else "Take what you like",
            "doing": doing,
            "why": why,
            "panels": panels_of(self.drive, self._things, heard.by if heard is not None and there else ""),
        }

    def _keep(self) -> None:
        """Save the attempt, so that it can go on after a crash."""
        self._kept = self.place.clock()
        keep(self.desk, {"run": self.place.run, "drive": self.drive.to_json()})

    def _step(self) -> tuple[Phase, str, str]:
        """Do one control step; return the phase, what the robot does, and why."""
        if self.place.stopped:
            self.drive.tick(None)
            return Phase.STOPPED, STOPPED, ""
        if self.drive.question is not None:
            self._hear_answer()
            if self.drive.question is not None:
                self.drive.tick(None)
                return Phase.ASKING, said_of("asking"), ""
        push = self._push()
        misses, before = self.drive.misses, self.drive.hand.pose
        self.drive.tick(push)
        if push is None:
            return Phase.HOLDING, "standing still", self._why_holding()
        self._noticing.look(self.drive, push, before, missed=self.drive.misses > misses, now_s=self.place.clock())
        if self.drive.question is None and self.place.clock() >= self._kept + KEEP_S:
            self._keep()
        return self._phase(push), *self._words()

    # -- what is heard ------------------------------------------------------------------------------------------------

    def _push(self) -> DevicePush | None:
        """Return the person's command; None unless they and the server are heard."""
        heard = self.link.stick
        if heard is None or not self.link.alive or self.place.clock() - heard.heard_s > SILENT_S:
            return None
        return DevicePush(Mode(heard.mode), heard.push, heard.close)

    def _why_holding(self) -> str:
        return "Nobody steers" if self.link.alive else "The link is lost"

    # -- what is asked ------------------------------------------------------------------------------------------------

    def _hear_answer(self) -> None:
        """Ask the open question, or look for its answer ten times a second. Drop one that may not be asked now."""
        asked = self.drive.question
        assert asked is not None
        if self._asked is None:
            # Saved before it is asked: after a crash the same question has the same id, and is not asked twice.
            self._keep()
            self._asked = self.desk.ask(
                asked.question, run=self.place.run, step=STEP, attempt=self.drive.questions, load=self.drive.load
            )
            self._status = Phase.ASKING, said_of("asking"), ""
            self.place.show(self.view())
            if self._asked.status is Status.HELD:
                self._go_on("it is more than the person may be asked now")
                return
        if self.place.clock() < self._listened + LISTEN_S:
            return
        self._listened = self.place.clock()
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
        """Go on without an answer."""
        self._take_back(why)
        self.drive.unanswered()
        self._keep()

    def _take_back(self, why: str) -> None:
        """Withdraw the question, also where it was put off."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self.desk.withdraw(asked.id, why)

    # -- what is told -------------------------------------------------------------------------------------------------

    def _phase(self, push: DevicePush) -> Phase:
        if push.idle and self.drive.command.still:
            return Phase.RESTING
        return Phase.HOLDING if self._noticing.stopped else Phase.MOVING

    def _words(self) -> tuple[str, str]:
        """Return what the robot does, and why: what did not work comes first."""
        noticed, command = self._noticing, self.drive.command
        if noticed.why:
            return noticed.doing, noticed.why
        return said_of(command.why, turns=any(command.angular), still=command.still), ""


def keep(desk: Desk, what: Mapping[str, Any]) -> None:
    """Save a part of the attempt in the store; where that fails, the next saving makes up for it."""
    with suppress(StoreUnavailable):
        desk.journal.save_snapshot(RUN, desk.journal.head().seq, what)


def go_on(drive: Drive, desk: Desk, run: str) -> Drive:
    """Return the drive: where the attempt of this run was cut off, if it was, else from the beginning.

    A new attempt knows the person from the one before, of whatever scene: their pace, their load, and whether they
    would rather not be asked now. Questions of other runs, for whose answers nobody waits any more, are taken back.

    Args:
        drive: The order: scene, task, helper and terms.
        desk: Desk at which it asks.
        run: Name of the run.
    """
    snapshot = desk.journal.snapshot(RUN)
    kept = {} if snapshot is None else snapshot.state
    drive = replace(drive, person=NAME, now_s=desk.now_s())
    drive.assistant.state = _knowing(kept, drive.assistant.state)
    if "drive" in kept and kept["run"] == run:
        with suppress(BadRecord):  # the snapshot is of another scene, task or helper
            drive.restore(kept["drive"])
    for record in desk.pending():
        if record.step == STEP and (record.run != run or drive.question is None):
            desk.withdraw(record.id, GONE)
    return drive


def _knowing(kept: Mapping[str, Any], fresh: AssistantState) -> AssistantState:
    """Return a fresh state with what the attempt before, over or cut off, taught of the person.

    Where the helper has other settings by now, only the person's load is taken over.
    """
    record = kept.get("assistant") or dict(kept.get("drive") or {}).get("assistant") or {}
    with suppress(BadRecord):
        known = Assistant.from_json(record).again().state
        return replace(known, belief=fresh.belief, now_s=max(known.now_s, fresh.now_s))
    with suppress(BadRecord):
        return replace(fresh, workload=Workload.from_json(record.get("workload", {})))
    return fresh
