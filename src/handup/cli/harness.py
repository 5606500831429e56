"""Harness of one robot at work in this program: its store, the page or terminal of people, and signals that end it.

`handup meal`, `run` and `reach` are this harness with different tasks.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer

from handup.cli.built_page import check_built
from handup.cli.options import PageOptions
from handup.cli.output import INTERRUPTED, note
from handup.core import Clock, IllegalCall, MissingExtra, NotNow, Role, StoreUnavailable
from handup.core.panels import Phase
from handup.desk import SkippingClock
from handup.desk.screen import Keyboard
from handup.desk.terminal import ForegroundTerminal, Left
from handup.domains.domain import PAGE, STOPPED, TERMINAL, Task, Workplace
from handup.domains.runs import RUN
from handup.journal import Journal

if TYPE_CHECKING:
    from handup.client import RobotLink
    from handup.server.tokens import Access, Paired

WEB = ("fastapi", "uvicorn", "websockets", "httpx")
ENDED = 128
"""The exit code after a signal is this and its number, as shells count it."""
GREETING_S, LOOK_S = 5.0, 0.2
"""Time that the server may take to say who is there, and time between two looks whether somebody came."""
SHOW_S = 0.1
"""Seconds between two views of a task."""
WAITING = "The robot waits until the page is open."
HELD = "Somebody stopped the robots of this store. It begins once they are let go on at the page."


# -- signals -----------------------------------------------------------------------------------------------------------


class Leave(BaseException):
    """Request to end this program, so that its run can go on later. Never an error.

    Args:
        number: Number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = number


@dataclass
class Leaving:
    """Signals that end this program.

    While a robot acts they are heard between two steps, so that nothing is torn apart; otherwise, as while a person
    types, at once.
    """

    signal: int = 0
    acting: bool = False

    def check(self) -> None:
        """Return if no signal came.

        Raises:
            Leave: A signal asked the program to end.
        """
        if self.signal:
            raise Leave(self.signal)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Handle Ctrl-C, SIGTERM and a closed terminal; in other threads than the main one do nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            again, self.signal = bool(self.signal), number
            if number == signal.SIGHUP:
                signal.signal(number, signal.SIG_IGN)  # shell and system both say that a terminal is closed
            if not self.acting or (again and number == signal.SIGINT):
                raise KeyboardInterrupt if number == signal.SIGINT else Leave(number)

        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        handled = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]  # nohup: it goes on
        before = {number: signal.signal(number, handle) for number in handled}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


# -- the store ---------------------------------------------------------------------------------------------------------


