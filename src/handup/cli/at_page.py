"""What commands that are a robot beside its page have in common: the token, the link, waiting for somebody, the end."""

from __future__ import annotations

import os
import signal
import sys
import time
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from handup.cli.built_page import check_built
from handup.cli.output import err
from handup.core import BadSetting, IllegalCall, MissingExtra, Role, StoreUnavailable

if TYPE_CHECKING:
    import typer

    from handup.client import RobotLink
    from handup.desk.screen import Keyboard
    from handup.journal import Journal
    from handup.server.tokens import Access, Paired

WEB = ("fastapi", "uvicorn", "websockets", "httpx")
ENDED = 128
"""The exit code after a signal is this and its number, as shells count it."""
GREETING_S, LOOK_S = 5.0, 0.2
"""So long the server may take to say who is there; how often it is looked whether somebody came."""
WAITING = "The robot waits until the page is open."
OF_THE_PAGE: Mapping[str, str] = MappingProxyType(
    {"port": "--port", "no_browser": "--no-browser", "wait": "--wait/--no-wait", "linger": "--linger"}
)
"""Options that only the page has use for, by the names of their parameters."""


def first_named(context: typer.Context, options: Mapping[str, str]) -> str:
    """The first of some options that stands on the command line; empty where none does."""
    for name, option in options.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            return option
    return ""


def check_ready(what: str) -> None:
    """Refuse before anything is begun what cannot work.

    Args:
        what: Is to be begun, such as "a meal at the page".

    Raises:
        MissingExtra: The server's libraries are not installed.
        BadSetting: The page is not built.
    """
    if any(find_spec(each) is None for each in WEB):
        raise MissingExtra.of("web", what)
    check_built()


def made_folder(folder: Path) -> Path:
    """The folder in which a store is kept that nobody named.

    Raises:
        StoreUnavailable: It cannot be made here.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {folder} cannot be made here: {error.strerror or error}",
            hint="Go to a folder that you may write in, or name a file with --store.",
        ) from None
    return folder


def await_page(link: RobotLink, typing: Keyboard | None = None) -> None:
    """Wait until somebody has the page open, who would miss it otherwise; Enter begins without them.

    Args:
        link: Knows how many have.
        typing: Where lines come from; standard input where it is None.
    """
    from handup.desk.screen import Keyboard  # noqa: PLC0415 - the help does without the desk

    link.hold(GREETING_S, only_heard=True)
    if link.people:
        return
    typing = typing or Keyboard()
    typed = typing.live and os.name == "posix"
    how = "To begin without it, press Enter." if typed else "To begin without it, use --no-wait."
    err.print(f"{WAITING} {how}", markup=False, soft_wrap=True)
    with suppress(EOFError):  # nothing more can be typed
        if typed:
            typing.drop()
            typing.line(lambda: link.people > 0)
            return
    while not link.people:
        time.sleep(LOOK_S)


def linger(linger_s: float, over: str) -> None:
    """Keep the page for a while. What it showed is over, in the words of `over`, so Ctrl-C loses nothing."""
    if linger_s:
        err.print(f"{over} The page stays for another {linger_s:.0f} s; Ctrl-C ends it.", markup=False)
    with suppress(KeyboardInterrupt):
        time.sleep(linger_s)


@contextmanager
def alone(journal: Journal, run: str, what: str) -> Iterator[None]:
    """One robot for each store."""
    with ExitStack() as stack:
        try:
            stack.enter_context(journal.holding(run))
        except IllegalCall:
            raise BadSetting(
                f"{what} is under way on this store", hint="Wait for its end, or name another --store."
            ) from None
        yield


@contextmanager
def robot_token(access: Access, robot: str) -> Iterator[Paired]:
    """A token for the robot as long as it works; those of robots that were killed end now."""
    for grant in access.grants():
        if grant.is_robot and grant.name == robot:
            access.revoke(grant.id)
    paired = access.robot_token(robot)
    try:
        yield paired
    finally:
        access.revoke(paired.grant.id)


@contextmanager
def terminable() -> Iterator[None]:
    """Ended by SIGTERM, or because its terminal was closed, the robot still ends what it started."""

    def end(number: int, frame: object) -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # shell and system both say that a terminal is closed
        raise SystemExit(ENDED + number)

    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    for each, now in before.items():
        if each is signal.SIGTERM or now is not signal.SIG_IGN:  # under nohup it goes on
            signal.signal(each, end)
    try:
        yield
    finally:
        for each, now in before.items():
            signal.signal(each, now)


def open_page(url: str, access: Access, person: str, *, browser: bool) -> None:
    """Open the page with a code that works once, or say where it is."""
    code, _ = access.make_code(person, Role.RESIDENT)
    link = f"{url}/#code={code}"
    opened = browser and _has_display() and _open(link)
    said = "The page" if opened else "Open the page" if not browser else "No browser opens here; open the page"
    err.print(f"{said}: {link}", markup=False, soft_wrap=True)


def _has_display() -> bool:
    """Whether a browser with windows could open; one in the terminal is no help."""
    return sys.platform in {"darwin", "win32"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _open(link: str) -> bool:
    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False
