"""A meal with somebody at the page: the robot in this process, the server in another one, the page in a browser."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from handup.cli.at_page import alone, await_page, check_ready, linger, made_folder, open_page, robot_token, terminable
from handup.cli.meal_memory import Wanted, household
from handup.cli.output import INTERRUPTED, err

if TYPE_CHECKING:
    from handup.domains.feeding.order import Order
    from handup.domains.feeding.served import Bite, Served

FOLDER = Path("handup-meals")
STORE = "meal.db"


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


def eat(wanted: Order, sitting: Sitting, told: Callable[[Bite], object]) -> Served:
    """The whole meal, from the plate to the summary."""
    from handup.journal.address import address_of  # noqa: PLC0415 - the help does without databases

    check_ready("a meal at the page")
    store = sitting.store or str(made_folder(FOLDER) / STORE)
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
    from handup.server.tokens import Access  # noqa: PLC0415

    with ExitStack() as stack:
        stack.enter_context(terminable())
        journal = stack.enter_context(Journal.open(store))
        stack.enter_context(alone(journal, RUN, "a meal"))
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
        linger(sitting.linger_s, "The meal is over.")
        return served


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
