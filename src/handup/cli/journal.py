"""`handup journal`: check, export, replay, triage, erase and repair the journal of a store."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from handup.cli.options import DEFAULT_STORE, RUNS_STORE, STORE_VARIABLE, AsJson, StoreArgument, default_store, group
from handup.cli.output import (
    FAILED,
    check_place,
    day,
    entries,
    err,
    moment,
    near,
    out,
    print_json,
    print_result,
    say,
    working,
)
from handup.core import ConflictingSettings, DamagedJournal, MissingSetting, OutOfRange, StoreUnavailable, UnknownName
from handup.core.checks import one_line
from handup.core.files import written_whole
from handup.journal import ChainVerdict, Erasure, Journal, Repaired, StoredEntry, as_csv, as_jsonl
from handup.journal import repair as repair_store
from handup.journal.address import address_of
from handup.journal.events import ERASED
from handup.journal.files import read_note

WHERE = f"Without STORE: ${STORE_VARIABLE}, else {DEFAULT_STORE} in this folder."
app = group(
    "journal",
    f"Example: handup journal verify robot.db\n\n{WHERE}\n\n"
    "Exit codes: 0 done, 1 something is wrong, 2 bad input or store, 130 stopped.",
)
VERIFY_EPILOG = f"""Example: handup journal verify robot.db --json

{WHERE} Changes nothing, and works while a robot writes.

Exit codes: 0 it is whole, 1 it is damaged, 2 it cannot be read."""
EXPORT_EPILOG = f"""Example: handup journal export robot.db --to lunch.csv --run lunch-1

{WHERE} The file is written whole or not at all. A later erasure does not reach it.

Exit codes: 0 exported, 1 the file cannot be written, 2 bad input or store."""
REPLAY_EPILOG = f"""Example: handup journal replay robot.db --last 20

{WHERE} Times are UTC. Changes nothing, and works while a robot writes.

Exit codes: 0 replayed, 1 the snapshot leads to another state, 2 bad input or store."""
ERASE_EPILOG = f"""Example: handup journal erase robot.db Ana --yes

{WHERE}

Exit codes: 0 erased, 1 nobody has this name or bytes may be left in the files, 2 bad input or store, 130 not
confirmed."""
REPAIR_EPILOG = f"""Example: handup journal repair robot.db --yes

{WHERE} Keeps the entries before the first bad one. The damaged store stays as it is, under another name.
To go on from a backup instead, copy it to STORE once the damaged store was put aside, and give --use-backup.

Exit codes: 0 repaired or whole anyway, 2 bad input or store, 130 not confirmed."""

TRIAGE_EPILOG = f"""Example: handup journal triage robot.db

Without STORE: ${STORE_VARIABLE}, else {RUNS_STORE}, as for handup run. If people were asked and
the step has modules, a failure is traced to the module that is most likely wrong, else to the step. Its cost is the
time until the task went on. MTBI: time without help per intervention. MTCI: time of help per intervention. Rules that
people have taught are printed as YAML. Changes nothing.

Exit codes: 0 told, 1 there is no run of a recipe, 2 bad input or store."""

Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking for confirmation.")]
STDOUT = "-"
OWN = ("", "-wal", "-shm", ".lock", ".witness", ".stopped")
"""Endings of the names of a store's own files."""
COPIES = (".damaged-", ".before-")
FORMATS = {"jsonl": as_jsonl, "csv": as_csv}


@contextmanager
def whole_journal(store: str) -> Iterator[tuple[Journal, int]]:
    """Open a journal to read, check all of it, and yield it with the number of its entries.

    Raises:
        DamagedJournal: The journal is not whole.
    """
    with Journal.open(store, create=False, readonly=True) as journal:
        with working("checking"):
            verdict = journal.verify()
        if not verdict.ok:
            raise DamagedJournal(
                f"the journal {journal.store} is damaged: {verdict.why}",
                hint=f"Keep the robot stopped, then run: handup journal repair {journal.store}.",
            )
        yield journal, verdict.entries


