"""One run from the store to the result: which one, in what world, with whom to ask."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from handup.cli.asking_here import AskingHere, Left
from handup.cli.meal_page import ENDED, alone
from handup.cli.output import INTERRUPTED, err
from handup.cli.people import user_name
from handup.cli.run_driving import Leave, Leaving, Pace, drive
from handup.cli.run_progress import Progress
from handup.cli.worlds import Stage, own_files, stage_of
from handup.core import BadSetting, ManualClock, Person, StoreUnavailable
from handup.desk import Desk
from handup.executive.around import Around
from handup.executive.checking import abilities_of, require
from handup.executive.executive import Executive
from handup.executive.machine import Finished
from handup.executive.measures import measure
from handup.executive.ordering import RUN, Last, Ordered, last_run, next_run
from handup.executive.people import AtDesk, People
from handup.executive.run import Run
from handup.executive.settings import Settings, Unseen
from handup.executive.sources import Files, Sources
from handup.journal import Journal
from handup.journal.address import address_of

FOLDER = Path("handup-runs")
STORE = FOLDER / "run.db"
NOBODY, SIMULATED, TERMINAL, PAGE = "nobody", "simulated", "terminal", "page"


@dataclass(frozen=True, kw_only=True)
class PageWanted:
    """How the page is opened: see `handup run --help`."""

    port: int | None = None
    browser: bool = True
    wait: bool = True
    linger_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was asked for on the command line. What a run that goes on began with holds instead."""

    files: tuple[Path, ...] = ()
    recoveries: tuple[Path, ...] = ()
    database: Path | None = None
    world: str = ""
    task: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    people: str | None = None
    resume: bool = False
    store: str | None = None
    seed: int = 0
    speed: float | None = None
    drills: bool = False
    steps: bool = False
    quiet: bool = False
    page: PageWanted = field(default_factory=PageWanted)

    @property
    def sources(self) -> Sources:
        """The files to begin with: those that are named, and the world's own in the place of others."""
        rules = [str(each) for each in self.recoveries]
        database = None if self.database is None else str(self.database)
        if self.files:
            return Sources.read([str(each) for each in self.files], rules, database)
        own = own_files(self.world, asking=self.people not in (None, NOBODY))
        return Sources.read(own.recipes, rules or own.recoveries, database or next(iter(own.database), None))


def run(wanted: Wanted) -> dict[str, Any]:
    """Begin or go on, to the end; what it came to.

    Raises:
        BadRecipe, BadSetting: The files or the terms are wrong.
    """
    store = wanted.store or default_store()
    leaving = Leaving()
    with ExitStack() as stack:
        journal = stack.enter_context(Journal.open(store))
        stack.enter_context(alone(journal, RUN, "a run"))
        last = last_run(journal) if wanted.resume else None
        if last is None:
            sources, settings = _checked(wanted)
            ordered = next_run(
                journal,
                world=wanted.world,
                seed=wanted.seed,
                drills=wanted.drills,
                people=wanted.people or NOBODY,
            )
            made = Run.of(
                sources, settings=settings, params=wanted.params, task=wanted.task, book=journal, run=ordered.name
            )
        else:
            ordered, made = last.ordered, _known(last, journal)
        stage = stage_of(ordered.world, seed=ordered.seed, path=world_file(store, ordered.name), drills=ordered.drills)
        stack.callback(stage.close)
        _say_what(wanted, ordered, made, store)
        stack.enter_context(leaving.listening())
        try:
            over = _run(wanted, ordered, made, stage, journal, store, leaving)
        except (Leave, KeyboardInterrupt) as left:
            raise _left(left, wanted) from None
        except Left:
            raise BadSetting(
                "the robot asks, and nothing more can be typed here",
                hint=f"Go on with: {_again(wanted)}; to have nobody asked, leave out --people.",
            ) from None
        return _record(over, ordered, journal, stage, made, address_of(store).shown)


def _checked(wanted: Wanted) -> tuple[Sources, Settings]:
    """What to begin with, refused before anything is written or moves."""
    sources = wanted.sources
    recipes, recoveries = sources.parsed()
    if wanted.people == SIMULATED and not wanted.world:
        raise BadSetting("nobody is simulated without a world", hint="Use --people page or terminal.")
    stage = stage_of(wanted.world, seed=wanted.seed)
    require(recipes, recoveries, abilities=abilities_of(stage.actions, {each.name: each for each in stage.monitors}))
    return sources, Settings(unseen=Unseen.EXIT if wanted.people in (None, NOBODY) else Unseen.ASK)


def _known(last: Last, journal: Journal) -> Run:
    """A run that goes on, or is over."""
    started = last.started
    sources = Sources.from_json(started.sources)
    return Run.of(sources, params=started.params, task=started.main, book=journal, run=last.ordered.name)


