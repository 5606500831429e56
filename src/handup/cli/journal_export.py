"""Where an export goes: a file that is there in whole or not at all, or stdout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from handup.cli.output import out
from handup.cli.saying import working
from handup.core import BadSetting, StoreUnavailable
from handup.core.files import written_whole
from handup.journal import Journal, as_csv, as_jsonl
from handup.journal.address import address_of
from handup.journal.events import ERASED

STDOUT = "-"
OWN = ("", "-wal", "-shm", ".lock", ".witness", ".stopped")
"""How the names of a store's own files end."""
COPIES = (".damaged-", ".before-")


class Format(StrEnum):
    """What an export may be."""

    JSONL = "jsonl"
    CSV = "csv"


def format_of(to: str, given: str | None) -> Format:
    """The format that was named, or that the file's ending says.

    Raises:
        BadSetting: Neither names one.
    """
    name = given or ("jsonl" if to == STDOUT else Path(to).suffix.removeprefix(".").lower())
    if name not in tuple(Format):
        which = f"--format is '{given}'" if given else f"the ending of '{to}' names no format"
        raise BadSetting(which, hint="Use jsonl or csv.")
    return Format(name)


def check_target(to: str, store: str, *, force: bool) -> None:
    """Refuse a place that cannot be written, that holds something, or that belongs to the journal.

    Raises:
        BadSetting: It is one of these.
    """
    if to == STDOUT:
        return
    path, source = Path(to), address_of(store).path
    if path.is_dir() or not path.parent.is_dir():
        raise BadSetting(f"--to is '{to}', which cannot be written", hint="Name a file in a folder that exists.")
    if source is not None and _belongs(path.resolve(), source.resolve()):
        raise BadSetting(f"--to is '{to}', which belongs to the journal", hint="Give the export a name of its own.")
    if path.exists() and not force:
        raise BadSetting(f"'{to}' is there already", hint="Give --force to overwrite it.")


def _belongs(path: Path, source: Path) -> bool:
    ending = path.name.removeprefix(source.name)
    named = path.name.startswith(source.name) and (ending in OWN or ending.startswith(COPIES))
    return path.parent == source.parent and named


def export(journal: Journal, to: str, form: Format, *, run: str | None, personal: bool, checked: int) -> int:
    """Write the entries, and say how many there were.

    Raises:
        StoreUnavailable: Somebody was erased meanwhile; no file was written.
    """
    made = as_jsonl if form is Format.JSONL else as_csv
    count = 0 if form is Format.JSONL else -1  # the line of headings is no entry
    total = checked if run is None else None
    with _target(to) as write, working("exporting", total, quiet=to == STDOUT and out.is_terminal) as tell:
        for line in made(journal, run=run, personal=personal):
            write(line)
            count += 1
            tell(count)
        if any(row.kind == ERASED for row in journal.rows(checked)):
            raise StoreUnavailable(
                "somebody was erased while this was exported", hint="Give the command again; no file was written."
            )
    return count


@contextmanager
def _target(to: str) -> Iterator[Callable[[str], object]]:
    if to != STDOUT:
        Path(to).parent.mkdir(parents=True, exist_ok=True)
        with written_whole(Path(to)) as passing, passing.open("wb") as file:
            yield lambda text: file.write(text.encode())
    elif (buffer := getattr(out.file, "buffer", None)) is not None:  # UTF-8, whatever the terminal's encoding is
        yield lambda text: buffer.write(text.encode())
        buffer.flush()
    else:
        yield out.file.write
