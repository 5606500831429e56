"""A person drives the hand at a page: in real time, with questions through the desk.

The hand stands still while nothing is heard from the person. A `Seat` is the task of the reaching domain (see
`handup.domains.Task`): one step is one control step. The attempt is saved in the store as it goes on, so that a program
that starts again after a crash goes on with it, and with its open question.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from handup.core import BadRecord, Limits, Person, StoreUnavailable
from handup.core.panels import GoalPart, NumberPart, NumbersPanel, Panel, Phase, ScenePanel, ThingPart
from handup.desk import Desk, Record
from handup.desk.status import Status
from handup.domains.domain import STOPPED, Link, Workplace
from handup.domains.reaching.driven_hand import TO, DevicePush, Drive
from handup.domains.reaching.scenes import CONTROL_S, HIGH, LOW, MOST_M_S, MOST_RAD_S, Gripper, Obstacles, Scene, within
from handup.domains.reaching.stick_user import Mode
from handup.domains.reaching.trial import AttemptEnding
from handup.intent import Assistant, Joystick, Pose
from handup.intent.assistant import AssistantState
from handup.people import Workload

ROBOT = "hand"
"""Name of the robot."""
NAME = "you"
"""Name of the person whom it asks."""
PERSON = Person(name=NAME, limits=Limits(per_hour=20))
"""Person at the stick. They get at most this many questions an hour, whatever helps them."""
RUN = "reach"
"""Prefix of the names of runs, and name of the snapshot that is kept of them."""
SILENT_S = 0.4
"""Time without a push after which the hand stands still, in seconds: a page sends one four times a second."""
LISTEN_S = 0.1
"""Seconds between two looks for an answer."""
KEEP_S = 2.0
"""Seconds between two savings of the attempt while the hand is driven. Each question and answer saves it, too."""
BEHIND_S = 0.25
"""Longest delay that is caught up with, in seconds. After a longer one, on a busy machine, the hand would jump."""
STEP = "goal"
"""Step of every question of an attempt."""
GONE = "The robot was ended while it asked."
DIGITS = 4
"""Digits of a length: a tenth of a millimetre is enough to be drawn."""
MOMENT_S = 0.3
"""Time in seconds for which something must stop the hand before the person is told. Short pushes add up."""
BLOCKED = 0.1
"""Share of the pushed way: a hand that touches something and moves no further than this counts as stopped."""
READ_S = 3.0
"""Shortest time in seconds for which the line on a failed try stays; it stays longer if nothing else is tried."""
SAID: Mapping[str, str] = {
    "no-assist": "only following you",
    "hold": "only following you",
    "asking": "standing still for your answer",
    "hindsight": "helping towards several things at once",
    "carry": "helping on the way, without turning the hand",
    "hands off near an object": "only following you: something is near, and I am not sure that you want it",
}
"""Words for the person, by a command's reason; any other reason is shown as it is."""
HELPS = ("hindsight", "carry")
"""Reasons for which the robot helps, besides those that name a goal."""


class Noticing:
    """Watch for things that do not work for the person, and tell them in words that stay until they can be read."""

    def __init__(self) -> None:
        self.doing, self.why = "", ""
        """The robot's reaction, and the cause; empty where there is nothing to notice."""
        self._stopped_s = 0.0
        self._missed_s = -math.inf

    @property
    def stopped(self) -> bool:
        """True when something stops the hand for more than a moment."""
        return self._stopped_s >= MOMENT_S

    def look(self, drive: Drive, push: DevicePush, before: Pose, *, missed: bool, now_s: float) -> None:
        """Look at the effect of a push.

        Args:
            drive: The attempt, after it.
            push: The push.
            before: Pose of the hand before it.
            missed: Whether the hand has closed on nothing.
            now_s: Time of any clock, in seconds.
        """
        stick = push.stick
        if missed:
            again = f", {drive.misses} times so far" if drive.misses > 1 else ""
            self.doing, self.why = "the hand is open again", f"There was nothing to hold{again}"
            self._missed_s = now_s
        if stick.idle or drive.question is not None:
            return
        stopped = _stopped(drive, stick, before)
        self._stopped_s = self._stopped_s + CONTROL_S if stopped else 0.0
        # A miss stays readable: what stops the hand is told only after it.
        if now_s < self._missed_s + READ_S:
            return
        self.doing, self.why = "", ""
        if self.stopped:
            self.doing, self.why = "standing still", _in_the_way(drive, stick)


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
        """Do one control step when it is due. Return None once something is held or the time is up."""
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
            return Phase.HOLDING, "standing still", "Nobody steers" if self.link.alive else "The link is lost"
        self._noticing.look(self.drive, push, before, missed=self.drive.misses > misses, now_s=self.place.clock())
        if self.drive.question is None and self.place.clock() >= self._kept + KEEP_S:
            self._keep()
        return self._told(push)

    # -- what is heard ------------------------------------------------------------------------------------------------

    def _push(self) -> DevicePush | None:
        """Return the person's command; None unless they and the server are heard."""
        heard = self.link.stick
        if heard is None or not self.link.alive or self.place.clock() - heard.heard_s > SILENT_S:
            return None
        return DevicePush(Mode(heard.mode), heard.push, heard.close)

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

    def _told(self, push: DevicePush) -> tuple[Phase, str, str]:
        """Return the phase, what the robot does, and why: what did not work comes first."""
        noticed, command = self._noticing, self.drive.command
        moving = Phase.HOLDING if noticed.stopped else Phase.MOVING
        does = noticed.doing if noticed.why else said_of(command.why, turns=any(command.angular), still=command.still)
        return Phase.RESTING if push.idle and command.still else moving, does, noticed.why


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
    """Return a fresh state with what the last attempt taught about the person, whether it ended or was cut off.

    If the helper has other settings by now, only the person's load is taken over.
    """
    record = kept.get("assistant") or dict(kept.get("drive") or {}).get("assistant") or {}
    with suppress(BadRecord):
        known = Assistant.from_json(record).again().state
        return replace(known, belief=fresh.belief, now_s=max(known.now_s, fresh.now_s))
    with suppress(BadRecord):
        return replace(fresh, workload=Workload.from_json(record.get("workload", {})))
    return fresh


