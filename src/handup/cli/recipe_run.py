"""One run of a robot, from the store to the result: begin or resume it, in its world, with people to ask."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from handup.cli.harness import Work, at_work, check_page, drive, made_folder, workplace
from handup.cli.options import RUNS_STORE, PageOptions, default_store
from handup.cli.output import note
from handup.cli.people import user_name
from handup.cli.recipe_problems import all_problems
from handup.cli.run_progress import RunProgress
from handup.cli.worlds import recipe_worlds, simulation, stage_of, with_endings
from handup.core import Clock, ConflictingSettings, ManualClock, MissingSetting, NotNow, UnknownName
from handup.desk import SkippingClock
from handup.desk.terminal import Left
from handup.domains.domain import DOMAINS, NOBODY, PAGE, SIMULATED, TERMINAL, Domain, Task, Workplace
from handup.domains.recipe_task import RecipeTask
from handup.domains.runs import RUNS, Last, Ordered, TaskOver, TaskStarted, begin_run, end_task
from handup.domains.stage import Home, Stage
from handup.executive.events import Started
from handup.executive.run import Run
from handup.executive.run_settings import RunSettings, Unseen
from handup.executive.sources import Sources
from handup.executive.validator import abilities_of
from handup.journal import Journal
from handup.journal.address import address_of
from handup.journal.files import Witness, note_path

FOLDER = Path(RUNS_STORE).parent
SHOWN_OF_HASH = 8
"""Letters of an order's hash in the name of its world's file."""
ROBOT = "robot"


@dataclass(frozen=True, kw_only=True)
class RunCall:
    """Arguments of one call of `handup run`; None where nothing was given.

    Args:
        files: Files of recipes.
        recoveries: Files of recoveries.
        database: File of the database.
        world: Name of a domain.
        options: Options of the domain's task.
        task: Name of the task to begin with, of a recipe.
        params: Inputs of that task.
        people: Kind of the people who are asked.
        resume: Whether to go on with the last run.
        store: Store of the run.
        seed: Seed of the world.
        speed: Speed of a simulated robot; 1 is real time.
        drills: Whether failures may be injected.
        steps: Whether to show each step.
        quiet: Whether to show nothing on the way.
        page: Settings of the page.
    """

    files: tuple[Path, ...] = ()
    recoveries: tuple[Path, ...] = ()
    database: Path | None = None
    world: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
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
    page: PageOptions = field(default_factory=PageOptions)

    @property
    def sources(self) -> Sources:
        """Files to begin with: those that are named, and the world's own in place of those that are not."""
        rules = [str(path) for path in self.recoveries]
        database = None if self.database is None else str(self.database)
        asking = self.people not in (None, NOBODY)
        if self.files:
            named = Sources.read([str(path) for path in self.files], rules, database)
        elif self.world:
            own = simulation(self.world).sources(asking=asking)
            named = Sources.read(own.recipes, rules or own.recoveries, database or next(iter(own.database), None))
        else:
            known = ", ".join(domain.name for domain in recipe_worlds())
            cause = "a recipe or a world must be named, and nothing to run is named"
            raise MissingSetting(cause, hint=f"Name a recipe file, or a --world: {known}.")
        return with_endings(self.world, named) if self.world and asking else named

    @property
    def again(self) -> str:
        """Command that goes on with the run."""
        named = self.store != RUNS_STORE or default_store(RUNS_STORE) != RUNS_STORE
        return "handup run --resume" + (f" --store {shlex.quote(self.store)}" if named else "")


def execute(wanted: RunCall) -> dict[str, Any]:
    """Begin a run or go on with one, to its end; return what came of it.

    Raises:
        BadRecipe, BadSetting: The files or the terms are wrong.
    """
    begins = not (wanted.resume and is_there(wanted.store))
    last = None if begins else _last(wanted.store)
    world = (wanted.world if last is None else last.order.world) or ""
    domain = DOMAINS.get(world) if world else None
    way = _RecipeWay(wanted, domain, last) if domain is None or domain.task is None else _TaskWay(wanted, domain, last)
    _refuse_unused(wanted, people=way.people, world=world)
    way.check()
    if way.people == PAGE:
        check_page("a run at the page")
    if begins:
        _make_folder(wanted.store)
    create = begins or address_of(wanted.store).path is None
    left = f"Left; nothing moves. To go on: {wanted.again}"
    with at_work(wanted.store, left=left, clock=way.clock, create=create) as work:
        ordered = way.begin(work) if last is None else last.order
        record = way.to_the_end(work, ordered)
        return {"run": ordered.name, **record, "store": address_of(wanted.store).shown}


