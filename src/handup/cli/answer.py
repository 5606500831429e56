"""`handup answer`: terminal where a person answers what robots ask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from handup import recover  # noqa: F401 - what other programs wrote in the store must be known
from handup.cli.journal import whole_journal
from handup.cli.options import DEFAULT_STORE, PeopleFile, StoreOption, store_named
from handup.cli.output import FAILED, INTERRUPTED, err, note, out, picked, print_json
from handup.cli.people_file import load_people, people_named, user_name
from handup.core import ConflictingSettings, DamagedJournal, HandupError, Person, UnknownName
from handup.core.checks import one_line
from handup.desk import Desk, Record, replay
from handup.desk.events import Stopped
from handup.desk.record import name_of, span
from handup.desk.screen import Screen
from handup.desk.status import Status
from handup.desk.terminal import How, Terminal
from handup.journal import Journal

EPILOG = """Example: handup answer --by Ada

Shows the questions of all robots that use the store, one after the other, and waits for more: first those that are put
to you, then those that you may answer too. Ctrl-C leaves; open questions stay open.

--stop is no safety function of a machine. With --list it stops first and then lists. --enable can stand with neither.

Exit codes: 0 done, 1 with --once: something is still open; 2 bad input or store; 130 Ctrl-C."""
WATCH_S = 1.0


def answer(
    by: Annotated[
        str | None,
        typer.Option(help="Name of the person who answers. Default: the first of --people, or you.", metavar="NAME"),
    ] = None,
    people: PeopleFile = None,
    store: StoreOption = DEFAULT_STORE,
    once: Annotated[bool, typer.Option("--once", help="Answer the questions that are open now, and leave.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show the questions that wait, and leave.")] = False,
    enable: Annotated[bool, typer.Option("--enable", help="Let robots go on after a stop, and leave.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop every robot that uses the store at once.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the questions of --list as JSON.")] = False,
) -> None:
    """Answer the questions that robots ask, one by one."""
    if stop:
        _stop(store, by, people, enable)
        if not listed:
            return
    known, name = _who(by, people)
    if as_json and not listed:
        raise ConflictingSettings("--json must stand with --list", hint="Use 'handup ask --json' to get answers.")
    if listed and enable:
        raise ConflictingSettings("--list and --enable must not stand together", hint="Give one of them.")
    if listed:
        _list(store, as_json)
        return
    with (
        Journal.open(store, create=False) as journal,
        Desk(journal, known or people_named(journal, [name])) as desk,
    ):
        if enable:
            was_stopped = desk.stopped
            desk.enable(name)
            enabled = "Enabled: robots may go on. A run that was stopped stays stopped; begin a new one."
            note(enabled if was_stopped else "Nothing was stopped.")
            if not once:
                return
        try:
            code = _serve(desk, name, once)
        except KeyboardInterrupt:
            err.print()
            note("Left. What waits for an answer goes on waiting.")
            code = INTERRUPTED
    raise typer.Exit(code)


def _who(by: str | None, people: Path | None) -> tuple[tuple[Person, ...], str]:
    """Return the people that a file names, and the name of the person who sits here."""
    known = load_people(people)
    name = by or (known[0].name if known else user_name())
    if known and name not in {person.name for person in known}:
        names = ", ".join(person.name for person in known)
        raise UnknownName.of("--by", f"'{name}'", "name one of the people", hint=f"Name one of: {names}.")
    return known, name


def _stop(store: str, by: str | None, people: Path | None, enable: bool) -> None:
    """Stop every robot, or say first of all that the robot was not stopped."""
    try:
        if enable:
            raise ConflictingSettings("--stop and --enable must not stand together", hint="Give one of them.")
        shown = _write_stop(store, by, people)
    except HandupError as error:
        line = "" if error.line is None else f":{error.line}"
        where = "" if error.file is None else f"{error.file}{line}: "
        error.cause, error.file = f"The robot was NOT stopped: use its own stop button. {where}{error.cause}", None
        raise
    note("Stopped. Nothing goes on before somebody enables it:")
    _say_how_to_enable(shown)


def _write_stop(store: str, by: str | None, file: Path | None) -> str:
    """Stop without checking the whole journal first: that may take long, and old damage must not stand in the way."""
    people, name = _who(by, file)
    try:
        with Journal.open(store, create=False, check="head") as journal:
            try:
                with Desk(journal, people) as desk:
                    desk.stop(name)
            except DamagedJournal:
                journal.append(Stopped(by=name))  # a new desk cannot read what is before it; one that runs has done so
                note("The journal is damaged: no robot can start on it before it is repaired.")
            return journal.store
    except DamagedJournal as error:
        raise DamagedJournal(
            f"the stop was not written: {error.cause}",
            hint=f"No robot can start on it; one that still runs needs its own stop. {error.hint}",
        ) from None


def _serve(desk: Desk, by: str, once: bool) -> int:
    terminal, passed, last_idle, shown = Terminal(by), set[str](), "", False
    while True:
        desk.tick()
        record = next((record for record in _before(desk, by) if record.id not in passed), None)
        if record is not None and not desk.stopped:
            how, last_idle, shown = terminal.put(record, desk), "", True
            if how is How.INTERRUPTED:
                return INTERRUPTED
            if how is How.LEFT:
                return FAILED if once else 0
            if how is How.GONE:
                passed.add(record.id)
            continue
        if once:
            if desk.stopped or not shown:
                _say_idle(desk, by)
            return FAILED if _before(desk, by) or desk.stopped else 0
        if (idle := _idle(desk, by)) != last_idle:  # the same line is not printed at every look
            last_idle = idle
            _say_idle(desk, by, " Waiting; Ctrl-C leaves.")
        if desk.watch(WATCH_S):
            # A question that was passed on is shown again once it is this person's turn.
            passed = {record.id for record in desk.pending() if record.id in passed and record.turn != by}


def _before(desk: Desk, by: str) -> list[Record]:
    """Return the questions that this person can answer now: those of their own turn first, then oldest first."""
    waiting = [
        record
        for record in desk.pending()
        if by in record.audience
        and by not in record.passed
        and (record.status is Status.OPEN or (record.status is Status.CLAIMED and record.by == by))
    ]
    return sorted(waiting, key=lambda record: record.turn != by)


def _idle(desk: Desk, by: str) -> str:
    """Return a line that says why nothing is asked of this person now."""
    if desk.stopped:
        stopped = desk.state.stopped
        return f"Everything is stopped{'' if stopped is None else f' by {stopped.by}'}."
    others = sorted({record.turn for record in desk.pending() if record.turn and record.turn != by})
    hint = f" There are questions for {', '.join(others[:5])}." if others else ""
    return f"Nothing is asked of {by} now.{hint}"


def _say_idle(desk: Desk, by: str, more: str = "") -> None:
    note(f"{_idle(desk, by)}{more}{' Once it is safe, let robots go on:' if desk.stopped else ''}")
    if desk.stopped:
        _say_how_to_enable(desk.journal.store)


def _say_how_to_enable(store: str) -> None:
    """Print the command that lets robots go on, in a line of its own, to be copied."""
    err.print(f"  handup answer --enable{store_named(store)}", markup=False, soft_wrap=True)


def _list(store: str, as_json: bool) -> None:
    with whole_journal(store) as (journal, _):
        state = replay(journal.read())
        now_s = max(journal.clock.now_s(), state.at_s)
    if as_json:
        rows = [_row(record, now_s) for record in state.waiting]
        print_json({"store": journal.store, "stopped": state.stopped is not None, "questions": rows})
        return
    if state.stopped is not None:
        out.print(f"Everything is stopped, by {state.stopped.by}.", markup=False)
    if not state.waiting:
        out.print("Nothing is open.")
        return
    screen = Screen(Console(highlight=False))
    for record in state.waiting:
        screen.say(_standing(record, now_s))
        screen.say(one_line(record.question.prompt), indent=2)
        screen.say(one_line(record.id), indent=2)


def _standing(record: Record, now_s: float) -> str:
    """Return the state of a question in one line: for whom it is, since when, and why it waits."""
    left = "" if record.until_s is None else span(record.until_s - now_s)
    why = {
        "held": record.why or "it does not fit yet",
        "claimed": f"{name_of(record.by)} has taken it on for another {left}",
        "deferred": f"{name_of(record.by)} said not now; asked again in {left} at the earliest",
    }.get(record.status, "")
    words = f"{record.status}, for {name_of(record.turn)}, asked {span(now_s - record.asked_s)} ago"
    return one_line(f"{words}: {why}" if why else words)


def _row(record: Record, now_s: float) -> dict[str, Any]:
    return {
        "id": record.id,
        "status": str(record.status),
        "for": record.turn,
        "audience": list(record.audience),
        "age_s": max(now_s - record.asked_s, 0.0),
        **picked(record, "until_s", "why"),
        "question": record.question.to_json(),
    }
