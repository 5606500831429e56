"""Arguments and options that several commands have, and commands of several verbs."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_STORE = "handup.db"
RUNS_STORE = "handup-runs/run.db"
"""The store of `handup run` and of the commands that look at its runs, where none is named."""
STORE_VARIABLE = "HANDUP_STORE"
STORE_HELP = "A file, or a URL such as postgresql://user@host/name."

StoreArgument = Annotated[str, typer.Argument(help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]
StoreOption = Annotated[str, typer.Option("--store", help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
RecoveryFiles = Annotated[
    list[Path] | None, typer.Option("--recoveries", help="A file of recoveries; give it again for more.")
]
DatabaseFile = Annotated[Path | None, typer.Option("--database", help="The file that grounds names.")]
LOCAL_URL = "http://127.0.0.1:8765"
"""Where `handup serve` is where nothing else is named."""
Browse = Annotated[bool, typer.Option("--open/--no-browser", help="Open a browser here.")]
Policy = Annotated[Path, typer.Argument(help="The policy as YAML.", metavar="POLICY.yaml")]
Expert = Annotated[float, typer.Option(help="Probability that an answer is right.", metavar="C")]
Weight = Annotated[float, typer.Option("--w", help="Weight of the person's load against the robot's time.")]
PeopleFile = Annotated[
    Path | None, typer.Option("--people", help="Who there is, with limits, as YAML; kept in the store.", metavar="FILE")
]


def default_store(otherwise: str = DEFAULT_STORE) -> str:
    """The store of a command that names none: the environment's, else a file in the present folder.

    Args:
        otherwise: Where the environment names none, either.
    """
    return os.environ.get(STORE_VARIABLE) or otherwise


def store_named(store: str) -> str:
    """The option that names a store in a command to be copied; empty where the command works on it anyway."""
    return "" if store == DEFAULT_STORE == default_store() else f" --store {shlex.quote(store)}"


def group(words: str, epilog: str) -> typer.Typer:
    """Make a command of several verbs, which shows its help where no verb is given."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False, help=words, epilog=epilog)

    @app.callback(invoke_without_command=True)
    def main(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return app
