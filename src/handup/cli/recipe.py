"""`handup recipe`: check recipes and recoveries, show them as a tree, and test parts of them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from handup.cli.options import RUNS_STORE, AsJson, DatabaseFile, RecoveryFiles, StoreOption, group
from handup.cli.output import FAILED, check_writable, many, out, picked, print_json, print_result, say
from handup.cli.run import RunCall, params_of
from handup.cli.run_progress import RunProgress
from handup.cli.worlds import abilities_in, all_problems, print_problems, stage_of
from handup.core import BadSetting, Malformed, MissingSetting, UnknownName
from handup.domains.runs import latest_run
from handup.domains.stage import Stage
from handup.executive.action import Aborted
from handup.executive.events import Started
from handup.executive.executive import Executive
from handup.executive.language import literal
from handup.executive.recipe import ActionStep, Recipe, Recipes, TaskStep, every
from handup.executive.recipe_tree import as_svg, as_text, tree_shown
from handup.executive.recovery import Recovery
from handup.executive.rehearsal import rehearse
from handup.executive.run import Run
from handup.executive.sources import Sources
from handup.executive.validator import abilities_of, check
from handup.journal import Journal

app = group("recipe", "Example: handup recipe check recipe.yaml\n\nExit codes: 0 done, 1 failed, 2 bad input.")

CHECK_EPILOG = """Example: handup recipe check recipe.yaml --recoveries recoveries.yaml --database database.yaml

Exit codes: 0 nothing is wrong, 1 something is, 2 a file cannot be read or an option is wrong."""

TEST_EPILOG = """Example: handup recipe test perceive --world kitting --params '{"object": "bolt", "pose": "bin"}'

Example: handup recipe test navigate --world kitting --params '{"to": "machine"}'

Example: handup recipe test wiggle_free --from-failure last --store runs.db

A task runs with its recoveries, an action alone. A recovery is tried on a failure that a store holds: the last run is
told again up to that failure, with its variables, beliefs and counts, and nothing moves.

Exit codes: 0 it did what it should, 1 it did not, 2 bad input."""

Files = Annotated[
    list[Path], typer.Argument(help="Files of recipes; a run begins with the first one.", show_default=False)
]
WorldName = Annotated[str | None, typer.Option(help="World whose actions and monitors are known, such as kitting.")]
ALONE = "test"
"""Name of the task that holds an action which is tested alone."""
LAST = "last"


@app.command("check", epilog=CHECK_EPILOG)
def check_files(
    files: Files,
    recoveries: RecoveryFiles = None,
    database: DatabaseFile = None,
    world: WorldName = None,
    as_json: AsJson = False,
) -> None:
    """Say everything that is wrong with recipes and recoveries, each with file, line, column and a next step."""
    abilities = None if world is None else abilities_in(world)
    found = _sources(files, recoveries, database).scanned
    problems = check(found.recipes, found.recoveries, abilities=abilities, known=found.problems)
    tasks, rules = len(found.recipes.tasks) if found.recipes is not None else 0, len(found.recoveries or ())
    if as_json:
        listed = [
            picked(problem.place, "file", "line", "column") | picked(problem, "cause", "hint") for problem in problems
        ]
        print_json({"ok": not problems, "tasks": tasks, "recoveries": rules, "problems": listed})
    else:
        print_problems(problems, out)
        wrong = many(len(problems), "problem") if problems else "nothing is wrong"
        say(f"{many(tasks, 'task')}, {many(rules, 'recovery', 'recoveries')}: {wrong}.")
    if problems:
        raise typer.Exit(FAILED)


@app.command(
    epilog="Example: handup recipe show recipe.yaml --recoveries recoveries.yaml --svg tree.svg\n\n"
    "Exit codes: 0 shown, 2 a file or an option is wrong."
)
def show(
    files: Files,
    recoveries: RecoveryFiles = None,
    task: Annotated[str | None, typer.Option(help="Name of the task to begin with. Default: the main task.")] = None,
    world: WorldName = None,
    svg: Annotated[Path | None, typer.Option(help="File to write the tree to, as a picture.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the tree of tasks and steps, with the recoveries at the places they match."""
    with all_problems():
        read, rules = _sources(files, recoveries, None).parsed()
    if task is not None and task not in read.tasks:
        raise UnknownName(f"there is no task '{task}'", hint=f"Known: {', '.join(read.tasks)}.")
    abilities = None if world is None else abilities_in(world)
    tree = tree_shown(read, rules, task=task, abilities=abilities)
    if svg is not None:
        check_writable("--svg", svg)
        svg.write_text(as_svg(tree), encoding="utf-8")
    if as_json:
        print_json({"main": read.main, "tree": tree.to_json()})
    elif svg is None:
        out.file.write(as_text(tree, rules))


