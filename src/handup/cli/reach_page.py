"""You drive at the page: the robot in this process, the server in another one, the page in a browser."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from handup.cli.at_page import alone, await_page, check_ready, linger, made_folder, open_page, robot_token, terminable
from handup.cli.output import INTERRUPTED, err

if TYPE_CHECKING:
    from handup.domains.reaching import Scene
    from handup.domains.reaching.driving import Drive, Driven

FOLDER = Path("handup-reach")
STORE = "reach.db"


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """How a person sits down to drive.

    Args:
        store: Where questions and answers are kept; a file in a folder that stays where it is None.
        port: Of the page; the first free one where it is None.
        browser: Whether to open the page.
        wait: Whether it begins only once a page is open.
        limit_s: How long they may take.
        linger_s: How long the page stays afterwards.
    """

    store: str | None
    port: int | None
    browser: bool
    wait: bool
    limit_s: float
    linger_s: float


def drive(scene: Scene, task: str, method: str, sitting: Sitting) -> Driven:
    """One attempt, from the open page to the grasp.

    Raises:
        BadGoals: The task is no goal of the scene.
        UnknownMethod: There is no such method.
        MissingExtra: The extra `web` is not installed.
        BadSetting: The page is not built, or somebody drives on this store already.
    """
    from handup.domains.reaching import Rules  # noqa: PLC0415 - the help does without
    from handup.domains.reaching.driving import Drive  # noqa: PLC0415

    attempt = Drive(scene, task, method, Rules(limit_s=sitting.limit_s))
    check_ready("driving at the page")
    store = sitting.store or str(made_folder(FOLDER) / STORE)
    try:
        return _drive(attempt, store, sitting)
    except KeyboardInterrupt:
        err.print("Left. The hand stays where it is.", markup=False)
        raise typer.Exit(INTERRUPTED) from None


def _drive(attempt: Drive, store: str, sitting: Sitting) -> Driven:
    from handup.cli.child_server import ChildServer, known_to  # noqa: PLC0415 - belong to extras
    from handup.client import RobotLink  # noqa: PLC0415
    from handup.desk import Desk  # noqa: PLC0415
    from handup.domains.reaching.live import NAME, PERSON, ROBOT, RUN, Seat, go_on  # noqa: PLC0415
    from handup.journal import Journal  # noqa: PLC0415
    from handup.server.tokens import Access  # noqa: PLC0415

    with ExitStack() as stack:
        stack.enter_context(terminable())
        journal = stack.enter_context(Journal.open(store))
        stack.enter_context(alone(journal, RUN, "somebody's reaching"))
        access = Access(journal)
        paired = stack.enter_context(robot_token(access, ROBOT))
        server = ChildServer(store, known_to(paired), port=sitting.port, folder=FOLDER)
        stack.callback(server.close)
        desk = stack.enter_context(Desk(journal, [PERSON]))
        attempt, run = go_on(attempt, desk)
        if attempt.time_s > 0.0:
            err.print("It goes on with what was begun on this store.", markup=False)
        if server.moved:
            err.print(f"Port 8765 is taken; the page is on {server.port}.", markup=False)
        server.wait()
        link = stack.enter_context(RobotLink(server.url, paired.token, ROBOT, id=paired.grant.id))
        open_page(server.url, access, NAME, browser=sitting.browser)
        if sitting.wait:
            await_page(link)
        driven = Seat(attempt, link, desk, run).drive_on()
        linger(sitting.linger_s, "It is over.")
        return driven
