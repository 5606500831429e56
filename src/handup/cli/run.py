"""`handup run`: run a robot that recovers by itself, asks people, and goes on after a power cut."""

from __future__ import annotations

import json
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from handup.cli.harness import Work, at_work, check_page, drive, made_folder, peopled
from handup.cli.options import (
    RUNS_STORE,
    STORE_VARIABLE,
    DatabaseFile,
    PageOptions,
    RecoveryFiles,
    StoreOption,
    default_store,
    first_named,
    pairs_of,
    taking,
)
from handup.cli.output import FAILED, err, many, note, print_result, say
from handup.cli.people_file import user_name
from handup.cli.run_progress import RunProgress
from handup.cli.worlds import all_problems, recipe_worlds, simulation, stage_of, with_endings
from handup.core import Clock, ConflictingSettings, Malformed, ManualClock, MissingSetting, NotNow, UnknownName
from handup.desk import SkippingClock
from handup.domains.domain import DOMAINS, NOBODY, PAGE, PEOPLE, SIMULATED, TERMINAL, Domain, Task, Workplace
from handup.domains.runs import (
    Ordered,
    OrderedRun,
    TaskOver,
    TaskStarted,
    begin_run,
    end_task,
    find_run,
    latest_run,
    next_name,
)
from handup.domains.stage import Home, RecipeTask, Stage
from handup.executive.events import Started
from handup.executive.proposals import OFFERED
from handup.executive.run import Run
from handup.executive.run_settings import RunSettings, Unseen
from handup.executive.sources import Sources
from handup.executive.validator import abilities_of
from handup.journal import Journal
from handup.journal.address import address_of
from handup.journal.files import Witness, note_path

EPILOG = f"""Example: handup run --world kitting --seed 7

Example: handup run --world kitting --people page --no-browser

Example: handup run recipe.yaml --recoveries recoveries.yaml --database places.yaml --people terminal

Example: handup run --world feeding --set plate=noodles --people page

Example: handup run --resume

Worlds: kitting, where recipes run; feeding and reaching, whose robots have a task of their own with options for --set;
and those that installed packages announce (entry points in 'handup.domains'). If no recipe is named, the world's own
runs; if no --recoveries are named, the world's own apply. If there are people to ask, the run is done when the world's
time is over, whatever --recoveries say. Without --world the robot can do the actions that installed packages announce
(entry points in 'handup.actions').

Everything is kept: without --store in ${STORE_VARIABLE}, else in {RUNS_STORE}. After a power cut, a kill or Ctrl-C,
--resume goes on where the last run was. Options that are given again must be the same as at the beginning, except
--people and --speed. If the last run is over, --resume prints its result again; if the store has no run, it begins one.
Recipe files that change while a run goes on are read anew between two steps.

People: nobody (the run ends when no recovery is left), simulated (somebody in the world), terminal, page.

Exit codes: 0 done; 1 it ended otherwise: failed, out_of_recoveries, unanswered, stopped, erased, limit; 2 bad input or
store; 130 left with Ctrl-C, 143 with SIGTERM, 129 when the terminal was closed: --resume goes on."""
FOLDER = Path(RUNS_STORE).parent
SHOWN_OF_HASH = 8
"""Number of characters of an order's hash that stand in the name of its world's file."""
OVER = "The run is over."


def params_of(text: str) -> dict[str, Any]:
    """Return the inputs of a task from JSON.

    Raises:
        Malformed: The text is no JSON object.
    """
    try:
        inputs = json.loads(text)
    except (ValueError, RecursionError):
        inputs = None
    if not isinstance(inputs, dict):
        hint = 'Give inputs such as \'{"object": "cup"}\'.'
        raise Malformed.of("--params", f"'{text[:60]}'", "be a JSON object", hint=hint)
    return inputs


