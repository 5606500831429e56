"""The `handup` command: few verbs, one guard around them."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated, NoReturn, cast

import typer

from handup import __version__
from handup.cli import (
    advise,
    answer,
    ask,
    bench,
    calibrate,
    decide,
    doctor,
    inject,
    journal,
    meal,
    page,
    pair,
    reach,
    recipe,
    serve,
    study,
    workload,
)
from handup.cli import run as run_command
from handup.cli.output import BAD_INPUT, FAILED, INTERRUPTED, err
from handup.core import HandupError

USAGE_ERROR = cast(type[Exception], typer.BadParameter.__mro__[1])
"""What the command-line library raises for a wrong call; it does not export the class itself."""

app = typer.Typer(
    name="handup",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Example: handup decide examples/policies/bite.yaml\n\nExit codes: 0 done, 1 failed, 2 bad input.",
)
app.command(epilog=decide.EPILOG)(decide.decide)
app.command(epilog=ask.EPILOG)(ask.ask)
app.command(epilog=answer.EPILOG)(answer.answer)
app.command(epilog=advise.EPILOG)(advise.advise)
app.command(epilog=calibrate.EPILOG)(calibrate.calibrate)
app.command(epilog=meal.EPILOG)(meal.meal)
app.command(epilog=reach.EPILOG)(reach.reach)
app.command(epilog=run_command.EPILOG)(run_command.run)
app.command(epilog=inject.EPILOG)(inject.inject)
app.command(epilog=serve.EPILOG)(serve.serve)
app.command(epilog=pair.EPILOG)(pair.pair)
app.command(epilog=page.EPILOG)(page.page)
app.add_typer(workload.app, name="workload")
app.add_typer(study.app, name="study")
app.add_typer(journal.app, name="journal")
app.add_typer(recipe.app, name="recipe")
app.add_typer(bench.app, name="bench")
app.command(epilog=doctor.EPILOG)(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"handup {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Robots that put their hand up: decide whether to act, ask, wait or yield."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run() -> NoReturn:
    """Entry point: every error a user can make ends in one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = app(prog_name="handup", standalone_mode=False) or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code)
    except HandupError as error:
        _fail(str(error), error.exit_code)
    except USAGE_ERROR as error:
        words = " ".join(getattr(error, "format_message", error.__str__)().split()).rstrip(".")
        _fail(f"{words}. Try '{_command(error)} --help'.", BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        sys.stdout = None
        sys.exit(FAILED)
    except OSError as error:
        sys.stdout = None
        where = f" '{error.filename}'" if error.filename is not None else ""
        _fail(f"Cannot write{where}: {error.strerror or error}. Check the disk or the pipe.", FAILED)


def _command(error: Exception) -> str:
    """Which command a wrong call was meant for."""
    return getattr(getattr(error, "ctx", None), "command_path", None) or "handup"


def _fail(line: str, code: int) -> NoReturn:
    err.print(f"handup: {' '.join(line.split())}", markup=False, soft_wrap=True)
    sys.exit(code)
