"""`handup meal`: the simulated feeding robot takes a few bites from a plate, and asks when that is worth it."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from handup import __version__
from handup.cli.harness import at_work, check_page, drive, made_folder, peopled
from handup.cli.options import STORE_HELP, AsJson, PageOptions, taking
from handup.cli.output import check_writable, many, note, out, plain_table, print_result, print_table, working
from handup.core import Malformed, UnknownName
from handup.desk import SkippingClock
from handup.domains.domain import PAGE, SIMULATED, TERMINAL, Workplace
from handup.domains.feeding.film import save_film
from handup.domains.feeding.household import MemoryWanted, household, next_meal
from handup.domains.feeding.meal import NAME
from handup.domains.feeding.meal_result import NOTHING_LEFT, Served
from handup.domains.feeding.memory_modules import kept_in
from handup.domains.feeding.modules import Modules
from handup.domains.feeding.order import PERSON, MealTerms, Order
from handup.domains.feeding.page_meal import ROBOT
from handup.domains.feeding.policy import DOUBT_BELOW
from handup.domains.feeding.task import DOMAIN, MealTask
from handup.domains.runs import end_task
from handup.journal.address import address_of
from handup.models.pictures import pillow

EPILOG = """Example: handup meal

Example: handup meal --people page --plate "mixed salad" --looks hard --seed 2 --no-browser

Example: handup meal --people simulated --plate thanksgiving --looks hard --seed 3 --record meal.gif

Example: handup meal --people simulated --looks hard --kitchen 7 --seed 1 --memory home.db

Methods: troubleshoot; SELECTOR+WHEN, such as graph+workload-aware. never+query-then-execute never asks, and
topo+query-for-all asks about everything.

At the page the robot begins once a page is open; --no-wait begins at once. By default it gets a thanksgiving plate with
hard looks there: with it the robot has something to ask in each of the first three meals, even if you answer rightly.
On easy looks it hardly ever asks.

At the page the meal is kept, by default in handup-meals/meal.db. The same command, run again after it was killed, goes
on where the meal was; after the last bite it begins another meal. Elsewhere a meal is kept only with --store. A meal
goes on only with the options that it was begun with: for others use another --store, or --new.

The robot remembers what people tell it about foods, boxes and skills, and does not ask again if a plate looks alike, at
this meal or the next. It remembers in the meal's own store, or where --memory says. With --no-memory it neither keeps
nor uses anything, and deletes nothing. A meal that goes on does as it was begun. --kitchen says in which home simulated
plates look alike; at the page all meals of a store are in one home, unless --seed is given. handup journal replay
home.db tells what the robot remembers.

