"""The kitting world as one plain record, and on disk: what is true, what the robot remembers, what chance was asked."""

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
        record["goal"] = None if self.goal is None else asdict(self.goal)
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


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One physical effect: what the effect counter counts.

    Args:
        number: Of the call that had it.
        action: Its name.
        again: Whether the caller had marked it as a repeat.
        at_s: When.
        code: How it gave up; empty where it did it.
    """

    number: int
    action: str
    again: bool
    at_s: float
    code: str = ""


class Store:
    """A world on disk. Every call either happened or did not, whenever the program is killed.

    Args:
        path: The file.
        create: Make it where it is not there.

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

    def load(self) -> State | None:
        """The state that was kept last; None in a new file.

        Raises:
            BadRecord: It is damaged, or of a newer schema.
        """
        row = self._base.execute("SELECT record FROM state").fetchone()
        return None if row is None else State.from_json(json.loads(row[0]))

    def begin(self, state: State, whose: str) -> None:
        """Keep a new world's first state, and whose world it is.

        Raises:
            StoreUnavailable: It could not be written; nothing changed.
        """
        with self._at_once():
            self._base.execute("INSERT INTO state VALUES (1, ?)", (json.dumps(state.to_json()),))
            self._base.execute("INSERT INTO whose VALUES (1, ?)", (whose,))

    def go_on(self, whose: str) -> State:
        """The state that was kept last, of a world that must be there.

        Args:
            whose: Whose world it must be; anybody's where it is empty.

        Raises:
            BadRecord: It is another one's, damaged, or of a newer schema.
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
        """All physical effects, in their order."""
        rows = self._base.execute("SELECT record FROM effects ORDER BY id").fetchall()
        return tuple(Effect(**json.loads(row[0])) for row in rows)

    def drill(self, cause: str) -> None:
        """Leave a drill for the program that runs in this world.

        Raises:
            StoreUnavailable: It could not be written.
        """
        try:
            self._base.execute("INSERT INTO drills (cause) VALUES (?)", (cause,))
        except sqlite3.Error as error:
            raise self._unavailable(error) from None

    def drills(self) -> tuple[str, ...]:
        """Drills that were left since the last state that was kept; the next one that is kept ends them."""
        return tuple(row[0] for row in self._base.execute("SELECT cause FROM drills ORDER BY id"))

    def keep(self, state: State, effect: Effect | None = None) -> None:
        """Keep a state, and the effect that led to it.

        Raises:
            StoreUnavailable: It could not be written; nothing changed.
        """
        with self._at_once():
            self._base.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (json.dumps(state.to_json()),))
            self._base.executemany("DELETE FROM drills WHERE cause = ?", [(each,) for each in state.drills])
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
