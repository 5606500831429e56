"""Stores of SQLite in every condition, for the tests of damage."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from handup.core import ManualClock
from handup.journal import Entry, Journal
from tests.journal.kinds import Met, Noted, Said


@cache
def kept(where: str) -> tuple[Path, tuple[Entry, ...]]:
    """A store, and what was written to it. With `where` "log", half of it is still in the write-ahead log."""
    folder = Path(mkdtemp(prefix="handup-store-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "journal.db"
    made: list[Entry] = []
    journal = Journal.open(path, clock=ManualClock(5.0))
    for number in range(30):
        made += journal.append(Noted(text=f"entry {number} " * 9), Said(by="Ann", words=f"word {number}"), run="r")
    made += journal.append(Met(who=("Ann", "Bob"), where="x" * 9000))
    if where == "log":
        journal.close()
        journal = Journal.open(path, clock=ManualClock(6.0))
        for number in range(30):
            made += journal.append(Said(by="Bob", words=f"later {number}"), key=f"k{number}")
        still = folder / "copy"
        still.mkdir()
        for each in folder.iterdir():
            if each.is_file():
                shutil.copyfile(each, still / each.name)
        path = still / "journal.db"
    journal.close()
    return path, tuple(made)


def copy_of(where: str, folder: Path) -> tuple[Path, tuple[Entry, ...]]:
    """A store of one's own to damage, as a killed program leaves it where it lies in the log."""
    source, made = kept(where)
    folder.mkdir(exist_ok=True)
    for each in source.parent.iterdir():
        if each.is_file() and not each.name.endswith("-shm"):
            shutil.copyfile(each, folder / each.name)
    return folder / source.name, made


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {each.name: each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}