def _sources(files: Sequence[Path], recoveries: Sequence[Path] | None, database: Path | None) -> Sources:
    return Sources.read(map(str, files), map(str, recoveries or ()), None if database is None else str(database))


# -- a part alone ------------------------------------------------------------------------------------------------------


@app.command("test", epilog=TEST_EPILOG)
def test_one(
    name: Annotated[str, typer.Argument(help="Name of a task, an action or a recovery.", metavar="NAME")],
    params: Annotated[str, typer.Option(help="Inputs of the task or action, as JSON.", metavar="JSON")] = "{}",
    recipe: Annotated[
        list[Path] | None, typer.Option(help="File of recipes. Repeatable. Default: the world's own.")
    ] = None,
    recoveries: RecoveryFiles = None,
    database: DatabaseFile = None,
    world: WorldName = None,
    seed: Annotated[int, typer.Option(help="Seed of the world.", min=0, metavar="N")] = 0,
    from_failure: Annotated[
        str | None, typer.Option(help="Number of a failure of the last run to recover from, or 'last'.", metavar="N")
    ] = None,
    store: StoreOption = RUNS_STORE,
    aborts: Annotated[
        list[str] | None,
        typer.Option(help="Action of the recovery that is to fail, and its code.", metavar="ACTION:CODE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run one task or action alone, from inputs in JSON; or try one recovery on a failure that a store holds."""
    inputs = params_of(params)
    with all_problems():
        if from_failure is not None:
            record = _recovery(name, recoveries or (), from_failure, store, aborts or ())
        else:
            files = RunCall(files=recipe, recoveries=recoveries, database=database, world=world)
            record = _part(name, files, inputs, seed, quiet=as_json)
    show = _show_recovery if "steps" in record else _show_part
    print_result(record, lambda: show(record), as_json=as_json)
    if not record["ok"]:
        raise typer.Exit(FAILED)


def _part(name: str, wanted: RunCall, params: dict[str, Any], seed: int, *, quiet: bool) -> dict[str, Any]:
    """Run a task or an action of the named files, else of the world's own; return what came of it, with `ok`."""
    stage = stage_of(wanted.world or "", seed=seed)
    recipes, recoveries = Recipes(main=ALONE, tasks={}), tuple[Recovery, ...]()
    if wanted.files or wanted.world:
        abilities = abilities_of(stage.actions, {monitor.name: monitor for monitor in stage.monitors})
        recipes, recoveries = wanted.sources.checked(abilities)
    task = name
    if name not in recipes.tasks:
        if name not in stage.actions:
            raise _unknown(name, recipes, recoveries, stage)
        gives = tuple(getattr(stage.actions[name], "gives", ()))
        step = ActionStep(name=name, params={key: literal(value) for key, value in params.items()}, var=gives)
        recipes = replace(recipes, main=ALONE, tasks={ALONE: Recipe(name=ALONE, var=gives, steps=(step,))})
        task, params, recoveries = ALONE, {}, ()
    with TemporaryDirectory() as folder, Journal.open(Path(folder) / "test.db") as journal:
        run = Run(recipes, recoveries, task=task, params=params, book=journal, run=ALONE)
        progress = RunProgress(run.machine, quiet=quiet, steps=True)
        run.follow(progress.told)
        with progress:
            over = Executive(run, stage).to_the_end()
    failure = over.failure
    return {
        "name": name,
        "ok": over.ending == "done",
        "ending": str(over.ending),
        "reason": over.reason,
        "outputs": dict(over.outputs),
        "time_s": round(stage.clock.now_s(), 3) if wanted.world else None,
        "failed": failure and picked(failure, "path", "code", "why"),
    }


def _unknown(name: str, recipes: Recipes, recoveries: Sequence[Recovery], stage: Stage) -> BadSetting:
    """Return the error for a name that is no task or action, and say how to test it if it is a recovery."""
    if any(rule.name == name for rule in recoveries):
        return MissingSetting(
            f"'{name}' is a recovery, and a recovery must have a failure to recover from",
            hint="Name a stored one with --from-failure last, or its number, and --store.",
        )
    known = ", ".join([*recipes.tasks, *stage.actions][:20])
    return UnknownName(f"there is no task, action or recovery '{name}'", hint=f"Known: {known}.")


def _show_part(record: Mapping[str, Any]) -> None:
    after = "" if record["time_s"] is None else f" after {record['time_s']:.0f} s"
    say(f"{record['name']}: {record['ending']}{after}.")
    if not record["ok"]:
        say(record["reason"])
    for name, value in record["outputs"].items():
        say(f"  {name} = {value!r}")


def _recovery(name: str, files: Sequence[Path], failure: str, store: str, aborts: Sequence[str]) -> dict[str, Any]:
    """Try a recovery on a failure of the last run of a store; return what came of it, with `ok`."""
    with Journal.open(store, create=False, readonly=True) as journal:
        last = latest_run(journal)
        begun = None if last is None else last.begun
        if last is None or not isinstance(begun, Started):
            cause = "the store must hold a run of a recipe, and the last run is none"
            raise MissingSetting(cause, hint="Name another store with --store.")
        recipes, rule = _rule(name, files, begun)
        does = {action: Aborted(code=code or "failed") for action, _, code in (text.partition(":") for text in aborts)}
        started = _started_by(rule, recipes)
        for action in sorted(does.keys() - started):
            hint = f"It starts: {', '.join(sorted(started)) or 'none'}."
            cause = f"--aborts must name an action of the recovery, and '{name}' does not start the action '{action}'"
            raise UnknownName(cause, hint=hint)
        rehearsed = rehearse(journal, last.order.name, rule, failure=_number(failure), does=does)
    failed = rehearsed.failure
    aborted = failed.levels[-1].aborts
    return {
        "name": name,
        "ok": rehearsed.hint is not None,
        **picked(rehearsed, "chosen", "reason"),
        "failure": {"number": rehearsed.number, "path": failed.path, "code": failed.code, "aborts": aborted},
        "steps": [{"action": step.action, "goal": dict(step.goal)} for step in rehearsed.steps],
        "hint": rehearsed.hint and str(rehearsed.hint),
        "level": rehearsed.level,
    }


def _number(failure: str) -> int | None:
    if failure == LAST:
        return None
    if not failure.isdecimal() or len(failure) > 9:
        must = "be 'last' or a number"
        raise Malformed.of("--from-failure", f"'{failure}'", must, hint="Give the number of a failure, or 'last'.")
    return int(failure)


def _started_by(rule: Recovery, recipes: Recipes) -> set[str]:
    """Return the actions of a recovery, and of all tasks that it may call."""
    steps, called = list(every(rule.steps)), set[str]()
    for step in steps:  # the list grows, once for each task: tasks may call each other
        if isinstance(step, TaskStep) and step.name in recipes.tasks and step.name not in called:
            called.add(step.name)
            steps += every(recipes.tasks[step.name].steps)
    return {step.name for step in steps if isinstance(step, ActionStep)}


def _rule(name: str, files: Sequence[Path], begun: Started) -> tuple[Recipes, Recovery]:
    """Return the recipes of the last run, and the recovery of this name in the files, else in those of the run."""
    sources = Sources.from_json(begun.sources)
    if files:
        sources = replace(sources, recoveries=Sources.read((), map(str, files)).recoveries)
    recipes, recoveries = sources.parsed()
    rules = {rule.name: rule for rule in recoveries}
    if name not in rules:
        raise UnknownName(f"there is no recovery '{name}'", hint=f"Known: {', '.join(rules) or 'none'}.")
    return recipes, rules[name]


def _show_recovery(record: Mapping[str, Any]) -> None:
    failure = record["failure"]
    say(f"Failure {failure['number']}: {failure['path']} ({failure['code']}).")
    for step in record["steps"]:
        goal = ", ".join(f"{name}={value!r}" for name, value in step["goal"].items())
        say(f"  {step['action']}({goal})")
    at = f" at {record['level']}" if record["level"] else ""
    say(f"{record['name']}: {record['hint']}{at}." if record["ok"] else f"{record['name']}: {record['reason']}")
