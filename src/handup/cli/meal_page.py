"""A meal with somebody at the page: the robot in this process, the server in another one, the page in a browser."""

from __future__ import annotations

import os
import signal
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from handup.cli.built_page import check_built
from handup.cli.meal_memory import Wanted, household
from handup.cli.output import INTERRUPTED, err
from handup.core import BadSetting, IllegalCall, MissingExtra, StoreUnavailable

if TYPE_CHECKING:
    from handup.client import RobotLink
    from handup.desk.keyboard import Typing
    from handup.domains.feeding.order import Order
    from handup.domains.feeding.served import Bite, Served
    from handup.journal import Journal
    from handup.server.access import Access, Paired

FOLDER = Path("handup-meals")
STORE = FOLDER / "meal.db"
WEB = ("fastapi", "uvicorn", "websockets", "httpx")
ENDED = 128
"""The exit code after a signal is this and its number, as shells count it."""
GREETING_S, LOOK_S = 5.0, 0.2
"""So long the server may take to say who is there; how often it is looked whether somebody came."""
WAITING = "The robot waits until the page is open."


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """How a person sits down to a meal.

    Args:
        store: Where the meal is kept; a file in a folder that stays where it is None.
        port: Of the page; the first free one where it is None.
        browser: Whether to open the page.
        new: Begin a new meal, though the last one was not finished.
        own_seed: Give each new meal a plate of its own.
        speed: Of the arm; 1 is real time.
        linger_s: How long the page stays after the last bite.
        wait: Whether the robot begins only once a page is open.
        frames: The film goes here.
        memory: Where what it is told is kept, if anywhere.
        own_kitchen: Serve all meals of the store in one home.
    """

    store: str | None
    port: int | None
    browser: bool
    new: bool
    own_seed: bool
    speed: float
    linger_s: float
    wait: bool
    frames: list[Any] | None
    memory: Wanted = field(default_factory=Wanted)
    own_kitchen: bool = True


def check_ready(what: str = "a meal") -> None:
    """Refuse before anything is begun what cannot work.

    Args:
        what: Is to be shown at the page.

    Raises:
        MissingExtra: The server's libraries are not installed.
        BadSetting: The page is not built.
    """
    if any(find_spec(each) is None for each in WEB):
        raise MissingExtra.of("web", f"{what} at the page")
    check_built()


def eat(wanted: Order, sitting: Sitting, told: Callable[[Bite], object]) -> Served:
    """The whole meal, from the plate to the summary."""
    from handup.journal.address import address_of  # noqa: PLC0415 - the help does without databases

    check_ready()
    store = sitting.store or _default_store()
    shown = address_of(store).shown
    try:
        return _eat(wanted, sitting, store, told)
    except KeyboardInterrupt:
        said = f"Left. The meal is kept in {shown}; the same command goes on with it."
        err.print(said, markup=False, soft_wrap=True)
        raise typer.Exit(INTERRUPTED) from None


