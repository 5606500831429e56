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
from handup.cli.harness import at_work, check_page, drive, made_folder, workplace
from handup.cli.options import LINGER_S, STORE_HELP, AsJson, Linger, NoBrowser, PageOptions, Port, Wait
from handup.cli.output import check_writable, many, note, out, plain_table, print_json, print_table, working
from handup.core import Malformed, NotNow, UnknownName
from handup.desk import SkippingClock
from handup.desk.terminal import Left
from handup.domains.domain import PAGE, SIMULATED, TERMINAL
from handup.domains.feeding.household import MemoryWanted, household, next_meal
from handup.domains.feeding.meal import NAME
from handup.domains.feeding.meal_film import save_film
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

Methods: troubleshoot; SELECTOR+WHEN, such as graph+workload-aware; never+query-then-execute never asks,
topo+query-for-all asks everything.

At the page the robot begins once a page is open; --no-wait begins at once. A thanksgiving plate with hard looks is
served there, because the robot has something to ask in each of the first three meals, also if you answer rightly. On
easy looks it hardly ever asks.

At the page the meal is kept (in handup-meals/meal.db where no --store is named): the same command, run again after
it was killed, goes on where it was; after the last bite it begins another meal. Otherwise only --store keeps it. What
is kept goes on only as it was ordered: for anything else, use another --store file, or --new.

What people tell the robot about foods, boxes and skills it keeps on the meal's own store, or where --memory says, and
does not ask again where a plate looks alike, at this meal or the next; with --no-memory it neither keeps nor uses
anything, and nothing that is kept is deleted. A meal that goes on does as it was begun. --kitchen says in which home
simulated plates look alike; at the page all meals of a store are in one, unless --seed names a plate. handup journal
replay home.db tells what it remembers.

