"""Where the physical reality lies while programs come and go: one SQLite file, written as a whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path

from handup.core import BadRecord, StoreUnavailable
from handup.domains.kitting.state import State


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
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.execute("INSERT INTO state VALUES (1, ?)", (json.dumps(state.to_json()),))
            self._base.execute("INSERT INTO whose VALUES (1, ?)", (whose,))
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._undone(error) from None

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
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.execute("INSERT OR REPLACE INTO state VALUES (1, ?)", (json.dumps(state.to_json()),))
            self._base.executemany("DELETE FROM drills WHERE cause = ?", [(each,) for each in state.drills])
            if effect is not None:
                self._base.execute("INSERT INTO effects (record) VALUES (?)", (json.dumps(asdict(effect)),))
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._undone(error) from None

    def close(self) -> None:
        """Let go of the file. Safe to call twice."""
        self._base.close()

    def _undone(self, error: sqlite3.Error) -> StoreUnavailable:
        if self._base.in_transaction:
            self._base.execute("ROLLBACK")
        return self._unavailable(error)

    def _missing(self) -> StoreUnavailable:
        hint = "Nobody knows where the robot stands. Put the file back, or begin a new run."
        return StoreUnavailable(f"the world in '{self._path}' is not there", hint=hint)

    def _unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return StoreUnavailable(f"the world in '{self._path}' cannot be kept: {error}", hint="Check the file and disk.")
