"""`handup run`: a recipe runs, recovers by itself, asks when it knows no further, and goes on after a power cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from handup.cli.at_page import OF_THE_PAGE, first_named
from handup.cli.options import RUNS_STORE, STORE_VARIABLE, DatabaseFile, RecoveryFiles, StoreOption
from handup.cli.output import FAILED, err, print_json, say
from handup.cli.worlds import WORLDS, check_world
from handup.core import BadSetting

EPILOG = f"""Example: handup run --world kitting --seed 7

Example: handup run --world kitting --people page --no-browser

Example: handup run recipe.yaml --recoveries recoveries.yaml --database places.yaml --people terminal

Example: handup run --resume

Without a recipe the world's own task runs, without recoveries its own ones. Where people are asked, the end of a
world's time ends the run as done, whatever --recoveries are named. Worlds: {", ".join(WORLDS)}. Without --world the
robot can do what installed packages announce as actions (entry points in 'handup.actions').

Everything is kept: without --store in ${STORE_VARIABLE}, else in {RUNS_STORE}. After a power cut, a kill or Ctrl-C,
--resume goes on where the last run was, as it was begun: what else is named must be the same, but for --people and
--speed. A run that is over stays over and is told again; only in a store without any run --resume begins one. Files
that are written while it runs are read anew between two steps.

People: nobody (the run ends when no recovery is left), simulated (somebody in the world), terminal, page.

Exit codes: 0 done; 1 it ended otherwise: failed, out_of_recoveries, unanswered, stopped, erased, limit; 2 bad input or
store; 130 left with Ctrl-C, 143 with SIGTERM, 129 when the terminal was closed: --resume goes on."""

NOBODY, SIMULATED, TERMINAL, PAGE = "nobody", "simulated", "terminal", "page"
PEOPLE = (NOBODY, SIMULATED, TERMINAL, PAGE)


def run(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Recipe files; the run begins with the first one.", show_default=False, metavar="FILE …"),
    ] = None,
    recoveries: RecoveryFiles = None,
    database: DatabaseFile = None,
    world: Annotated[str | None, typer.Option(help=f"Where the robot is: {', '.join(WORLDS)}.", metavar="NAME")] = None,
    task: Annotated[str | None, typer.Option(help="Begin with this task.", metavar="NAME")] = None,
    params: Annotated[str | None, typer.Option(help="Its inputs, as JSON.", metavar="JSON")] = None,
    people: Annotated[
        str | None, typer.Option(help="Who is asked: nobody, simulated, terminal or page.", metavar="WHO")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last run of the store; begin where there is none.")
    ] = False,
    store: StoreOption = RUNS_STORE,
    seed: Annotated[int | None, typer.Option(help="Of the world; 0.", min=0, metavar="N")] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            help="Of a simulated robot; 1 is real time. As fast as it can, at the page 20.",
            min=0.1,
            max=10_000.0,
            metavar="X",
        ),
    ] = None,
    drills: Annotated[bool, typer.Option("--drills", help="Let `handup inject` make things fail.")] = False,
    steps: Annotated[bool, typer.Option("--steps", help="A line for each step, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print how it went as JSON, and nothing on the way.")] = False,
    port: Annotated[
        int | None, typer.Option(help="Of the page; 8765, or the next free one.", min=1, max=65535, metavar="N")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print where the page is.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Begin once a page is open, or at once, though nobody sees it.")
    ] = True,
    linger: Annotated[
        float, typer.Option(help="So long the page stays after the end.", min=0.0, max=3600.0, metavar="S")
    ] = 60.0,
) -> None:
    """Run a recipe with its recoveries, to a named end."""
    from handup.cli.run_setting import PageWanted, Wanted  # noqa: PLC0415 - the help does without databases
    from handup.cli.run_setting import run as run_it  # noqa: PLC0415

    if people is not None and people not in PEOPLE:
        raise BadSetting(f"--people is '{people}'", hint=f"Use {', '.join(PEOPLE[:-1])} or {PEOPLE[-1]}.")
    if world is not None:
        check_world(world)
    if drills and not world and not resume:
        raise BadSetting("there is nothing to drill without a world", hint=f"Name a --world: {', '.join(WORLDS)}.")
    wanted = Wanted(
        files=tuple(files or ()),
        recoveries=tuple(recoveries or ()),
        database=database,
        world=world,
        task=task,
        params=None if params is None else params_of(params),
        people=people,
        resume=resume,
        store=store,
        seed=seed,
        speed=speed,
        drills=drills,
        steps=steps,
        quiet=as_json,
        page=PageWanted(
            port=port,
            browser=not no_browser,
            wait=wait,
            linger_s=linger,
            named=first_named(context, OF_THE_PAGE),
        ),
    )
    record = run_it(wanted)
    if as_json:
        print_json(record)
    else:
        _show(record)
    if record["ending"] != "done":
        raise typer.Exit(FAILED)


def params_of(text: str) -> dict[str, Any]:
    """Inputs of a task, as JSON.

    Raises:
        BadSetting: They are none.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise BadSetting(f"--params is '{text[:60]}'", hint='Give JSON, such as \'{"object": "cup"}\'.')
    return given


def _show(record: dict[str, Any]) -> None:
    words = {"out_of_recoveries": "out of recoveries", "limit": "at a limit"}
    came_to = f": {record['in_words']}" if record["in_words"] else ""
    ending = words.get(record["ending"], record["ending"])
    say(f"{record['run']}: {ending} after {_span(record['time_s'])}{came_to}.")
    if record["ending"] != "done":
        say(record["reason"])
    counted = [
        _many(record["starts"], "action"),
        _many(record["failures"], "failure"),
        f"{record['recoveries']} recover{'y' if record['recoveries'] == 1 else 'ies'}",
        _many(record["questions"], "question"),
    ]
    if record["questions"] and record["availability"] is not None:
        counted.append(f"available {100 * record['availability']:.0f} % of the time")
    say(f"{', '.join(counted)}. What failed and what it cost: handup journal triage {record['store']}")
    if record["proposals"]:
        from handup.executive.proposing import OFFERED  # noqa: PLC0415 - slow to import

        say(f"\n{OFFERED}\n")
        say("".join(each["yaml"] for each in record["proposals"]).rstrip())
    if record["world"]:
        err.print("A simulated world; its rates are assumed.", markup=False)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
