"""Hidden causes: what they spoil and what they hang on. How often they come up stands in `data/rates.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from handup.core import BadSetting


class Hangs(StrEnum):
    """What a cause goes away with: when that changes, it is gone, and drawn anew at its next opportunity, as often."""

    ROBOT = "robot"
    """Nothing but its removal."""
    VISIT = "visit"
    """The base stands somewhere else."""
    HAND = "hand"
    """Something else is in the hand."""
    KIT = "kit"
    """Another kit is on the robot."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One way in which the world is not as the recipe takes it to be.

    Args:
        name: As in the rates.
        part: The part of the robot or the world it sits in, for drills.
        at: The actions at which it may come up.
        spoils: For each action that it makes give up, the code. Causes that spoil nothing here are silent: the action
            is done, but not what it was for.
        hangs: What it goes away with.
        stations: Where it may come up; everywhere where it is empty.
        words: What a person who sees it would call it.
    """

    name: str
    part: str
    at: tuple[str, ...]
    spoils: Mapping[str, str] = field(default_factory=dict)
    hangs: Hangs = Hangs.ROBOT
    stations: tuple[str, ...] = ()
    words: str


PART_STATIONS = ("gears", "gearboxes", "screw_bin")
ARM_MOTIONS = ("move_arm", "pick", "place_in_kit", "insert_gear", "retrieve_gear")

_ALL = (
    Cause(
        name="shaking_camera",
        part="camera",
        at=("look",),
        spoils={"segment": "no_clusters", "detect_kit": "not_found", "detect_chuck": "not_found"},
        words="The camera still shakes.",
    ),
    Cause(
        name="occlusion",
        part="camera",
        at=("segment",),
        spoils={"recognise": "not_found"},
        words="The arm hangs before the camera.",
    ),
    Cause(
        name="out_of_view",
        part="camera",
        at=("navigate",),
        spoils={"recognise": "not_found"},
        hangs=Hangs.VISIT,
        stations=PART_STATIONS,
        words="The part lies outside the picture.",
    ),
    Cause(
        name="clutter",
        part="table",
        at=("recognise",),
        spoils={"calculate_grasps": "no_grasps"},
        hangs=Hangs.VISIT,
        words="The parts lie on top of each other.",
    ),
    Cause(
        name="stale_map",
        part="arm",
        at=ARM_MOTIONS,
        spoils=dict.fromkeys(ARM_MOTIONS, "no_plan"),
        words="The obstacle map shows things that are not there.",
    ),
    Cause(
        name="wedged_arm",
        part="arm",
        at=("pick", "place_in_kit"),
        spoils=dict.fromkeys(("move_arm", "pick", "place_in_kit"), "no_plan"),
        words="The arm stands at the end of a joint.",
    ),
    Cause(
        name="out_of_reach",
        part="base",
        at=("navigate",),
        spoils={"pick": "no_plan"},
        hangs=Hangs.VISIT,
        stations=PART_STATIONS,
        words="The part is too far away for the arm.",
    ),
    Cause(
        name="mislocalised",
        part="base",
        at=("navigate",),
        spoils={
            "insert_gear": "missed_hole",
            "retrieve_gear": "missed_hole",
            "pick_kit": "kit_not_held",
            "deliver_kit": "off_table",
        },
        words="The robot is not where it thinks it is.",
    ),
    Cause(
        name="stuck_base",
        part="base",
        at=("navigate",),
        spoils={"navigate": "stuck"},
        words="The base stands too near the table to drive.",
    ),
    Cause(
        name="person_in_way",
        part="base",
        at=("navigate",),
        spoils={"navigate": "blocked"},
        words="Somebody stands in the way.",
    ),
    Cause(
        name="shifted_part",
        part="table",
        at=("pick",),
        hangs=Hangs.VISIT,
        words="The part has moved since it was seen.",
    ),
    Cause(name="slip", part="gripper", at=("move_arm",), words="The part has slipped out of the hand."),
    Cause(
        name="wrong_part",
        part="gripper",
        at=("recognise",),
        hangs=Hangs.VISIT,
        words="This is another part.",
    ),
    Cause(
        name="hung_gripper",
        part="gripper",
        at=("pick", "place_in_kit"),
        spoils=dict.fromkeys(("pick", "place_in_kit", "pick_kit", "put_back"), "gripper_fault"),
        words="The gripper does not move.",
    ),
    Cause(
        name="misaligned_gear",
        part="gripper",
        at=("insert_gear",),
        spoils={"insert_gear": "jammed"},
        hangs=Hangs.HAND,
        words="The gear is turned in the hand.",
    ),
    Cause(name="false_insertion", part="machine", at=("insert_gear",), words="The gear is not in the machine."),
    Cause(
        name="moved_approach",
        part="machine",
        at=("insert_gear", "retrieve_gear"),
        spoils=dict.fromkeys(("insert_gear", "retrieve_gear"), "missed_hole"),
        hangs=Hangs.VISIT,
        words="The base has moved since the chuck was seen.",
    ),
    Cause(
        name="lost_link",
        part="machine",
        at=("start_machine", "machine_status", "wait_machine"),
        spoils=dict.fromkeys(("start_machine", "machine_status", "wait_machine"), "no_link"),
        words="The wireless link to the machine is down.",
    ),
    Cause(
        name="machine_fault",
        part="machine",
        at=("start_machine",),
        spoils={"start_machine": "machine_fault"},
        words="The machine's chuck does not close.",
    ),
    Cause(
        name="crooked_kit",
        part="kit",
        at=("place_kit_on_robot",),
        spoils={"place_in_kit": "off_target"},
        hangs=Hangs.KIT,
        words="The kit lies across the tray.",
    ),
    Cause(name="beside_kit", part="kit", at=("place_in_kit",), words="The part fell beside the kit."),
    Cause(
        name="shifted_kit",
        part="kit",
        at=("pick_kit",),
        spoils={"pick_kit": "kit_not_held"},
        hangs=Hangs.VISIT,
        words="The kits have moved since they were seen.",
    ),
    Cause(
        name="taken_slot",
        part="table",
        at=("deliver_kit",),
        spoils={"deliver_kit": "slot_taken"},
        words="Something stands where the kit should go.",
    ),
)

CAUSES: Mapping[str, Cause] = MappingProxyType({each.name: each for each in _ALL})
"""All hidden causes by name."""


def cause_of(part: str, failure: str) -> Cause:
    """The cause for a drill.

    Raises:
        BadSetting: There is no such failure of that part.
    """
    parts = sorted({each.part for each in _ALL})
    if part not in parts:
        raise BadSetting(f"nothing is known to fail at '{part}'", hint=f"Choose among: {', '.join(parts)}.")
    among = [each.name for each in _ALL if each.part == part]
    if failure not in among:
        hint = f"At the {part}: {', '.join(among)}."
        raise BadSetting(f"'{failure}' is no failure of the {part}", hint=hint)
    return CAUSES[failure]


def coming_up(action: str) -> tuple[Cause, ...]:
    """Causes that may come up at an action."""
    return _COMING_UP.get(action, ())


def spoiling(action: str) -> tuple[Cause, ...]:
    """Causes that make an action give up, in the order in which they would be noticed."""
    return _SPOILING.get(action, ())


def _by_action(of: str) -> Mapping[str, tuple[Cause, ...]]:
    found: dict[str, list[Cause]] = {}
    for each in _ALL:
        for action in getattr(each, of):
            found.setdefault(action, []).append(each)
    return {action: tuple(among) for action, among in found.items()}


_COMING_UP = _by_action("at")
_SPOILING = _by_action("spoils")
