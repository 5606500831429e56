"""All connected sockets and the frames that they get, and the latest state of each robot."""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from handup.core import TooFast
from handup.core.panels import RobotState
from handup.server.legacy_state import for_old_page
from handup.server.permissions import ANSWER
from handup.server.settings import Beats, Bounds
from handup.server.tokens import Grant

GONE_S = 1.0
"""Longest time in seconds that a socket may take to close before it is cut."""
EACH_S = 0.01
"""Shortest time in seconds, for each known robot, between two states of one robot that are sent to people. So they get
a hundred states a second with one robot, and one every two seconds of each robot with two hundred. That a robot has
come alive, or gone, is sent at once."""
EACH_TURN_S = 1.0
"""Shortest time in seconds between two changes of alive, the first one at once: on a slow network, nobody could read a
sign that changes with every heartbeat."""
MOST_ROBOTS = 2000
"""The most robots that are remembered; the one that is gone for longest is forgotten first."""


class Socket:
    """One connection: its waiting frames, and the time of its last sign of life. Use it in the event loop only.

    Args:
        grant: Grant of its owner.
        most: The most frames that may wait.
        panels: True where the other side shows panels; a page of 0.1.0 does not.

    Attributes:
        number: Newest number of a heartbeat that was received.
    """

    def __init__(self, grant: Grant, most: int, *, panels: bool) -> None:
        self.grant, self.panels = grant, panels
        self.heard_s = time.monotonic()
        self.watching: set[str] = set()
        self.sending_since: float | None = None
        self.cut = asyncio.Event()
        self.ending_since: float | None = None
        self.number: int | None = None
        self.beaten_s = -math.inf
        self._most = most
        self._greeted = False
        self._hello = ""
        self._urgent: deque[str] = deque(maxlen=8)
        self._frames: deque[str] = deque()
        self._latest: dict[str, str] = {}
        self._wake = asyncio.Event()

    def greet(self, hello: str) -> None:
        """Send the first frame. Make it in the same step of the event loop, so that it holds everything up to now.

        Nothing overtakes it, however urgent: the frame that arrives last is always the newest.
        """
        self._greeted, self._hello = True, hello
        self._wake.set()

    def beat(self, at_s: float) -> None:
        """Send a heartbeat. It repeats the last number that was received, so that the other side can date it."""
        self.beaten_s = time.monotonic()
        heard = "null" if self.number is None else self.number
        self.send(f'{{"type":"beat","at_s":{at_s!r},"heard":{heard}}}', slot="beat")

    def send(self, frame: str, *, slot: str = "", urgent: bool = False) -> None:
        """Send a frame. One with a slot replaces a waiting frame of the same slot; an urgent one comes first.

        Before the greeting nothing is sent: the greeting will hold it all.
        """
        if self.ending_since is not None or not self._greeted:
            return
        if urgent:
            self._urgent.append(frame)
        elif slot:
            self._latest[slot] = frame
        elif len(self._frames) >= self._most:
            self.bye("You read too slowly; connect again.")
        else:
            self._frames.append(frame)
        self._wake.set()

    def bye(self, why: str) -> None:
        """Send the last frame, with the reason, and close."""
        if self.ending_since is None:
            self.ending_since = time.monotonic()
            self._frames.clear()
            self._latest.clear()
            self._frames.append(f'{{"type":"bye","why":"{why}"}}')
            self._wake.set()

    async def next(self) -> str | None:
        """Return the next frame to send; None when there will be no more."""
        while True:
            if self._hello:
                hello, self._hello = self._hello, ""
                return hello
            if self._urgent:
                return self._urgent.popleft()
            if self._frames:
                return self._frames.popleft()
            if self._latest:
                return self._latest.pop(next(iter(self._latest)))
            if self.ending_since is not None:
                return None
            self._wake.clear()
            await self._wake.wait()


