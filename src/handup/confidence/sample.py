"""Calibration data: the raw scores of a module's outputs and whether they were right, from arrays or CSV text."""

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
from handup.core.checks import shown

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
T = TypeVar("T")
MAX_ROWS = 50_000
FORMATS = "score,right  or  p_…,p_…,target  or  variance,right"
TRUTHS = {"1": True, "0": False, "true": True, "false": False, "1.0": True, "0.0": False}


class ScoreKind(StrEnum):
    """Kind of the raw numbers."""

    SCORE = "score"
    """One score per output; a higher one is surer."""
    OPTIONS = "options"
    """A score from 0 to 1 for each option; the highest is the output."""
    VARIANCE = "variance"
    """The variance of the output over stochastic passes; a lower one is surer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """Rows to calibrate on. Build it with `of_scores`, `of_options` or `of_variances`.

    Args:
        kind: Kind of the numbers in `raw`.
        raw: One number per row, or for options one per row and option.
        right: For each row, True if the output was right.
        target: For options, the index of the right option of each row.
        second: Score of the runner-up of each row, where it is known; the paper's `interval` uses it.
    """

    kind: ScoreKind
    raw: Floats
    right: Bools
    target: Ints | None = None
    second: Floats | None = None

    @classmethod
    def of_scores(cls, scores: ArrayLike, right: ArrayLike, *, second: ArrayLike | None = None) -> Sample:
        """Return rows of scores of at least 0, with whether each output was right and the runners-up if known.

        Raises:
            BadData: A score is negative or not finite, or the lists have different lengths.
        """
        seconds = None if second is None else _numbers("second", second)
        sample = cls(kind=ScoreKind.SCORE, raw=_numbers("score", scores), right=_truths(right), second=seconds)
        _same_length(len(sample.right), len(sample.raw), len(sample.right if seconds is None else seconds))
        return sample

    @classmethod
    def of_options(cls, options: ArrayLike, target: ArrayLike) -> Sample:
        """Return rows of option scores from 0 to 1, with the right option's index; for logits, give `softmax(logits)`.

        Raises:
            BadData: A score is outside 0 to 1, an index is not that of an option, or the lists differ in length.
        """
        raw = as_options(options)
        places = np.asarray(target)
        if places.ndim != 1 or not np.issubdtype(places.dtype, np.integer):
            raise BadData(f"target must be a list of whole numbers, got {shown(target)}", hint="Give indices.")
        places = places.astype(np.int64)
        _same_length(len(raw), len(places))
        total = raw.sum(axis=1)
        _refuse("the sum of scores", total, total <= 0.0, "be above 0", "Give an option a score above 0.")
        last, hint = raw.shape[1] - 1, "Give the index of the right option."
        _refuse("target", places, (places < 0) | (places > last), f"lie between 0 and {last}", hint)
        second = np.sort(raw, axis=1)[:, -2] if len(raw) else np.empty(0)
        return cls(kind=ScoreKind.OPTIONS, raw=raw, right=raw.argmax(1) == places, target=places, second=second)

    @classmethod
    def of_variances(cls, variances: ArrayLike, right: ArrayLike) -> Sample:
        """Return rows of variances of at least 0, each with whether the output was right.

        Raises:
            BadData: A variance is negative or not finite, or the lists have different lengths.
        """
        sample = cls(kind=ScoreKind.VARIANCE, raw=_numbers("variance", variances), right=_truths(right))
        _same_length(len(sample.right), len(sample.raw))
        return sample

    def __len__(self) -> int:
        return len(self.right)

    @property
    def score(self) -> Floats:
        """Number per row: the score, the highest of the options' scores, or the variance."""
        return self.raw.max(axis=1) if self.kind is ScoreKind.OPTIONS else self.raw

    @property
    def base_rate(self) -> float:
        """Share of rows that are right."""
        return float(self.right.mean())

    def take(self, rows: NDArray[Any]) -> Sample:
        """Return the rows of these indices, or of a mask."""
        return replace(
            self,
            raw=self.raw[rows],
            right=self.right[rows],
            target=None if self.target is None else self.target[rows],
            second=None if self.second is None else self.second[rows],
        )

    def in_order(self) -> Sample:
        """Return the rows sorted by their content, so that draws by seed do not depend on the order of the file."""
        keys: list[NDArray[Any]] = [self.right, self.score]
        keys += [column for column in (self.second, self.target) if column is not None]
        if self.kind is ScoreKind.OPTIONS:
            keys += list(self.raw.T)
        return self.take(np.lexsort(keys[::-1]))


def as_options(options: ArrayLike) -> Floats:
    """Return option scores as an array of rows and options.

    Raises:
        BadData: There are fewer than two options, or a score is outside 0 to 1.
    """
    try:
        raw = np.asarray(options, dtype=np.float64)
    except (TypeError, ValueError):
        hint = "Give as many scores in every row."
        raise BadData(f"option scores must be a table of numbers, got {shown(options)}", hint=hint) from None
    if raw.ndim != 2 or raw.shape[1] < 2:
        raise BadData(f"option scores must be rows of two or more, got {raw.shape}", hint="Give one row per output.")
    outside = ~((raw >= 0.0) & (raw <= 1.0))
    if outside.any():
        row, option = np.argwhere(outside)[0]
        cause = f"row {row + 1}: option score {option} must lie between 0 and 1, got {raw[row, option]:g}"
        raise BadData(cause, hint="Put logits through softmax first.")
    return raw


