"""Calibration data: what a module said of its outputs, and whether they were right; from arrays or CSV text."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handup.core import BadData

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
T = TypeVar("T")
MAX_ROWS = 50_000
FORMATS = "score,right  or  p_…,p_…,target  or  variance,right"
TRUTHS = {"1": True, "0": False, "true": True, "false": False, "1.0": True, "0.0": False}


class Kind(StrEnum):
    """What the raw numbers are."""

    SCORE = "score"
    """One score per output; the higher, the surer."""
    OPTIONS = "options"
    """A score from 0 to 1 for each option; the highest is the output."""
    VARIANCE = "variance"
    """The variance of the output over stochastic passes; the lower, the surer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """Rows to calibrate on. Build it with `of_scores`, `of_options` or `of_variances`.

    Args:
        kind: What `raw` holds.
        raw: One number per row, or for options one per row and option.
        right: Whether the module's output was right.
        target: For options, the position of the right one.
        second: The score of the runner-up, where it is known; the paper's rule of intervals looks at it.
    """

    kind: Kind
    raw: Floats
    right: Bools
    target: Ints | None = None
    second: Floats | None = None

    @classmethod
    def of_scores(cls, scores: ArrayLike, right: ArrayLike, *, second: ArrayLike | None = None) -> Sample:
        """Scores of at least 0, and whether each output was right; `second` where the runner-up's score is known.

        Raises:
            BadData: A row that is no number or negative, or lists of different lengths.
        """
        other = None if second is None else _numbers("second", second)
        found = cls(kind=Kind.SCORE, raw=_numbers("score", scores), right=_truths(right), second=other)
        _same_length(len(found.right), len(found.raw), len(found.right if other is None else other))
        return found

    @classmethod
    def of_options(cls, options: ArrayLike, target: ArrayLike) -> Sample:
        """Scores from 0 to 1 of all options, and the position of the right one; for logits, give `softmax(logits)`.

        Raises:
            BadData: A score outside 0 to 1, a position that no option has, lists of different lengths.
        """
        raw = as_options(options)
        places = np.asarray(target)
        if places.ndim != 1 or not np.issubdtype(places.dtype, np.integer):
            raise BadData("target holds something other than whole numbers", hint="Give the position of the option.")
        places = places.astype(np.int64)
        _same_length(len(raw), len(places))
        total = raw.sum(axis=1)
        _refuse("the sum of the options' scores", total, total <= 0.0, "Give at least one option a score above 0.")
        _refuse("target", places, (places < 0) | (places >= raw.shape[1]), f"Give 0 to {raw.shape[1] - 1}.")
        second = np.sort(raw, axis=1)[:, -2] if len(raw) else np.empty(0)
        return cls(kind=Kind.OPTIONS, raw=raw, right=raw.argmax(1) == places, target=places, second=second)

    @classmethod
    def of_variances(cls, variances: ArrayLike, right: ArrayLike) -> Sample:
        """Variances of at least 0, and whether each output was right.

        Raises:
            BadData: A row that is no number or negative, or lists of different lengths.
        """
        found = cls(kind=Kind.VARIANCE, raw=_numbers("variance", variances), right=_truths(right))
        _same_length(len(found.right), len(found.raw))
        return found

    def __len__(self) -> int:
        return len(self.right)

    @property
    def score(self) -> Floats:
        """One number per row: the score, the highest of the options' scores, or the variance."""
        return self.raw.max(axis=1) if self.kind is Kind.OPTIONS else self.raw

    @property
    def base_rate(self) -> float:
        """Share of rows that are right."""
        return float(self.right.mean())

    def take(self, rows: NDArray[Any]) -> Sample:
        """Some of the rows, by position or by mask."""
        return replace(
            self,
            raw=self.raw[rows],
            right=self.right[rows],
            target=None if self.target is None else self.target[rows],
            second=None if self.second is None else self.second[rows],
        )

    def in_order(self) -> Sample:
        """The same rows in an order of their own, so that what is drawn by seed does not depend on the file's."""
        keys: list[NDArray[Any]] = [self.right, self.score]
        keys += [each for each in (self.second, self.target) if each is not None]
        if self.kind is Kind.OPTIONS:
            keys += list(self.raw.T)
        return self.take(np.lexsort(keys[::-1]))


def as_options(options: ArrayLike) -> Floats:
    """Option scores as an array of rows and options, checked.

    Raises:
        BadData: Fewer than two options, or a score outside 0 to 1.
    """
    try:
        raw = np.asarray(options, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData("option scores are no table of numbers", hint="Give as many scores in every row.") from None
    if raw.ndim != 2 or raw.shape[1] < 2:
        raise BadData(f"option scores have the shape {raw.shape}", hint="Give rows of two or more scores.")
    outside = ~((raw >= 0.0) & (raw <= 1.0))
    if outside.any():
        row, option = np.argwhere(outside)[0]
        hint = "Give scores from 0 to 1; logits go through softmax first."
        raise BadData(f"row {row + 1}: option score {option} is {raw[row, option]:g}", hint=hint)
    return raw


def softmax(logits: ArrayLike) -> Floats:
    """Logits of options, one row each, as scores that add up to 1."""
    found = np.asarray(logits, dtype=np.float64)
    powers = np.exp(found - found.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def percent(share: float) -> str:
    """A share in words."""
    return f"{100.0 * share:.1f} %"


def listed_rows(rows: Sequence[int] | Ints, most: int = 8) -> str:
    """Row numbers for a message, cut where there are many."""
    shown = ", ".join(str(row) for row in rows[:most])
    word = "row" if len(rows) == 1 else "rows"
    return f"{word} {shown}" if len(rows) <= most else f"{word} {shown}, … ({len(rows)} in all)"


def _numbers(what: str, values: ArrayLike) -> Floats:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData(f"{what} holds something other than numbers", hint="Give one number per row.") from None
    if found.ndim != 1:
        raise BadData(f"{what} has the shape {found.shape}", hint="Give one number per row.")
    _refuse(what, found, ~((found >= 0.0) & np.isfinite(found)), "Give numbers of at least 0.")
    return found


def _truths(values: ArrayLike) -> Bools:
    found = np.asarray(values)
    if found.ndim != 1 or not (found.dtype == np.bool_ or np.issubdtype(found.dtype, np.number) or not len(found)):
        raise BadData("right holds something other than 0 and 1", hint="Give 1 where the output was right, else 0.")
    _refuse("right", found, ~np.isin(found, (0, 1)), "Give 1 where the output was right, else 0.")
    return found.astype(np.bool_)


def _refuse(what: str, values: NDArray[Any], bad: NDArray[np.bool_], hint: str) -> None:
    if bad.any():
        rows = (np.flatnonzero(bad) + 1).tolist()
        raise BadData(f"{listed_rows(rows)}: {what} is {values[bad][0]:g}", hint=hint)


def _same_length(*lengths: int) -> None:
    if len(set(lengths)) > 1:
        raise BadData(f"columns have {' and '.join(map(str, lengths))} rows", hint="Give as many in each.")


def parse_rows(text: str, file: str = "rows") -> Sample:
    """Read calibration rows: columns `score,right`, or option scores `p_…` and `target`, or `variance,right`.

    Rows are counted from 1 below the heading; the error's line is that of the file.

    Raises:
        BadData: Wrong columns, no rows, too many, or a value that is no number in its range.
    """
    reader = csv.reader(text.lstrip("\ufeff").splitlines(), strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
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