class _Way:
    """Base of the ways of running: `check` its terms before anything is written, `begin`, and drive `to_the_end`.

    Attributes:
        people: Kind of the people who are asked.
        person: Name of the person who is asked; the same in all commands that a task may go on with.
        speed: Speed of the robot; 1 is real time.
        clock: Clock of the journal; the usual one where it is None.
    """

    people: str
    person: str = Workplace.person
    speed: float | None
    clock: Clock | None = None

    def __init__(self, wanted: RunCall, domain: Domain | None, last: Last | None) -> None:
        self.wanted, self.domain, self.last = wanted, domain, last

    def place(self, work: Work, ordered: Ordered) -> AbstractContextManager[Workplace]:
        """Make the place where the run works."""
        return workplace(
            work,
            self.wanted.page,
            people=self.people,
            robot=ROBOT if self.domain is None else self.domain.robot,
            person=self.person,
            folder=FOLDER,
            run=ordered.name,
            speed=self.speed,
        )

    def drive(self, work: Work, place: Workplace, task: Task) -> None:
        """Drive a task to its end.

        Raises:
            NotNow: The robot asks, and nothing more can be typed here.
        """
        try:
            drive(work, place, task)
        except Left:
            raise NotNow(
                "the robot asks, and nothing more can be typed here",
                hint=f"Go on with: {self.wanted.again}; to have nobody asked, leave out --people.",
            ) from None
        work.linger("The run is over.")

    def say_what(self, ordered: Ordered, *, known: bool, over: bool) -> None:
        """Say which run begins or goes on."""
        if self.wanted.quiet:
            return
        seeded = "" if ordered.seed is None else f", seed {ordered.seed}"
        where = f" in {ordered.world}{seeded}" if ordered.world else ""
        verb = "Begins" if not known else "Is over:" if over else "Goes on with"
        shown = address_of(self.wanted.store).shown
        note(f"{verb} {ordered.name}{where}. Kept in {shown}.")
        if over:
            note("It stays over, and nothing moves. To begin a new one, leave out --resume.")


class _RecipeWay(_Way):
    """Way of running a recipe, of a world or of the caller."""

    def __init__(self, wanted: RunCall, domain: Domain | None, last: Last | None) -> None:
        super().__init__(wanted, domain, last)
        self.people = wanted.people or (NOBODY if last is None else last.order.people)
        self.speed = 1.0 if domain is None else wanted.speed or (domain.speed if self.people == PAGE else None)
        self.person = user_name()
        self._run: Run | None = None

    def check(self) -> None:
        """Refuse files that are wrong, and other terms than those of a run that goes on."""
        wanted = self.wanted
        if wanted.options:
            raise ConflictingSettings(
                "--set is for a world with a task of its own, and this runs a recipe",
                hint="Give a recipe its inputs by --params.",
            )
        if self.last is not None:
            _refuse_other(wanted, self.last)
            return
        if wanted.people == SIMULATED and self.domain is None:
            cause = "--people simulated must have a --world: nobody is simulated without a world"
            raise ConflictingSettings(cause, hint="Use --people page or terminal.")
        sources, stage = wanted.sources, stage_of(wanted.world or "")
        with all_problems():
            sources.checked(abilities_of(stage.actions, {monitor.name: monitor for monitor in stage.monitors}))
        settings = RunSettings(unseen=Unseen.EXIT if self.people == NOBODY else Unseen.ASK)
        if not wanted.files:
            settings = replace(settings, lasts_s=stage.lasts_s, unit=stage.unit)
        self._made = partial(Run.of, sources, settings=settings, params=wanted.params, task=wanted.task)
        self._made()

    def begin(self, work: Work) -> Ordered:
        """Order a new run."""
        wanted = self.wanted
        seed = (wanted.seed or 0) if wanted.world else None
        with work.journal.writing() as writer:
            name = RUNS.next_name(writer, "run")
            ordered = Ordered(name=name, world=wanted.world or "", seed=seed, drills=wanted.drills, people=self.people)
            begin_run(writer, ordered)
        self._run = self._made(book=work.journal, run=ordered.name)
        return ordered

    def to_the_end(self, work: Work, ordered: Ordered) -> dict[str, Any]:
        """Drive the run, unless it is over; return what came of it."""
        run = self._run or _known(self.last, work.journal)
        over = run.known and run.machine.finished is not None
        home = home_of(work.store, work.journal, ordered, new=self.last is None) if ordered.world else None
        with closing(stage_of(ordered.world, seed=ordered.seed or 0, home=home, drills=ordered.drills)) as stage:
            self.say_what(ordered, known=run.known, over=over)
            if not self.wanted.quiet and run.known and not over and ordered.people == NOBODY != self.people:
                note("It was begun with nobody to ask, and ends where no recovery is left.")
            if over:
                task = RecipeTask(run, stage, Workplace(journal=work.journal, run=run.id))
            else:
                with self.place(work, ordered) as place:
                    task = RecipeTask(run, stage, place)
                    with self._progress(run, stage):
                        self.drive(work, place, task)
            return {"world": ordered.world, "seed": ordered.seed, **task.result()}

    def _progress(self, run: Run, stage: Stage) -> RunProgress:
        progress = RunProgress(
            run.machine,
            quiet=self.wanted.quiet,
            steps=self.wanted.steps,
            typing=self.people == TERMINAL,
            origin_s=0.0 if isinstance(stage.clock, ManualClock) else stage.clock.now_s(),
        )
        run.follow(progress.told)
        return progress


