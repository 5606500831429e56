"""`handup recipe`: is it right, what does it look like, and does a part of it work alone?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handup.cli.output import FAILED, check_writable, out, print_json
from handup.cli.recipe_problems import all_problems, print_problems
from handup.cli.store import RUNS_STORE, StoreOption
from handup.cli.worlds import abilities_in
from handup.core import BadSetting

if TYPE_CHECKING:
    from handup.executive.problem import Problem
    from handup.executive.sources import Scanned, Sources

app = typer.Typer(
    rich_markup_mode=None,
    epilog="Example: handup recipe check recipe.yaml\n\nExit codes: 0 done, 1 failed, 2 bad input.",
)

CHECK_EPILOG = """Example: handup recipe check recipe.yaml --recoveries recoveries.yaml --database database.yaml

Exit codes: 0 nothing is wrong, 1 something is, 2 a file cannot be read or an option is wrong."""

SHOW_EPILOG = """Example: handup recipe show recipe.yaml --recoveries recoveries.yaml --svg tree.svg

Exit codes: 0 shown, 2 a file or an option is wrong."""

TEST_EPILOG = """Example: handup recipe test perceive --world kitting --params '{"object": "bolt", "pose": "bin"}'

Example: handup recipe test navigate --world kitting --params '{"to": "machine"}'

Example: handup recipe test wiggle_free --from-failure last --store runs.db

A task runs with its recoveries, an action alone. A recovery is tried on a failure that a store holds: the last run is
told again up to that failure, with its variables, beliefs and counts, and nothing moves.

Exit codes: 0 it did what it should, 1 it did not, 2 bad input."""

Files = Annotated[list[Path], typer.Argument(help="Recipe files; a run begins with the first one.", show_default=False)]
RecoveryFiles = Annotated[
    list[Path] | None, typer.Option("--recoveries", help="A file of recoveries; give it again for more.")
]
DatabaseFile = Annotated[Path | None, typer.Option("--database", help="The file that grounds names.")]
WorldName = Annotated[str | None, typer.Option(help="The world whose actions and monitors are known: kitting.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Check recipes and recoveries before anything moves, look at them, and test parts of them alone."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("check", epilog=CHECK_EPILOG)
def check_files(
    files: Files,
    recoveries: RecoveryFiles = None,
    database: DatabaseFile = None,
    world: WorldName = None,
    as_json: AsJson = False,
) -> None:
    """Say everything that is wrong with recipes and recoveries, each with file, line, column and a next step."""
    from handup.executive.checking import check  # noqa: PLC0415 - slow to import

    abilities = None if world is None else abilities_in(world)
    found = _sources(files, recoveries, database).scanned
    problems = check(found.recipes, found.recoveries, abilities=abilities, known=found.problems)
    counted = _counts(found)
    if as_json:
        print_json({"ok": not problems, **counted, "problems": [_plain(each) for each in problems]})
    else:
        print_problems(problems, out)
        read = f"{_many(counted['tasks'], 'task', 'tasks')}, {_many(counted['recoveries'], 'recovery', 'recoveries')}"
        wrong = _many(len(problems), "problem", "problems") if problems else "nothing is wrong"
        out.print(f"{read}: {wrong}.", markup=False, soft_wrap=True)
    if problems:
        raise typer.Exit(FAILED)


@app.command(epilog=SHOW_EPILOG)
def show(
    files: Files,
    recoveries: RecoveryFiles = None,
    task: Annotated[str | None, typer.Option(help="Begin with this task.")] = None,
    world: WorldName = None,
    svg: Annotated[Path | None, typer.Option(help="Write the tree as a picture into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the tree of tasks and steps, with the recoveries at the places they match."""
    from handup.executive.showing import as_svg, as_text, tree_shown  # noqa: PLC0415 - slow to import

    with all_problems():
        read, rules = _sources(files, recoveries, None).parsed()
    if task is not None and task not in read.tasks:
        raise BadSetting(f"there is no task '{task}'", hint=f"Known: {', '.join(read.tasks)}.")
    abilities = None if world is None else abilities_in(world)
    tree = tree_shown(read, rules, task=task, abilities=abilities)
    if svg is not None:
        check_writable("--svg", svg)
        svg.write_text(as_svg(tree), encoding="utf-8")
    if as_json:
        print_json({"main": read.main, "tree": tree.to_json()})
    elif svg is None:
        out.file.write(as_text(tree, rules))


@app.command("test", epilog=TEST_EPILOG)
def test_one(
    name: Annotated[str, typer.Argument(help="A task, an action or a recovery.", metavar="NAME")],
    params: Annotated[str, typer.Option(help="Its inputs, as JSON.", metavar="JSON")] = "{}",
    recipe: Annotated[
        list[Path] | None, typer.Option(help="A recipe file; give it again for more; else the world's own.")
    ] = None,
    recoveries: RecoveryFiles = None,
    database: DatabaseFile = None,
    world: WorldName = None,
    seed: Annotated[int, typer.Option(help="Of the world.", min=0, metavar="N")] = 0,
    from_failure: Annotated[
        str | None, typer.Option(help="For a recovery: a failure's number in the last run, or 'last'.", metavar="N")
    ] = None,
    store: StoreOption = RUNS_STORE,
    aborts: Annotated[
        list[str] | None, typer.Option(help="For a recovery: an action that gives up.", metavar="ACTION:CODE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run one task or action alone, from inputs in JSON; or try one recovery on a failure that a store holds."""
    from handup.cli import recipe_test  # noqa: PLC0415 - the help does without databases
    from handup.cli.run import params_of  # noqa: PLC0415

    record = recipe_test.test(
        recipe_test.Tested(
            name=name,
            files=tuple(recipe or ()),
            recoveries=tuple(recoveries or ()),
            database=database,
            params=params_of(params),
            world=world or "",
            seed=seed,
            failure=from_failure,
            store=store,
            aborts=tuple(aborts or ()),
            quiet=as_json,
        )
    )
    if as_json:
        print_json(record)
    else:
        recipe_test.show(record)
    if not record["ok"]:
        raise typer.Exit(FAILED)


def _sources(files: Sequence[Path], recoveries: Sequence[Path] | None, database: Path | None) -> Sources:
    """The texts.

    Raises:
        BadRecipe: A file is not there, or no text.
    """
    grounding = None if database is None else str(database)
    from handup.executive.sources import Sources  # noqa: PLC0415 - slow to import

    return Sources.read(map(str, files), map(str, recoveries or ()), grounding)


def _counts(found: Scanned) -> dict[str, int]:
    return {
        "tasks": 0 if found.recipes is None else len(found.recipes.tasks),
        "recoveries": len(found.recoveries or ()),
    }


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _plain(problem: Problem) -> dict[str, Any]:
    place = problem.place
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "cause": problem.cause,
        "hint": problem.hint,
    }