# -- panels and words --------------------------------------------------------------------------------------------------


def spoken(goal: str) -> str:
    """Return a goal in spoken words: "cup/top" is "the cup (top grasp)"."""
    thing, _, grasp = goal.partition("/")
    return f"the {thing} ({grasp} grasp)"


def said_of(why: str, *, turns: bool = True, still: bool = False) -> str:
    """Return what the robot does, in words for the person.

    Args:
        why: A command's reason.
        turns: Whether the robot turns the hand. Where not, only the object is named: the grasp is the person's.
        still: Whether the robot adds nothing. Then it is no help, whatever it is for.
    """
    if still and (why.startswith(TO) or why in HELPS):
        why = "no-assist"
    if not why.startswith(TO):
        return SAID.get(why, why)
    goal = why.removeprefix(TO)
    thing, _, _ = goal.partition("/")
    return f"helping towards {spoken(goal) if turns else f'the {thing}'}"


def _stopped(drive: Drive, stick: Joystick, before: Pose) -> bool:
    """Return whether something stopped the hand. A hand that slides along something goes on."""
    way, turn = before.twist_to(drive.hand.pose)
    pushed = math.hypot(*stick.linear, *stick.angular) * CONTROL_S
    return drive.hand.touched and math.hypot(*way, *turn) <= BLOCKED * pushed


def _in_the_way(drive: Drive, stick: Joystick) -> str:
    """Name what is in the way: the thing that the hand would be deepest in if it went on."""
    linear, angular = drive.going(stick)
    there = drive.hand.pose.moved(within(linear, MOST_M_S), within(angular, MOST_RAD_S), CONTROL_S)
    room = {"table": Gripper(there, Obstacles((), ())).clearance_m}
    for thing in drive.scene.things:
        room[thing.name] = Gripper(there, Obstacles(thing.boxes, thing.rings)).clearance_m
    nearest = min(room, key=lambda name: room[name])
    if room[nearest] < 0.0:
        return f"Something is in the way: the {nearest}"
    inside = all(low <= place <= high for low, place, high in zip(LOW, there.position, HIGH, strict=True))
    return "Something is in the way" if inside else "The arm reaches no further"


def things_of(scene: Scene) -> list[ThingPart]:
    """Return the objects as plain numbers."""
    return [
        ThingPart(
            name=thing.name,
            boxes=[_rounded([*box.middle, *box.size, box.yaw]) for box in thing.boxes],
            rings=[_rounded([*ring.middle, ring.radius, ring.height]) for ring in thing.rings],
        )
        for thing in scene.things
    ]


def panels_of(drive: Drive, things: list[ThingPart], driver: str) -> list[Panel]:
    """Return the scene and the numbers so far. Where the helper has no opinion of the goals, none are shown.

    Args:
        drive: The attempt.
        things: Result of `things_of` for its scene.
        driver: Name of the person who steers; empty where nobody is heard.
    """
    belief, ghost = drive.assistant.belief, drive.ghost
    thought = drive.scene.goals if belief else ()
    chances = [min(max(belief.get(goal.name, 0.0), 0.0), 1.0) for goal in thought]
    scene = ScenePanel(
        scene=drive.scene.name,
        task=drive.task,
        low=LOW,
        high=HIGH,
        things=things,
        hand=_placed(drive.hand.pose),
        ghost=None if ghost is None else _placed(ghost),
        goals=[
            GoalPart(object=goal.object, grasp=goal.grasp, chance=round(chance, DIGITS))
            for goal, chance in zip(thought, chances, strict=True)
        ],
        other=round(min(max(1.0 - sum(chances), 0.0), 1.0), DIGITS) if belief else 0.0,
        mode=drive.mode.value,
        driver=driver,
    )
    numbers = [
        NumberPart(label="time", value=round(drive.time_s, 1), unit="s"),
        NumberPart(label="changes of mode", value=drive.mode_changes),
        NumberPart(label="questions", value=drive.questions),
    ]
    return [scene, NumbersPanel(numbers=numbers)]


def ending_of(drive: Drive) -> str:
    """Return how the drive ended, in one sentence without its full stop."""
    result = drive.result()
    if result.ending is AttemptEnding.TOO_LATE:
        return "the time is up"
    got = f"you have {spoken(drive.held)}, after {result.time_s:.0f} s"
    return got if result.ending is AttemptEnding.GRASPED else f"{got}; it was to be {spoken(drive.task)}"


def _placed(pose: Pose) -> list[float]:
    return _rounded([*pose.position, *pose.rotation])


def _rounded(numbers: list[float]) -> list[float]:
    return [round(number, DIGITS) for number in numbers]
