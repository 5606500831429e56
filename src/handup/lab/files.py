"""Files that are there in whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handup.core import BadSetting


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file so that at any moment it is there in whole, or as it was before."""
    with replaced(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replaced(path: Path) -> Iterator[io.BufferedWriter]:
    """A file to write that takes its place only when all of it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    passing = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with passing.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        passing.replace(path)
    finally:
        passing.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, which is made where it is missing. A run that is killed lets go by itself.

    Raises:
        BadSetting: Another run is at work there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as file:
        if not _taken(file):
            raise BadSetting(
                f"another run is at work in '{folder}'", hint="Wait until it is done, or give another --out."
            )
        yield


def _taken(file: io.TextIOWrapper) -> bool:
    """Take the lock of an open file if nobody has it; where the system knows no such locks, go without."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