@app.command(epilog=VERIFY_EPILOG)
def verify(store: StoreArgument = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Check that a journal is what was written. Reads all of it: entries, their chain, and the files beside it."""
    first = last = None
    shown = address_of(store).shown
    hint = f"Keep the robot stopped, close every program on it, then run: handup journal repair {shown}"
    try:
        with Journal.open(store, create=False, readonly=True) as journal:
            with working("checking"):
                verdict = journal.verify()
            if verdict.ok and verdict.entries:
                first, last = (next(journal.rows(seq - 1)) for seq in (1, verdict.entries))
    except DamagedJournal as error:
        verdict, hint = ChainVerdict(ok=False, entries=0, why=error.cause), error.hint
    times = {"first_s": first and first.at_s, "last_s": last and last.at_s, "head": last and last.hash}
    record = {"store": shown, **asdict(verdict), **times, "hint": "" if verdict.ok else hint}
    print_result(record, lambda: _show_verdict(shown, verdict, first, last, hint), as_json=as_json)
    if not verdict.ok:
        raise typer.Exit(FAILED)


def _show_verdict(
    shown: str, verdict: ChainVerdict, first: StoredEntry | None, last: StoredEntry | None, hint: str
) -> None:
    if not verdict.ok:
        say(f"DAMAGED: {verdict.why}." if shown in verdict.why else f"{shown} is DAMAGED: {verdict.why}.")
        if verdict.entries:
            say(f"Good until then: {entries(verdict.entries)}.")
        say(hint)
    elif first is None or last is None:
        say(f"{shown} is whole and has no entry yet.")
    else:
        times = f"{moment(first.at_s)} to {near(last.at_s, day(first.at_s))} UTC"
        say(f"{shown} is whole: {entries(verdict.entries)}, {times}.")
        say(f"Head: {last.hash}")


# -- export ------------------------------------------------------------------------------------------------------------


@app.command(epilog=EXPORT_EPILOG)
def export(
    store: StoreArgument = DEFAULT_STORE,
    to: Annotated[str, typer.Option(help="File to write to; - is stdout.", metavar="FILE")] = STDOUT,
    form: Annotated[
        str | None, typer.Option("--format", help="Format: jsonl or csv. Default: the file's ending.", metavar="NAME")
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="Name of a run whose entries alone are written.", metavar="RUN")
    ] = None,
    without_personal: Annotated[
        bool, typer.Option("--without-personal", help="Write pseudonyms for names, and nothing that people said.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the entries out for other programs. One line each; the whole journal is checked first."""
    wanted = _format_of(to, form)
    if to == STDOUT and as_json:
        cause = "--json must stand with a file, and the entries would go to stdout, too"
        raise ConflictingSettings(cause, hint="Name a file with --to.")
    _check_target(to, store, force=force)
    with whole_journal(store) as (journal, good):
        count = _export(journal, to, wanted, run=run, personal=not without_personal, checked=good)
        shown = journal.store
    if as_json:
        print_json({"store": shown, "to": to, "format": wanted, "run": run, "entries": count})
    elif to != STDOUT:
        say(f"{entries(count)} of {shown} in {to}.")
    _complain(run, found=count > 0)


def _complain(run: str | None, *, found: bool) -> None:
    if run is not None and not found:
        err.print(f"handup: no entry belongs to run '{run}'.", markup=False, soft_wrap=True)


def _format_of(to: str, form: str | None) -> str:
    """Return the format that was named, else that of the file's ending."""
    name = form or ("jsonl" if to == STDOUT else Path(to).suffix.removeprefix(".").lower())
    if name not in FORMATS:
        wrong = f"got '{form}'" if form else f"and the ending of '{to}' names no format"
        raise UnknownName(f"--format must be jsonl or csv, {wrong}", hint="Use jsonl or csv.")
    return name


def _check_target(to: str, store: str, *, force: bool) -> None:
    """Refuse a file that cannot be written, that exists, or that belongs to the journal."""
    if to == STDOUT:
        return
    path, source = Path(to), address_of(store).path
    check_place("--to", path)
    if source is not None and _belongs(path.resolve(), source.resolve()):
        cause = f"--to must not be a file of the journal, and '{to}' belongs to the journal"
        raise ConflictingSettings(cause, hint="Give the export a name of its own.")
    if path.exists() and not force:
        cause = f"--to must name a new file, and '{to}' is there already"
        raise ConflictingSettings(cause, hint="Give --force to overwrite it.")


def _belongs(path: Path, source: Path) -> bool:
    ending = path.name.removeprefix(source.name)
    named = path.name.startswith(source.name) and (ending in OWN or ending.startswith(COPIES))
    return path.parent == source.parent and named


def _export(journal: Journal, to: str, form: str, *, run: str | None, personal: bool, checked: int) -> int:
    """Write the entries, and return their number.

    Raises:
        StoreUnavailable: Somebody was erased meanwhile; no file was written.
    """
    count = -1 if form == "csv" else 0  # the line of headings is no entry
    total = checked if run is None else None
    with _target(to) as write, working("exporting", total, quiet=to == STDOUT and out.is_terminal) as progress:
        for line in FORMATS[form](journal, run=run, personal=personal):
            write(line)
            count += 1
            progress(count)
        if any(row.kind == ERASED for row in journal.rows(checked)):
            raise StoreUnavailable(
                "somebody was erased while this was exported", hint="Give the command again; no file was written."
            )
    return count


@contextmanager
def _target(to: str) -> Iterator[Callable[[str], object]]:
    """Open stdout, or a file that is there in whole or not at all, to write text to."""
    if to != STDOUT:
        with written_whole(Path(to)) as passing, passing.open("wb") as file:
            yield lambda text: file.write(text.encode())
    elif (buffer := getattr(out.file, "buffer", None)) is not None:  # UTF-8, whatever the terminal's encoding is
        yield lambda text: buffer.write(text.encode())
        buffer.flush()
    else:
        yield out.file.write


# -- what happened -----------------------------------------------------------------------------------------------------


@app.command(epilog=REPLAY_EPILOG)
def replay(
    store: StoreArgument = DEFAULT_STORE,
    run: Annotated[
        str | None, typer.Option(help="Name of the only run to show, together with all stops.", metavar="RUN")
    ] = None,
    until: Annotated[
        int | None, typer.Option(help="Number of the last entry to take in. Default: all.", metavar="SEQ", min=1)
    ] = None,
    last: Annotated[
        int | None, typer.Option(help="Number of the latest entries to list. Default: all.", metavar="N", min=0)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what happened, line by line, and the state that it led to. Rebuilds the state from the first entry on."""
    from handup.cli.journal_replay import show  # noqa: PLC0415 - every kind of event is slow to import

    with whole_journal(store) as (journal, good):
        if until is not None and until > good:
            raise OutOfRange.of("--until", until, f"be at most {good}, the last entry", hint="Give a smaller number.")
        same = show(journal, run, until or good, last, as_json=as_json)
        first = next(journal.rows(run=run), None)
    _complain(run, found=first is not None and first.seq <= (until or good))
    if not same:
        raise typer.Exit(FAILED)


@app.command(epilog=TRIAGE_EPILOG)
def triage(
    store: StoreArgument = RUNS_STORE,
    run: Annotated[
        str | None, typer.Option(help="Name of the only run to trace. Default: all runs.", metavar="RUN")
    ] = None,
    after: Annotated[
        int,
        typer.Option(
            help="Number of times that people must solve a fault in the same way before a rule is proposed.",
            metavar="N",
            min=1,
        ),
    ] = 3,
    as_json: AsJson = False,
) -> None:
    """Trace every failure of recipes to a module or step, with what it cost, and propose rules people have taught."""
    from handup.cli.journal_triage import show  # noqa: PLC0415 - recipes are slow to import

    with whole_journal(store) as (journal, _):
        found = show(journal, run=run, after=after, as_json=as_json)
    if not found:
        raise typer.Exit(FAILED)


# -- changes by hand ---------------------------------------------------------------------------------------------------


@app.command(epilog=ERASE_EPILOG)
def erase(
    store: Annotated[
        str,
        typer.Argument(
            help="Store that holds the journal. If only one argument is given, it is PERSON.", metavar="STORE"
        ),
    ],
    person: Annotated[
        str | None, typer.Argument(help="Name of the person, as the journal has it.", metavar="PERSON")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase a person for ever. The name goes, and everything that was personal to them; the entries stay."""
    place, name = (default_store(), store) if person is None else (store, person)
    with whole_journal(place):
        pass  # opened to write, a damaged one would be put aside, which is no part of an erasure
    shown = address_of(place).shown
    _confirm(f"Erase {one_line(name)} from {shown}, for ever?", yes=yes)
    with Journal.open(place, create=False) as journal, working("erasing"):
        done = journal.erase(name)
    record = {"store": shown, "person": name, **asdict(done)}
    print_result(record, lambda: _show_erased(shown, one_line(name), done), as_json=as_json)
    if done.pseudonym is None or not done.scrubbed:
        raise typer.Exit(FAILED)


def _confirm(words: str, *, yes: bool) -> None:
    """Return only if the person at the terminal confirms, or `--yes` was given."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise MissingSetting("this must be confirmed, and there is no terminal to ask at", hint="Give --yes.")
    typer.confirm(words, abort=True, err=True)


def _show_erased(shown: str, name: str, done: Erasure) -> None:
    if done.pseudonym is None:
        say(f"Nobody in {shown} is called {name}: nothing was erased. Check the spelling.")
    else:
        say(f"Erased from {shown}: the name {name} and {done.values} personal value{'' if done.values == 1 else 's'}.")
        say(f"The entries stay, under the pseudonym {done.pseudonym}; entry {done.seq} records the erasure.")
    if not done.scrubbed:
        say("The bytes may still be in the store's files, because another program was using them.")
        say("Close it and give this command again: it will find nobody, and clean the files.")
    for path in done.kept_in:
        say(f"An older copy may still hold it; delete it when you do not need it: {path}")
    if done.pseudonym is not None:
        say("Exports and backups that were made before are not reached.")


@app.command(epilog=REPAIR_EPILOG)
def repair(
    store: StoreArgument = DEFAULT_STORE,
    use_backup: Annotated[
        bool, typer.Option("--use-backup", help="Go on from the backup that was copied to STORE.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Go on after damage. Takes the good entries into a new store under the old name, and says what is lost."""
    address = address_of(store)
    if address.path is not None:
        if (why := _damage(store)) is None:
            words = f"{address.shown} is whole: there is nothing to repair."
            print_result({"store": address.shown, "repaired": False}, lambda: say(words), as_json=as_json)
            return
        if use_backup and read_note(address.path) is None:
            raise StoreUnavailable(
                f"{one_line(why)}; and it was not put aside yet",
                hint="Give the command without --use-backup: it keeps every good entry of what lies there.",
            )
        kept = "from the backup that lies there now" if use_backup else "with the entries before that"
        _confirm(f"{one_line(why)}. Go on {kept}?", yes=yes)
        _put_aside(store, address.path)
    with working("repairing"):
        done = repair_store(store, use_backup=use_backup)
    record = {"repaired": True, **asdict(done)}
    print_result(record, lambda: _show_repaired(address.shown, done), as_json=as_json)


def _damage(store: str) -> str | None:
    """Return the cause of the damage, or None where the journal is whole. Changes nothing."""
    try:
        with whole_journal(store):
            return None
    except DamagedJournal as error:
        return error.cause


def _put_aside(store: str, path: Path) -> None:
    """Open a damaged store to write, which puts it aside under another name and leaves a note."""
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