Exit codes: 0 the meal is over; 1 the film or the result could not be written; 2 bad input, nothing more to type, a port
that is taken, a page that is not built, or the extra [sim], [web] or OpenGL is missing; 130 left with Ctrl-C."""
FOLDER = Path("handup-meals")
PAGE_PLATE, PAGE_LOOKS = "thanksgiving", "hard"
"""Plate and looks at the page where none are named: the robot has something to ask about them."""
RESULT = {True: "got it", False: "lost"}


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """Settings of a meal that are not part of its order.

    Args:
        people: Kind of the people who answer.
        page: Settings of the page.
        store: Store of the meal; None keeps it in a folder at the page, else in one that is
            thrown away.
        new: Begin a new meal, though the last one was not finished.
        again: Tell a meal that is over again, instead of beginning another.
        own_seed: Give each new meal a plate of its own.
        own_kitchen: Serve all meals of the store in one home.
        speed: Speed of the arm; 1 is real time.
        accuracy: Share of right answers of simulated people, 0 to 1.
        frames: List that collects the pictures of the film; None films nothing.
        memory: Memory in which the robot keeps what it is told.
    """

    people: str
    page: PageOptions
    store: str | None
    new: bool
    again: bool
    own_seed: bool
    own_kitchen: bool
    speed: float
    accuracy: float | None
    frames: list[Any] | None
    memory: MemoryWanted


def meal(
    people: Annotated[str, typer.Option(help="People who answer: page, terminal or simulated.", metavar="WHO")] = PAGE,
    plate: Annotated[
        str | None,
        typer.Option(
            help="Plate: savory salad, thanksgiving, mixed salad, noodles or random. "
            "Default: savory salad, at the page thanksgiving.",
            metavar="NAME",
        ),
    ] = None,
    looks: Annotated[
        str | None,
        typer.Option(
            help="Looks: easy, or hard with other colours, lamps and clutter. Default: easy, at the page hard.",
            metavar="LOOKS",
        ),
    ] = None,
    method: Annotated[str, typer.Option(help="Method by which the robot decides.", metavar="METHOD")] = "troubleshoot",
    bites: Annotated[int, typer.Option(help="Number of bites.")] = 5,
    attempts: Annotated[int, typer.Option(help="Most attempts at each bite.")] = 3,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the meal. Default: 0, at the page another one each time.", min=0, metavar="N"),
    ] = None,
    faulty_detector: Annotated[
        bool,
        typer.Option("--faulty-detector", help="Use a food detector that is mostly wrong (the paper's appendix D)."),
    ] = False,
    calibrators: Annotated[
        str, typer.Option(help="Calibrators: best, interval (the paper's C.2) or scaled (its D).", metavar="KIND")
    ] = "best",
    accuracy: Annotated[
        float | None, typer.Option(help="Share of right answers of simulated people.", metavar="P", min=0.0, max=1.0)
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="File to write a film of the meal to.", metavar="FILE.gif")
    ] = None,
    store: Annotated[str | None, typer.Option(help=STORE_HELP, metavar="STORE")] = None,
    kitchen: Annotated[
        int | None,
        typer.Option(
            help="Number of a home, where lamp, table, plates and foods look alike. Default: at the page the store's.",
            min=0,
            metavar="N",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Store of what the robot is told. Default: the meal's own store.", metavar="STORE"),
    ] = None,
    remember: Annotated[
        bool | None,
        typer.Option(
            "--remember/--no-memory",
            help="Remember what people said, and do not ask it again. Default: as the meal was begun; "
            "for a new one on, with simulated people off.",
        ),
    ] = None,
    as_json: AsJson = False,
    port: Port = None,
    no_browser: NoBrowser = False,
    wait: Wait = True,
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new meal on the store, even if the last one is not over.")
    ] = False,
    rest: Annotated[
        float, typer.Option(help="Pause between two bites at the page, in seconds.", min=0.0, max=3600.0, metavar="S")
    ] = 6.0,
    speed: Annotated[
        float, typer.Option(help="Speed of the arm at the page; 1 is real time.", min=0.1, max=100.0, metavar="X")
    ] = 1.0,
    linger: Linger = LINGER_S,
) -> None:
    """Let the simulated feeding robot eat from a plate, with somebody to ask, and say how it went."""
    _check(people, record)
    if record is not None or people != SIMULATED:
        pillow("a film" if record is not None else "showing the plate to you")
    at_page = people == PAGE
    order = Order(
        plate=plate or (PAGE_PLATE if at_page else Order.plate),
        looks=looks or (PAGE_LOOKS if at_page else Order.looks),
        method=method,
        bites=bites,
        attempts=attempts,
        seed=seed or 0,
        faulty=faulty_detector,
        calibrators=calibrators,
        rest_s=rest if at_page else Order.rest_s,
        doubt_below=DOUBT_BELOW if at_page else Order.doubt_below,
        kitchen=kitchen,
    )
    sitting = Sitting(
        people=people,
        page=PageOptions(port=port, browser=not no_browser, wait=wait, linger_s=linger),
        store=store,
        new=new,
        again=not at_page,
        own_seed=at_page and seed is None,
        own_kitchen=at_page and kitchen is None and seed is None,
        speed=speed,
        accuracy=accuracy,
        frames=None if record is None else [],
        memory=MemoryWanted(store=memory, remember=remember, simulated=people == SIMULATED),
    )
    served = eat(order, sitting)
    if as_json:
        print_json({**served.to_json(), "version": __version__})
    else:
        _show(served)
    if record is not None:
        _save(sitting.frames or [], record)


def _check(people: str, record: Path | None) -> None:
    if people not in DOMAIN.people:
        known = ", ".join(DOMAIN.people)
        raise UnknownName.of("--people", f"'{people}'", "name people of a meal", hint=f"Use one of: {known}.")
    if record is not None and (record.suffix.lower() != ".gif" or not record.parent.is_dir() or record.is_dir()):
        must = "name a .gif file in a folder that exists"
        raise Malformed.of("--record", f"'{record}'", must, hint="Name another file.")
    if record is not None:
        check_writable("--record", record)


def eat(wanted: Order, sitting: Sitting) -> Served:
    """Eat the whole meal, from the plate to the summary.

    Raises:
        BadSetting: Another meal is under way on the store, the page is not built, or the robot asks and nothing
            more can be typed.
    """
    people, at_page = sitting.people, sitting.people == PAGE
    if at_page:
        check_page("a meal at the page")
    with ExitStack() as stack:
        if at_page or sitting.store is not None:
            store = sitting.store or str(made_folder(FOLDER) / "meal.db")
            left = f"Left. The meal is kept in {address_of(store).shown}; the same command goes on with it."
        else:
            store = str(Path(stack.enter_context(TemporaryDirectory())) / "meal.db")
            left = "Left. Nothing of this meal is kept: that needs --store."
        clock = SkippingClock() if people == SIMULATED else None
        work = stack.enter_context(at_work(store, left=left, clock=clock))
        if clock is not None:
            clock.skip_to(work.journal.head().at_s)
        place = stack.enter_context(
            workplace(work, sitting.page, people=people, robot=ROBOT, person=NAME, folder=FOLDER, speed=sitting.speed)
        )
        modules = Modules.load()
        memory = stack.enter_context(
            household(sitting.memory.place(work.journal, new=sitting.new, again=sitting.again), work.journal)
        )
        terms = MealTerms(
            people=SIMULATED if people == SIMULATED else PERSON,
            accuracy=sitting.accuracy if people == SIMULATED else None,
            networks=modules.networks,
            memory=memory is not None,
            memory_store="" if memory is None else kept_in(memory, work.journal),
        )
        found = next_meal(
            work.journal,
            wanted,
            terms,
            new=sitting.new,
            again=sitting.again,
            own_seed=sitting.own_seed,
            own_kitchen=sitting.own_kitchen,
            people=people,
        )
        order = found.order
        _say_what(order, sitting, address_of(store).shown, goes_on=found.goes_on)
        place.run = order.name
        task = MealTask(order, place, modules=modules, accuracy=sitting.accuracy, film=sitting.frames, memory=memory)
        try:
            with working("eating", order.bites, quiet=people == TERMINAL) as progress:
                drive(work, place, task, lambda: progress(task.eaten))
        except Left:
            kept = (
                "The same command goes on with it"
                if sitting.store is not None
                else "Nothing of it is kept: that needs --store"
            )
            raise NotNow(
                "the robot asks, and nothing more can be typed here",
                hint=f"{kept}. To have nobody asked, use --people simulated.",
            ) from None
        end_task(work.journal, order.name, task.result())
        work.linger("The meal is over.")
        return task.meal.served


def _say_what(order: Order, sitting: Sitting, store: str, *, goes_on: bool) -> None:
    """Say which meal it is, and where it is kept."""
    kept = f"Kept in {store}."
    if sitting.people == PAGE:
        what = f"{order.name} ({order.plate}, {order.bites} bites)"
        begins = f"Goes on with {what}; for a new one: --new." if goes_on else f"Begins {what}."
        note(f"{begins} {kept}")
    elif sitting.people == TERMINAL:
        kept = kept if sitting.store is not None else "Without --store nothing of this meal is kept."
        note(kept)
    if sitting.frames is not None and goes_on:
        note("The film shows only what is done from now on: this meal was begun before.")


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