def made_folder(folder: Path) -> Path:
    """Make the folder of a store that nobody named, and return it.

    Raises:
        StoreUnavailable: The folder cannot be made here.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {folder} cannot be made here: {error.strerror or error}",
            hint="Go to a folder that you may write in, or name a file with --store.",
        ) from None
    return folder


@dataclass
class Work:
    """Robot at work on a store.

    Args:
        journal: Journal of the store.
        store: Name of the store, as the caller gave it.
        leaving: Signals that end the program.
    """

    journal: Journal
    store: str
    leaving: Leaving
    page: RobotPage | None = field(default=None, init=False)

    def linger(self, over: str) -> None:
        """Keep the page open for a while, after the words of `over`. The work is done, so Ctrl-C loses nothing."""
        if self.page is None:
            return
        seconds = self.page.options.linger
        if seconds:
            note(f"{over} The page stays for another {seconds:.0f} s; Ctrl-C ends it.")
        with suppress(KeyboardInterrupt):
            time.sleep(seconds)


@contextmanager
def at_work(store: str, *, left: str, clock: Clock | None = None, create: bool = True) -> Iterator[Work]:
    """Open a store for one robot, and end in order by a signal.

    Args:
        store: A file or a URL.
        left: Line to print when a signal ends the work; it says how to go on.
        clock: Clock of the journal; one that skips begins at the last entry.
        create: Whether to make the store where there is none.

    Raises:
        NotNow: Another robot is at work on the store.
    """
    with ExitStack() as stack:
        journal = stack.enter_context(Journal.open(store, clock=clock, create=create))
        if isinstance(clock, SkippingClock):
            clock.skip_to(journal.head().at_s)
        try:
            stack.enter_context(journal.holding(RUN))
        except IllegalCall:
            raise NotNow(
                "a store must have one robot at a time, and a robot is at work on this store",
                hint="Wait for its end, or name another --store.",
            ) from None
        leaving = Leaving()
        stack.enter_context(leaving.listening())
        try:
            yield Work(journal, store, leaving)
        except (Leave, KeyboardInterrupt) as signalled:
            note(left)
            number = signalled.signal if isinstance(signalled, Leave) else 0
            raise typer.Exit(ENDED + number if number else INTERRUPTED) from None


# -- people ------------------------------------------------------------------------------------------------------------


@contextmanager
def peopled(work: Work, place: Workplace, options: PageOptions, folder: Path) -> Iterator[Workplace]:
    """Bring people to the place where a task works: at a page with its server, at a terminal, or none.

    Args:
        work: Robot at work on the store.
        place: The place, which names the kind of its people.
        options: Settings of the page.
        folder: Folder of the server's log and pictures, for a store that is no file.
    """
    with ExitStack() as stack:
        place.check = work.leaving.check
        stack.callback(place.close)
        if place.people == PAGE:
            work.page = stack.enter_context(_page(work, place, options, folder))
        elif place.people == TERMINAL:
            place.channels = [ForegroundTerminal(place.person)]
        yield place


@dataclass
class RobotPage:
    """Page of a robot that works in this program.

    Args:
        options: Settings of the page.
        link: Link of the robot to the server.
        new_address: Function that returns an address of the page with a code that works once.
    """

    options: PageOptions
    link: RobotLink
    new_address: Callable[[], str]

    def open(self) -> None:
        """Open the page with a code that works once, or print its address; then wait for a person if asked to."""
        address = self.new_address()
        if self.options.no_browser:
            lead = "Open the page"
        else:
            lead = "The page" if _has_display() and _open(address) else "No browser opens here; open the page"
        note(f"{lead}: {address}")
        if self.options.wait:
            await_page(self.link)


def check_page(what: str) -> None:
    """Refuse work that needs a page, before anything is begun.

    Args:
        what: Name of the work, such as "a meal at the page".

    Raises:
        MissingExtra: The server's libraries are not installed.
        MissingSetting: The page is not built.
    """
    if any(find_spec(package) is None for package in WEB):
        raise MissingExtra.of("web", what)
    check_built()


@contextmanager
def _page(work: Work, place: Workplace, options: PageOptions, folder: Path) -> Iterator[RobotPage]:
    """Serve the page of the robot of a place, which gets a link and keeps its pictures there."""
    from handup.client import Client, RobotLink  # noqa: PLC0415
    from handup.client.child_server import ChildServer, known_to  # noqa: PLC0415 - belong to an extra
    from handup.server.tokens import Access  # noqa: PLC0415

    with ExitStack() as stack:
        access = Access(work.journal)
        paired = stack.enter_context(_robot_token(access, place.robot))
        server = ChildServer(work.store, known_to(paired.token, paired.grant.id), port=options.port, folder=folder)
        stack.callback(server.close)
        if server.moved:
            note(f"Port 8765 is taken; the page is on {server.port}.")
        server.wait()
        place.keep = stack.enter_context(Client(server.url, paired.token, patience_s=1.0)).put_picture
        place.link = link = stack.enter_context(RobotLink(server.url, paired.token, place.robot, id=paired.grant.id))
        yield RobotPage(options, link, lambda: f"{server.url}/#code={access.make_code(place.person, Role.RESIDENT)[0]}")


@contextmanager
def _robot_token(access: Access, robot: str) -> Iterator[Paired]:
    """Make a token for the robot while it works; revoke those that killed robots of its name left behind."""
    for grant in access.grants():
        if grant.is_robot and grant.name == robot:
            access.revoke(grant.id)
    paired = access.robot_token(robot)
    try:
        yield paired
    finally:
        access.revoke(paired.grant.id)


def await_page(link: RobotLink, typing: Keyboard | None = None) -> None:
    """Wait until somebody has the page open; Enter begins without them.

    Args:
        link: Link that knows how many people have the page open.
        typing: Source of typed lines; standard input where it is None.
    """
    link.hold(GREETING_S, only_heard=True)
    if link.people:
        return
    typing = typing or Keyboard()
    typed = typing.live and os.name == "posix"
    how = "To begin without it, press Enter." if typed else "To begin without it, use --no-wait."
    note(f"{WAITING} {how}")
    with suppress(EOFError):  # nothing more can be typed
        if typed:
            typing.drop()
            typing.line(lambda: link.people > 0)
            return
    while not link.people:
        time.sleep(LOOK_S)


def _has_display() -> bool:
    """Return whether a browser with windows could open; one in the terminal is no help."""
    return sys.platform in {"darwin", "win32"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _open(address: str) -> bool:
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


# -- work --------------------------------------------------------------------------------------------------------------


def drive(
    work: Work, place: Workplace, task: Task, *, hint: str = "", after_step: Callable[[], object] = lambda: None
) -> None:
    """Drive a task to its end. A signal before the end stops what is under way; the run can go on later.

    Args:
        work: Robot at work, with its signals.
        place: Place where the task works.
        task: Task to drive.
        hint: Next step where the robot asks at a terminal, and nothing more can be typed there.
        after_step: Function that is called after each step.

    Raises:
        Leave: A signal asked the program to end.
        NotNow: The robot asks, and nothing more can be typed here.
    """
    leaving, shown_s = work.leaving, time.monotonic()
    place.holds = task.hold
    try:
        place.show(task.view())
        if work.page is not None:
            work.page.open()
        _await_enabled(place, task)
        due_s: float | None = 0.0
        while due_s is not None:
            leaving.check()
            # While the robot acts, a signal is only noted; the next check() heeds it between two steps.
            leaving.acting = not task.interruptible
            due_s = task.step()
            after_step()
            if due_s is None or task.interruptible or time.monotonic() >= shown_s + SHOW_S:
                shown_s = time.monotonic()
                place.show(task.view())
            if due_s:
                place.wait(due_s)
    except Left:
        raise NotNow("the robot asks, and nothing more can be typed here", hint=hint) from None
    finally:
        leaving.acting = False
        task.close()


def _await_enabled(place: Workplace, task: Task) -> None:
    """Wait while a person's stop holds, before anything moves.

    Raises:
        NotNow: A stop holds, and there is no page where it could be lifted.
    """
    if not place.stopped:
        return
    if place.link is None:
        raise NotNow(
            "robots must be enabled before they begin, and somebody stopped the robots of this store",
            hint="Once it is safe, let them go on: handup answer --enable --store STORE, or use another --store.",
        )
    note(HELD)
    place.show({**task.view(), "phase": Phase.STOPPED, "doing": STOPPED})
    place.await_enabled()
    place.show(task.view())
