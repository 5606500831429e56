"""`handup inject`: drill that lets something go wrong in a world whose run was begun with --drills."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from handup.cli.options import RUNS_STORE, StoreOption
from handup.cli.output import plain_table, print_json, print_result, print_table, say
from handup.cli.run import home_of
from handup.cli.worlds import recipe_worlds, simulation
from handup.core import MissingSetting, NotNow
from handup.domains.runs import latest_run
from handup.journal import Journal

BEGIN = "handup run --world kitting --drills"
EPILOG = f"""Example: handup inject arm wedged_arm

Example: handup inject --list

A run takes drills only if it was begun with {BEGIN}. A run in another terminal takes a
drill at its next action; a run that was left takes it when it goes on.

Exit codes: 0 it will fail, 2 bad input, or a run that takes no drills."""


def inject(
    part: Annotated[str | None, typer.Argument(help="Part that fails, such as arm.", metavar="PART")] = None,
    failure: Annotated[
        str | None, typer.Argument(help="Failure of the part, such as wedged_arm.", metavar="FAILURE")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List all parts and failures, and leave.")] = False,
    store: StoreOption = RUNS_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Let something go wrong in a simulated world, to see whether the recoveries are up to it."""
    if listed:
        _list(as_json=as_json)
        return
    if part is None or failure is None:
        cause = "PART and FAILURE must both be given, and no part or no failure is named"
        raise MissingSetting(cause, hint="Name both; handup inject --list shows them.")
    run = _inject(part, failure, store)
    record = {"run": run, "part": part, "failure": failure}
    print_result(record, lambda: say(f"{run}: {failure} at the {part}, at its next opportunity."), as_json=as_json)


def _list(*, as_json: bool) -> None:
    worlds = [domain.world for domain in recipe_worlds() if domain.world is not None]
    drills = sorted((drill for world in worlds for drill in world.drills()), key=lambda drill: drill.part)
    if as_json:
        print_json({"failures": [asdict(drill) for drill in drills]})
        return
    table = plain_table("part", "failure", "what somebody would see")
    for drill in drills:
        table.add_row(drill.part, drill.failure, drill.words)
    print_table(table)


def _inject(part: str, failure: str, store: str) -> str:
    """Leave the drill in the world of the store's last run, and return the name of the run."""
    with Journal.open(store, create=False, readonly=True) as journal:
        last = latest_run(journal)
        if last is None:
            raise MissingSetting(
                "a drill must have a run, and none was begun on this store", hint=f"Begin one: {BEGIN}."
            )
        ordered = last.order
        if not ordered.drills:
            cause = f"{ordered.name} takes no drills: it was begun without --drills"
            raise NotNow(cause, hint=f"Begin another run: {BEGIN}.")
        if last.over is not None:
            raise NotNow(f"the run must still go on, and {ordered.name} is over", hint=f"Begin another one: {BEGIN}.")
        home = home_of(store, journal, ordered)
    simulation(ordered.world).inject(home, part, failure)
    return ordered.name
