"""Files that are there in whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
