"""Options of commands that are a robot beside a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

Port = Annotated[
    int | None,
    typer.Option(help="Port of the page. Default: 8765, or the next free one.", min=1, max=65535, metavar="N"),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address of the page, and open no browser.")]
Wait = Annotated[
    bool,
    typer.Option("--wait/--no-wait", help="Begin once somebody has the page open; with --no-wait at once."),
]
Linger = Annotated[
    float,
    typer.Option(help="Seconds for which the page stays open after the end.", min=0.0, max=3600.0, metavar="S"),
]
LINGER_S = 60.0
NAMES: Mapping[str, str] = {
    "port": "--port",
    "no_browser": "--no-browser",
    "wait": "--wait/--no-wait",
    "linger": "--linger",
}
"""Options that only the page has use for, by the names of their parameters."""


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """How the page is opened.

    Args:
        port: Its port; the first free one where it is None.
        browser: Whether a browser is opened.
        wait: Whether the robot begins only once the page is open.
        linger_s: Seconds for which the page stays after the end.
        named: The first of these options that stands on the command line; empty where none does.
    """

    port: int | None = None
    browser: bool = True
    wait: bool = True
    linger_s: float = LINGER_S
    named: str = ""


def first_named(context: typer.Context, options: Mapping[str, str] = NAMES) -> str:
    """Return the first of some options that stands on the command line; empty where none does."""
    for name, option in options.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            return option
    return ""