def _eat(wanted: Order, sitting: Sitting, store: str, told: Callable[[Bite], object]) -> Served:
    from handup.cli.child_server import ChildServer, known_to  # noqa: PLC0415 - belong to extras
    from handup.client import Client, RobotLink  # noqa: PLC0415
    from handup.domains.feeding.live import ROBOT, AtPage  # noqa: PLC0415
    from handup.domains.feeding.meal import NAME, Meal  # noqa: PLC0415
    from handup.domains.feeding.modules import Modules  # noqa: PLC0415
    from handup.domains.feeding.order import PERSON, Terms  # noqa: PLC0415
    from handup.domains.feeding.ordering import RUN, finished, next_meal  # noqa: PLC0415
    from handup.domains.feeding.remembering import kept_in  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415
    from handup.journal.address import address_of  # noqa: PLC0415
    from handup.server.access import Access  # noqa: PLC0415

    with ExitStack() as stack:
        stack.enter_context(_terminable())
        journal = stack.enter_context(Journal.open(store))
        stack.enter_context(alone(journal, RUN))
        access = Access(journal)
        paired = stack.enter_context(robot_token(access, ROBOT))
        token = paired.token
        server = ChildServer(store, known_to(paired), port=sitting.port, folder=FOLDER)
        stack.callback(server.close)
        modules = Modules.load()
        memory = stack.enter_context(household(sitting.memory.place(journal, new=sitting.new), journal))
        terms = Terms(
            people=PERSON,
            networks=modules.networks,
            memory=memory is not None,
            memory_store="" if memory is None else kept_in(memory, journal),
        )
        order = next_meal(
            journal, wanted, terms, new=sitting.new, own_seed=sitting.own_seed, own_kitchen=sitting.own_kitchen
        )
        _say_what(order.order, address_of(store).shown, goes_on=order.goes_on)
        say_of_film(sitting.frames, goes_on=order.goes_on)
        if server.moved:
            err.print(f"Port 8765 is taken; the page is on {server.port}.", markup=False)
        server.wait()
        keep = stack.enter_context(Client(server.url, token, patience_s=1.0)).put_picture
        link = stack.enter_context(RobotLink(server.url, token, ROBOT, id=paired.grant.id))
        company = AtPage(link, keep, NAME, speed=sitting.speed)
        meal = stack.enter_context(
            Meal(order.order, journal, modules=modules, film=sitting.frames, company=company, memory=memory)
        )
        open_page(server.url, access, NAME, browser=sitting.browser)
        if sitting.wait:
            await_page(link)
        served = meal.eat((), told=told)
        finished(journal, order.order)
        linger(sitting.linger_s)
        return served


def await_page(link: RobotLink, typing: Typing | None = None) -> None:
    """Wait until somebody has the page open, who would miss the meal otherwise; Enter begins without them.

    Args:
        link: Knows how many have.
        typing: Where lines come from; standard input where it is None.
    """
    from handup.desk.keyboard import Keyboard  # noqa: PLC0415 - the help does without the desk

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


def linger(linger_s: float, what: str = "meal") -> None:
    """Keep the page for a while; what it showed is over, so Ctrl-C loses nothing."""
    if linger_s:
        err.print(f"The {what} is over. The page stays for another {linger_s:.0f} s; Ctrl-C ends it.", markup=False)
    with suppress(KeyboardInterrupt):
        time.sleep(linger_s)


def _default_store() -> str:
    try:
        FOLDER.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {FOLDER} cannot be made here: {error.strerror or error}",
            hint="Go to a folder that you may write in, or name a file with --store.",
        ) from None
    return str(STORE)


def _say_what(order: Order, store: str, *, goes_on: bool) -> None:
    if goes_on:
        said = f"Goes on with {order.name} ({order.plate}, {order.bites} bites); for a new one: --new."
    else:
        said = f"Begins {order.name} ({order.plate}, {order.bites} bites)."
    err.print(f"{said} Kept in {store}.", markup=False, soft_wrap=True)


def say_of_film(frames: list[Any] | None, *, goes_on: bool) -> None:
    """Warn that a film of a meal that was begun before shows only the rest of it."""
    if frames is not None and goes_on:
        err.print("The film shows only what is done from now on: this meal was begun before.", markup=False)


@contextmanager
def alone(journal: Journal, run: str, what: str = "a meal") -> Iterator[None]:
    """One robot for each store.

    Raises:
        BadSetting: Another one is at work there.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(journal.holding(run))
        except IllegalCall:
            raise BadSetting(
                f"{what} is under way on this store", hint="Open its page, or name another --store."
            ) from None
        yield


@contextmanager
def robot_token(access: Access, robot: str) -> Iterator[Paired]:
    """A token for the robot as long as this lasts; those of robots that were killed end now."""
    for grant in access.grants():
        if grant.is_robot and grant.name == robot:
            access.revoke(grant.id)
    paired = access.robot_token(robot)
    try:
        yield paired
    finally:
        access.revoke(paired.grant.id)


@contextmanager
def _terminable() -> Iterator[None]:
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
    from handup.server.events import AccessRole  # noqa: PLC0415 - belongs to an extra

    code, _ = access.make_code(person, AccessRole.RESIDENT)
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
