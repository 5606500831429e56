"""`handup plate`: a simulated robot clears a plate of noodles or beans, and asks whether to push first."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from handup import __version__
from handup.cli.harness import at_work, check_page, drive, made_folder, peopled
from handup.cli.options import COMMANDS, STORE_HELP, AsJson, PageOptions, taking
from handup.cli.output import note, out, plain_table, print_result, print_table, working
from handup.cli.plate_segment import EPILOG as SEGMENT_EPILOG
from handup.cli.plate_segment import segment_eval
from handup.core import Malformed, UnknownName
from handup.core.installation import install_command
from handup.desk import SkippingClock
from handup.domains.domain import PAGE, SIMULATED, TERMINAL, Workplace
from handup.domains.plate.engines import engine_of
from handup.domains.plate.noodle_physics import has_compiler
from handup.domains.plate.plate_log import words_of
from handup.domains.plate.primitives import PlateFood
from handup.domains.plate.questions import QUESTION_SHARE
from handup.domains.plate.task import DOMAIN, BegunPlate, PlateOrder, PlateTask, begin_plate
from handup.domains.runs import end_task
from handup.journal.address import address_of
from handup.models.pictures import pillow

EPILOG = """Example: handup plate

Example: handup plate --food noodles --people terminal

Example: handup plate --people simulated --policy alternate --seed 3 --record plate-3 --json

Policies: oracle, acquire, group-first, alternate, random. The oracle tries both actions on copies of the simulated
plate, and so expects something of each: only with it the robot has doubts, and asks. It takes a second or two for each
action, with noodles longer. acquire never pushes, group-first pushes once, alternate pushes every other time.

At the page the plate is kept, by default in handup-plates/plate.db. The same command, run again after it was killed,
goes on with the plate where it was. Elsewhere a plate is kept only with --store.

Beans need the extra [sim]. Noodles are much faster with the extra [fast]; they are compiled when they are used for the
first time, which takes up to a minute. It ends at the bite: bringing food to a mouth is no part of it.