Exit codes: 0 the meal is over; 1 the film or the result could not be written; 2 bad input, nothing more to type, a port
that is taken, a page that is not built, or the extra [sim], [web] or OpenGL is missing; 130 left with Ctrl-C."""
FOLDER = Path("handup-meals")
PAGE_PLATE, PAGE_LOOKS = "thanksgiving", "hard"
"""Plate and looks at the page where none are named: the robot has something to ask about them."""
RESULT = {True: "got it", False: "lost"}


@dataclass(frozen=True, kw_only=True)
class MealCall(PageOptions):
    """Options of `handup meal`; None where nothing was given."""

    people: Annotated[str, typer.Option(help="People who answer: page, terminal or simulated.", metavar="WHO")] = PAGE
    plate: Annotated[
        str | None,
        typer.Option(
            help="Plate: savory salad, thanksgiving, mixed salad, noodles or random. "
            "Default: savory salad, at the page thanksgiving.",
            metavar="NAME",
        ),
    ] = None
    looks: Annotated[
        str | None,
        typer.Option(
            help="Looks of the plate: easy, or hard (other colours, lamps, clutter). Default: easy, at the page hard.",
            metavar="LOOKS",
        ),
    ] = None
    method: Annotated[str, typer.Option(help="Method by which the robot decides.", metavar="METHOD")] = "troubleshoot"
    bites: Annotated[int, typer.Option(help="Number of bites.")] = 5
    attempts: Annotated[int, typer.Option(help="Most attempts at each bite.")] = 3
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the meal. Default: 0, at the page another one each time.", min=0, metavar="N"),
    ] = None
    faulty_detector: Annotated[
        bool,
        typer.Option("--faulty-detector", help="Use a food detector that is mostly wrong (the paper's appendix D)."),
    ] = False
    calibrators: Annotated[
        str,
        typer.Option(help="Calibrators: best, or the paper's: interval (appendix C.2), scaled (D).", metavar="KIND"),
    ] = "best"
    accuracy: Annotated[
        float | None, typer.Option(help="Share of right answers of simulated people.", metavar="P", min=0.0, max=1.0)
    ] = None
    record: Annotated[Path | None, typer.Option(help="File to write a film of the meal to.", metavar="FILE.gif")] = None
    store: Annotated[str | None, typer.Option(help=STORE_HELP, metavar="STORE")] = None
    kitchen: Annotated[
        int | None,
        typer.Option(
            help="Number of a home, in which lamp, table, plates and foods look alike. At the page the default is that "
            "of the store.",
            min=0,
            metavar="N",
        ),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option(
            help="Store in which the robot remembers what people say. Default: the meal's own.", metavar="STORE"
        ),
    ] = None
    remember: Annotated[
        bool | None,
        typer.Option(
            "--remember/--no-memory",
            help="Remember what people said, and do not ask it again. Default: on, with simulated people off. A meal "
            "that goes on does as it was begun.",
        ),
    ] = None
    as_json: AsJson = False
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new meal on the store, even if the last one is not over.")
    ] = False
    rest: Annotated[
        float, typer.Option(help="Pause between two bites at the page, in seconds.", min=0.0, max=3600.0, metavar="S")
    ] = 6.0
    speed: Annotated[
        float, typer.Option(help="Speed of the arm at the page; 1 is real time.", min=0.1, max=100.0, metavar="X")
    ] = 1.0

    @property
    def at_page(self) -> bool:
        """True if a person answers at the page."""
        return self.people == PAGE

    @property
    def simulated(self) -> bool:
        """True if nobody real is asked."""
        return self.people == SIMULATED

    @property
    def order(self) -> Order:
        """Order of a new meal."""
        return Order(
            plate=self.plate or (PAGE_PLATE if self.at_page else Order.plate),
            looks=self.looks or (PAGE_LOOKS if self.at_page else Order.looks),
            method=self.method,
            bites=self.bites,
            attempts=self.attempts,
            seed=self.seed or 0,
            faulty=self.faulty_detector,
            calibrators=self.calibrators,
            rest_s=self.rest if self.at_page else Order.rest_s,
            doubt_below=DOUBT_BELOW if self.at_page else Order.doubt_below,
            kitchen=self.kitchen,
        )


@taking(MealCall)
def meal(context: typer.Context, wanted: MealCall) -> None:
    """Let the simulated feeding robot eat from a plate, with somebody to ask, and say how it went."""
    record = wanted.record
    _check(wanted.people, record)
    if record is not None or not wanted.simulated:
        pillow("a film" if record is not None else "showing the plate to you")
    frames: list[Any] | None = None if record is None else []
    served = eat(wanted.order, wanted, frames)
    result = {**served.to_json(), "version": __version__}
    print_result(result, lambda: _show(served), as_json=wanted.as_json)
    if record is not None:
        _save(frames or [], record)


def _check(people: str, record: Path | None) -> None:
    if people not in DOMAIN.people:
        known = ", ".join(DOMAIN.people)
        raise UnknownName.of("--people", f"'{people}'", "name people of a meal", hint=f"Use one of: {known}.")
    if record is not None and (record.suffix.lower() != ".gif" or not record.parent.is_dir() or record.is_dir()):
        must = "name a .gif file in a folder that exists"
        raise Malformed.of("--record", f"'{record}'", must, hint="Name another file.")
    if record is not None:
        check_writable("--record", record)


def eat(order: Order, wanted: MealCall, frames: list[Any] | None = None) -> Served:
    """Eat the whole meal, from the plate to the summary.

    Args:
        order: Order of a new meal.
        wanted: Options of the call.
        frames: List that collects the pictures of the film; None films nothing.

    Raises:
        BadSetting: Another meal is under way on the store, the page is not built, or the robot asks and nothing
            more can be typed.
    """
    # At the page each meal has a plate of its own, and a meal that is over is followed by another one.
    at_page, own_seed = wanted.at_page, wanted.at_page and wanted.seed is None
    remembered = MemoryWanted(store=wanted.memory, remember=wanted.remember, simulated=wanted.simulated)
    if at_page:
        check_page("a meal at the page")
    with ExitStack() as stack:
        if at_page or wanted.store is not None:
            store = wanted.store or str(made_folder(FOLDER) / "meal.db")
            left = f"Left. The meal is kept in {address_of(store).shown}; the same command goes on with it."
        else:
            store = str(Path(stack.enter_context(TemporaryDirectory())) / "meal.db")
            left = "Left. Nothing of this meal is kept: that needs --store."
        clock = SkippingClock() if wanted.simulated else None
        work = stack.enter_context(at_work(store, left=left, clock=clock))
        place = Workplace(
            journal=work.journal, run="", people=wanted.people, robot=ROBOT, person=NAME, speed=wanted.speed
        )
        stack.enter_context(peopled(work, place, wanted, FOLDER))
        modules = Modules.load()
        memory = stack.enter_context(
            household(remembered.place(work.journal, new=wanted.new, again=not at_page), work.journal)
        )
        terms = MealTerms(
            people=SIMULATED if wanted.simulated else PERSON,
            accuracy=wanted.accuracy if wanted.simulated else None,
            networks=modules.networks,
            memory=memory is not None,
            memory_store="" if memory is None else kept_in(memory, work.journal),
        )
        found = next_meal(
            work.journal,
            order,
            terms,
            new=wanted.new,
            again=not at_page,
            own_seed=own_seed,
            own_kitchen=own_seed and wanted.kitchen is None,
            people=wanted.people,
        )
        order = found.order
        _say_what(order, wanted, address_of(store).shown, goes_on=found.goes_on)
        if frames is not None and found.goes_on:
            note("The film shows only what is done from now on: this meal was begun before.")
        place.run = order.name
        task = MealTask(order, place, modules=modules, accuracy=wanted.accuracy, film=frames, memory=memory)
        kept = (
            "Nothing of it is kept: that needs --store" if wanted.store is None else "The same command goes on with it"
        )
        hint = f"{kept}. To have nobody asked, use --people simulated."
        with working("eating", order.bites, quiet=wanted.people == TERMINAL) as progress:
            drive(work, place, task, hint=hint, after_step=lambda: progress(task.eaten))
        end_task(work.journal, order.name, task.result())
        work.linger("The meal is over.")
        return task.meal.served


def _say_what(order: Order, wanted: MealCall, store: str, *, goes_on: bool) -> None:
    """Say which meal it is, and where it is kept."""
    kept = f"Kept in {store}."
    if wanted.at_page:
        what = f"{order.name} ({order.plate}, {order.bites} bites)"
        begins = f"Goes on with {what}; for a new one: --new." if goes_on else f"Begins {what}."
        note(f"{begins} {kept}")
    elif wanted.people == TERMINAL:
        note(kept if wanted.store is not None else "Without --store nothing of this meal is kept.")


def _save(frames: list[Any], record: Path) -> None:
    """Write the film, after the result: if that fails, the result is printed all the same."""
    sys.stdout.flush()
    if not frames:
        note("No film: the meal was over before, and nothing was done now.")
        return
    save_film(frames, record)
    note(f"Film: {record}")


def _show(served: Served) -> None:
    """Print each bite, what was asked about it, and what the meal cost."""
    headings = ("bite", "food", "result", "tries", "asked about", "if lost, why")
    table = plain_table(*headings, right=("bite", "tries"))
    for bite in served.bites:
        result = f"wrong bite: {bite.picked}" if bite.is_wrong else RESULT[bite.got]
        asked = ", ".join(bite.asked) or "–"
        why = "" if bite.cause is None else str(bite.cause)
        table.add_row(str(bite.number), bite.food or "–", result, str(bite.attempts), asked, why)
    print_table(table)
    record = served.to_json()
    real = "" if record["J_true"] == record["J"] else f" ({record['J_true']:.2f} by what was really on the fork)"
    out.print(
        f"\n{served.got} of {len(served.bites)} bites of the food that was meant, {record['wrong_bites']} of another. "
        f"{many(record['queries'], 'question')}, {many(record['executions'], 'attempt')}, workload "
        f"{record['workload']:.2f}, J {record['J']:.2f}{real}. "
        f"{served.seconds / 60:.1f} minutes by the meal's own clock.",
        markup=False,
    )
    if served.outcome == NOTHING_LEFT:
        out.print(f"After bite {len(served.bites)} nothing was left that a skill could pick.", markup=False)
    assumed = "; what people would say is assumed" if served.terms.people == SIMULATED else ""
    out.print(f"A simulated plate and simulated physics{assumed}.", markup=False)
