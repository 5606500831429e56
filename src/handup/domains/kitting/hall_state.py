"""State of the kitting world, in memory and on disk: what is true, what the robot remembers, what was drawn."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from handup.core import BadRecord, StoreUnavailable

SCHEMA = 1

GEAR = "large_gear"
"""Gear as it lies on the table."""
MACHINED = "machined_gear"
"""Gear as it comes out of the machine."""
KIT = "kit"
FETCHED: Mapping[str, str] = {
    "small_gear": "gears",
    "gearbox_bottom": "gearboxes",
    "bolt": "screw_bin",
    "gearbox_top": "gearboxes",
}
"""Parts that go straight into the kit, in the order in which a kit is filled, and where they lie."""
CONTENTS = (MACHINED, "small_gear", "gearbox_bottom", "bolt", "bolt", "gearbox_top")
"""Parts of a complete kit."""
ALIKE: Mapping[str, str] = {
    GEAR: "small_gear",
    "small_gear": GEAR,
    "gearbox_bottom": "gearbox_top",
    "gearbox_top": "gearbox_bottom",
    "bolt": "small_gear",
}
"""For each part, the one that it is taken for when it is taken for another."""


@dataclass(frozen=True, kw_only=True)
class ControllerGoal:
    """Goal of the robot's controllers: they go on with it when the program that asked for it dies.

    Args:
        number: Number of the call.
        action: Name of the action.
        goal: Inputs of the action.
        attempt: Number of the attempt, as the caller counts.
        again: True if it was marked as a repeat.
        started_s: Time of the start.
        lasts_s: Duration in seconds.
    """

    number: int
    action: str
    goal: Mapping[str, Any]
    attempt: int
    again: bool
    started_s: float
    lasts_s: float


@dataclass(frozen=True, kw_only=True)
class HallState:
    """Everything about the world at one moment. Goes to JSON and back.

    Args:
        seed: Source of all chance, together with what happens and how often it has happened.
        now_s: Time at which this state was reached.
        base: Station at which the base stands.
        visits: Number of arrivals of the base.
        arm: The pose of the arm.
        head: Pose of the head.
        hand: Content of the gripper: a part, `kit`, or nothing.
        handled: Number of changes of that content.
        tray: Content of the kit on the robot; None if there is no kit.
        expected: Number of parts that the kit should hold after the last placing.
        noted: Parts that the robot saw in the kit when it looked last.
        kits: Number of kits that were set on the robot.
        scene: Number that changes whenever something seen before is no longer where it was seen.
        percept: The part that was recognised last, as (what it was taken for, what it is).
        loaded: True if a gear is in the machine.
        busy_until_s: Time at which the machine is done; None if it was not started.
        slot: Next place on the drop-off table.
        delivered: Time and contents of each kit that was delivered.
        causes: Names of the hidden causes that are there.
        drilled: True if drills are allowed.
        drills: Causes that are to come up at their next opportunity, for drills.
        scores: Scores that the robot's modules gave their last output.
        draws: Number of draws for each thing.
        goal: Goal of the controllers.
        last: Number of the last call that ended, and its outcome.
        helped: Subject of the last help by somebody simulated, and what they said.
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
    goal: ControllerGoal | None = None
    last: Mapping[str, Any] = field(default_factory=dict)
    helped: Mapping[str, Any] = field(default_factory=dict)

    def machine(self, now_s: float) -> str:
        """Return the state of the machine: `empty`, `loaded`, `busy` or `done`."""
        if not self.loaded:
            return "empty"
        if self.busy_until_s is None:
            return "loaded"
        return "busy" if now_s < self.busy_until_s else "done"

    def complete_by(self, end_s: float) -> int:
        """Return how many complete kits were delivered in time."""
        complete = sorted(CONTENTS)
        return sum(at_s <= end_s and sorted(parts) == complete for at_s, parts in self.delivered)

    def to_json(self) -> dict[str, Any]:
        """Return a plain record; `from_json` reads it back."""
        record = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        record["goal"] = None if self.goal is None else asdict(self.goal)
        return {"schema": SCHEMA, **record}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> HallState:
        """Read the state that `to_json` wrote.

        Raises:
            BadRecord: It is damaged, or of a newer schema.
        """
        if record.get("schema") != SCHEMA:
            cause = f"schema of a kitting world must be {SCHEMA}, got {record.get('schema')!r}"
            raise BadRecord(cause, hint="Use the handup that made it, or start a new one.")
        values = {key: value for key, value in record.items() if key != "schema"}
        try:
            for key in ("noted", "percept", "causes", "drills"):
                values[key] = tuple(values[key])
            values["tray"] = None if values["tray"] is None else tuple(values["tray"])
            values["delivered"] = tuple((float(at_s), tuple(parts)) for at_s, parts in values["delivered"])
            values["goal"] = None if values["goal"] is None else ControllerGoal(**values["goal"])
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise BadRecord(f"a kitting world is damaged: {error}", hint="Start a new one.") from None


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One physical effect, as the effect counter counts them.

    Args:
        number: Number of the call that had it.
        action: Name of the action.
        again: True if the caller had marked it as a repeat.
        at_s: Time of the effect.
        code: Code with which the action gave up; empty if it did its work.
    """

    number: int
    action: str
    again: bool
    at_s: float
    code: str = ""


class WorldFile:
    """A world on disk. Every call either happened or did not, whenever the program is killed.

    Args:
        path: The file.
        create: True to make the file if it is not there.

    Raises:
        StoreUnavailable: It cannot be opened, or is not there.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self._path = path
        if not create and not path.exists():
            raise self._missing()
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 1), record TEXT)")
            self._base.execute("CREATE TABLE IF NOT EXISTS whose (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT)")
            self._base.execute("CREATE TABLE IF NOT EXISTS effects (id INTEGER PRIMARY KEY, record TEXT)")
            self._base.execute("CREATE TABLE IF NOT EXISTS drills (id INTEGER PRIMARY KEY, cause TEXT)")
        except sqlite3.Error as error:
            raise self._unavailable(error) from None

    def load(self) -> HallState | None:
        """Return the state that was kept last; None in a new file.

        Raises:
            BadRecord: It is damaged, or of a newer schema.
        """
        row = self._base.execute("SELECT record FROM state").fetchone()
        return None if row is None else HallState.from_json(json.loads(row[0]))

    def begin(self, state: HallState, whose: str) -> None:
        """Keep a new world's first state, and its owner.

        Raises:
            StoreUnavailable: It could not be written; nothing changed.
        """
        with self._at_once():
            self._base.execute("INSERT INTO state VALUES (1, ?)", (json.dumps(state.to_json()),))
            self._base.execute("INSERT INTO whose VALUES (1, ?)", (whose,))

    def go_on(self, whose: str) -> HallState:
        """Return the state that was kept last, of a world that must be there.

        Args:
            whose: Owner that the world must have; empty for any.

        Raises:
            BadRecord: It is another owner's, damaged, or of a newer schema.
            StoreUnavailable: Nothing was kept here.
        """
        state = self.load()
        if state is None:
            raise self._missing()
        row = self._base.execute("SELECT name FROM whose").fetchone()
        if whose and (row is None or row[0] != whose):
            raise BadRecord(
                f"the world in '{self._path}' is the one of another run",
                hint="Put the file that belongs there back, or begin a new run.",
            )
        return state

    def effects(self) -> tuple[Effect, ...]:
        """Return all physical effects, in order."""
        rows = self._base.execute("SELECT record FROM effects ORDER BY id").fetchall()
        return tuple(Effect(**json.loads(row[0])) for row in rows)

    def drill(self, cause: str) -> None:
        """Leave a drill for the program that runs in this world.

        Raises:
            StoreUnavailable: It could not be written.
        """
        with self._at_once():
            self._base.execute("INSERT INTO drills (cause) VALUES (?)", (cause,))

    def drills(self) -> tuple[str, ...]:
        """Return the drills that were left since the last state that was kept; the next one that is kept ends them."""
        return tuple(row[0] for row in self._base.execute("SELECT cause FROM drills ORDER BY id"))

    def keep(self, state: HallState, effect: Effect | None = None) -> None:
        """Keep a state, and the effect that led to it.

        Raises:
            StoreUnavailable: It could not be written; nothing changed.
        """
        with self._at_once():
            self._base.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (json.dumps(state.to_json()),))
            # Drills are in the state from now on; in one write with it, so that none is lost or comes twice.
            self._base.executemany("DELETE FROM drills WHERE cause = ?", [(drill,) for drill in state.drills])
            if effect is not None:
                self._base.execute("INSERT INTO effects (record) VALUES (?)", (json.dumps(asdict(effect)),))

    def close(self) -> None:
        """Let go of the file. Safe to call twice."""
        self._base.close()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Make some writes, or none of them."""
        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise self._unavailable(error) from None

    def _missing(self) -> StoreUnavailable:
        hint = "Nobody knows where the robot stands. Put the file back, or begin a new run."
        return StoreUnavailable(f"the world in '{self._path}' is not there", hint=hint)

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"the world in '{self._path}' cannot be kept: {error}", hint="Check the file and disk.")
