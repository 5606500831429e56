"""The kitting world as one plain record: what is true, what the robot remembers, and how often chance was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from handup.core import BadRecord

SCHEMA = 1

GEAR = "large_gear"
"""As it lies on the table."""
MACHINED = "machined_gear"
"""As it comes out of the machine."""
KIT = "kit"
FETCHED: Mapping[str, str] = {
    "small_gear": "gears",
    "gearbox_bottom": "gearboxes",
    "bolt": "screw_bin",
    "gearbox_top": "gearboxes",
}
"""Parts that go straight into the kit, in the order in which a kit is filled, and where they lie."""
CONTENTS = (MACHINED, "small_gear", "gearbox_bottom", "bolt", "bolt", "gearbox_top")
"""What belongs into a kit."""
ALIKE: Mapping[str, str] = {
    GEAR: "small_gear",
    "small_gear": GEAR,
    "gearbox_bottom": "gearbox_top",
    "gearbox_top": "gearbox_bottom",
    "bolt": "small_gear",
}
"""What each part is taken for when it is taken for another."""


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What the robot's controllers are at: they go on when the program that asked for it dies.

    Args:
        number: Of the call.
        action: Its name.
        goal: Its inputs.
        attempt: As the caller counts.
        again: Whether it was marked as a repeat.
        started_s: When.
        lasts_s: How long it takes.
    """

    number: int
    action: str
    goal: Mapping[str, Any]
    attempt: int
    again: bool
    started_s: float
    lasts_s: float


@dataclass(frozen=True, kw_only=True)
class State:
    """Everything about the world at one moment. Goes to JSON and back.

    Args:
        seed: All chance comes from it, from what happens and from how often that has happened.
        now_s: When this state was reached.
        base: The station that the base stands at.
        visits: How often it has arrived somewhere.
        arm: The pose of the arm.
        head: What the head looks at.
        hand: What is in the gripper: a part, `kit`, or nothing.
        handled: How often what is in the gripper has changed.
        tray: What is in the kit on the robot; None where there is no kit.
        expected: How many parts the kit should hold after the last placing.
        noted: What the robot saw in the kit when it looked last.
        kits: How many kits were set on the robot.
        scene: Changes whenever something seen before is no longer where it was seen.
        percept: What was recognised last, as (what it was taken for, what it is).
        loaded: Whether a gear is in the machine.
        busy_until_s: When the machine is done; None where it was not started.
        slot: The place on the drop-off table that is next.
        delivered: The contents of all kits delivered, and when.
        causes: What is wrong, by name.
        drilled: Whether drills are allowed.
        drills: What is to go wrong at its next opportunity, for drills.
        scores: What the robot's modules said of their last output.
        draws: How often chance was asked about each thing.
        goal: What the controllers are at.
        last: The number of the last call that ended, and its outcome.
        helped: What somebody simulated was asked about last, and what they said.
    """

    seed: int
    now_s: float = 0.0
    base: str = "kits"
    visits: int = 0
    arm: str = "tucked"
    head: str = ""
    hand: str = ""
    handled: int = 0
    tray: tuple[str, ...] | None = None
    expected: int = 0
    noted: tuple[str, ...] = ()
    kits: int = 0
    scene: int = 0
    percept: tuple[str, str] = ("", "")
    loaded: bool = False
    busy_until_s: float | None = None
    slot: int = 1
    delivered: tuple[tuple[float, tuple[str, ...]], ...] = ()
    causes: tuple[str, ...] = ()
    drilled: bool = False
    drills: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    draws: Mapping[str, int] = field(default_factory=dict)
    goal: Goal | None = None
    last: Mapping[str, Any] = field(default_factory=dict)
    helped: Mapping[str, Any] = field(default_factory=dict)

    def machine(self, now_s: float) -> str:
        """`empty`, `loaded`, `busy` or `done`."""
        if not self.loaded:
            return "empty"
        if self.busy_until_s is None:
            return "loaded"
        return "busy" if now_s < self.busy_until_s else "done"

    def complete_by(self, end_s: float) -> int:
        """How many complete kits were delivered in time."""
        wanted = sorted(CONTENTS)
        return sum(at_s <= end_s and sorted(parts) == wanted for at_s, parts in self.delivered)

    def to_json(self) -> dict[str, Any]:
        """A plain record; `from_json` reads it back."""
        record = {each.name: getattr(self, each.name) for each in fields(self)}
        record["goal"] = (
            None if self.goal is None else {each.name: getattr(self.goal, each.name) for each in fields(Goal)}
        )
        return {"schema": SCHEMA, **record}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> State:
        """The state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, or of a newer schema.
        """
        if record.get("schema") != SCHEMA:
            raise BadRecord(
                f"schema of a kitting world is {record.get('schema')!r}", hint=f"This handup reads {SCHEMA}."
            )
        given = {key: value for key, value in record.items() if key != "schema"}
        try:
            for key in ("noted", "percept", "causes", "drills"):
                given[key] = tuple(given[key])
            given["tray"] = None if given["tray"] is None else tuple(given["tray"])
            given["delivered"] = tuple((float(at_s), tuple(parts)) for at_s, parts in given["delivered"])
            given["goal"] = None if given["goal"] is None else Goal(**given["goal"])
            return cls(**given)
        except (KeyError, TypeError, ValueError) as error:
            raise BadRecord(f"a kitting world is damaged: {error}", hint="Start a new one.") from None
