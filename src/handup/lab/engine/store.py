"""Rows of batches on disk: whole files or none, and never rows that other code or other settings made.

`DIR/rows/STUDY/CONFIG.json` holds the rows of one batch. CONFIG is a hash of everything that determines them except for
the code, which `made_with` in the file identifies. `sources/FAMILY.txt` lists the files that make a family of rows, and
the data that they read, relative to the package.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handup.core import BadRecord, ContractViolation, NotNow
from handup.core.files import write_whole
from handup.lab.engine.results import Columns

if TYPE_CHECKING:
    from handup.lab.engine.study import Batch

SCHEMA = 1
PACKAGE = Path(__file__).parents[2]
LISTS = Path(__file__).with_name("sources")


@dataclass(frozen=True)
class RowStore:
    """Store of the rows of a study, or of a family of studies that share rows, under the folder of all studies.

    `stamp` has versions and a digest of the code; rows with another stamp are not used again.
    """

    folder: Path
    study: str
    stamp: Mapping[str, str]

    @property
    def rows(self) -> Path:
        """Folder of the batches."""
        return self.folder / "rows" / self.study

    def path(self, batch: Batch) -> Path:
        """Return the file of a batch, whether it exists or not."""
        return self.rows / f"{batch.config}.json"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other runs out of the folder, which is made if it is missing, and remove files that a killed run left.

        The system releases the lock of a killed run.

        Raises:
            BadSetting: Another run is at work there.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                cause = f"another run is at work in '{self.folder}'"
                raise NotNow(cause, hint="Wait until it is done, or give another --out.") from None
            for left in self.rows.glob(".*.tmp"):
                left.unlink(missing_ok=True)
            yield

    def save(self, batch: Batch, columns: Columns) -> Columns:
        """Store the rows of a batch, and return them as `load` will.

        Raises:
            ContractViolation: Their number is not that of the batch, or they cannot be stored as JSON.
        """
        try:
            columns = json.loads(json.dumps(columns))
            found: set[object] = {len(values) for values in columns.values()}
        except (TypeError, AttributeError) as error:
            found = {str(error)}
        if found != {batch.rows}:
            raise ContractViolation(
                f"{batch.label} must have columns of {batch.rows} rows, got {', '.join(map(str, found))}",
                hint="Let `make` return lists of plain numbers and texts by name, as `columns_of(rows)` does.",
            )
        record = {
            "schema": SCHEMA,
            **batch.to_json(),
            "made_with": dict(self.stamp),
            "sha256": _digest(columns),
            "columns": columns,
        }
        write_whole(self.path(batch), json.dumps(record, ensure_ascii=False) + "\n")
        return columns

    def load(self, batch: Batch) -> Columns | None:
        """Return the rows of a batch as they were saved; None if their stamp differs.

        Raises:
            FileNotFoundError: The batch was not saved yet.
            BadRecord: The file is damaged.
        """
        try:
            record = json.loads(self.path(batch).read_text(encoding="utf-8"))
            columns: dict[str, list[Any]] = record["columns"]
            if record["config"] != batch.config or record["sha256"] != _digest(columns):
                raise _damaged("its rows are not those that were written")
            if record["made_with"] != dict(self.stamp):
                return None
            if {len(values) for values in columns.values()} != {batch.rows}:
                raise _damaged(f"it does not have {batch.rows} rows")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise _damaged("it is no record of rows") from None
        return columns

    def find(self, batch: Batch) -> tuple[Columns | None, str | None]:
        """Return the rows of a batch if they can be used, and a message if they had to be set aside."""
        path = self.path(batch)
        try:
            columns = self.load(batch)
        except FileNotFoundError:
            return None, None
        except BadRecord as damage:
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            return None, f"{path.name} is damaged: {damage.cause}. It is now {aside.name}, and is made again."
        if columns is None:
            path.replace(path.with_suffix(".stale"))
        return columns, None


def _digest(columns: Columns) -> str:
    return hashlib.sha256(json.dumps(columns, ensure_ascii=False).encode()).hexdigest()


def _damaged(cause: str) -> BadRecord:
    return BadRecord(cause, hint="Remove the file, and the rows are made again.")


@cache
def code_digest(family: str) -> str:
    """Hash the files that make the rows of a family, as its list names them."""
    whole = hashlib.sha256()
    for name in (LISTS / f"{family}.txt").read_text(encoding="utf-8").splitlines():
        whole.update(name.encode())
        whole.update((PACKAGE / name).read_bytes())
    return whole.hexdigest()[:12]


def file_digest(make: Callable[..., object]) -> str:
    """Hash the file that a function stands in, for a study without a list; its code where it stands in none."""
    path = getattr(sys.modules.get(make.__module__), "__file__", None)
    return hashlib.sha256(Path(path).read_bytes() if path else repr(make).encode()).hexdigest()[:12]
