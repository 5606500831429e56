"""`handup reach`: hand that reaches for something, driven by you or a simulated person, with a robot's help."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from handup import __version__
from handup.cli.harness import at_work, check_page, drive, made_folder, peopled
from handup.cli.options import STORE_HELP, AsJson, PageOptions, first_named, taking
from handup.cli.output import note, out, plain_table, print_result, print_table
from handup.core import ConflictingSettings, StoreUnavailable, UnknownName
from handup.domains.domain import PAGE, Workplace
from handup.domains.reaching import SteeringHabit, Trial
from handup.domains.reaching.driven_hand import Driven
from handup.domains.reaching.page_drive import NAME, ROBOT, Seat
from handup.domains.reaching.task import DOMAIN, Reach, run_of
from handup.domains.runs import end_task

EPILOG = """Example: handup reach

Example: handup reach --scene U22 --method paper --port 8800 --no-browser

Example: handup reach --user stop-over --task cup/top --json

At the page you drive with keys, a gamepad, the buttons on the screen, or one switch. Under Controls you can choose
other keys and buttons, for yourself and on that device only. The hand stands still while the server hears nothing from
you, while a question is open, and after Stop.

A task is an object and a grasp, such as cup/top. Without one you take what you like, and a simulated person does the
scene's first task. Users: you, stop-beside, stop-over, rotate-first. Methods: assist, paper, ho, manual and the others
of handup.intent.

Exit codes: 0 it is over; 2 bad input, a port that is taken, a page that is not built, or the extra [web] is missing;
130 left with Ctrl-C, 143 with SIGTERM, 129 when the terminal was closed: that ends the attempt."""
YOU = "you"
FOLDER = Path("handup-reach")


@dataclass(frozen=True, kw_only=True)
class ReachCall(PageOptions):
    """Options of `handup reach`; None where nothing was given."""

    scene: Annotated[str, typer.Option(help="Scene: S1, S2, U6 or U22.", metavar="SCENE")] = "S1"
    task: Annotated[str | None, typer.Option(help="Goal, such as cup/top. Default: what you like.", metavar="GOAL")] = (
        None
    )
    method: Annotated[str, typer.Option(help="Method of help; manual gives none.", metavar="METHOD")] = "assist"
    user: Annotated[
        str, typer.Option(help="Driver: you, or the simulated stop-beside, stop-over or rotate-first.", metavar="WHO")
    ] = YOU
    seed: Annotated[
        int | None,
        typer.Option(
            help=f"Seed of the simulated person. Default: {Reach.seed}, as 0 to 999 are kept for the study.",
            min=0,
            max=2**32 - 1,
            metavar="N",
        ),
    ] = None
    store: Annotated[str | None, typer.Option(help=STORE_HELP, metavar="STORE")] = None
    as_json: AsJson = False
    limit: Annotated[
        float,
        typer.Option(help="Longest time for the attempt at the page, in seconds.", min=1.0, max=3600.0, metavar="S"),
    ] = 600.0


@taking(ReachCall)
def reach(context: typer.Context, wanted: ReachCall) -> None:
    """Steer a robot's hand over a table; the robot guesses what you reach for, helps and asks."""
    seed = wanted.seed
    order = Reach(scene=wanted.scene, task=wanted.task or "", method=wanted.method, limit_s=wanted.limit)
    if wanted.user != YOU:
        _check_no_page(context, wanted.user)
        trial = replace(order, user=_strategy(wanted.user), seed=Reach.seed if seed is None else seed).trial()
        record = {**trial.to_json(), "evidence": "simulated", "version": __version__}
        print_result(record, lambda: _show(trial), as_json=wanted.as_json)
        return
    if seed is not None:
        cause = f"--seed must stand with a simulated --user, got '{YOU}'"
        raise ConflictingSettings(cause, hint="Leave it out: what you do is not chance.")
    driven = _drive(order, wanted)
    record = {**driven.to_json(), "evidence": "person", "version": __version__}
    print_result(record, lambda: _tell(driven), as_json=wanted.as_json)


def _drive(order: Reach, wanted: ReachCall) -> Driven:
    """Drive one attempt at the page, from the open page to the grasp.

    Raises:
        BadGoals: The task is no goal of the scene.
        UnknownMethod: There is no such method.
        MissingExtra: The extra `web` is not installed.
        MissingSetting: The page is not built.
        NotNow: Somebody drives on this store already.
    """
    check_page("driving at the page")
    where = wanted.store or str(made_folder(FOLDER) / "reach.db")
    with (
        at_work(where, left="Left. The hand stays where it is.") as work,
        peopled(
            work, Workplace(journal=work.journal, run="", people=PAGE, robot=ROBOT, person=NAME), wanted, FOLDER
        ) as place,
    ):
        place.run = run_of(work.journal, order)
        assert DOMAIN.task is not None
        seat = DOMAIN.task(order, place)
        assert isinstance(seat, Seat)
        if seat.drive.time_s > 0.0:
            note("It goes on with what was begun on this store.")
        try:
            drive(work, place, seat)
        finally:  # whoever leaves does not come back to it
            seat.end("the robot was told to leave")
            with suppress(StoreUnavailable):
                end_task(work.journal, place.run, seat.result())
        work.linger("It is over.")
        return seat.drive.result()


def _check_no_page(context: typer.Context, user: str) -> None:
    """Refuse options of the page for a simulated person, so that none is ignored without a word."""
    option = first_named(context, "store", "limit")
    if option:
        cause = f"{option} must stand with --user {YOU}, and '{user}' drives without a page"
        raise ConflictingSettings(cause, hint=f"Use --user {YOU}.")


def _strategy(user: str) -> SteeringHabit:
    if user not in tuple(SteeringHabit):
        known = ", ".join((YOU, *SteeringHabit))
        raise UnknownName.of("--user", f"'{user}'", "name a driver", hint=f"Use one of: {known}.")
    return SteeringHabit(user)


def _show(trial: Trial) -> None:
    """Print each attempt of a simulated person."""
    counts = ("seconds", "mode changes", "questions", "opposing")
    table = plain_table("attempt", "strategy", "ending", *counts, right=("attempt", *counts))
    for number, attempt in enumerate(trial.attempts, start=1):
        measures = (
            f"{attempt.time_s:.1f}",
            str(attempt.mode_changes),
            str(attempt.questions),
            f"{attempt.opposing:.0%}",
        )
        table.add_row(str(number), str(attempt.strategy), str(attempt.ending), *measures)
    print_table(table)
    known = "" if trial.listed else " The wanted pose was none of the robot's list."
    out.print(f"\n{trial.scene}, {trial.task}, with {trial.method}; a simulated person.{known}", markup=False)


def _tell(driven: Driven) -> None:
    """Print the result of a person's own attempt."""
    held = driven.held or "nothing"
    out.print(
        f"{driven.ending}: {held}, after {driven.time_s:.1f} s, {driven.mode_changes} changes of mode, "
        f"{driven.questions} questions. With {driven.method}, in {driven.scene}.",
        markup=False,
    )
