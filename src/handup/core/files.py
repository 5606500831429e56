"""Reading of files up to a size, and writing of files in whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from handup.core.errors import HandupError

T = TypeVar("T")


def read_text(path: str | Path, most_bytes: int, *, error: type[HandupError]) -> str:
    """Return the text of a file.

    Raises:
        HandupError: Of the given class: the file is missing, a directory, unreadable, too large, or no UTF-8.
    """
    file = str(path)
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(most_bytes + 1)
    except FileNotFoundError:
        raise error("there is no such file", hint="Check the path.", file=file) from None
    except IsADirectoryError:
        raise error("this is a directory", hint="Name a file in it.", file=file) from None
    except PermissionError:
        raise error("this file may not be read", hint="Give yourself the right to read it.", file=file) from None
    except (OSError, ValueError) as wrong:
        raise error(f"this file cannot be read ({wrong})", hint="Check the path.", file=file) from None
    if len(data) > most_bytes:
        hint = "Make it smaller, or check that it is the right file."
        raise error(f"a file of more than {most_bytes} bytes is not read", hint=hint, file=file)
    try:
        text = data.decode("utf-8-sig")
        if "\0" not in text:  # UTF-16 and programs have it
            return text
        line = text.count("\n", 0, text.index("\0")) + 1
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
    raise error("this is no UTF-8 text", hint="Name a text file, saved as UTF-8.", file=file, line=line)


def shipped_data(beside: str, name: str) -> Any:
    """Return what a YAML file of this package holds.

    Args:
        beside: The `__file__` of a module.
        name: Path of the data from that module's folder.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import

    return YAML(typ="safe").load(Path(beside).parent / name)


def shipped_records(record_class: type[T], entries: Mapping[str, Mapping[str, Any]]) -> Mapping[str, T]:
    """Return the instances of a dataclass that a file of this package describes, each under its `name`."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import

    named = {name: {"name": name, **entry} for name, entry in entries.items()}
    return MappingProxyType(TypeAdapter(dict[str, record_class]).validate_python(named))  # type: ignore[valid-type]


def write_whole(path: Path, content: bytes | str | Iterable[str]) -> None:
    """Write a file, given at once or in parts; its folder is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as passing, passing.open("wb") as file:
        for part in (content,) if isinstance(content, bytes | str) else content:
            file.write(part.encode() if isinstance(part, str) else part)


@contextmanager
def written_whole(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield a path to write to; the file takes its place when all of it is on the disk, or not at all.

    Args:
        path: Where the file will be.
        mode: Its permissions, from which the umask is taken away.
    """
    passing = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        passing.touch(mode=mode)
        yield passing
        with passing.open("rb+") as file:
            os.fsync(file.fileno())
        passing.replace(path)
        sync_folder(path.parent)
    finally:
        passing.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
