"""The `handup` command: few verbs, one guard around them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from click.exceptions import ClickException

from handup import __version__
from handup.cli import bench, decide, doctor
from handup.cli.output import BAD_INPUT, FAILED, err
from handup.core import HandupError

app = typer.Typer(
    name="handup",
    help="Robots that put their hand up: decide whether to act, ask, wait or yield.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Example: handup decide examples/policies/bite.yaml   Exit codes: 0 done, 1 failed, 2 bad input.",
)
app.command(epilog=decide.EPILOG)(decide.decide)
app.add_typer(bench.app, name="bench")
app.command(epilog=doctor.EPILOG)(doctor.doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"handup {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Robots that put their hand up: decide whether to act, ask, wait or yield."""


def run() -> None:
    """Entry point: every error a user can make ends in one line on stderr and exit code 2."""
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except HandupError as error:
        _fail(str(error), error.exit_code)
    except ClickException as error:
        _fail(f"{error.format_message()} Try 'handup --help'.", BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(FAILED)


def _fail(line: str, code: int) -> None:
    err.print(f"handup: {line}", markup=False, soft_wrap=True)
    sys.exit(code)
