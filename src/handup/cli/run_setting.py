"""One run from the store to the result: which one, in what world, with whom to ask."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer

from handup.cli.asking_here import AskingHere, Left
from handup.cli.at_page import ENDED, alone, check_ready
from handup.cli.options import RUNS_STORE, default_store
from handup.cli.output import INTERRUPTED, err
from handup.cli.people import user_name
from handup.cli.recipe_problems import all_problems
from handup.cli.run_again import refuse_other
from handup.cli.run_driving import Leave, Leaving, Pace, drive
from handup.cli.run_home import home_of, is_there, make_folder
from handup.cli.run_progress import Progress
from handup.cli.worlds import WORLDS, own_files, stage_of, with_endings
from handup.core import BadSetting, ManualClock, Person
from handup.desk import Desk
from handup.domains.stage import Stage
from handup.executive.around import Around
from handup.executive.checking import abilities_of
from handup.executive.executive import Executive
from handup.executive.machine import Finished
from handup.executive.measures import measure
from handup.executive.ordering import RUN, Last, Ordered, last_run, next_run
from handup.executive.people import AtDesk, People
from handup.executive.proposing import Proposal, propose
from handup.executive.run import Run
from handup.executive.settings import Settings, Unseen
from handup.executive.sources import Files, Sources
from handup.journal import Journal
from handup.journal.address import address_of

NOBODY, SIMULATED, TERMINAL, PAGE = "nobody", "simulated", "terminal", "page"


@dataclass(frozen=True, kw_only=True)
class PageWanted:
    """How the page is opened: see `handup run --help`. `named` is the first of these options on the command line."""

    port: int | None = None
    browser: bool = True
    wait: bool = True
    linger_s: float = 0.0
    named: str = ""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was asked for on the command line; None is what was not named."""

    files: tuple[Path, ...] = ()
    recoveries: tuple[Path, ...] = ()
    database: Path | None = None
    world: str | None = None
    task: str | None = None
    params: dict[str, Any] | None = None
    people: str | None = None
    resume: bool = False
    store: str = RUNS_STORE
    seed: int | None = None
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
        asking = self.people not in (None, NOBODY)
        if self.files:
            named = Sources.read([str(each) for each in self.files], rules, database)
        else:
            own = own_files(self.world or "", asking=asking)
            named = Sources.read(own.recipes, rules or own.recoveries, database or next(iter(own.database), None))
        return with_endings(self.world, named) if self.world and asking else named


def run(wanted: Wanted) -> dict[str, Any]:
    """Begin or go on, to the end; what it came to.

    Raises:
        BadRecipe, BadSetting: The files or the terms are wrong.
    """
    store = wanted.store
    leaving = Leaving()
    begins = not (wanted.resume and is_there(store))
    terms = _terms(wanted) if begins else None
    if wanted.people == PAGE:
        check_ready("a run at the page")
    with ExitStack() as stack:
        if begins:
            make_folder(store)
        journal = stack.enter_context(Journal.open(store, create=begins or address_of(store).path is None))
        stack.enter_context(alone(journal, RUN, "a run"))
        last = last_run(journal) if wanted.resume else None
        if last is None:
            sources, settings = terms or _terms(wanted)
            ordered = next_run(
                journal,
                world=wanted.world or "",
                seed=wanted.seed or 0,
                drills=wanted.drills,
                people=wanted.people or NOBODY,
            )
            made = Run.of(
                sources, settings=settings, params=wanted.params, task=wanted.task, book=journal, run=ordered.name
            )
        else:
            refuse_other(wanted, last)
            refuse_unused(wanted, people=wanted.people or last.ordered.people, world=last.ordered.world)
            ordered, made = last.ordered, _known(last, journal)
        home = home_of(store, journal, ordered, new=last is None) if ordered.world else None
        stage = stage_of(ordered.world, seed=ordered.seed, home=home, drills=ordered.drills)
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


def _terms(wanted: Wanted) -> tuple[Sources, Settings]:
    """What to begin with: the files are right, and there is such a task with such inputs."""
    sources, settings = _checked(wanted)
    Run.of(sources, settings=settings, params=wanted.params, task=wanted.task)
    return sources, settings