Exit codes: 0 the plate is over; 2 bad input, nothing more to type, a port that is taken, a page that is not built, or
an extra is missing; 130 left with Ctrl-C."""
FOLDER = Path("handup-plates")


@dataclass(frozen=True, kw_only=True)
class PlateCall(PageOptions):
    """Options of `handup plate`; None where nothing was given."""

    food: Annotated[str, typer.Option(help="Food on the plate: noodles or beans.", metavar="FOOD")] = "beans"
    people: Annotated[str, typer.Option(help="People who answer: page, terminal or simulated.", metavar="WHO")] = PAGE
    policy: Annotated[str, typer.Option(help="Policy that chooses between a bite and a push.", metavar="NAME")] = (
        PlateOrder.policy
    )
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the plate. Default: 0, at the page another one each time.", min=0, metavar="N"),
    ] = None
    ask: Annotated[bool, typer.Option("--ask/--no-ask", help="Ask where that is worth a question.")] = True
    question_share: Annotated[
        float,
        typer.Option(help="Share of a full plate that a question must be expected to save.", min=1e-6, max=1.0),
    ] = QUESTION_SHARE
    record: Annotated[
        Path | None,
        typer.Option(help="Folder for a film of each action, and for what came of them.", metavar="FOLDER"),
    ] = None
    store: Annotated[str | None, typer.Option(help=STORE_HELP, metavar="STORE")] = None
    as_json: AsJson = False
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new plate on the store, even if the last one is not over.")
    ] = False
    speed: Annotated[
        float, typer.Option(help="Speed of the robot; 1 is real time.", min=0.1, max=100.0, metavar="X")
    ] = 1.0

    @property
    def order(self) -> PlateOrder:
        """Order of a new plate.

        Raises:
            UnknownName: There is no such food, policy or kind of people.
        """
        for option, name, known in (("--food", self.food, PlateFood), ("--people", self.people, DOMAIN.people)):
            if name not in tuple(known):
                raise UnknownName.of(option, f"'{name}'", f"be one of {', '.join(known)}", hint="Give one of these.")
        return PlateOrder(
            food=PlateFood(self.food),
            policy=self.policy,
            seed=self.seed or 0,
            ask=self.ask,
            question_share=self.question_share,
            record="" if self.record is None else str(self.record.absolute()),
        )


app = typer.Typer(rich_markup_mode=None, add_completion=False, help=COMMANDS["plate"], epilog=EPILOG)
app.command("segment-eval", epilog=SEGMENT_EPILOG)(segment_eval)


@app.callback(invoke_without_command=True)
@taking(PlateCall)
def plate(context: typer.Context, wanted: PlateCall) -> None:
    """Let the simulated robot clear a plate of noodles or beans over many bites, with somebody to ask."""
    if context.invoked_subcommand is not None:
        return
    order = wanted.order
    engine_of(order.food)  # beans need an extra: refuse now, before anything is begun
    if order.food is PlateFood.NOODLES and not has_compiler():
        note(
            f"Noodles are computed by NumPy here, many times slower than compiled ones. Run: {install_command('fast')}."
        )
    if wanted.people == PAGE:
        check_page("a plate at the page")
        pillow("showing the plate to you")
    if wanted.record is not None:
        pillow("a film")
        _make_record(wanted.record)
    result = {**_clear(order, wanted), "people": wanted.people, "evidence": "simulated", "version": __version__}
    print_result(result, lambda: _show(result), as_json=wanted.as_json)


def _make_record(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        got = f"'{folder}' ({error.strerror or error})"
        raise Malformed.of("--record", got, "name a folder that can be made", hint="Name another one.") from None


def _clear(order: PlateOrder, wanted: PlateCall) -> dict[str, Any]:
    """Clear the whole plate, and return what came of it."""
    at_page, simulated = wanted.people == PAGE, wanted.people == SIMULATED
    with ExitStack() as stack:
        if at_page or wanted.store is not None:
            store = wanted.store or str(made_folder(FOLDER) / "plate.db")
            left = f"Left. The plate is kept in {address_of(store).shown}; the same command goes on with it."
        else:
            store = str(Path(stack.enter_context(TemporaryDirectory())) / "plate.db")
            left = "Left. Nothing of this plate is kept: that needs --store."
        work = stack.enter_context(at_work(store, left=left, clock=SkippingClock() if simulated else None))
        begun = begin_plate(
            work.journal, order, wanted.people, new=wanted.new, own_seed=at_page and wanted.seed is None
        )
        place = Workplace(
            journal=work.journal, run=begun.name, people=wanted.people, robot=DOMAIN.robot, speed=wanted.speed
        )
        stack.enter_context(peopled(work, place, wanted, FOLDER))
        if at_page or wanted.store is not None:
            _say_what(begun, address_of(store).shown)
        task = PlateTask(begun.order, place)
        told = len(task.done)

        def after_step() -> None:
            nonlocal told
            progress(len(task.done))
            if wanted.people == TERMINAL and len(task.done) > told:
                acted = task.done[-1]
                came = words_of(order.food, acted.primitive, acted.moved)
                note(f"Action {acted.number} of {order.food.actions}. {came}")
            told = len(task.done)

        hint = "To have nobody asked, use --no-ask. What was done is kept only with --store."
        with working("clearing", order.food.actions, quiet=not simulated) as progress:
            drive(work, place, task, hint=hint, after_step=after_step)
        result = end_task(work.journal, begun.name, task.result())
        work.linger("The plate is over.")
        return {"run": begun.name, **result}


def _say_what(begun: BegunPlate, store: str) -> None:
    verb = "Goes on with" if begun.goes_on else "Begins"
    note(f"{verb} {begun.name}: {begun.order.food}, seed {begun.order.seed}, {begun.order.policy}. Kept in {store}.")


def _show(result: dict[str, Any]) -> None:
    """Print each action and what came of it."""
    table = plain_table("action", "did", "asked", "took", "lost", "left", right=("action", "took", "lost", "left"))
    for action in result["actions"]:
        asked = "–" if not action["asked"] else "answered" if action["answered"] else "no answer"
        shares = (f"{action[name]:.0%}" for name in ("taken", "lost", "left"))
        table.add_row(str(action["number"]), action["primitive"], asked, *shares)
    print_table(table)
    out.print(f"\n{result['in_words']}\nA simulated plate; shares are of a full one.", markup=False)
