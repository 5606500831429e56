"""The two ways to change a journal by hand: erasing a person, and repairing what was damaged."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import typer

from handup.cli.output import print_json
from handup.cli.saying import checked, entries, say, working
from handup.core import BadSetting, DamagedJournal, StoreUnavailable
from handup.core.checks import one_line
from handup.journal import Erasure, Journal, Repaired
from handup.journal import repair as repair_store
from handup.journal.address import address_of
from handup.journal.files import read_note


def confirm(words: str, *, yes: bool) -> None:
    """Go on only if the person at the terminal says so, or `--yes` was given.

    Raises:
        BadSetting: There is no terminal to ask at.
        Abort: They said no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadSetting("this needs a confirmation, and there is no terminal", hint="Give --yes.")
    typer.confirm(words, abort=True, err=True)


def erase(store: str, person: str, *, yes: bool, as_json: bool) -> bool:
    """Erase a person after a confirmation, and say what was done.

    Returns:
        Whether all of it is gone: False where nobody has the name, or the files may still hold the bytes.
    """
    with Journal.open(store, create=False, readonly=True) as journal:
        checked(journal)  # opened to write, a damaged one would be put aside, which is no part of an erasure
    shown = address_of(store).shown
    confirm(f"Erase {one_line(person)} from {shown}, for ever?", yes=yes)
    with Journal.open(store, create=False) as journal, working("erasing"):
        done = journal.erase(person)
    if as_json:
        print_json({"store": shown, "person": person, **asdict(done)})
    else:
        _show_erased(shown, one_line(person), done)
    return done.pseudonym is not None and done.scrubbed


def _show_erased(shown: str, name: str, done: Erasure) -> None:
    if done.pseudonym is None:
        say(f"Nobody in {shown} is called {name}: nothing was erased. Check the spelling.")
    else:
        values = f"{done.values} personal value{'' if done.values == 1 else 's'}"
        say(f"Erased from {shown}: the name {name} and {values}.")
        say(f"The entries stay, under the pseudonym {done.pseudonym}; entry {done.seq} records the erasure.")
    if not done.scrubbed:
        say("The bytes may still be in the store's files, because another program was using them.")
        say("Close it and give this command again: it will find nobody, and clean the files.")
    for each in done.kept_in:
        say(f"An older copy may still hold it; delete it when you do not need it: {each}")
    if done.pseudonym is not None:
        say("Exports and backups that were made before are not reached.")


def repair(store: str, *, use_backup: bool = False, yes: bool, as_json: bool) -> None:
    """Take the good part of a damaged store, or a backup, after a confirmation, and say what was kept and lost."""
    address = address_of(store)
    if address.path is not None:
        if (why := _damage(store)) is None:
            _show_whole(address.shown, as_json=as_json)
            return
        if use_backup and read_note(address.path) is None:
            raise StoreUnavailable(
                f"{one_line(why)}; and it was not put aside yet",
                hint="Give the command without --use-backup: it keeps every good entry of what lies there.",
            )
        kept = "from the backup that lies there now" if use_backup else "with the entries before that"
        confirm(f"{one_line(why)}. Go on {kept}?", yes=yes)
        _put_aside(store, address.path)
    with working("repairing"):
        done = repair_store(store, use_backup=use_backup)
    if as_json:
        print_json({"repaired": True, **asdict(done)})
    else:
        _show_repaired(address.shown, done)


def _show_whole(shown: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"store": shown, "repaired": False})
    else:
        say(f"{shown} is whole: there is nothing to repair.")


def _damage(store: str) -> str | None:
    """What is damaged, or None. Changes nothing."""
    try:
        with Journal.open(store, create=False, readonly=True) as journal:
            checked(journal)
    except DamagedJournal as error:
        return error.cause
    return None


def _put_aside(store: str, path: Path) -> None:
    if read_note(path) is not None:
        return
    try:
        Journal.open(store, create=False).close()
    except DamagedJournal:
        if read_note(path) is None:  # another program has it open
            raise


def _show_repaired(shown: str, done: Repaired) -> None:
    lost = "nobody can tell how many are lost" if done.lost is None else f"{done.lost:,} lost"
    say(f"Repaired {shown}: {entries(done.entries)} kept, {lost}.")
    if done.values_lost:
        say(f"Names and personal values lost though their entries are not: {done.values_lost}.")
    say(f"The damaged one is kept as it was: {done.source}")
    say("An erasure does not reach it; delete it when you do not need it any more.")
    if done.from_backup:
        say("Whoever was erased since the backup was made is in it again: erase them again.")
    say(f"The robot stays stopped: look at it, then run: handup answer --enable --store {shown}")
