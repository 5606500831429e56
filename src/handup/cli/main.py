"""The `handup` command: few verbs, one guard around them."""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup

from handup import __version__
from handup.cli.options import COMMANDS
from handup.cli.output import BAD_INPUT, FAILED, INTERRUPTED, err
from handup.core import HandupError

USAGE_ERROR = cast(type[Exception], typer.BadParameter.__mro__[1])
"""Error of the command-line library for a wrong call; the library does not export the class itself."""


def command_of(name: str) -> Any:
    """Import the module of a command: its `app`, or the function of its name with its `EPILOG`."""
    module = import_module(f"handup.cli.{name}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        app.command(name, epilog=module.EPILOG)(getattr(module, name))
    return typer.main.get_command(app)


class Commands(TyperGroup):
    """Group that imports no command but the one that is called: others may be slow to import, or not installed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=words) for name, words in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Find the command that the words name, and import it: the commands of `COMMANDS` only serve the help."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, command_of(str(name)), rest


app = typer.Typer(
    name="handup",
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Example: handup decide examples/policies/bite.yaml\n\nExit codes: 0 done, 1 failed, 2 bad input.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"handup {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Robots that put their hand up: decide whether to act, ask, wait or yield."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run() -> NoReturn:
    """Run the command line; every mistake of a user ends in one line on stderr and exit code 2."""
    # A terminal that cannot show a letter of a person's name must not end the command.
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
        command = getattr(getattr(error, "ctx", None), "command_path", None) or "handup"
        _fail(f"{words}. Try '{command} --help'.", BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped.", INTERRUPTED)
    except BrokenPipeError:
        sys.stdout = None  # the interpreter would flush it once more at its end, and fail again
        sys.exit(FAILED)
    except OSError as error:
        sys.stdout = None
        where = f" '{error.filename}'" if error.filename is not None else ""
        _fail(f"Cannot write{where}: {error.strerror or error}. Check the disk or the pipe.", FAILED)


def _fail(line: str, code: int) -> NoReturn:
    err.print(f"handup: {' '.join(line.split())}", markup=False, soft_wrap=True)
    sys.exit(code)