@dataclass(frozen=True, kw_only=True)
class RunCall(PageOptions):
    """Options of `handup run`; None where nothing was given."""

    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of recipes; the run begins with the first one.", show_default=False, metavar="FILE …"
        ),
    ] = None
    recoveries: RecoveryFiles = None
    database: DatabaseFile = None
    world: Annotated[
        str | None, typer.Option(help="World of the robot: kitting, feeding, reaching or your own.", metavar="NAME")
    ] = None
    options: Annotated[
        list[str] | None,
        typer.Option("--set", help="Option of the world's task. May be given several times.", metavar="NAME=VALUE"),
    ] = None
    task: Annotated[str | None, typer.Option(help="Name of the recipe's task to begin with.", metavar="NAME")] = None
    params: Annotated[
        dict[str, Any] | None, typer.Option(parser=params_of, help="Inputs of that task, as JSON.", metavar="JSON")
    ] = None
    people: Annotated[
        str | None, typer.Option(help="People to ask: nobody, simulated, terminal or page.", metavar="WHO")
    ] = None
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last run of the store; begin one if there is none.")
    ] = False
    store: StoreOption = RUNS_STORE
    seed: Annotated[int | None, typer.Option(help="Seed of the world. Default: 0.", min=0, metavar="N")] = None
    speed: Annotated[
        float | None,
        typer.Option(
            help="Speed of a simulated robot; 1 is real time. Default: as fast as it can, at the page the world's own.",
            min=0.1,
            max=10_000.0,
            metavar="X",
        ),
    ] = None
    drills: Annotated[bool, typer.Option("--drills", help="Allow `handup inject` to make things fail.")] = False
    steps: Annotated[bool, typer.Option("--steps", help="Show a line for each step.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing on the way.")] = False

    @property
    def sources(self) -> Sources:
        """Files to begin with: those that are named, and the world's own in place of those that are not."""
        rules = list(map(str, self.recoveries or ()))
        database = None if self.database is None else str(self.database)
        asking = self.people not in (None, NOBODY)
        if self.files:
            named = Sources.read(map(str, self.files), rules, database)
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


@taking(RunCall)
def run(context: typer.Context, wanted: RunCall) -> None:
    """Run a recipe with its recoveries, or the task of a world, to a named end."""
    if wanted.people is not None and wanted.people not in PEOPLE:
        must = f"be {', '.join(PEOPLE[:-1])} or {PEOPLE[-1]}"
        raise UnknownName.of("--people", f"'{wanted.people}'", must, hint="Give one of them.")
    if wanted.drills and not wanted.world and not wanted.resume:
        cause = "--drills must stand with a world: there is nothing to drill without a world"
        raise MissingSetting(cause, hint="Name a --world, such as kitting.")
    record = execute(wanted, first_named(context))
    print_result(record, lambda: _show(record), as_json=wanted.as_json)
    if record["ending"] != "done":
        raise typer.Exit(FAILED)