def _run(
    wanted: Wanted, ordered: Ordered, run: Run, stage: Stage, journal: Journal, store: str, leaving: Leaving
) -> Finished:
    """Drive it, with the people that are to be asked."""
    people = wanted.people or ordered.people
    finished = run.machine.finished
    if finished is not None and run.known:
        return finished
    clock = stage.clock
    if isinstance(clock, ManualClock):
        clock.advance(max(0.0, run.machine.state()["now_s"] - clock.now_s()))  # people took time, too
    if people == PAGE:
        from handup.cli.run_page import at_page  # noqa: PLC0415 - belongs to an extra

        return at_page(wanted, run, stage, journal, store, leaving)
    origin_s = 0.0 if isinstance(clock, ManualClock) else clock.now_s()
    progress = Progress(
        run.machine, quiet=wanted.quiet, steps=wanted.steps, typing=people == TERMINAL, origin_s=origin_s
    )
    run.follow(progress.told)
    with _company(people, run, stage, journal) as asked, progress:
        executive = Executive(run, around_of(stage, asked), files=files_of(run))
        return drive(executive, Pace(speed=wanted.speed, leaving=leaving))


@contextmanager
def _company(people: str, run: Run, stage: Stage, journal: Journal) -> Iterator[People | None]:
    """Whom to ask, where that is not at the page."""
    if people == SIMULATED:
        if stage.simulated is None:
            raise BadSetting("nobody is simulated without a world", hint="Use --people page or terminal.")
        yield stage.simulated(run.machine)
    elif people == TERMINAL:
        person = user_name()
        with Desk(journal, [Person(name=person)], channels=[AskingHere(person)]) as desk:
            refuse_stopped(desk)
            yield stage.with_hands(AtDesk(desk, run.id), run.machine)
    else:
        yield None


def refuse_stopped(desk: Desk) -> None:
    """A robot does not begin while somebody's stop holds.

    Raises:
        BadSetting: One holds.
    """
    if desk.stopped:
        raise BadSetting(
            "somebody stopped the robots of this store",
            hint="Once it is safe, let them go on: handup answer --enable --store STORE, or use another --store.",
        )


def around_of(stage: Stage, people: People | None) -> Around:
    """What a run has around it on a stage."""
    return Around(
        actions=stage.actions,
        clock=stage.clock,
        monitors=stage.monitors,
        people=people,
        look_every_s=stage.look_every_s,
    )


def files_of(run: Run) -> Files | None:
    """The files of a run, to be read anew when somebody writes them."""
    return None if run.sources is None else Files(run.sources)


def world_file(store: str, name: str) -> Path:
    """The file in which the world of a run lives."""
    path = address_of(store).path
    base = FOLDER / "store" if path is None else path
    return base.with_name(f"{base.name}.{name}.world")


def default_store() -> str:
    """Where runs are kept where nothing else is said.

    Raises:
        StoreUnavailable: The folder cannot be made.
    """
    try:
        FOLDER.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {FOLDER} cannot be made here: {error.strerror or error}",
            hint="Go to a folder that you may write in, or name a file with --store.",
        ) from None
    return str(STORE)


def _say_what(wanted: Wanted, ordered: Ordered, run: Run, store: str) -> None:
    if wanted.quiet:
        return
    where = f" in {ordered.world}, seed {ordered.seed}" if ordered.world else ""
    verb = "Begins" if not run.known else "Goes on with" if run.machine.finished is None else "Is over:"
    err.print(f"{verb} {ordered.name}{where}. Kept in {address_of(store).shown}.", markup=False, soft_wrap=True)


def _left(left: Leave | KeyboardInterrupt, wanted: Wanted) -> typer.Exit:
    err.print(f"Left; nothing moves. To go on: {_again(wanted)}", markup=False, soft_wrap=True)
    number = left.signal if isinstance(left, Leave) else 0
    return typer.Exit(ENDED + number if number else INTERRUPTED)


def _again(wanted: Wanted) -> str:
    return "handup run --resume" + (f" --store {wanted.store}" if wanted.store else "")


def _record(over: Finished, ordered: Ordered, journal: Journal, stage: Stage, run: Run, store: str) -> dict[str, Any]:
    """What it came to, as plain data."""
    measured = measure(journal.read(run=run.id))
    failure = over.failure
    return {
        "run": ordered.name,
        "ending": str(over.ending),
        "time_up": failure is not None and failure.code in stage.ends_with,
        "reason": over.reason,
        "outputs": dict(over.outputs),
        "world": ordered.world,
        "seed": ordered.seed,
        "result": stage.result(),
        "in_words": stage.in_words(),
        "seconds": round(measured.time_s, 3),
        "help_s": round(measured.help_s, 3),
        "starts": measured.starts,
        "failures": measured.failures,
        "recoveries": measured.recoveries,
        "questions": measured.interventions,
        "mtbi_s": None if math.isinf(measured.mtbi_s) else round(measured.mtbi_s, 3),
        "mtci_s": round(measured.mtci_s, 3),
        "availability": round(measured.availability, 6),
        "failed": None if failure is None else {"path": failure.path, "code": failure.code, "why": failure.why},
        "store": store,
    }
