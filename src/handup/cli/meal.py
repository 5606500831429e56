"""`handup meal`: the simulated feeding robot takes a few bites from a plate, and asks when that is worth it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from handup.cli.output import err, out, print_json, print_table
from handup.cli.store import STORE_HELP
from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.domains.feeding.served import Bite, Served

EPILOG = """Example: handup meal --people simulated --plate thanksgiving --looks hard --seed 3 --record meal.gif

Methods: troubleshoot; SELECTOR+WHEN, such as graph+workload-aware; never+query-then-execute never asks,
topo+query-for-all asks everything.

With --store the same command, run again after it was killed, goes on where it was. Without it nothing is kept.

Exit codes: 0 the meal is over; 2 bad input, or the extra [sim] or OpenGL is missing."""
SIMULATED, TERMINAL, PAGE = "simulated", "terminal", "page"
PICTURES = Path("meal-pictures")
RESULT = {True: "got it", False: "lost"}


def meal(
    people: Annotated[str, typer.Option(help="Who answers: simulated or terminal.", metavar="WHO")] = SIMULATED,
    plate: Annotated[
        str, typer.Option(help="savory salad, thanksgiving, mixed salad, noodles or random.", metavar="NAME")
    ] = "savory salad",
    looks: Annotated[str, typer.Option(help="easy, or hard: other colours, lamps, clutter.", metavar="LOOKS")] = "easy",
    method: Annotated[str, typer.Option(help="How it decides.", metavar="METHOD")] = "troubleshoot",
    bites: Annotated[int, typer.Option(help="How many bites.")] = 5,
    attempts: Annotated[int, typer.Option(help="How many attempts at each, at most.")] = 3,
    seed: Annotated[int, typer.Option(help="Which meal.", min=0)] = 0,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print how it went as JSON.")] = False,
) -> None:
    """Let the simulated feeding robot eat from a plate, with somebody to ask, and say how it went."""
    _check(people, record)
    from handup.domains.feeding.filming import pillow, save_film  # noqa: PLC0415
    from handup.domains.feeding.meal import Order  # noqa: PLC0415 - the help does without the simulation

    if record is not None:
        pillow()
    order = Order(
        plate=plate,
        looks=looks,
        method=method,
        bites=bites,
        attempts=attempts,
        seed=seed,
        faulty=faulty_detector,
        calibrators=calibrators,
    )
    frames: list[Any] | None = None if record is None else []
    with _progress(bites, hidden=people == TERMINAL) as told:
        served = _eat(order, people, store, frames, accuracy, told)
    if record is not None and frames:
        save_film(frames, record)
        err.print(f"Film: {record}", markup=False, soft_wrap=True)
    if as_json:
        print_json(served.to_json())
    else:
        _show(served)


def _check(people: str, record: Path | None) -> None:
    if people == PAGE:
        raise BadSetting("there is no page yet", hint="Use --people simulated or --people terminal.")
    if people not in (SIMULATED, TERMINAL):
        raise BadSetting(f"--people is '{people}'", hint=f"Use {SIMULATED} or {TERMINAL}.")
    if record is not None and (record.suffix.lower() != ".gif" or not record.parent.is_dir() or record.is_dir()):
        raise BadSetting(f"--record is '{record}'", hint="Name a .gif file in a folder that exists.")


def _eat(
    order: Any, people: str, store: str | None, frames: list[Any] | None, accuracy: float | None, told: Any
) -> Served:
    """The meal, on the given store or on one that is thrown away."""
    from handup.desk import SkippingClock, Terminal  # noqa: PLC0415
    from handup.domains.feeding.meal import NAME, Meal  # noqa: PLC0415
    from handup.domains.feeding.modules import Modules  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415

    modules = Modules.load()
    with ExitStack() as stack:
        place = store or str(Path(stack.enter_context(TemporaryDirectory())) / "meal.db")
        clock = SkippingClock() if people == SIMULATED else None
        journal = stack.enter_context(Journal.open(place, clock=clock))
        if clock is not None:
            clock.skip_to(journal.head().at_s)
        shown = _keep_picture if people == TERMINAL else _ignore
        table = stack.enter_context(Meal(order, journal, modules=modules, film=frames, shown=shown))
        channel = table.simulated(accuracy=accuracy) if people == SIMULATED else Terminal(NAME)
        return table.eat([channel], told=told)


def _ignore(name: str, picture: Any) -> None:
    """Simulated people see the plate itself."""


def _keep_picture(name: str, picture: Any) -> None:
    """A terminal shows no pictures: they lie in a folder."""
    from PIL import Image  # noqa: PLC0415 - belongs to an extra

    path = PICTURES / f"{name.replace('/', '-')}.png"
    PICTURES.mkdir(exist_ok=True)
    Image.fromarray(picture).save(path)
    err.print(f"The plate as the robot sees it: {path}", markup=False, soft_wrap=True)


class _progress:  # noqa: N801 - used like a function
    """A progress bar on stderr, where that is a terminal and free; `with` gives what to call after each bite."""

    def __init__(self, bites: int, *, hidden: bool) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=err, transient=True, disable=hidden or not err.is_terminal)
        self._task = self._bar.add_task("eating", total=bites)

    def __enter__(self) -> Callable[[Bite], object]:
        self._bar.start()
        return lambda bite: self._bar.update(self._task, advance=1, description=f"bite {bite.number}")

    def __exit__(self, *error: object) -> None:
        self._bar.stop()


def _show(served: Served) -> None:
    """What a person wants to know: each bite, what was asked, what it cost."""
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
    out.print(
        f"\n{served.got} of {len(served.bites)} bites of the food that was meant, {record['wrong_bites']} of another. "
        f"{_times(record['queries'], 'question')}, {_times(record['executions'], 'attempt')}, workload "
        f"{record['workload']:.2f}, J {record['J']:.2f}. {served.seconds / 60:.1f} minutes by the meal's own clock.",
        markup=False,
    )
    out.print("A simulated plate and simulated physics; what people would say is assumed.", markup=False)


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
