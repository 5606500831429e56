"""`handup journal`: check, export, replay, triage, erase and repair what robots and people left in writing."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from handup.cli.moments import day, moment, near
from handup.cli.output import FAILED, err, print_json
from handup.cli.saying import checked, entries, say, working
from handup.cli.store import DEFAULT_STORE, RUNS_STORE, STORE_VARIABLE, StoreArgument, default_store
from handup.core import BadSetting, DamagedJournal

if TYPE_CHECKING:
    from handup.journal import Journal, Row, Verdict

WHERE = f"Without STORE: ${STORE_VARIABLE}, else {DEFAULT_STORE} in this folder."
app = typer.Typer(
    rich_markup_mode=None,
    epilog=f"Example: handup journal verify robot.db\n\n{WHERE}\n\n"
    "Exit codes: 0 done, 1 something is wrong, 2 bad input or store, 130 stopped.",
)
VERIFY_EPILOG = f"""Example: handup journal verify robot.db --json

{WHERE} Changes nothing, and works while a robot writes.

Exit codes: 0 it is whole, 1 it is damaged, 2 it cannot be read."""
EXPORT_EPILOG = f"""Example: handup journal export robot.db --to lunch.csv --run lunch-1

{WHERE} The file is there in whole or not at all. A later erasure does not reach it.

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
To go on from a backup instead, copy it to STORE once the damaged one was put aside, and give --use-backup.

Exit codes: 0 repaired or whole anyway, 2 bad input or store, 130 not confirmed."""

TRIAGE_EPILOG = f"""Example: handup journal triage robot.db

Without STORE: ${STORE_VARIABLE}, else {RUNS_STORE}, as for handup run. A failure is traced to the module that is most
likely to blame, where people were asked and the step has modules, else to the step. Its cost is the time until the task
went on. MTBI: time without help per intervention. MTCI: time of help per intervention. Rules that people have taught
are printed as YAML. Changes nothing.

Exit codes: 0 told, 1 there is no run of a recipe, 2 bad input or store."""

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Check, export, replay, erase and repair a journal: what robots asked and people answered."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog=VERIFY_EPILOG)
def verify(store: StoreArgument = DEFAULT_STORE, as_json: AsJson = False) -> None:
    """Check that a journal is what was written. Reads all of it: entries, their chain, what lies beside it."""
    from handup.journal import Journal, Verdict  # noqa: PLC0415 - sqlalchemy is slow to import
    from handup.journal.address import address_of  # noqa: PLC0415

    first = last = None
    shown = address_of(store).shown
    hint = f"Keep the robot stopped, close every program on it, then run: handup journal repair {shown}"
    try:
        with Journal.open(store, create=False, readonly=True) as journal:
            with working("checking"):
                verdict = journal.verify()
            if verdict.ok and verdict.entries:
                first, last = _row(journal, 1), _row(journal, verdict.entries)
    except DamagedJournal as error:
        verdict, hint = Verdict(ok=False, entries=0, why=error.cause), error.hint
    if as_json:
        print_json(_record(shown, verdict, first, last, hint))
    else:
        _show(shown, verdict, first, last, hint)
    if not verdict.ok:
        raise typer.Exit(FAILED)


def _row(journal: Journal, seq: int) -> Row:
    return next(journal.rows(seq - 1))


def _record(shown: str, verdict: Verdict, first: Row | None, last: Row | None, hint: str) -> dict[str, Any]:
    return {
        "store": shown,
        **asdict(verdict),
        "first_s": first and first.at_s,
        "last_s": last and last.at_s,
        "head": last and last.hash,
        "hint": "" if verdict.ok else hint,
    }


def _show(shown: str, verdict: Verdict, first: Row | None, last: Row | None, hint: str) -> None:
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


@app.command(epilog=EXPORT_EPILOG)
def export(
    store: StoreArgument = DEFAULT_STORE,
    to: Annotated[str, typer.Option(help="Where to; - is stdout.", metavar="FILE")] = "-",
    form: Annotated[
        str | None, typer.Option("--format", help="jsonl or csv; else the file's ending says.", metavar="NAME")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Only the entries of one run.", metavar="RUN")] = None,
    without_personal: Annotated[
        bool, typer.Option("--without-personal", help="Pseudonyms for names, and nothing that people said.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the entries out for other programs. One line each; the whole journal is checked first."""
    from handup.cli import journal_export  # noqa: PLC0415 - sqlalchemy is slow to import
    from handup.journal import Journal  # noqa: PLC0415

    wanted = journal_export.format_of(to, form)
    if to == journal_export.STDOUT and as_json:
        raise BadSetting("the result and the entries would both go to stdout", hint="Give --to a file.")
    journal_export.check_target(to, store, force=force)
    with Journal.open(store, create=False, readonly=True) as journal:
        good = checked(journal).entries
        count = journal_export.export(journal, to, wanted, run=run, personal=not without_personal, checked=good)
        shown = journal.store
    if as_json:
        print_json({"store": shown, "to": to, "format": wanted, "run": run, "entries": count})
    elif to != journal_export.STDOUT:
        say(f"{entries(count)} of {shown} in {to}.")
    _complain(run, found=count > 0)