class Hub:
    """All sockets of this process. Use it in the event loop only.

    Args:
        bounds: Limits of their number.
        beats: Times of the heartbeats.
    """

    def __init__(self, bounds: Bounds, beats: Beats) -> None:
        self._bounds, self._beats = bounds, beats
        self._sockets: dict[Socket, None] = {}
        self._watchers: defaultdict[str, set[Socket]] = defaultdict(set)
        self._ticked_s = time.monotonic()

    def __iter__(self) -> Iterator[Socket]:
        return iter(tuple(self._sockets))

    def __len__(self) -> int:
        return len(self._sockets)

    def people(self) -> Iterator[Socket]:
        """Return the sockets of people."""
        return (socket for socket in self if not socket.grant.is_robot)

    @property
    def answering(self) -> int:
        """Number of sockets of people who may answer."""
        return sum(socket.grant.role in ANSWER for socket in self._sockets)

    def join(self, grant: Grant, *, panels: bool = True) -> Socket:
        """Return a new socket; `panels` as for `Socket`.

        Raises:
            TooFast: There are too many.
        """
        mine = sum(socket.grant.id == grant.id for socket in self._sockets)
        if len(self._sockets) >= self._bounds.sockets or mine >= self._bounds.sockets_each:
            raise TooFast("too many connections are open", hint="Close some, then connect again.")
        socket = Socket(grant, self._bounds.waiting_frames, panels=panels)
        self._sockets[socket] = None
        self._tell_robots(grant)
        return socket

    def leave(self, socket: Socket) -> None:
        """Forget a socket that has closed."""
        if socket in self._sockets:
            del self._sockets[socket]
            self._tell_robots(socket.grant)
        for question in tuple(socket.watching):
            self.unwatch(socket, question)

    def _tell_robots(self, came_or_went: Grant) -> None:
        """Tell robots how many people could answer now: a robot may want to wait for the first."""
        if came_or_went.is_robot:
            return
        frame = f'{{"type":"people","people":{self.answering}}}'
        for socket in self._sockets:
            if socket.grant.is_robot:
                socket.send(frame, slot="people")

    def watch(self, socket: Socket, question: str) -> None:
        """Tell a robot of every change of a question from now on.

        Raises:
            TooFast: It watches too many.
        """
        if len(socket.watching) >= self._bounds.watched and question not in socket.watching:
            raise TooFast(f"{self._bounds.watched} questions are watched already", hint="Watch by another socket.")
        socket.watching.add(question)
        self._watchers[question].add(socket)

    def unwatch(self, socket: Socket, question: str) -> None:
        """Stop telling a robot of a question."""
        socket.watching.discard(question)
        self._watchers[question].discard(socket)
        if not self._watchers[question]:
            del self._watchers[question]

    def watchers(self, question: str) -> tuple[Socket, ...]:
        """Return the sockets that watch a question."""
        return tuple(self._watchers.get(question, ()))

    def broadcast(self, frame: str, *, slot: str = "", urgent: bool = False) -> None:
        """Send one frame to everybody."""
        for socket in self._sockets:
            socket.send(frame, slot=slot, urgent=urgent)

    def steer(self, robot: str, frame: str) -> None:
        """Send a robot the position of the stick; of several frames that wait, only the latest is sent."""
        for socket in self._sockets:
            if socket.grant.is_robot and socket.grant.name == robot:
                socket.send(frame, slot="stick")

    def tick(self, at_s: float) -> bool:
        """Send heartbeats to sockets that did not just get one, and close those that are silent or stuck.

        Args:
            at_s: Time in seconds to send with it.

        Returns:
            True where this process itself was suspended: then silence says nothing about the others.
        """
        now_s = time.monotonic()
        slept = now_s - self._ticked_s > self._beats.hold_s
        self._ticked_s = now_s
        for socket in tuple(self._sockets):
            if slept:
                socket.heard_s = now_s
            if now_s - socket.beaten_s >= self._beats.beat_s * 0.9:
                socket.beat(at_s)
            if now_s - socket.heard_s > self._beats.silent_s:
                socket.bye("Nothing was heard of you; connect again.")
            stuck_s = 0.0 if socket.sending_since is None else now_s - socket.sending_since
            if stuck_s > self._beats.silent_s:
                socket.bye("You read too slowly; connect again.")
            if socket.ending_since is not None and now_s - socket.ending_since > GONE_S:
                socket.cut.set()
        return slept