class _TaskWay(_Way):
    """Way of running a domain's own task."""

    domain: Domain

    def __init__(self, wanted: RunCall, domain: Domain, last: Last | None) -> None:
        super().__init__(wanted, domain, last)
        self.people = wanted.people or (domain.people[0] if last is None else last.order.people)
        self.speed = wanted.speed or domain.speed
        self.clock = SkippingClock() if self.people == SIMULATED else None

    def check(self) -> None:
        """Refuse options of recipes, and other options than those of a run that goes on."""
        wanted, domain = self.wanted, self.domain
        if any((wanted.files, wanted.recoveries, wanted.database, wanted.task, wanted.params, wanted.drills)):
            raise ConflictingSettings(
                f"the robot of '{domain.name}' has a task of its own, without recipes, --params and --drills",
                hint="Give its options by --set NAME=VALUE.",
            )
        if self.people not in domain.people:
            must = f"be one of {', '.join(domain.people)}"
            raise UnknownName.of("--people", f"'{self.people}'", must, hint="Name one of them.")
        named = dict(wanted.options) if wanted.seed is None else {**wanted.options, "seed": str(wanted.seed)}
        self._order = domain.order_of(named)
        if self.last is None:
            return
        begun, now = self.last.begun, domain.options_of(self._order)
        assert isinstance(begun, TaskStarted)
        differs = [f"{name} {now[name]!r}, not {begun.options.get(name)!r}" for name in named]
        differs = [words for name, words in zip(named, differs, strict=True) if now[name] != begun.options.get(name)]
        if wanted.world not in (None, domain.name):
            differs.append(f"--world {wanted.world!r}, not {domain.name!r}")
        _refuse_differing(self.last.order, differs)
        self._order = domain.order_of(begun.options)

    def begin(self, work: Work) -> Ordered:
        """Order a new run."""
        options = self.domain.options_of(self._order)
        with work.journal.writing() as writer:
            name = RUNS.next_name(writer, "run")
            return begin_run(writer, Ordered(name=name, world=self.domain.name, people=self.people), options)

    def to_the_end(self, work: Work, ordered: Ordered) -> dict[str, Any]:
        """Drive the run, unless it is over; return what came of it."""
        over = None if self.last is None else self.last.over
        self.say_what(ordered, known=self.last is not None, over=over is not None)
        if isinstance(over, TaskOver):
            return {"world": ordered.world, "ending": "done", "reason": "", **over.result}
        if isinstance(work.journal.clock, SkippingClock):
            work.journal.clock.skip_to(work.journal.head().at_s)
        with self.place(work, ordered) as place:
            assert self.domain.task is not None
            task = self.domain.task(self._order, place)
            self.drive(work, place, task)
            result = end_task(work.journal, ordered.name, task.result())
        return {"world": ordered.world, **result}


# -- which run goes on, and where it is kept ---------------------------------------------------------------------------


def is_there(store: str) -> bool:
    """Return whether there is, or was, a store: a file, the traces of a damaged one, or a database on a server."""
    path = address_of(store).path
    return path is None or path.exists() or note_path(path).exists() or Witness(path).there()


