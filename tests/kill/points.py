"""Write points: every moment at which a program has just written something, named so that it is found again.

Nothing of the package is changed for it. The points are what SQLAlchemy reports of its statements and commits, what
the operating system is asked to write beside a store, and what a robot or a device does to the outside.

A name says who, how far the run is (so many things were told to the session, and the last entry in the journal), and
what was written. The same way through the same stretch gives the same names, so a stretch in which a program dies at
every point is passed in the end.

Two kinds of points are passed over now and then. After a commit or an effect the next life never comes by again, so of
the moments that follow only one can be deadly; the seed draws which. And a point inside a transaction, all of which is
taken back, is deadly the first time that its like comes up, unless all are wanted.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any
from zlib import crc32

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine.default import DefaultDialect

from handup.journal import Journal

WRITING = ("BEGIN IMMEDIATE", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP")
LOCKING = "FOR UPDATE"
NOTIFYING = "SELECT pg_notify"
AFTER_COMMIT = ("committed", "witnessed")
INSIDE = ("begun", "INSERT", "UPDATE", "DELETE", "SELECT")


class Points:
    """The write points of one life: it dies at the first one that is not in `passed`.

    Args:
        who: Whose life it is.
        passed: Points at which a life of this seed died already.
        pipe: Where the point is told to before it dies.
        deadly: Without it, the points are only counted.
        seed: Draws which points after a commit are passed over.
        every: Whether all points inside transactions are deadly, whatever was seen of their like.
        making: Whether to die while the store is made.
    """

    def __init__(
        self,
        who: str,
        passed: Collection[str],
        pipe: int,
        *,
        seed: int,
        deadly: bool = True,
        every: bool = True,
        making: bool = False,
    ) -> None:
        self.met: list[str] = []
        self.deadly = deadly
        self._who, self._passed, self._pipe = who, passed, pipe
        self._making, self._seed = making, seed
        self._alike = None if every else {like_of(name) for name in passed}
        self._told, self._last = 0, ""
        self._written: list[str] = []
        self._beside = 0
        self._opening = True

    def meet(self, what: str) -> None:
        """A point is reached."""
        where = "" if self._opening else f" {self._told} after {self._last or 'nothing'}"
        name = f"{self._who}{where}: {what}"
        self.met.append(name)
        if self.deadly and name not in self._passed and not self._spares(name):
            self.tell({"died": name})
            os.kill(os.getpid(), signal.SIGKILL)

    def _spares(self, name: str) -> bool:
        what = what_of(name)
        if what.startswith(AFTER_COMMIT):
            return crc32(f"{self._seed} {name}".encode()) % 2 == 0
        if only_one_of(name) and not what.startswith("receipt"):
            stage = ["effect", "INSERT", "UPDATE", "SELECT"].index(what.split()[0])
            return stage != crc32(f"{self._seed} {self._told}".encode()) % 4
        return self._alike is not None and what.startswith(INSIDE) and like_of(name) in self._alike

    def tell(self, news: Mapping[str, Any]) -> None:
        """One line to the parent, in one write."""
        os.write(self._pipe, (json.dumps(news) + "\n").encode())

    def leave(self, news: Mapping[str, Any]) -> None:
        """The last words: where nobody dies, with the points that were met."""
        self.tell(news if self.deadly else {**news, "met": self.met})

    def opened(self, journal: Journal) -> None:
        """The store is open: find out how far the run is."""
        for row in journal.rows():
            self._note(row.kind, row.key)
        self._commit()
        self._opening = False

    # -- listening ---------------------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Hear of every statement, commit, rename and write of this process, until it ends."""
        event.listen(Engine, "after_cursor_execute", self._executed)
        commit: Callable[..., None] = DefaultDialect.do_commit
        pwrite, rename = os.pwrite, os.rename

        def do_commit(dialect: DefaultDialect, connection: Any) -> None:
            writes = self._written or self._beside
            commit(dialect, connection)
            what = self._commit()
            if writes:
                self._sql(f"committed {what}")

        def write_in_place(*args: Any, **named: Any) -> int:
            count = pwrite(*args, **named)
            self._sql("witnessed")
            return count

        def move(*args: Any, **named: Any) -> None:
            self._sql("about to rename")
            rename(*args, **named)
            self._sql("renamed")

        vars(sys.modules["os"]).update(pwrite=write_in_place, rename=move)
        DefaultDialect.do_commit = do_commit  # type: ignore[method-assign]

    def _executed(
        self, _connection: Connection, _cursor: Any, statement: str, _parameters: Any, context: Any, _many: bool
    ) -> None:
        words = " ".join(statement.split())
        if words.endswith(LOCKING) or words.startswith("BEGIN IMMEDIATE"):
            self._written, self._beside = [], 0
            self._sql("begun")
        elif words.upper().startswith(WRITING) or words.startswith(NOTIFYING):
            given = getattr(context, "compiled_parameters", None) or [{}]
            if words.startswith("INSERT INTO entries"):
                self._written.append(_entry(given[0]["kind"], given[0]["key"]))
            else:
                self._beside += 1
            self._sql(f"{' '.join(words.split()[:3])} {'+'.join(self._written)} {self._beside}")

    def _sql(self, what: str) -> None:
        if not self._opening or self._making or what == "witnessed":
            self.meet(what)

    def _note(self, kind: str, key: str) -> None:
        self._written.append(_entry(kind, key))

    def _commit(self) -> str:
        written = "+".join(self._written[-3:])
        self._told += sum(each.startswith("run.told") for each in self._written)
        self._last = self._written[-1] if self._written else self._last
        self._written, self._beside = [], 0
        return written


def what_of(name: str) -> str:
    """What was written, wherever."""
    return name.split(": ", maxsplit=1)[1]


def like_of(name: str) -> str:
    """What is alike for all moments of this kind within transactions, of the same process and the same entry."""
    who, words = name.split(maxsplit=1)[0], what_of(name).split()
    entry = "" if words[0] == "UPDATE" else words[-2].split("+")[-1].split(":")[0] if len(words) > 3 else ""
    return " ".join([who, *words[:3], entry])


def only_one_of(name: str) -> bool:
    """Whether a point is one of several that exclude each other: whoever died at one never comes by the others."""
    what = what_of(name)
    writes_outcome = " after run.begun:act: " in name and " run.told:act " in what
    return what.startswith((*AFTER_COMMIT, "receipt", "effect after")) or writes_outcome


def _entry(kind: str, key: str) -> str:
    """An entry by its kind and what it is about, without numbers that grow when something is tried again."""
    parts = key.split("/")
    about = parts[-2].split(":")[0] if len(parts) > 2 else ""
    return f"{kind}:{about}" if about else kind