@dataclass
class LinkedRobot:
    """A robot that this process has heard of.

    Args:
        name: Name of the robot.
        heard_s: Time of its last sign of life, by the monotonic clock.
        last_s: The same by the journal's clock, for people.
        alive: Whether people see it as alive.
        state: State that it sent last.
        told_s: Time at which people were last sent its state.
        untold: Whether a newer state waits to be sent to people.
        turned_s: Time at which `alive` last changed.
    """

    name: str
    heard_s: float
    last_s: float
    alive: bool = True
    state: dict[str, Any] | None = None
    told_s: float = 0.0
    untold: bool = False
    turned_s: float = -math.inf

    def view(self, *, panels: bool = True) -> dict[str, Any]:
        """Return the robot as people see it; without panels for pages of 0.1.0."""
        state = self.state if panels or self.state is None else for_old_page(self.state)
        return {"robot": self.name, "alive": self.alive, "last_s": self.last_s, "state": state}


class RobotHub:
    """All robots that this process has heard of. Use it in the event loop only.

    Args:
        hold_s: Seconds of silence after which a robot is not alive.
        now_s: Clock of the times that people are shown.
        changed: Called with each robot whose view has changed.
    """

    def __init__(self, hold_s: float, now_s: Callable[[], float], changed: Callable[[LinkedRobot], None]) -> None:
        self._hold_s = hold_s
        self._now_s = now_s
        self._changed = changed
        self._known: dict[str, LinkedRobot] = {}

    def __iter__(self) -> Iterator[LinkedRobot]:
        return iter(tuple(self._known.values()))

    @property
    def alive(self) -> int:
        """Number of robots that are alive."""
        return sum(robot.alive for robot in self._known.values())

    def heard(self, name: str) -> LinkedRobot:
        """Note a sign of life of a robot."""
        known = self._known.get(name)
        if known is None:
            if len(self._known) >= MOST_ROBOTS:
                del self._known[min(self._known, key=lambda robot: self._known[robot].heard_s)]
            known = self._known[name] = LinkedRobot(name, time.monotonic(), self._now_s())
            self._tell(known)
        known.heard_s, known.last_s = time.monotonic(), self._now_s()
        self._turn(known, alive=True)
        return known

    def put(self, name: str, state: RobotState) -> None:
        """Keep the state that a robot has sent, and show it to people."""
        robot = self.heard(name)
        robot.state = state.model_dump(mode="json")
        if time.monotonic() - robot.told_s >= EACH_S * len(self._known):
            self._tell(robot)
        else:
            robot.untold = True

    def tick(self, *, slept: bool) -> None:
        """Note silent robots, but not where this process itself was suspended; send states that were held back."""
        now_s = time.monotonic()
        for robot in self._known.values():
            if slept and robot.alive:
                robot.heard_s = now_s
            self._turn(robot, alive=now_s - robot.heard_s <= self._hold_s)
            if robot.untold and now_s - robot.told_s >= EACH_S * len(self._known):
                self._tell(robot)

    def _turn(self, robot: LinkedRobot, *, alive: bool) -> None:
        """Show a robot as alive or not. Where that changed just before, the next tick does it."""
        now_s = time.monotonic()
        if alive != robot.alive and now_s - robot.turned_s >= EACH_TURN_S:
            robot.alive, robot.turned_s = alive, now_s
            self._tell(robot)

    def _tell(self, robot: LinkedRobot) -> None:
        robot.told_s, robot.untold = time.monotonic(), False
        self._changed(robot)
