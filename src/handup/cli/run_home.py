"""Where runs are kept, and the worlds they run in."""

from __future__ import annotations

from pathlib import Path

from handup.cli.options import RUNS_STORE
from handup.core import BadSetting, StoreUnavailable
from handup.domains.stage import Home
from handup.executive.ordering import RUN, Ordered
from handup.journal import Journal
from handup.journal.address import address_of
from handup.journal.files import Witness, note_path

FOLDER = Path(RUNS_STORE).parent
SHOWN_OF_HASH = 8
"""So many letters of an order's hash stand in the name of its world's file."""


def make_folder(store: str) -> None:
    """Make the folder for runs, where this store or the worlds of its runs lie in it.

    Raises:
        StoreUnavailable: It cannot be made.
    """
    if store != RUNS_STORE and address_of(store).path is not None:
        return
    try:
        FOLDER.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {FOLDER} cannot be made here: {error.strerror or error}",
            hint="Go to a folder that you may write in, or name a file with --store.",
        ) from None


def is_there(store: str) -> bool:
    """Whether there is, or was, something to open: a file, what a damaged one left, or a database on a server."""
    path = address_of(store).path
    return path is None or path.exists() or note_path(path).exists() or Witness(path).there()


def home_of(store: str, journal: Journal, ordered: Ordered, *, new: bool = False) -> Home:
    """Where the world of a run is kept: beside the store's file, or in the folder for runs.

    Its name carries the hash of the order in the journal, and so does what is in it. So no run, of this store or of
    another one, begins or goes on in a world that is not its own.

    Args:
        store: As it was named.
        journal: The store.
        ordered: The run.
        new: Whether it begins.

    Raises:
        BadSetting: A run that goes on has no world here any more.
    """
    orders = (entry for entry in journal.read(run=RUN) if entry.event == ordered)
    mark = next(orders).hash
    path = address_of(store).path
    base = FOLDER / "store" if path is None else path
    file = base.with_name(f"{base.name}.{ordered.name}.{mark[:SHOWN_OF_HASH]}.world")
    if not new and not file.exists():
        raise BadSetting(
            f"the world of {ordered.name} is not here: {file.name}",
            hint="Go to where the run was begun, put the file back, or begin a new run: leave out --resume.",
        )
    return Home(path=file, whose=f"{ordered.name} {mark}", new=new)