def _show(record: dict[str, Any]) -> None:
    if "starts" not in record:  # the task of a world, which says in its own words what came of it
        say(f"{record['run']}: {record['ending']}. {record.get('in_words', '')}".rstrip())
        say(f"What happened: handup journal replay {record['store']}")
        return
    words = {"out_of_recoveries": "out of recoveries", "limit": "at a limit"}
    came_to = f": {record['in_words']}" if record["in_words"] else ""
    ending = words.get(record["ending"], record["ending"])
    say(f"{record['run']}: {ending} after {_span(record['time_s'])}{came_to}.")
    if record["ending"] != "done":
        say(record["reason"])
    counted = [
        many(record["starts"], "action"),
        many(record["failures"], "failure"),
        many(record["recoveries"], "recovery", "recoveries"),
        many(record["questions"], "question"),
    ]
    if record["questions"] and record["availability"] is not None:
        counted.append(f"available {100 * record['availability']:.0f} % of the time")
    say(f"{', '.join(counted)}. What failed and what it cost: handup journal triage {record['store']}")
    if record["proposals"]:
        say(f"\n{OFFERED}\n")
        say("".join(proposal["yaml"] for proposal in record["proposals"]).rstrip())
    if record["world"]:
        err.print("A simulated world; its rates are assumed.", markup=False)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def execute(wanted: RunCall, page_option: str = "") -> dict[str, Any]:
    """Begin a run or go on with one, to its end; return what came of it.

    Args:
        wanted: Options of the call.
        page_option: Option of the page that was given; empty where none was.

    Raises:
        BadRecipe, BadSetting: The files or the terms are wrong.
    """
    begins = not (wanted.resume and is_there(wanted.store))
    last = None if begins else _last(wanted.store)
    world = (wanted.world if last is None else last.order.world) or ""
    domain = DOMAINS.get(world) if world else None
    way = _RecipeWay(wanted, domain, last) if domain is None or domain.task is None else _TaskWay(wanted, domain, last)
    _refuse_unused(wanted, page_option, people=way.people, world=world)
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
    """Base of the two ways of running, a recipe or a task.

    Call `check` before anything is written, then `begin` for a new run, then `to_the_end`.

    Attributes:
        people: Kind of the people who are asked.
        person: Name of the person who is asked; the same in all commands that a task may go on with.
        speed: Speed of the robot; 1 is real time.
        clock: Clock of the journal; the usual one where it is None.
        seed: Seed of the world in which a recipe runs.
        options: Options of a domain's own task, once they are checked.
    """

    people: str
    person: str = Workplace.person
    speed: float | None
    clock: Clock | None = None
    seed: int | None = None
    options: Mapping[str, Any] | None = None

    def __init__(self, wanted: RunCall, domain: Domain | None, last: OrderedRun | None) -> None:
        self.wanted, self.domain, self.last = wanted, domain, last

    def begin(self, work: Work) -> Ordered:
        """Order a new run."""
        wanted = self.wanted
        with work.journal.writing() as writer:
            name = next_name(writer, "run")
            ordered = Ordered(
                name=name, world=wanted.world or "", seed=self.seed, drills=wanted.drills, people=self.people
            )
            return begin_run(writer, ordered, self.options)

    def place(self, work: Work, ordered: Ordered) -> AbstractContextManager[Workplace]:
        """Make the place where the run works."""
        place = Workplace(
            journal=work.journal,
            run=ordered.name,
            people=self.people,
            person=self.person,
            robot=Workplace.robot if self.domain is None else self.domain.robot,
            speed=self.speed,
        )
        return peopled(work, place, self.wanted, FOLDER)

    def drive(self, work: Work, place: Workplace, task: Task) -> None:
        """Drive a task to its end."""
        drive(work, place, task, hint=f"Go on with: {self.wanted.again}; to have nobody asked, leave out --people.")

    def say_what(self, ordered: Ordered, *, known: bool, over: bool) -> None:
        """Say which run begins or goes on."""
        if self.wanted.as_json:
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

    def __init__(self, wanted: RunCall, domain: Domain | None, last: OrderedRun | None) -> None:
        super().__init__(wanted, domain, last)
        self.people = wanted.people or (NOBODY if last is None else last.order.people)
        self.speed = 1.0 if domain is None else wanted.speed or (domain.speed if self.people == PAGE else None)
        self.person = user_name()
        self.seed = (wanted.seed or 0) if wanted.world else None

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

    def to_the_end(self, work: Work, ordered: Ordered) -> dict[str, Any]:
        """Drive the run, unless it is over; return what came of it."""
        last, journal = self.last, work.journal
        run = self._made(book=journal, run=ordered.name) if last is None else _known(last, journal)
        over = run.known and run.machine.finished is not None
        home = home_of(work.store, journal, ordered, new=last is None) if ordered.world else None
        with closing(stage_of(ordered.world, seed=ordered.seed or 0, home=home, drills=ordered.drills)) as stage:
            self.say_what(ordered, known=run.known, over=over)
            if not self.wanted.as_json and run.known and not over and ordered.people == NOBODY != self.people:
                note("It was begun with nobody to ask, and ends where no recovery is left.")
            if over:
                task = RecipeTask(run, stage, Workplace(journal=journal, run=run.id))
            else:
                with self.place(work, ordered) as place:
                    task = RecipeTask(run, stage, place)
                    with self._progress(run, stage):
                        self.drive(work, place, task)
                    work.linger(OVER)
            return {"world": ordered.world, "seed": ordered.seed, **task.result()}

    def _progress(self, run: Run, stage: Stage) -> RunProgress:
        progress = RunProgress(
            run.machine,
            quiet=self.wanted.as_json,
            steps=self.wanted.steps,
            typing=self.people == TERMINAL,
            origin_s=0.0 if isinstance(stage.clock, ManualClock) else stage.clock.now_s(),
        )
        run.follow(progress.told)
        return progress


