"""Rows of batches on disk: whole files or none, and never rows that other code or other settings made.

`DIR/KIND/CONFIG.json` holds the rows of one batch. CONFIG is a hash of everything that decides them, but for code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from handup.core import BadRecord
from handup.lab.files import write_whole

CODE = (".py", ".json", ".yaml")
"""What decides rows, in the package's folders."""


class Batch(Protocol):
    """What one process does at once, and one file keeps."""

    @property
    def config(self) -> str:
        """A short name of everything that decides its rows, but for code."""
        ...

    @property
    def label(self) -> str:
        """In words, for errors."""
        ...

    @property
    def expected(self) -> int:
        """How many rows it has."""
        ...

    def to_json(self) -> dict[str, Any]:
        """What its rows begin with; `config` among it."""
        ...


class Row(Protocol):
    """Something that happened, as it is kept."""

    def to_json(self) -> dict[str, Any]:
        """A plain record."""
        ...


R = TypeVar("R", bound=Row)


def digest(package: Path, rooms: Iterable[str], more: Iterable[Path] = ()) -> str:
    """A hash of the sources that decide what rows are.

    Args:
        package: The folder of the package.
        rooms: Folders in it.
        more: Single files.
    """
    paths = [path for room in rooms for path in (package / room).rglob("*") if path.suffix in CODE]
    found = hashlib.sha256()
    for path in sorted([*paths, *more]):
        found.update(path.relative_to(package).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


@dataclass(frozen=True, kw_only=True)
class Kept(Generic[R]):
    """The batches of one kind under one folder.

    Args:
        folder: Made when something is first written.
        kind: What rows are, such as `meals`: the name of their folder.
        schema: Of the rows.
        read: Makes a row of its record; raises `BadRecord` where it is none.
        stamp: What rows carry beside their config and seed, and must agree in to be used again: versions, a hash of
            the code, and whatever else made them.
    """

    folder: Path
    kind: str
    schema: int
    read: Callable[[Mapping[str, Any]], R]
    stamp: Mapping[str, str]

    def path(self, batch: Batch) -> Path:
        """The file of a batch, whether it is there or not."""
        return self.folder / self.kind / f"{batch.config}.json"

    def tidy(self) -> None:
        """Remove what a run that was killed left half written. The caller holds the folder's lock."""
        for left in (self.folder / self.kind).glob(".*.tmp"):
            left.unlink(missing_ok=True)

    def save(self, batch: Batch, rows: tuple[R, ...]) -> None:
        """Keep the rows of a batch."""
        record = {
            "schema": self.schema,
            **batch.to_json(),
            "made_with": dict(self.stamp),
            self.kind: [each.to_json() for each in rows],
        }
        write_whole(self.path(batch), json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    def load(self, batch: Batch) -> tuple[R, ...] | None:
        """The rows of a batch as they were saved; none where something else made them.

        Raises:
            FileNotFoundError: It was not run yet.
            BadRecord: The file is not what was written.
        """
        try:
            record = json.loads(self.path(batch).read_text(encoding="utf-8"))
            if record["config"] != batch.config or len(record[self.kind]) != batch.expected:
                raise self._damaged(f"it holds other {self.kind}")
            if record["made_with"] != dict(self.stamp):
                return None
            return tuple(self.read(each) for each in record[self.kind])
        except (ValueError, KeyError, TypeError):
            raise self._damaged(f"it is no record of {self.kind}") from None

    def find(self, batch: Batch) -> tuple[tuple[R, ...] | None, str | None]:
        """The rows of a batch if they can be used, and something to tell if they had to be set aside."""
        path = self.path(batch)
        try:
            found = self.load(batch)
        except FileNotFoundError:
            return None, None
        except BadRecord as damage:
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            return None, f"{path.name} is damaged: {damage.cause}. It is now {aside.name}, and is made again."
        if found is None:
            path.replace(path.with_suffix(".stale"))
        return found, None

    def _damaged(self, why: str) -> BadRecord:
        return BadRecord(why, hint=f"Remove the file, and the {self.kind} are made again.")
