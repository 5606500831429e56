"""What a page is told of a hand that somebody drives: the table, the hand, the robot's guess, what it does and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from handup.domains.reaching.driving import Drive
from handup.domains.reaching.ghost import TO
from handup.domains.reaching.gripper import HIGH, LOW
from handup.domains.reaching.scenes import Scene
from handup.domains.reaching.trial import Ending
from handup.intent import Pose

DIGITS = 4
"""A tenth of a millimetre is enough to be drawn."""
SAID: Mapping[str, str] = {
    "no-assist": "only following you",
    "hold": "only following you",
    "asking": "standing still for your answer",
    "hindsight": "helping towards several things at once",
    "carry": "helping on the way, without turning the hand",
    "hands off near an object": "only following you: something is near, and I am not sure that you want it",
}
"""What a command's reason means to the person; any other is said as it is."""


class Doing(StrEnum):
    """What the robot is at: some of the phases that a page knows."""

    MOVING = "moving"
    RESTING = "resting"
    """The person is there and pushes nothing."""
    HOLDING = "holding"
    """Nothing is heard of the person, or of the server: the hand stands still."""
    ASKING = "asking"
    STOPPED = "stopped"
    DONE = "done"


def spoken(goal: str) -> str:
    """A goal as one says it: "cup/top" is "the cup (top grasp)"."""
    thing, _, grasp = goal.partition("/")
    return f"the {thing} ({grasp} grasp)"


def said_of(why: str, *, turns: bool = True) -> str:
    """What the robot does, in words for the person.

    Args:
        why: A command's reason.
        turns: Whether it turns the hand. Where it does not, the grasp is the person's, and only the object is named.
    """
    if not why.startswith(TO):
        return SAID.get(why, why)
    goal = why.removeprefix(TO)
    thing, _, _ = goal.partition("/")
    return f"helping towards {spoken(goal) if turns else f'the {thing}'}"


def things_of(scene: Scene) -> list[dict[str, Any]]:
    """The objects as plain numbers."""
    return [
        {
            "name": thing.name,
            "boxes": [_rounded([*box.middle, *box.size, box.yaw]) for box in thing.boxes],
            "rings": [_rounded([*ring.middle, ring.radius, ring.height]) for ring in thing.rings],
        }
        for thing in scene.things
    ]


def reach_of(drive: Drive, things: list[dict[str, Any]], driver: str) -> dict[str, Any]:
    """The state of the hand for a page. Of a helper that thinks nothing of the goals there are none.

    Args:
        drive: The attempt.
        things: What `things_of` gave for its scene.
        driver: Who steers; empty where nobody is heard.
    """
    belief, ghost = drive.assistant.belief, drive.ghost
    thought = drive.scene.goals if belief else ()
    chances = [min(max(belief.get(goal.name, 0.0), 0.0), 1.0) for goal in thought]
    return {
        "scene": drive.scene.name,
        "task": drive.task,
        "low": list(LOW),
        "high": list(HIGH),
        "things": things,
        "hand": _placed(drive.hand.pose),
        "ghost": None if ghost is None else _placed(ghost),
        "goals": [
            {"object": goal.object, "grasp": goal.grasp, "chance": round(chance, DIGITS)}
            for goal, chance in zip(thought, chances, strict=True)
        ],
        "other": round(min(max(1.0 - sum(chances), 0.0), 1.0), DIGITS) if belief else 0.0,
        "mode": str(drive.mode),
        "driver": driver,
        "seconds": round(drive.time_s, 1),
        "mode_changes": drive.mode_changes,
        "questions": drive.questions,
    }


def ending_of(drive: Drive) -> str:
    """How it ended, in one sentence without its full stop."""
    result = drive.result()
    if result.ending is Ending.TOO_LATE:
        return "the time is up"
    got = f"you have {spoken(drive.held)}, after {result.time_s:.0f} s"
    return got if result.ending is Ending.GRASPED else f"{got}; it was to be {spoken(drive.task)}"


def _placed(pose: Pose) -> list[float]:
    return _rounded([*pose.position, *pose.rotation])


def _rounded(numbers: list[float]) -> list[float]:
    return [round(each, DIGITS) for each in numbers]
