"""Which store a command works on: the one that is named, else the environment's, else a file in the present folder."""

from __future__ import annotations

import os
from typing import Annotated

import typer

DEFAULT_STORE = "handup.db"
STORE_VARIABLE = "HANDUP_STORE"
STORE_HELP = "A file, or a URL such as postgresql://user@host/name."

StoreArgument = Annotated[str, typer.Argument(help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]
StoreOption = Annotated[str, typer.Option("--store", help=STORE_HELP, metavar="STORE", envvar=STORE_VARIABLE)]


def default_store() -> str:
    """The store of a command that names none."""
    return os.environ.get(STORE_VARIABLE) or DEFAULT_STORE