def _complain(run: str | None, *, found: bool) -> None:
    if run is not None and not found:
        err.print(Text(f"handup: no entry belongs to run '{run}'."), soft_wrap=True)


@app.command(epilog=REPLAY_EPILOG)
def replay(
    store: StoreArgument = DEFAULT_STORE,
    run: Annotated[str | None, typer.Option(help="Only one run, and stops.", metavar="RUN")] = None,
    until: Annotated[int | None, typer.Option(help="As it was after this entry.", metavar="SEQ", min=1)] = None,
    last: Annotated[int | None, typer.Option(help="List only so many entries.", metavar="N", min=0)] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what happened, and where it led. Rebuilds the state from the first entry on."""
    from handup.cli.journal_replay import Wanted, show  # noqa: PLC0415 - sqlalchemy is slow to import
    from handup.journal import Journal  # noqa: PLC0415

    with Journal.open(store, create=False, readonly=True) as journal:
        good = checked(journal).entries
        if until is not None and until > good:
            raise BadSetting(f"--until is {until}, and the last entry is {good}", hint="Give a smaller number.")
        wanted = Wanted(run=run, until=until or good, last=last)
        same = show(journal, wanted, as_json=as_json)
        first = next(journal.rows(run=run), None)
    _complain(run, found=first is not None and first.seq <= wanted.until)
    if not same:
        raise typer.Exit(FAILED)


@app.command(epilog=TRIAGE_EPILOG)
def triage(
    store: StoreArgument = RUNS_STORE,
    run: Annotated[str | None, typer.Option(help="Only one run.", metavar="RUN")] = None,
    after: Annotated[
        int, typer.Option(help="Propose a rule once people solved a fault so often the same way.", metavar="N", min=1)
    ] = 3,
    as_json: AsJson = False,
) -> None:
    """Trace every failure of recipes to a module or step, with what it cost, and propose rules people have taught."""
    from handup.cli import journal_triage  # noqa: PLC0415 - sqlalchemy is slow to import
    from handup.journal import Journal  # noqa: PLC0415

    with Journal.open(store, create=False, readonly=True) as journal:
        checked(journal)
        found = journal_triage.show(journal, run=run, after=after, as_json=as_json)
    if not found:
        raise typer.Exit(FAILED)


@app.command(epilog=ERASE_EPILOG)
def erase(
    store: Annotated[str, typer.Argument(help="A file or a URL; may be left out.", metavar="STORE")],
    person: Annotated[str | None, typer.Argument(help="The name, as the journal has it.", metavar="PERSON")] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase a person for ever. The name goes, and everything that was personal to them; the entries stay."""
    from handup.cli import journal_mending  # noqa: PLC0415 - sqlalchemy is slow to import

    place, name = (default_store(), store) if person is None else (store, person)
    if not journal_mending.erase(place, name, yes=yes, as_json=as_json):
        raise typer.Exit(FAILED)


@app.command(epilog=REPAIR_EPILOG)
def repair(
    store: StoreArgument = DEFAULT_STORE,
    use_backup: Annotated[bool, typer.Option("--use-backup", help="Go on from the backup that lies there.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Go on after damage. Takes the good entries into a new store under the old name, and says what is lost."""
    from handup.cli import journal_mending  # noqa: PLC0415 - sqlalchemy is slow to import

    journal_mending.repair(store, use_backup=use_backup, yes=yes, as_json=as_json)
