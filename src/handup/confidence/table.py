"""Calibration rows from CSV text, refused with row and line where they cannot be used."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from math import isfinite
from typing import TypeVar

import numpy as np

from handup.confidence.sample import Sample, listed_rows
from handup.core import BadData

T = TypeVar("T")
MAX_ROWS = 50_000
FORMATS = "score,right  or  p_…,p_…,target  or  variance,right"
TRUTHS = {"1": True, "0": False, "true": True, "false": False, "1.0": True, "0.0": False}


def parse_rows(text: str, file: str = "rows") -> Sample:
    """Read calibration rows: columns `score,right`, or option scores `p_…` and `target`, or `variance,right`.

    Rows are counted from 1 below the heading; the error's line is that of the file.

    Raises:
        BadData: Wrong columns, no rows, too many, or a value that is no number in its range.
    """
    try:
        lines = [(number, cells) for number, cells in _lines(text) if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise BadData(f"this is no CSV ({error})", hint=f"Columns are {FORMATS}.", file=file) from None
    if not lines:
        raise BadData("the file is empty", hint=f"Columns are {FORMATS}.", file=file)
    (first, heading), rows = lines[0], lines[1:]
    names = [name.strip().lower() for name in heading]
    if not rows:
        raise BadData("there are no rows below the heading", hint="Give at least 10 rows.", file=file, line=first)
    if len(rows) > MAX_ROWS:
        raise BadData(f"there are {len(rows)} rows", hint=f"At most {MAX_ROWS} are read; give some of them.", file=file)
    options = [name for name in names if name.startswith("p_")]
    columns = _Columns(names, rows, file)
    if len(set(names)) == len(names):
        if len(options) >= 2 and set(names) == {*options, "target"}:
            scores = np.column_stack([columns.numbers(name, most=1.0) for name in options])
            return Sample.of_options(scores, columns.places("target", len(options)))
        if set(names) == {"score", "right"}:
            return Sample.of_scores(columns.numbers("score"), columns.truths("right"))
        if set(names) == {"variance", "right"}:
            return Sample.of_variances(columns.numbers("variance"), columns.truths("right"))
    shown = ",".join(names)
    raise BadData(f"the columns are {shown[:80]}", hint=f"Name them {FORMATS}.", file=file, line=first)


def _lines(text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(text.lstrip("\ufeff").splitlines(), strict=True)
    return [(reader.line_num, cells) for cells in reader]


class _Columns:
    """The cells of the rows, by column; each reader refuses all bad rows of its column at once."""

    def __init__(self, names: Sequence[str], rows: Sequence[tuple[int, list[str]]], file: str) -> None:
        self._names, self._rows, self._file = list(names), rows, file
        bad = [number for number, (_, cells) in enumerate(rows, start=1) if len(cells) != len(names)]
        if bad:
            self._refuse(bad, f"has {len(rows[bad[0] - 1][1])} cells, not {len(names)}", "Give one per column.")

    def numbers(self, name: str, most: float = float("inf")) -> list[float]:
        limit = "of at least 0" if most == float("inf") else f"from 0 to {most:g}"
        return self._read(name, lambda cell: _number(cell, most), f"Give numbers {limit}.")

    def truths(self, name: str) -> list[bool]:
        return self._read(name, lambda cell: TRUTHS.get(cell.lower()), "Give 1 where the output was right, else 0.")

    def places(self, name: str, options: int) -> list[int]:
        hint = f"Give the position of the right option, 0 to {options - 1}."
        known = {str(place): place for place in range(options)}
        return self._read(name, known.get, hint)

    def _read(self, name: str, read: Callable[[str], T | None], hint: str) -> list[T]:
        column = self._names.index(name)
        cells = [cells[column].strip() for _, cells in self._rows]
        values = [read(cell) for cell in cells]
        bad = [number for number, value in enumerate(values, start=1) if value is None]
        if bad:
            cell = cells[bad[0] - 1]
            self._refuse(bad, f"{name} is {cell[:40]!r}" if cell else f"{name} is empty", hint)
        return [value for value in values if value is not None]

    def _refuse(self, bad: list[int], said: str, hint: str) -> None:
        line = self._rows[bad[0] - 1][0]
        raise BadData(f"{listed_rows(bad)}: {said}", hint=hint, file=self._file, line=line)


def _number(cell: str, most: float) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if isfinite(value) and 0.0 <= value <= most else None
