"""What the processes do that are killed: a robot that works on its run, a device that carries replies."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from handup.core import Reply, ReplyKind
from handup.desk import Desk, Record, Status, replay
from handup.journal import Journal
from handup.recover import run
from handup.recover.unknown_outcome import FAILED, NOT_STARTED, WORKED
from tests.kill.points import Points
from tests.kill.scenario import RUN, Device, Scenario
from tests.kill.shared import Place
from tests.recover.robot import RIGHT, WRONG, Robot, SensingRobot, append_line, effects

JUMP_S = 30.0
PATIENCE = 5
"""So many jumps of the clock a robot waits by itself where people have nothing to do."""
LONGEST_WAIT_S = 0.02


@dataclass(frozen=True, kw_only=True)
class Life:
    """One life of a process.

    Args:
        scenario: What happens.
        place: Where.
        points: Where it dies.
        together: Whether other processes live at the same time.
        idle: Whether people have nothing to do, so that time may pass.
    """

    scenario: Scenario
    place: Place
    points: Points
    together: bool = False
    idle: bool = False

    def desk(self) -> Desk:
        """The desk, on a store opened anew."""
        journal = Journal.open(self.place.store, clock=self.place.clock)
        self.points.opened(journal)
        return Desk(journal, self.scenario.people, terms=self.scenario.terms)

    def robot(self) -> Robot:
        """The robot, whose effects are points."""
        kind = SensingRobot if self.scenario.senses else Robot
        return kind(
            self.place.effects,
            wrong=self.scenario.wrong,
            confidences=self.scenario.confidences,
            certainty=self.scenario.certainty,
            at=lambda moment: self.points.meet(f"effect {moment}"),
        )


def robot_life(life: Life) -> None:
    """Work on the run until it is over; die where nothing is left but to wait."""
    _wait_otherwise(life)
    desk = life.desk()
    episode = run(life.robot(), life.scenario.method, desk, run=RUN, settings=life.scenario.settings)
    life.place.state.write_text(json.dumps(desk.state.to_json()), encoding="utf-8")
    desk.close()
    desk.journal.close()
    life.points.leave({"ended": episode.outcome, "actions": [each.id for each in episode.actions]})


def _wait_otherwise(life: Life) -> None:
    """In turn, a robot that waits dies, so that a device may live; together, it waits in short looks."""
    really, left = Journal.wait, [PATIENCE if life.idle else 0]

    def wait(journal: Journal, after: int, timeout_s: float) -> bool:
        if life.together:
            return really(journal, after, min(timeout_s, LONGEST_WAIT_S))
        if left[0] > 0:
            left[0] -= 1
            life.place.clock.advance(JUMP_S)
            return journal.head().seq > after
        life.points.leave({"waits": True})
        os.kill(os.getpid(), signal.SIGKILL)
        return False

    Journal.wait = wait  # type: ignore[method-assign,assignment]


def device_life(device: Device, life: Life) -> None:
    """Carry replies to the desk: in turn, what there is to reply to now; together, until the run is over."""
    desk, done = life.desk(), 0
    hand = _Hand(device, life, desk)
    while True:
        done += hand.resend()
        done += sum(hand.reply_to(record) for record in desk.pending())
        if not life.together or life.place.clock.over:
            break
        desk.journal.wait(desk.journal.head().seq, LONGEST_WAIT_S)
        desk.tick()
    desk.close()
    desk.journal.close()
    life.points.leave({"done": done})


@dataclass(frozen=True)
class _Hand:
    """A device's memory is its outbox: what it made, and for which of these it has a receipt."""

    device: Device
    life: Life
    desk: Desk

    def resend(self) -> int:
        """Send again what has no receipt yet, with the same token."""
        known = self._outbox()
        acknowledged = {each["token"] for each in known if "status" in each}
        unsure = [each["reply"] for each in known if "reply" in each and each["reply"]["token"] not in acknowledged]
        for each in unsure:
            self._send(Reply.from_json(each))
        return len(unsure)

    def reply_to(self, record: Record) -> bool:
        """Reply to what is before the person, once for each time it is put to them."""
        seen = [record.id, record.opened_s, record.turn, record.by]
        made = [each for each in self._outbox() if "reply" in each]
        mine = sum(each["reply"]["question"] == record.id for each in made)
        random = Random(f"{self.life.scenario.seed} {self.device.name} {record.id} {mine}")
        theirs = record.turn == self.device.person
        butts_in = self.device.person in record.audience and random.random() < 0.2
        if record.status not in (Status.OPEN, Status.CLAIMED) or seen in [each["seen"] for each in made]:
            return False
        if not theirs and not butts_in:
            return False
        if theirs and random.random() < 0.15:
            self.desk.claim(record.id, self.device.person, device=self.device.name)
        token = f"{self.device.name}-{len(made)}"
        reply = Reply(question=record.id, by=self.device.person, token=token, device=self.device.name,
                      **self._said(record, random, first=mine == 0))  # fmt: skip
        append_line(self.life.place.outbox(self.device.name), {"reply": reply.to_json(), "seen": seen})
        self.life.points.meet(f"reply made {_about(record)}")
        accepted = self._send(reply)
        if accepted and random.random() < 0.3:
            self._send(reply)
        return True

    def _send(self, reply: Reply) -> bool:
        receipt = self.desk.reply(reply)
        self.life.points.meet(f"receipt for {reply.kind}")
        news = {"token": reply.token, "status": str(receipt.status), "again": receipt.again}
        append_line(self.life.place.outbox(self.device.name), news)
        self.life.points.meet(f"receipt kept for {reply.kind}")
        return receipt.accepted

    def _said(self, record: Record, random: Random, *, first: bool) -> dict[str, Any]:
        """What the person says: mostly an answer, and about an action the truth."""
        drawn = random.random()
        if drawn < 0.1 and first:
            return {"kind": ReplyKind.NOT_NOW}
        if drawn < 0.18:
            return {"kind": ReplyKind.SOMEONE_ELSE}
        if drawn < 0.28:
            return {"kind": ReplyKind.LET_ROBOT_TRY}
        if drawn < 0.29:
            return {"kind": ReplyKind.STOP}
        if record.step.startswith("act:"):
            action = f"{record.run}/act/{record.step.removeprefix('act:')}"
            found = [each["ok"] for each in effects(self.life.place.effects) if each["action"] == action]
            return {"kind": ReplyKind.ANSWER, "value": NOT_STARTED if not found else WORKED if found[-1] else FAILED}
        return {"kind": ReplyKind.ANSWER, "value": RIGHT if random.random() < 0.9 else WRONG}

    def _outbox(self) -> list[dict[str, Any]]:
        return effects(self.life.place.outbox(self.device.name))


def _about(record: Record) -> str:
    return record.step.split(":")[0]


def last_look(life: Life) -> None:
    """After the end: the run is over for good, the state is what the journal says, and the chain is whole."""
    before = effects(life.place.effects)
    desk = life.desk()
    head = desk.journal.head()
    again = run(life.robot(), life.scenario.method, desk, run=RUN, settings=life.scenario.settings)
    known = json.loads(life.place.state.read_text(encoding="utf-8"))
    replayed = replay(desk.journal.read()).to_json()
    at_end = replay(each for each in desk.journal.read() if each.seq <= known["seq"]).to_json()
    found: Mapping[str, bool] = {
        "a run that is over touched something": desk.journal.head() != head or effects(life.place.effects) != before,
        "the desk's state is not that of its journal": desk.state.to_json() != replayed,
        "the robot's state was not that of its journal": known != at_end,
        "the journal does not verify": not desk.journal.verify().ok,
    }
    life.points.tell({"ended": again.outcome, "wrong": [what for what, is_so in found.items() if is_so]})


Living = Callable[[Life], None]


def living(who: str, scenario: Scenario) -> Living:
    """What a process of this name does."""
    if who == "robot":
        return robot_life
    return partial(device_life, next(each for each in scenario.devices if each.name == who))
