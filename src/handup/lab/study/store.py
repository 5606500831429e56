"""Rows on disk: whole files or none, never mixed with rows of other settings or versions.

`DIR/cells/CONFIG.csv` holds the episodes of one cell, for all studies under DIR. CONFIG is a hash of every setting, of
the seed and of the rows' schema, so that a changed setting is another file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from handup import __version__
from handup.core import BadRecord
from handup.lab.cell import Cell
from handup.lab.episodes import METRICS, Episodes
from handup.lab.files import locked, replaced, write_whole
from handup.lab.study.code import code_digest

KEPT = ("config", "seed", "handup", "code", "numpy")
COLUMNS = (*KEPT, "episode", *METRICS, "questions", "executions")
LINE = "\n"


@dataclass(frozen=True)
class Store:
    """The rows under one folder.

    Args:
        folder: Made when something is first written.
        handup: Version that rows are written with, and must have been to be used again.
        code: The same for the sources that make rows; see `code_digest`.
        numpy: The same for numpy's version.
    """

    folder: Path
    handup: str = __version__
    code: str = field(default_factory=code_digest)
    numpy: str = np.__version__

    @property
    def cells(self) -> Path:
        """Where the files of the cells lie."""
        return self.folder / "cells"

    def path(self, cell: Cell) -> Path:
        """The file of a cell, whether it is there or not."""
        return self.cells / f"{cell.config}.csv"

    def save(self, cell: Cell, episodes: Episodes) -> None:
        """Keep the episodes of a cell."""
        write_whole(self.path(cell), self._text(cell, episodes))

    def load(self, cell: Cell) -> Episodes | None:
        """The episodes of a cell, number for number as they were saved; none where other versions wrote them.

        Raises:
            FileNotFoundError: It was not run yet.
            BadRecord: The file is not what was written.
        """
        return self._read(cell, self.path(cell).read_bytes())

    def find(self, cell: Cell) -> tuple[Episodes | None, str | None]:
        """The episodes of a cell if they can be used, and something to tell if they had to be set aside."""
        path = self.path(cell)
        try:
            found = self.load(cell)
        except FileNotFoundError:
            return None, None
        except BadRecord as damage:
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            return None, f"{path.name} is damaged: {damage.cause}. It is now {aside.name}, and the cell is run again."
        if found is None:
            path.replace(path.with_suffix(".stale"))
        return found, None

    def write_rows(self, path: Path, cells: Iterable[Cell]) -> None:
        """All rows of the cells in one file, in their order; each must be there."""
        with replaced(path) as file:
            file.write((",".join(COLUMNS) + LINE).encode())
            for cell in cells:
                file.write(self.path(cell).read_bytes().split(LINE.encode(), 1)[1])

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other runs out of the folder. A run that is killed lets go by itself.

        Raises:
            BadSetting: Another run is at work there.
        """
        with locked(self.folder):
            for left in self.cells.glob(".*.tmp"):
                left.unlink(missing_ok=True)
            yield

    def _text(self, cell: Cell, episodes: Episodes) -> bytes:
        start = (cell.config, cell.seed, self.handup, self.code, self.numpy)
        metrics = [episodes.metric(name).tolist() for name in METRICS]
        counts = (episodes.questions.tolist(), episodes.executions.tolist())
        file = io.StringIO(newline="")
        writer = csv.writer(file, lineterminator=LINE)
        writer.writerow(COLUMNS)
        writer.writerows((*start, *row) for row in zip(range(len(episodes)), *metrics, *counts, strict=True))
        return file.getvalue().encode()

    def _read(self, cell: Cell, text: bytes) -> Episodes | None:
        if not text.endswith(LINE.encode()):
            raise _damaged("it ends in the middle of a row")
        try:
            header, *rows = csv.reader(io.StringIO(text.decode("ascii"), newline=""), strict=True)
        except (csv.Error, ValueError):
            raise _damaged("it is no table") from None
        if tuple(header) != COLUMNS:
            raise _damaged("its columns are others")
        if {len(row) for row in rows} - {len(COLUMNS)}:
            raise _damaged("a row has too few or too many numbers")
        if {(row[0], row[1]) for row in rows} - {(cell.config, str(cell.seed))}:
            raise _damaged("it holds rows of another cell")
        if {tuple(row[2:5]) for row in rows} - {(self.handup, self.code, self.numpy)}:
            return None
        if [row[5] for row in rows] != [str(number) for number in range(cell.episodes)]:
            raise _damaged(f"it has not the rows 0 to {cell.episodes - 1}")
        try:
            table = np.array([[float(each) for each in row[6:]] for row in rows])
        except ValueError:
            raise _damaged("a number is none") from None
        return _episodes(table)


def _episodes(table: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Episodes:
    """Rows as episodes, if what can be worked out twice agrees."""
    task_cost, query_cost, failed, timesteps, objective, questions, executions = table.T
    if not np.isfinite(table).all():
        raise _damaged("a number is not finite")
    found = Episodes(
        recovered=task_cost == 0.0,
        load=query_cost.copy(),
        questions=questions.astype(np.int64),
        executions=executions.astype(np.int64),
        objective=objective.copy(),
    )
    written = {"task_cost": task_cost, "failed_attempts": failed, "timesteps": timesteps}
    for name, column in written.items():
        if not np.array_equal(found.metric(name), column):
            raise _damaged(f"its {name} do not agree with the rest")
    return found


def _damaged(why: str) -> BadRecord:
    return BadRecord(why, hint="Remove the file, and the cell is run again.")
