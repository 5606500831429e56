"""Streams of real scores: what a module said of its options, row by row, and which one was right."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handup.confidence import Kind, Sample, parse_rows
from handup.core import BadData

FOLDER = "module-scores"
"""Where the streams lie in the shared data."""
ROWS, MORE_ROWS = 60, 100
"""So many rows of a stream are for calibration; more of the longest."""
LONGEST = 3
HELD_OUT = 20
"""So many rows are left to score on at least."""
LEAST_PER_CLASS = 10
LEAST_STREAMS, MOST_STREAMS = 4, 100


@dataclass(frozen=True, eq=False)
class Stream:
    """One module's scores.

    Args:
        name: Of its file, without ending.
        sample: The rows.
        rows: How many of them are for calibration.
    """

    name: str
    sample: Sample
    rows: int


def read_streams(folder: Path) -> tuple[Stream, ...]:
    """All streams of a folder, by name: CSV files with option scores `p_…` and the right option `target`.

    Args:
        folder: The folder of the files, or one that holds it as `module-scores`.

    Raises:
        BadData: No such folder, too few streams, or a stream that cannot be used; the message says which.
    """
    place = folder / FOLDER if (folder / FOLDER).is_dir() else folder
    if not place.is_dir():
        raise BadData(f"there is no folder '{folder}'", hint="Give --data the folder with the streams of scores.")
    paths = sorted(place.glob("*.csv"))
    if not LEAST_STREAMS <= len(paths) <= MOST_STREAMS:
        wanted = f"{LEAST_STREAMS} to {MOST_STREAMS} files of option scores (columns p_…,target)"
        raise BadData(f"'{folder}' has {len(paths)} CSV files", hint=f"Give a folder with {wanted}.")
    samples = {path.stem: _read(path) for path in paths}
    longest = sorted(samples, key=lambda name: -len(samples[name]))[:LONGEST]
    return tuple(
        Stream(name, each, MORE_ROWS if name in longest and len(each) >= MORE_ROWS + HELD_OUT else ROWS)
        for name, each in samples.items()
    )


def _read(path: Path) -> Sample:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadData("this is no readable UTF-8 text", hint="Check the file.", file=path.name) from None
    sample = parse_rows(text, path.name)
    if sample.kind is not Kind.OPTIONS:
        raise BadData("these are no option scores", hint="Columns are p_…,target.", file=path.name)
    right = int(sample.right.sum())
    if len(sample) < ROWS + HELD_OUT or min(right, len(sample) - right) < LEAST_PER_CLASS:
        raise BadData(
            f"it has {len(sample)} rows, {right} of them right",
            hint=f"Give {ROWS + HELD_OUT} rows or more, {LEAST_PER_CLASS} of them right and as many wrong.",
            file=path.name,
        )
    return sample
