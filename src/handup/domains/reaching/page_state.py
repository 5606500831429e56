"""Panels and words that a page shows of a hand that somebody drives."""

from __future__ import annotations

import math
from collections.abc import Mapping

from handup.core.panels import GoalPart, NumberPart, NumbersPanel, Panel, ScenePanel, ThingPart
from handup.domains.reaching.driven_hand import DevicePush, Drive
from handup.domains.reaching.ghost import TO
from handup.domains.reaching.scenes import CONTROL_S, HIGH, LOW, MOST_M_S, MOST_RAD_S, Gripper, Obstacles, Scene, within
from handup.domains.reaching.trial import AttemptEnding
from handup.intent import Joystick, Pose

DIGITS = 4
"""Digits of a length: a tenth of a millimetre is enough to be drawn."""
MOMENT_S = 0.3
"""Time after which something that stops the hand is told, in seconds; taps against it add up."""
STOPPED = 0.1
"""A hand that something holds up is stopped where it makes no more than this share of what is pushed."""
READ_S = 3.0
"""Shortest time for which a failed try can be read, in seconds; it stays longer if nothing else is tried."""
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
"""Reasons that speak of help, as one for a goal does."""


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


class Noticing:
    """Notice of what did not work for the person, in words that stay until they were read."""

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


def _stopped(drive: Drive, stick: Joystick, before: Pose) -> bool:
    """Return whether something stopped the hand. A hand that slides along something goes on."""
    way, turn = before.twist_to(drive.hand.pose)
    pushed = math.hypot(*stick.linear, *stick.angular) * CONTROL_S
    return drive.hand.touched and math.hypot(*way, *turn) <= STOPPED * pushed


def _in_the_way(drive: Drive, stick: Joystick) -> str:
    """Name what the hand would be in if it had gone on: the thing it would be in most."""
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
