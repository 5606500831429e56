"""`handup run`: run of a robot that recovers by itself, asks people, and goes on after a power cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from handup.cli.options import (
    LINGER_S,
    RUNS_STORE,
    STORE_VARIABLE,
    DatabaseFile,
    Linger,
    NoBrowser,
    PageOptions,
    Port,
    RecoveryFiles,
    StoreOption,
    Wait,
    first_named,
)
from handup.cli.output import FAILED, err, many, print_json, say
from handup.cli.recipe_run import RunCall, execute
from handup.core import Malformed, MissingSetting, UnknownName
from handup.domains.domain import PEOPLE
from handup.executive.proposals import OFFERED

EPILOG = f"""Example: handup run --world kitting --seed 7

Example: handup run --world kitting --people page --no-browser

Example: handup run recipe.yaml --recoveries recoveries.yaml --database places.yaml --people terminal

Example: handup run --world feeding --set plate=noodles --people page

Example: handup run --resume

Worlds: kitting, where recipes run; feeding and reaching, whose robots have a task of their own with options for --set;
and those that installed packages announce (entry points in 'handup.domains'). Without a recipe the world's own task
runs, without recoveries its own ones. Where people are asked, the end of a world's time ends the run as done, whatever
--recoveries are named. Without --world the robot can do what installed packages announce as actions (entry points in
'handup.actions').

Everything is kept: without --store in ${STORE_VARIABLE}, else in {RUNS_STORE}. After a power cut, a kill or Ctrl-C,
--resume goes on where the last run was, as it was begun: what else is named must be the same, but for --people and
--speed. A run that is over stays over and is told again; only in a store without any run --resume begins one. Files
that are written while it runs are read anew between two steps.

People: nobody (the run ends when no recovery is left), simulated (somebody in the world), terminal, page.

Exit codes: 0 done; 1 it ended otherwise: failed, out_of_recoveries, unanswered, stopped, erased, limit; 2 bad input or
store; 130 left with Ctrl-C, 143 with SIGTERM, 129 when the terminal was closed: --resume goes on."""


def run(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of recipes; the run begins with the first one.", show_default=False, metavar="FILE …"
        ),
    ] = None,
    recoveries: RecoveryFiles = None,
    database: DatabaseFile = None,
    world: Annotated[
        str | None, typer.Option(help="World of the robot: kitting, feeding, reaching or your own.", metavar="NAME")
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", help="Option of the world's task. May be given several times.", metavar="NAME=VALUE"),
    ] = None,
    task: Annotated[str | None, typer.Option(help="Name of the recipe's task to begin with.", metavar="NAME")] = None,
    params: Annotated[str | None, typer.Option(help="Inputs of that task, as JSON.", metavar="JSON")] = None,
    people: Annotated[
        str | None, typer.Option(help="People to ask: nobody, simulated, terminal or page.", metavar="WHO")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last run of the store; begin one if there is none.")
    ] = False,
    store: StoreOption = RUNS_STORE,
    seed: Annotated[int | None, typer.Option(help="Seed of the world. Default: 0.", min=0, metavar="N")] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            help="Speed of a simulated robot; 1 is real time. Default: as fast as it can, at the page the world's own.",
            min=0.1,
            max=10_000.0,
            metavar="X",
        ),
    ] = None,
    drills: Annotated[bool, typer.Option("--drills", help="Allow `handup inject` to make things fail.")] = False,
    steps: Annotated[bool, typer.Option("--steps", help="Show a line for each step.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing on the way.")] = False,
    port: Port = None,
    no_browser: NoBrowser = False,
    wait: Wait = True,
    linger: Linger = LINGER_S,
) -> None:
    """Run a recipe with its recoveries, or the task of a world, to a named end."""
    if people is not None and people not in PEOPLE:
        must = f"be {', '.join(PEOPLE[:-1])} or {PEOPLE[-1]}"
        raise UnknownName.of("--people", f"'{people}'", must, hint="Give one of them.")
    if drills and not world and not resume:
        cause = "--drills must stand with a world: there is nothing to drill without a world"
        raise MissingSetting(cause, hint="Name a --world, such as kitting.")
    named = first_named(context)
    wanted = RunCall(
        files=tuple(files or ()),
        recoveries=tuple(recoveries or ()),
        database=database,
        world=world,
        options=dict(map(_option, options or ())),
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
        page=PageOptions(port=port, browser=not no_browser, wait=wait, linger_s=linger, named=named),
    )
    record = execute(wanted)
    if as_json:
        print_json(record)
    else:
        _show(record)
    if record["ending"] != "done":
        raise typer.Exit(FAILED)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise Malformed.of("--set", f"'{text[:60]}'", "be NAME=VALUE", hint="Give an option such as plate=noodles.")
    return name.strip(), value.strip()


def params_of(text: str) -> dict[str, Any]:
    """Return the inputs of a task from JSON.

    Raises:
        Malformed: The text is no JSON object.
    """
    try:
        inputs = json.loads(text)
    except (ValueError, RecursionError):
        inputs = None
    if not isinstance(inputs, dict):
        hint = 'Give inputs such as \'{"object": "cup"}\'.'
        raise Malformed.of("--params", f"'{text[:60]}'", "be a JSON object", hint=hint)
    return inputs


def _show(record: dict[str, Any]) -> None:
    if "starts" not in record:  # the task of a world, which says in its own words what came of it
        say(f"{record['run']}: {record['ending']}. {record.get('in_words', '')}".rstrip())
        say(f"What happened: handup journal replay {record['store']}")
        return
    words = {"out_of_recoveries": "out of recoveries", "limit": "at a limit"}
    came_to = f": {record['in_words']}" if record["in_words"] else ""
    ending = words.get(record["ending"], record["ending"])
    say(f"{record['run']}: {ending} after {_span(record['time_s'])}{came_to}.")
    if record["ending"] != "done":
        say(record["reason"])
    counted = [
        many(record["starts"], "action"),
        many(record["failures"], "failure"),
        many(record["recoveries"], "recovery", "recoveries"),
        many(record["questions"], "question"),
    ]
    if record["questions"] and record["availability"] is not None:
        counted.append(f"available {100 * record['availability']:.0f} % of the time")
    say(f"{', '.join(counted)}. What failed and what it cost: handup journal triage {record['store']}")
    if record["proposals"]:
        say(f"\n{OFFERED}\n")
        say("".join(proposal["yaml"] for proposal in record["proposals"]).rstrip())
    if record["world"]:
        err.print("A simulated world; its rates are assumed.", markup=False)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"
