"""A journal as text for other programs: JSON lines, or a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from handup.core import Body, StoreUnavailable, UnknownName
from handup.core.files import written_whole
from handup.journal.chain import StoredEntry
from handup.journal.files import PRIVATE
from handup.journal.journal import Journal

COLUMNS = ("seq", "at_s", "at", "run", "key", "kind", "version", "body", "previous", "hash")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_EVERY = 1000


def as_jsonl(journal: Journal, *, run: str | None = None, personal: bool = True) -> Iterator[str]:
    """Yield one line of JSON for each entry, also for kinds of events that are not known.

    Args:
        journal: The journal to write out; it may be open to read only.
        run: Run whose entries are written; all where it is None.
        personal: Whether names and personal values are filled in; otherwise pseudonyms stand for names.
    """
    for row, body in journal.bodies(run=run, personal=personal):
        yield json.dumps(_record(row, body), ensure_ascii=False) + "\n"


def as_csv(journal: Journal, *, run: str | None = None, personal: bool = True) -> Iterator[str]:
    """Yield the lines of a table, headings first; the body is JSON in one cell. The arguments are those of `as_jsonl`.

    A cell that a spreadsheet would take for a formula starts with an apostrophe.
    """
    yield _line(COLUMNS)
    for row, body in journal.bodies(run=run, personal=personal):
        record = _record(row, body)
        record["body"] = json.dumps(body, ensure_ascii=False)
        yield _line(tuple(_guarded(record[name]) for name in COLUMNS))


def export(
    journal: Journal,
    path: Path,
    *,
    run: str | None = None,
    personal: bool = True,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Write a journal to a file, which is complete at the end or as it was before.

    Args:
        journal: The journal to write out.
        path: A file whose name ends in .jsonl or .csv.
        run: Run whose entries are written; all where it is None.
        personal: Whether names and personal values are filled in.
        progress: Called now and then with the number of entries written.

    Returns:
        The number of entries.

    Raises:
        UnknownName: The name ends in something else.
        StoreUnavailable: The file cannot be written.
    """
    formats: dict[str, Callable[..., Iterator[str]]] = {".jsonl": as_jsonl, ".csv": as_csv}
    if path.suffix not in formats:
        raise UnknownName.of("the name of an export", path.name, "end in .jsonl or .csv", hint="Rename the file.")
    count = -1 if path.suffix == ".csv" else 0  # the line of headings is no entry
    try:
        with written_whole(path, PRIVATE) as passing, passing.open("w", encoding="utf-8", newline="") as file:
            for line in formats[path.suffix](journal, run=run, personal=personal):
                file.write(line)
                count += 1
                if count % _EVERY == 0:
                    progress(count)
    except OSError as error:
        why = error.strerror
        raise StoreUnavailable(
            f"{path} cannot be written: {why}", hint="Check the folder and its free space."
        ) from None
    progress(count)
    return count


def _record(row: StoredEntry, body: Body) -> dict[str, object]:
    values = {name: getattr(row, name) for name in StoredEntry.__slots__} | {"at": _when(row.at_s), "body": body}
    return {name: values[name] for name in COLUMNS}


def _when(at_s: float) -> str:
    try:
        return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""  # a clock that does not count from 1970


def _line(cells: tuple[object, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()


def _guarded(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