def softmax(logits: ArrayLike) -> Floats:
    """Return logits of options, one row each, as scores that add up to 1."""
    table = np.asarray(logits, dtype=np.float64)
    powers = np.exp(table - table.max(axis=-1, keepdims=True))  # less the largest, so that nothing overflows
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def percent(share: float) -> str:
    """Return a share as text, in percent."""
    return f"{100.0 * share:.1f} %"


def listed_rows(rows: Sequence[int] | Ints, most: int = 8) -> str:
    """Return row numbers for a message, cut where there are many."""
    listed = ", ".join(str(row) for row in rows[:most])
    word = "row" if len(rows) == 1 else "rows"
    return f"{word} {listed}" if len(rows) <= most else f"{word} {listed}, … ({len(rows)} in all)"


def _numbers(what: str, values: ArrayLike) -> Floats:
    hint = "Give one number per row."
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData(f"{what} must be numbers, got {shown(values)}", hint=hint) from None
    if column.ndim != 1:
        raise BadData(f"{what} must be a list of numbers, got the shape {column.shape}", hint=hint)
    _refuse(what, column, ~((column >= 0.0) & np.isfinite(column)), "be at least 0 and finite", hint)
    return column


def _truths(values: ArrayLike) -> Bools:
    column = np.asarray(values)
    hint = "Give 1 where the output was right, else 0."
    if column.ndim != 1 or not (column.dtype == np.bool_ or np.issubdtype(column.dtype, np.number) or not len(column)):
        raise BadData(f"right must be a list of 0 and 1, got {shown(values)}", hint=hint)
    _refuse("right", column, ~np.isin(column, (0, 1)), "be 0 or 1", hint)
    return column.astype(np.bool_)


def _refuse(what: str, values: NDArray[Any], bad: NDArray[np.bool_], must: str, hint: str) -> None:
    if bad.any():
        rows = (np.flatnonzero(bad) + 1).tolist()
        raise BadData(f"{listed_rows(rows)}: {what} must {must}, got {values[bad][0]:g}", hint=hint)


def _same_length(*lengths: int) -> None:
    if len(set(lengths)) > 1:
        raise BadData(f"columns must be of one length, got {' and '.join(map(str, lengths))}", hint="Give equal lists.")


def parse_rows(text: str, file: str = "rows") -> Sample:
    """Read calibration rows: columns `score,right`, or option scores `p_…` and `target`, or `variance,right`.

    Messages count rows from 1 below the heading; the error's line is that of the file.

    Raises:
        BadData: The columns are wrong, there are no rows or too many, or a value is outside its range.
    """
    reader = csv.reader(text.lstrip("\ufeff").splitlines(), strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise BadData(f"the text must be CSV ({error})", hint=f"Name the columns {FORMATS}.", file=file) from None
    if not lines:
        raise BadData("the file must have rows, got an empty one", hint=f"Name the columns {FORMATS}.", file=file)
    (first, heading), rows = lines[0], lines[1:]
    names = [name.strip().lower() for name in heading]
    if not rows:
        cause = "there must be rows below the heading, got none"
        raise BadData(cause, hint="Give at least 10 rows.", file=file, line=first)
    if len(rows) > MAX_ROWS:
        raise BadData(f"there must be at most {MAX_ROWS} rows, got {len(rows)}", hint="Leave some out.", file=file)
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
    cause = f"the columns must be {FORMATS}, got {','.join(names)[:80]}"
    raise BadData(cause, hint="Rename or remove columns.", file=file, line=first)


class _Columns:
    """Cells of the rows by column. Each method reads a column and refuses all its bad rows at once."""

    def __init__(self, names: Sequence[str], rows: Sequence[tuple[int, list[str]]], file: str) -> None:
        self._names, self._rows, self._file = list(names), rows, file
        bad = [number for number, (_, cells) in enumerate(rows, start=1) if len(cells) != len(names)]
        if bad:
            self._refuse(bad, f"must have {len(names)} cells, got {len(rows[bad[0] - 1][1])}", "Give one per column.")

    def numbers(self, name: str, most: float = float("inf")) -> list[float]:
        must = "be a number of at least 0" if most == float("inf") else f"be a number from 0 to {most:g}"
        return self._read(name, lambda cell: _number(cell, most), must, "Give the module's score.")

    def truths(self, name: str) -> list[bool]:
        hint = "Give 1 where the output was right, else 0."
        return self._read(name, lambda cell: TRUTHS.get(cell.lower()), "be 0 or 1", hint)

    def places(self, name: str, options: int) -> list[int]:
        known = {str(place): place for place in range(options)}
        return self._read(name, known.get, f"lie between 0 and {options - 1}", "Give the index of the right option.")

    def _read(self, name: str, read: Callable[[str], T | None], must: str, hint: str) -> list[T]:
        column = self._names.index(name)
        cells = [cells[column].strip() for _, cells in self._rows]
        values = [read(cell) for cell in cells]
        bad = [number for number, value in enumerate(values, start=1) if value is None]
        if bad:
            cell = cells[bad[0] - 1]
            self._refuse(bad, f"{name} must {must}, got {cell[:40]!r}", hint)
        return [value for value in values if value is not None]

    def _refuse(self, bad: list[int], cause: str, hint: str) -> None:
        line = self._rows[bad[0] - 1][0]
        raise BadData(f"{listed_rows(bad)}: {cause}", hint=hint, file=self._file, line=line)


def _number(cell: str, most: float) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if isfinite(value) and 0.0 <= value <= most else None