def home_of(store: str, journal: Journal, ordered: Ordered, *, new: bool = False) -> Home:
    """Return the home of a run's world: a file beside the store, or in the folder for runs.

    Its name and its content carry the hash of the order in the journal. So no run, of this store or of another one,
    begins or goes on in a world that is not its own.

    Args:
        store: Name of the store, as the caller gave it.
        journal: Journal of the store.
        ordered: Order of the run.
        new: Whether the run begins.

    Raises:
        NotNow: A run that goes on has no world here any more.
    """
    found = RUNS.find(journal, ordered.name)
    assert found is not None
    path = address_of(store).path
    base = FOLDER / "store" if path is None else path
    file = base.with_name(f"{base.name}.{ordered.name}.{found.mark[:SHOWN_OF_HASH]}.world")
    if not new and not file.exists():
        raise NotNow(
            f"the world of {ordered.name} is not here: {file.name}",
            hint="Go to where the run was begun, put the file back, or begin a new run: leave out --resume.",
        )
    return Home(path=file, whose=f"{ordered.name} {found.mark}", new=new)


def _make_folder(store: str) -> None:
    """Make the folder for runs, if this store or the worlds of its runs lie in it."""
    if store == RUNS_STORE or address_of(store).path is None:
        made_folder(FOLDER)


def _last(store: str) -> Last | None:
    with Journal.open(store, create=False, readonly=True) as journal:
        return RUNS.latest(journal)


def _known(last: Last | None, journal: Journal) -> Run:
    """Return a recipe's run that goes on, or is over."""
    assert last is not None
    started = last.begun
    assert isinstance(started, Started)
    sources = Sources.from_json(started.sources)
    return Run.of(sources, params=started.params, task=started.main, book=journal, run=last.order.name)


def _refuse_other(wanted: RunCall, last: Last) -> None:
    """Refuse to go on otherwise than a run was begun. Only people and speed may change.

    Files are compared by their names, since changes in them are read anew between two steps.

    Raises:
        ConflictingSettings: Something differs; the error names all of it.
    """
    ordered, started = last.order, last.begun
    assert isinstance(started, Started)
    sources = Sources.from_json(started.sources)
    endings = simulation(ordered.world).endings().recoveries if ordered.world else ()
    differs = [
        f"{name} {now!r}, not {then!r}"
        for name, now, then in (
            ("--world", wanted.world, ordered.world),
            ("--seed", wanted.seed, ordered.seed),
            ("--task", wanted.task, started.main),
            ("--params", wanted.params, started.params),
        )
        if now is not None and now != then
    ]
    differs += [
        f"other {name}"
        for name, now, then in (
            ("recipe files", wanted.files, sources.recipes),
            ("--recoveries", wanted.recoveries, sources.recoveries),
            ("--database", () if wanted.database is None else (wanted.database,), sources.database),
        )
        if now and _but(endings, map(str, now)) != _but(endings, then)
    ]
    if wanted.drills and not ordered.drills:
        differs.append("--drills")
    _refuse_differing(ordered, differs)


def _refuse_differing(ordered: Ordered, differs: Sequence[str]) -> None:
    if differs:
        raise ConflictingSettings(
            f"{ordered.name} was begun otherwise; now you give {'; '.join(differs)}",
            hint="It goes on as it was begun: leave that out. For a new run leave out --resume.",
        )


def _but(endings: Container[str], names: Iterable[str]) -> list[str]:
    """Return names of files, without those of a world's endings, which nobody has to name."""
    return [name for name in names if name not in endings]


def _refuse_unused(wanted: RunCall, *, people: str, world: str) -> None:
    """Refuse options without a use, so that none is ignored without a word.

    Args:
        wanted: Call of `handup run`.
        people: Kind of the people who are asked.
        world: Name of the world; empty where there is none.

    Raises:
        ConflictingSettings: An option has no use here.
    """
    if wanted.page.named and people != PAGE:
        raise ConflictingSettings(
            f"{wanted.page.named} is for the page, and --people is '{people}'", hint=f"Use --people {PAGE}."
        )
    for option, value in (("--seed", wanted.seed), ("--speed", wanted.speed)):
        if value is not None and not world:
            cause = f"{option} is for a simulated world, and there is none"
            hint = f"Name a --world: {', '.join(DOMAINS.names())}; or leave it out."
            raise ConflictingSettings(cause, hint=hint)