def _checked(wanted: Wanted) -> tuple[Sources, Settings]:
    """What to begin with, refused before anything is written or moves."""
    refuse_unused(wanted, people=wanted.people or NOBODY, world=wanted.world or "")
    sources = wanted.sources
    if wanted.people == SIMULATED and not wanted.world:
        raise BadSetting("nobody is simulated without a world", hint="Use --people page or terminal.")
    stage = stage_of(wanted.world or "")
    with all_problems():
        sources.checked(abilities_of(stage.actions, {each.name: each for each in stage.monitors}))
    settings = Settings(unseen=Unseen.EXIT if wanted.people in (None, NOBODY) else Unseen.ASK)
    if not wanted.files:
        settings = replace(settings, lasts_s=stage.lasts_s, unit=stage.unit)
    return sources, settings


def refuse_unused(wanted: Wanted, *, people: str, world: str) -> None:
    """Nothing that was said of the page or of a world is left aside without a word.

    Args:
        wanted: What was said.
        people: Who is asked.
        world: Where the robot is; empty where that is no simulated world.

    Raises:
        BadSetting: Something has no use here.
    """
    if wanted.page.named and people != PAGE:
        raise BadSetting(
            f"{wanted.page.named} is for the page, and --people is '{people}'", hint=f"Use --people {PAGE}."
        )
    for option, given in (("--seed", wanted.seed), ("--speed", wanted.speed)):
        if given is not None and not world:
            raise BadSetting(
                f"{option} is for a simulated world", hint=f"Name a --world: {', '.join(WORLDS)}; or leave it out."
            )


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
        clock.advance(max(0.0, run.machine.now_s - clock.now_s()))  # people took time, too
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


def _say_what(wanted: Wanted, ordered: Ordered, run: Run, store: str) -> None:
    if wanted.quiet:
        return
    where = f" in {ordered.world}, seed {ordered.seed}" if ordered.world else ""
    verb = "Begins" if not run.known else "Goes on with" if run.machine.finished is None else "Is over:"
    err.print(f"{verb} {ordered.name}{where}. Kept in {address_of(store).shown}.", markup=False, soft_wrap=True)
    if run.machine.finished is not None and run.known:
        err.print("It stays over, and nothing moves. To begin a new one, leave out --resume.", markup=False)
    elif run.known and ordered.people == NOBODY and wanted.people not in (None, NOBODY):
        err.print("It was begun with nobody to ask, and ends where no recovery is left.", markup=False)


def _left(left: Leave | KeyboardInterrupt, wanted: Wanted) -> typer.Exit:
    err.print(f"Left; nothing moves. To go on: {_again(wanted)}", markup=False, soft_wrap=True)
    number = left.signal if isinstance(left, Leave) else 0
    return typer.Exit(ENDED + number if number else INTERRUPTED)


def _again(wanted: Wanted) -> str:
    named = wanted.store != RUNS_STORE or default_store(RUNS_STORE) != RUNS_STORE
    return "handup run --resume" + (f" --store {shlex.quote(wanted.store)}" if named else "")


def _record(over: Finished, ordered: Ordered, journal: Journal, stage: Stage, run: Run, store: str) -> dict[str, Any]:
    """What it came to, as plain data."""
    failure = over.failure
    measured = measure(journal.read(run=run.id))
    offers = _offers(journal, run) if measured.questions else ()
    return {
        "run": ordered.name,
        "ending": str(over.ending),
        "reason": over.reason,
        "outputs": dict(over.outputs),
        "world": ordered.world,
        "seed": ordered.seed,
        "result": stage.result(),
        "in_words": stage.in_words(),
        **measured.to_json(),
        "failed": None if failure is None else {"path": failure.path, "code": failure.code, "why": failure.why},
        "proposals": [each.to_json() for each in offers],
        "store": store,
    }


def _offers(journal: Journal, run: Run) -> tuple[Proposal, ...]:
    """Rules that people taught, in this run and in those before it in the store."""
    return propose(journal.read(), after=run.machine.settings.proposed_after, known=run.recoveries)
