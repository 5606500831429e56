"""`handup meal`: the simulated feeding robot takes a few bites from a plate, and asks when that is worth it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from handup import __version__
from handup.cli import meal_page
from handup.cli.at_page import alone
from handup.cli.meal_memory import Wanted, household
from handup.cli.options import STORE_HELP
from handup.cli.output import check_writable, err, out, print_json, print_table
from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.domains.feeding.order import Order
    from handup.domains.feeding.served import Bite, Served

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
SIMULATED, TERMINAL, PAGE = "simulated", "terminal", "page"
PAGE_PLATE, PAGE_LOOKS = "thanksgiving", "hard"
"""What is served at the page where nothing else is ordered: something that the robot asks about."""
RESULT = {True: "got it", False: "lost"}


def meal(
    people: Annotated[str, typer.Option(help="Who answers: page, terminal or simulated.", metavar="WHO")] = PAGE,
    plate: Annotated[
        str | None,
        typer.Option(
            help="savory salad (thanksgiving at the page), thanksgiving, mixed salad, noodles or random.",
            metavar="NAME",
        ),
    ] = None,
    looks: Annotated[
        str | None,
        typer.Option(help="easy (hard at the page), or hard: other colours, lamps, clutter.", metavar="LOOKS"),
    ] = None,
    method: Annotated[str, typer.Option(help="How it decides.", metavar="METHOD")] = "troubleshoot",
    bites: Annotated[int, typer.Option(help="How many bites.")] = 5,
    attempts: Annotated[int, typer.Option(help="How many attempts at each, at most.")] = 3,
    seed: Annotated[
        int | None, typer.Option(help="Which meal; 0, and at the page another one each time.", min=0, metavar="N")
    ] = None,
    faulty_detector: Annotated[
        bool, typer.Option("--faulty-detector", help="A food detector that is mostly wrong (the paper's appendix D).")
    ] = False,
    calibrators: Annotated[
        str, typer.Option(help="best, interval (the paper's C.2) or scaled (the paper's D).", metavar="KIND")
    ] = "best",
    accuracy: Annotated[
        float | None, typer.Option(help="How often simulated people are right.", metavar="P", min=0.0, max=1.0)
    ] = None,
    record: Annotated[Path | None, typer.Option(help="Film the meal.", metavar="FILE.gif")] = None,
    store: Annotated[str | None, typer.Option(help=STORE_HELP, metavar="STORE")] = None,
    kitchen: Annotated[
        int | None,
        typer.Option(
            help="In which home: its lamp, table, plates and foods look the same; at the page the store's.",
            min=0,
            metavar="N",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Where what it is told is kept; on the meal's own store.", metavar="STORE"),
    ] = None,
    remember: Annotated[
        bool | None,
        typer.Option(
            "--remember/--no-memory",
            help="Not to ask again what it was told before; off with simulated people, else as the meal was begun.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print how it went as JSON.")] = False,
    port: Annotated[
        int | None, typer.Option(help="Of the page; 8765, or the next free one.", min=1, max=65535, metavar="N")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print where the page is.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Begin once a page is open, or at once, though nobody sees it.")
    ] = True,
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new meal on the store, whatever was eaten there before.")
    ] = False,
    rest: Annotated[
        float, typer.Option(help="At the page: seconds from a bite to the next.", min=0.0, max=3600.0, metavar="S")
    ] = 6.0,
    speed: Annotated[
        float, typer.Option(help="At the page: of the arm; 1 is real time.", min=0.1, max=100.0, metavar="X")
    ] = 1.0,
    linger: Annotated[
        float, typer.Option(help="So long the page stays after the last bite.", min=0.0, max=3600.0, metavar="S")
    ] = 60.0,
) -> None:
    """Let the simulated feeding robot eat from a plate, with somebody to ask, and say how it went."""
    _check(people, record)
    kept = Wanted(store=memory, remember=remember, simulated=people == SIMULATED)
    from handup.domains.feeding.order import Order  # noqa: PLC0415 - the help does without the simulation
    from handup.domains.feeding.policy import DOUBT_BELOW  # noqa: PLC0415
    from handup.models.pictures import pillow  # noqa: PLC0415

    if record is not None or people != SIMULATED:
        pillow("a film" if record is not None else "showing the plate to you")
    order = Order(
        plate=plate or (PAGE_PLATE if people == PAGE else Order.plate),
        looks=looks or (PAGE_LOOKS if people == PAGE else Order.looks),
        method=method,
        bites=bites,
        attempts=attempts,
        seed=seed or 0,
        faulty=faulty_detector,
        calibrators=calibrators,
        rest_s=rest if people == PAGE else Order.rest_s,
        doubt_below=DOUBT_BELOW if people == PAGE else Order.doubt_below,
        kitchen=kitchen,
    )
    frames: list[Any] | None = None if record is None else []
    with _progress(bites, shown=people != TERMINAL) as told:
        if people == PAGE:
            sitting = meal_page.Sitting(
                store=store,
                port=port,
                browser=not no_browser,
                new=new,
                own_seed=seed is None,
                speed=speed,
                linger_s=linger,
                wait=wait,
                frames=frames,
                memory=kept,
                own_kitchen=kitchen is None and seed is None,
            )
            served = meal_page.eat(order, sitting, told)
        else:
            served = _eat(order, people, store, frames, accuracy, told, new=new, memory=kept)
    if as_json:
        print_json({**served.to_json(), "version": __version__})
    else:
        _show(served)
    if record is not None:
        _save(frames or [], record)


def _check(people: str, record: Path | None) -> None:
    if people not in (PAGE, TERMINAL, SIMULATED):
        raise BadSetting(f"--people is '{people}'", hint=f"Use {PAGE}, {TERMINAL} or {SIMULATED}.")
    if record is not None and (record.suffix.lower() != ".gif" or not record.parent.is_dir() or record.is_dir()):
        raise BadSetting(f"--record is '{record}'", hint="Name a .gif file in a folder that exists.")
    if record is not None:
        check_writable("--record", record)


def _eat(
    wanted: Order,
    people: str,
    store: str | None,
    frames: list[Any] | None,
    accuracy: float | None,
    told: Callable[[Bite], object],
    *,
    new: bool,
    memory: Wanted,
) -> Served:
    """The meal, on the given store or on one that is thrown away."""
    from handup.cli.asking_here import Left  # noqa: PLC0415 - the help does without the desk
    from handup.cli.meal_terminal import AtTerminal  # noqa: PLC0415 - belongs to an extra
    from handup.desk import SkippingClock  # noqa: PLC0415
    from handup.domains.feeding.meal import Meal  # noqa: PLC0415
    from handup.domains.feeding.modules import Modules  # noqa: PLC0415
    from handup.domains.feeding.order import PERSON, Terms  # noqa: PLC0415
    from handup.domains.feeding.ordering import RUN, finished, next_meal  # noqa: PLC0415
    from handup.domains.feeding.remembering import kept_in  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415

    modules = Modules.load()
    with ExitStack() as stack:
        place = store or str(Path(stack.enter_context(TemporaryDirectory())) / "meal.db")
        clock = SkippingClock() if people == SIMULATED else None
        journal = stack.enter_context(Journal.open(place, clock=clock))
        if clock is not None:
            clock.skip_to(journal.head().at_s)
        known_before = stack.enter_context(household(memory.place(journal, new=new, again=True), journal))
        stack.enter_context(alone(journal, RUN, "a meal"))
        known = Terms(
            people=PERSON,
            networks=modules.networks,
            memory=known_before is not None,
            memory_store="" if known_before is None else kept_in(known_before, journal),
        )
        if people == SIMULATED:
            known = replace(known, people=SIMULATED, accuracy=accuracy)
        found = next_meal(journal, wanted, known, new=new, again=True)
        meal_page.say_of_film(frames, goes_on=found.goes_on)
        if people == TERMINAL:
            kept = "Without --store nothing of this meal is kept." if store is None else f"Kept in {store}."
            err.print(kept, markup=False, soft_wrap=True)
        company = AtTerminal() if people == TERMINAL else None
        table = stack.enter_context(
            Meal(found.order, journal, modules=modules, film=frames, company=company, memory=known_before)
        )
        try:
            served = table.eat([] if company is not None else [table.simulated(accuracy=accuracy)], told=told)
        except Left:
            kept = "Nothing of it is kept: that needs --store" if store is None else "The same command goes on with it"
            raise BadSetting(
                "the robot asks, and nothing more can be typed here",
                hint=f"{kept}. To have nobody asked, use --people simulated.",
            ) from None
        finished(journal, found.order)
        return served


class _progress:  # noqa: N801 - used like a function
    """A progress bar on stderr, where that is a terminal; `with` gives what to call after each bite.

    Args:
        bites: How many there are.
        shown: Whether to show it: not where a person types, whose line it would overwrite.
    """

    def __init__(self, bites: int, *, shown: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=err, transient=True, disable=not (shown and err.is_terminal))
        self._task = self._bar.add_task("eating", total=bites)

    def __enter__(self) -> Callable[[Bite], object]:
        self._bar.start()
        return lambda bite: self._bar.update(self._task, advance=1, description=f"bite {bite.number}")

    def __exit__(self, *error: object) -> None:
        self._bar.stop()


def _save(frames: list[Any], record: Path) -> None:
    """Write the film, after the result: where that fails, the result is there."""
    from handup.domains.feeding.filming import save_film  # noqa: PLC0415 - belongs to an extra

    sys.stdout.flush()
    if not frames:
        err.print("No film: the meal was over before, and nothing was done now.", markup=False)
        return
    save_film(frames, record)
    err.print(f"Film: {record}", markup=False, soft_wrap=True)


def _show(served: Served) -> None:
    """What a person wants to know: each bite, what was asked, what it cost."""
    from handup.domains.feeding.served import NOTHING_LEFT  # noqa: PLC0415 - belongs to an extra

    table = Table(box=None, pad_edge=False)
    for name in ("bite", "food", "result", "tries", "asked about", "if lost, why"):
        table.add_column(name, justify="right" if name in {"bite", "tries"} else "left", no_wrap=True)
    for each in served.bites:
        result = f"wrong bite: {each.picked}" if each.is_wrong else RESULT[each.got]
        asked = ", ".join(each.asked) or "–"
        why = "" if each.cause is None else str(each.cause)
        table.add_row(str(each.number), each.food or "–", result, str(each.attempts), asked, why)
    print_table(table)
    record = served.to_json()
    real = "" if record["J_true"] == record["J"] else f" ({record['J_true']:.2f} by what was really on the fork)"
    out.print(
        f"\n{served.got} of {len(served.bites)} bites of the food that was meant, {record['wrong_bites']} of another. "
        f"{_times(record['queries'], 'question')}, {_times(record['executions'], 'attempt')}, workload "
        f"{record['workload']:.2f}, J {record['J']:.2f}{real}. "
        f"{served.seconds / 60:.1f} minutes by the meal's own clock.",
        markup=False,
    )
    if served.outcome == NOTHING_LEFT:
        out.print(f"After bite {len(served.bites)} nothing was left that a skill could pick.", markup=False)
    assumed = "; what people would say is assumed" if served.terms.people == SIMULATED else ""
    out.print(f"A simulated plate and simulated physics{assumed}.", markup=False)


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
