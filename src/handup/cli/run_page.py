"""A run with somebody at the page: the robot in this process, the server in another one, the page in a browser."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from handup.cli.at_page import await_page, check_ready, linger, open_page, robot_token
from handup.cli.output import err
from handup.cli.people import user_name
from handup.cli.run_driving import LOOK_S, Leaving, Pace, drive
from handup.cli.run_home import FOLDER
from handup.cli.run_progress import Progress
from handup.core import Person, panels
from handup.desk import Desk
from handup.domains.stage import Stage
from handup.executive.events import Asked, Entry
from handup.executive.executive import Executive
from handup.executive.machine import Finished, Machine, Phase
from handup.executive.people import AtDesk
from handup.executive.run import Run
from handup.executive.watching import Watching, named
from handup.journal import Journal

if TYPE_CHECKING:
    from handup.cli.run_setting import Wanted
    from handup.client import RobotLink

ROBOT = "robot"
EVERY_S = 0.1
"""So often the page is told what the robot is at, in real seconds, and at once when it asks or ends."""
SPEED = 20.0
"""Of a simulated robot where nothing else is said."""


@dataclass
class Shown:
    """Tells the page what a run is at.

    Args:
        link: The robot's link.
        machine: Of the run.
        stage: What is around it.
    """

    link: RobotLink
    machine: Machine
    stage: Stage
    watching: Watching = field(init=False)
    _last: float = field(default=float("-inf"), init=False)
    _held: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.watching = Watching(self.machine)

    def told(self, event: Entry) -> None:
        """Something happened. A question is told of at once: the run stands still then, and nothing else would."""
        self.watching.told(event)
        if isinstance(event, Asked):
            self.put()

    def changed(self, machine: Machine) -> None:
        """The run stands elsewhere."""
        urgent = machine.phase in (Phase.ASKING, Phase.ENDED)
        if urgent or time.monotonic() >= self._last + EVERY_S:
            self.put()

    def holds(self, held: bool) -> None:
        """The robot holds, or goes on."""
        self._held = held
        self.put()

    def put(self) -> None:
        """Tell everything."""
        self._last = time.monotonic()
        finished = self.machine.finished
        phase = panels.Phase.MOVING
        if finished is not None:
            phase = panels.Phase.STOPPED if finished.ending == "stopped" else panels.Phase.DONE
        elif self._held:
            phase = panels.Phase.HOLDING
        elif self.machine.phase is Phase.ASKING:
            phase = panels.Phase.ASKING
        watching = self.watching
        self.link.state(
            {
                "phase": phase,
                "title": named(self.machine.frames[0].name if self.machine.frames else ROBOT).capitalize(),
                "doing": watching.doing[:300],
                "why": watching.why,
                "panels": watching.panels(self.stage.in_words()),
            }
        )


@dataclass(frozen=True)
class AtPage(AtDesk):
    """People at the page, whose stop comes by the robot's link sooner than by the journal."""

    link: Any = None

    @property
    def stopped(self) -> bool:
        """Whether somebody said stop."""
        return bool(self.link.stopped) or self.desk.stopped


def at_page(wanted: Wanted, run: Run, stage: Stage, journal: Journal, store: str, leaving: Leaving) -> Finished:
    """Drive a run while somebody looks on, who is asked."""
    from handup.cli.child_server import ChildServer, known_to  # noqa: PLC0415 - belong to an extra
    from handup.cli.run_setting import around_of, files_of  # noqa: PLC0415 - it brought us here
    from handup.client import RobotLink  # noqa: PLC0415
    from handup.server.tokens import Access  # noqa: PLC0415

    check_ready("a run at the page")
    person, page = user_name(), wanted.page
    with ExitStack() as stack:
        access = Access(journal)
        paired = stack.enter_context(robot_token(access, ROBOT))
        server = ChildServer(store, known_to(paired), port=page.port, folder=FOLDER)
        stack.callback(server.close)
        if server.moved:
            err.print(f"Port 8765 is taken; the page is on {server.port}.", markup=False)
        server.wait()
        link = stack.enter_context(RobotLink(server.url, paired.token, ROBOT, id=paired.grant.id))
        desk = stack.enter_context(Desk(journal, [Person(name=person)]))
        shown = Shown(link, run.machine, stage)
        for entry in journal.read(run=run.id):
            if entry.kind.startswith("task."):
                shown.watching.told(entry.event)  # type: ignore[arg-type]
        progress = Progress(run.machine, quiet=wanted.quiet, steps=wanted.steps)
        run.follow(progress.told)
        run.follow(shown.told)
        shown.put()
        open_page(server.url, access, person, browser=page.browser)
        if page.wait:
            await_page(link)
        _enabled(link, desk, shown)
        people = stage.with_hands(AtPage(desk, run.id, link=link), run.machine)
        executive = Executive(run, around_of(stage, people), watch=shown.changed, files=files_of(run))
        pace = Pace(
            speed=wanted.speed or SPEED,
            leaving=leaving,
            may_move=lambda: link.alive,
            stopped=lambda: people.stopped,
            holds=shown.holds,
        )
        with progress:
            over = drive(executive, pace)
        shown.put()
        linger(page.linger_s, "The run is over.")
        return over


def _enabled(link: RobotLink, desk: Desk, shown: Shown) -> None:
    """A robot does not begin while somebody's stop holds: it waits until they let it go on."""
    if not desk.stopped and not link.stopped:
        return
    err.print("Somebody stopped the robots of this store. It begins once they are let go on at the page.", markup=False)
    while desk.stopped or link.stopped:
        desk.watch(0.25)
        time.sleep(LOOK_S)
    shown.put()
