"""`handup answer`: the terminal where a person answers what robots ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handup.cli.output import FAILED, INTERRUPTED, err, out, print_json, print_table
from handup.cli.people import load_people, user_name
from handup.cli.store import DEFAULT_STORE, StoreOption
from handup.core import BadSetting, Person

if TYPE_CHECKING:
    from handup.desk import Desk, Record

EPILOG = """Example: handup answer --by Ada

Shows one question after the other, of all robots that use the store, and waits for more. Ctrl-C leaves; what is open
stays open. --stop is for people; it is no safety function of a machine.

Exit codes: 0 done, 1 with --once: something is still open; 2 bad input or store; 130 Ctrl-C."""
WATCH_S = 1.0


def answer(
    by: Annotated[str | None, typer.Option(help="Who answers; the first of --people, or you.", metavar="NAME")] = None,
    people: Annotated[Path | None, typer.Option(help="Who there is, with limits, as YAML.", metavar="FILE")] = None,
    store: StoreOption = DEFAULT_STORE,
    once: Annotated[bool, typer.Option("--once", help="Answer what is open now, and leave.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show what is open, and leave.")] = False,
    enable: Annotated[bool, typer.Option("--enable", help="Let the robot go on after a stop.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop every robot that uses the store at once.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: print JSON.")] = False,
) -> None:
    """Answer the questions that robots ask, one by one."""
    from handup import recover  # noqa: F401, PLC0415 - what other programs wrote in the store must be known
    from handup.desk import Desk  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415 - the help does without databases

    known = () if people is None else load_people(people)
    name = by or (known[0].name if known else user_name())
    if known and name not in {each.name for each in known}:
        raise BadSetting(f"--by is '{name}'", hint=f"Name one of: {', '.join(each.name for each in known)}.")
    if as_json and not listed:
        raise BadSetting("--json goes with --list", hint="Use 'handup ask --json' to get answers.")
    if stop and enable:
        raise BadSetting("--stop and --enable stand together", hint="Use one of them.")
    if listed:
        _list(store, as_json)
        return
    with (
        Journal.open(store, create=not (once or stop or enable)) as journal,
        Desk(journal, known or [Person(name=name)]) as desk,
    ):
        if stop:
            desk.stop(name)
            _say("Stopped. Nothing goes on before somebody enables it: handup answer --enable")
            return
        if enable:
            desk.enable(name)
            _say("The robot may go on.")
        try:
            code = _serve(desk, name, once)
        except KeyboardInterrupt:
            err.print()
            _say("Left. What is open stays open.")
            code = INTERRUPTED
    raise typer.Exit(code)


def _serve(desk: Desk, by: str, once: bool) -> int:
    from handup.desk.terminal import How, Terminal  # noqa: PLC0415

    terminal, passed, said, shown = Terminal(by), set[str](), "", False
    while True:
        desk.tick()
        record = next((each for each in _before(desk, by) if each.id not in passed), None)
        if record is not None and not desk.stopped:
            ended, said, shown = terminal.put(record, desk), "", True
            if ended.how is How.INTERRUPTED:
                return INTERRUPTED
            if ended.how is How.LEFT:
                return FAILED if once else 0
            if ended.how is How.GONE:
                passed.add(record.id)
            continue
        if once:
            if desk.stopped or not shown:
                _say(_idle(desk, by))
            return FAILED if _before(desk, by) or desk.stopped else 0
        if (now := _idle(desk, by)) != said:
            said = now
            _say(f"{said} Waiting; Ctrl-C leaves.")
        if desk.watch(WATCH_S):
            passed.clear()


def _before(desk: Desk, by: str) -> list[Record]:
    """What is before this person now, oldest first."""
    from handup.desk.status import Status  # noqa: PLC0415

    mine = desk.pending(by)
    return [each for each in mine if each.status is Status.OPEN or (each.status is Status.CLAIMED and each.by == by)]


def _idle(desk: Desk, by: str) -> str:
    if desk.stopped:
        stopped = desk.state.stopped
        who = "" if stopped is None else f" by {stopped.by}"
        return f"Everything is stopped{who}. Once it is safe, let it go on with: handup answer --enable"
    others = sorted({each.turn for each in desk.pending() if each.turn and each.turn != by})
    hint = f" There are questions for {', '.join(others[:5])}; use --by to answer as one of them." if others else ""
    return f"Nothing is asked of {by} now.{hint}"


def _list(store: str, as_json: bool) -> None:
    from rich.table import Table  # noqa: PLC0415

    from handup.desk import replay  # noqa: PLC0415
    from handup.desk.saying import one_line  # noqa: PLC0415
    from handup.desk.words import span  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415

    with Journal.open(store, readonly=True) as journal:
        state = replay(journal.read())
        now_s = max(journal.clock.now_s(), state.at_s)
    if as_json:
        rows = [_row(each, now_s) for each in state.waiting]
        print_json({"store": journal.store, "stopped": state.stopped is not None, "questions": rows})
        return
    if state.stopped is not None:
        out.print(f"Everything is stopped, by {state.stopped.by}.", markup=False)
    if not state.waiting:
        out.print("Nothing is open.")
        return
    table = Table(box=None, pad_edge=False)
    for column in ("status", "for", "age", "id", "question"):
        table.add_column(column, no_wrap=column != "question")
    for each in state.waiting:
        cells = (str(each.status), each.turn or "–", span(now_s - each.asked_s), each.id, each.question.prompt)
        table.add_row(*(one_line(cell).replace("[", r"\[") for cell in cells))
    print_table(table)


def _row(record: Record, now_s: float) -> dict[str, Any]:
    return {
        "id": record.id,
        "status": str(record.status),
        "for": record.turn,
        "audience": list(record.audience),
        "age_s": max(now_s - record.asked_s, 0.0),
        "until_s": record.until_s,
        "why": record.why,
        "question": record.question.to_json(),
    }


def _say(line: str) -> None:
    err.print(" ".join(line.split()), markup=False, soft_wrap=True)