class _TaskWay(_Way):
    """Way of running a domain's own task."""

    domain: Domain

    def __init__(self, wanted: RunCall, domain: Domain, last: OrderedRun | None) -> None:
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
        named = dict(pairs_of(wanted.options or (), "NAME=VALUE", hint="Give an option such as plate=noodles."))
        if wanted.seed is not None:
            named["seed"] = str(wanted.seed)
        self.options = now = domain.options_of(domain.order_of(named))
        if self.last is None:
            return
        begun = self.last.begun
        assert isinstance(begun, TaskStarted)
        known = begun.options
        differs = [f"{name} {now[name]!r}, not {known.get(name)!r}" for name in named if now[name] != known.get(name)]
        if wanted.world not in (None, domain.name):
            differs.append(f"--world {wanted.world!r}, not {domain.name!r}")
        _refuse_differing(self.last.order, differs)
        self.options = known

    def to_the_end(self, work: Work, ordered: Ordered) -> dict[str, Any]:
        """Drive the run, unless it is over; return what came of it."""
        over = None if self.last is None else self.last.over
        self.say_what(ordered, known=self.last is not None, over=over is not None)
        if isinstance(over, TaskOver):
            return {"world": ordered.world, "ending": "done", "reason": "", **over.result}
        with self.place(work, ordered) as place:
            assert self.domain.task is not None
            task = self.domain.task(self.domain.order_of(self.options or {}), place)
            self.drive(work, place, task)
            result = end_task(work.journal, ordered.name, task.result())
            work.linger(OVER)
        return {"world": ordered.world, **result}


# -- which run goes on, and where it is kept ---------------------------------------------------------------------------


def is_there(store: str) -> bool:
    """Return whether a store exists or existed: a file, traces of a damaged one, or a database on a server."""
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
    found = find_run(journal, ordered.name)
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


def _last(store: str) -> OrderedRun | None:
    with Journal.open(store, create=False, readonly=True) as journal:
        return latest_run(journal)


def _known(last: OrderedRun, journal: Journal) -> Run:
    """Return a recipe's run that goes on, or is over."""
    started = last.begun
    assert isinstance(started, Started)
    sources = Sources.from_json(started.sources)
    return Run.of(sources, params=started.params, task=started.main, book=journal, run=last.order.name)


def _refuse_other(wanted: RunCall, last: OrderedRun) -> None:
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
    """Return names of files without those of a world's endings, which `run` adds by itself."""
    return [name for name in names if name not in endings]


def _refuse_unused(wanted: RunCall, page_option: str, *, people: str, world: str) -> None:
    """Refuse options without a use, so that none is ignored without a word.

    Args:
        wanted: Call of `handup run`.
        page_option: Option of the page that was given; empty where none was.
        people: Kind of the people who are asked.
        world: Name of the world; empty where there is none.

    Raises:
        ConflictingSettings: An option has no use here.
    """
    if page_option and people != PAGE:
        cause = f"{page_option} is for the page, and --people is '{people}'"
        raise ConflictingSettings(cause, hint=f"Use --people {PAGE}.")
    for option, value in (("--seed", wanted.seed), ("--speed", wanted.speed)):
        if value is not None and not world:
            cause = f"{option} is for a simulated world, and there is none"
            hint = f"Name a --world: {', '.join(DOMAINS.names())}; or leave it out."
            raise ConflictingSettings(cause, hint=hint)
