"""`handup reach`: a hand reaches for something, driven by you at the page or by a simulated person, and helped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from handup import __version__
from handup.cli import reach_page
from handup.cli.at_page import OF_THE_PAGE, first_named
from handup.cli.options import STORE_HELP
from handup.cli.output import out, print_json, print_table
from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.domains.reaching import Strategy, Trial
    from handup.domains.reaching.driving import Driven

EPILOG = """Example: handup reach

Example: handup reach --scene U22 --method paper --port 8800 --no-browser

Example: handup reach --user stop-over --task cup/top --json

At the page you drive with keys, a gamepad, the buttons on the screen, or one switch; under Controls everything can be
given another key or button, for you and on that device only. The hand stands still while nothing is heard of you, while
a question is open, and after Stop.

A task is an object and a grasp, such as cup/top; without one, you take what you like and a simulated person does the
scene's first task. Users: you, stop-beside, stop-over, rotate-first. Methods: assist, paper, ho, manual and the others
of handup.intent.

Exit codes: 0 it is over; 2 bad input, a port that is taken, a page that is not built, or the extra [web] is missing;
130 left with Ctrl-C, 143 with SIGTERM, 129 when the terminal was closed: that ends the attempt."""
YOU = "you"
FIRST_SEED = 5000
"""Nobody meets a person of the study by chance: its seeds, 0 to 999, are looked at only in its own run."""
AT_THE_PAGE = {"store": "--store", **OF_THE_PAGE, "limit": "--limit"}
"""Options that only a person at the page has use for."""


def reach(
    context: typer.Context,
    scene: Annotated[str, typer.Option(help="S1, S2, U6 or U22.", metavar="SCENE")] = "S1",
    task: Annotated[
        str | None, typer.Option(help="What to take, such as cup/top; you take what you like.", metavar="GOAL")
    ] = None,
    method: Annotated[str, typer.Option(help="What helps; manual: nothing.", metavar="METHOD")] = "assist",
    user: Annotated[
        str, typer.Option(help="Who drives: you, or a simulated stop-beside, stop-over, rotate-first.", metavar="WHO")
    ] = YOU,
    seed: Annotated[
        int | None,
        typer.Option(
            help=f"Which simulated person; {FIRST_SEED}, as those of 0 to 999 are kept for the study.",
            min=0,
            max=2**32 - 1,
            metavar="N",
        ),
    ] = None,
    store: Annotated[str | None, typer.Option(help=STORE_HELP, metavar="STORE")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print how it went as JSON.")] = False,
    port: Annotated[
        int | None, typer.Option(help="Of the page; 8765, or the next free one.", min=1, max=65535, metavar="N")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print where the page is.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Begin once a page is open, or at once, though nobody sees it.")
    ] = True,
    limit: Annotated[
        float, typer.Option(help="At the page: so long you may take, in seconds.", min=1.0, max=3600.0, metavar="S")
    ] = 600.0,
    linger: Annotated[
        float, typer.Option(help="So long the page stays after the grasp.", min=0.0, max=3600.0, metavar="S")
    ] = 60.0,
) -> None:
    """Reach for something with a hand on a table, with a robot that guesses what you want, helps and asks."""
    from handup.domains import reaching  # noqa: PLC0415 - the help does without

    where = reaching.scene(scene)
    if user != YOU:
        _check_no_page(context, user)
        person = reaching.User(strategy=_strategy(user))
        who = FIRST_SEED if seed is None else seed
        trial = reaching.episode(where, task or where.tasks[0], person, reaching.method(method), who)
        if as_json:
            print_json({**trial.to_json(), "evidence": "simulated", "version": __version__})
        else:
            _show(trial)
        return
    if seed is not None:
        raise BadSetting("--seed is for simulated people", hint="Leave it out: what you do is not chance.")
    sitting = reach_page.Sitting(
        store=store, port=port, browser=not no_browser, wait=wait, limit_s=limit, linger_s=linger
    )
    driven = reach_page.drive(where, task or "", method, sitting)
    if as_json:
        print_json({**driven.to_json(), "evidence": "person", "version": __version__})
    else:
        _tell(driven)


def _check_no_page(context: typer.Context, user: str) -> None:
    """Nothing that was said of the page is left aside without a word."""
    option = first_named(context, AT_THE_PAGE)
    if option:
        raise BadSetting(f"{option} is for the page, and '{user}' drives without one", hint=f"Use --user {YOU}.")


def _strategy(user: str) -> Strategy:
    from handup.domains.reaching import Strategy  # noqa: PLC0415

    if user not in tuple(Strategy):
        raise BadSetting(f"--user is '{user}'", hint=f"Use {', '.join((YOU, *Strategy))}.")
    return Strategy(user)


def _show(trial: Trial) -> None:
    """Each attempt of a simulated person."""
    table = Table(box=None, pad_edge=False)
    for name in ("attempt", "strategy", "ending", "seconds", "mode changes", "questions", "opposing"):
        table.add_column(name, justify="left" if name in {"strategy", "ending"} else "right", no_wrap=True)
    for number, each in enumerate(trial.attempts, start=1):
        measures = (f"{each.time_s:.1f}", str(each.mode_changes), str(each.questions), f"{each.opposing:.0%}")
        table.add_row(str(number), str(each.strategy), str(each.ending), *measures)
    print_table(table)
    known = "" if trial.listed else " The wanted pose was none of the robot's list."
    out.print(f"\n{trial.scene}, {trial.task}, with {trial.method}; a simulated person.{known}", markup=False)


def _tell(driven: Driven) -> None:
    """How a person's own attempt went."""
    held = driven.held or "nothing"
    out.print(
        f"{driven.ending}: {held}, after {driven.time_s:.1f} s, {driven.mode_changes} changes of mode, "
        f"{driven.questions} questions. With {driven.method}, in {driven.scene}.",
        markup=False,
    )
