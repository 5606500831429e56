"""Which store a command works on: the one that is named, else the environment's, else a file in the present folder."""

from __future__ import annotations

import os
from typing import Annotated

import typer

DEFAULT_STORE = "handup.db"
RUNS_STORE = "handup-runs/run.db"
"""The store of `handup run` and of the commands that look at its runs, where none is named."""
STORE_VARIABLE = "HANDUP_STORE"
STORE_HELP = "A file, or a URL such as postgresql://user@host/name."

StoreArgument = Annotated[str, typer.Argument(help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]
StoreOption = Annotated[str, typer.Option("--store", help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]


def default_store(otherwise: str = DEFAULT_STORE) -> str:
    """The store of a command that names none.

    Args:
        otherwise: Where the environment names none, either.
    """
    return os.environ.get(STORE_VARIABLE) or otherwise
