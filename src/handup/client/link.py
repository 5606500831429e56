"""Link of a robot to its server: heartbeats both ways, state and pictures out, stops in. The robot never waits."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import httpx
from websockets.asyncio.client import ClientConnection, connect

from handup.client import link_protocol
from handup.client.address import check_proof
from handup.client.calls import new_token
from handup.client.client import AsyncClient
from handup.client.link_protocol import BEAT_S, MOST_PICTURES, Outbox, Pulse, ServerClock, Sticks
from handup.client.views import ActiveStop, count_of, stop_of, strange, unshown_of
from handup.core import HandupError, ServerUnreachable
from handup.core.panels import Phase, RobotState, Unshown
from handup.core.stick import Stick

HOLD_S = 1.0
"""Time in seconds after the last trusted heartbeat for which a robot may move."""
END_S = 4.0
"""Longest time in seconds that a link may take to end."""
LAST_S = 1.0
"""Longest time in seconds that a link that ends waits until the latest state was sent."""
MOST_WARNINGS = 20
"""The most warnings in the log about parts of a state that are not shown."""
PAUSE_S = 0.25
"""Pause in seconds before a lost connection is made again."""
GIVE_UP_S = 2.0
"""Time in seconds without a trusted heartbeat after which a connection is made anew."""
BETWEEN_STATES_S = 0.05
"""Shortest time in seconds between two states; of several, only the latest is sent."""
PICTURE_S = 2.0
"""Longest time in seconds that sending a picture may take."""
_log = logging.getLogger("handup.client")


class RobotLink:
    """Link between a robot and a server, in a thread of its own. It begins at once and never raises later on.

    A robot moves only while `alive` is true, and looks often: before each motion and during it. So it stands still when
    the server dies, the network is gone or somebody presses stop. It is *not* a safety function: that belongs to the
    hardware.

    Args:
        url: Address of the server; `HANDUP_URL`, or this machine, where it is None.
        token: The robot's token from `handup pair --robot NAME`; `HANDUP_TOKEN` where it is None.
        robot: Name of the robot, as it was paired.
        hold_s: Time in seconds after a heartbeat for which it may still move.
        id: Id of the token in the store. With it, every server proves that it has read the store before it gets the
            token; without it, the first server is trusted, and each later one has to prove it.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Attributes:
        clock: The server's time.
        problem: The error that keeps the link from working; None while it works.
        stops_heard: Number of stops that were heard so far, lifted or not.
        people: Number of open pages of people who may answer, when the server was last heard.
        unshown: Parts of our states that this server is too old to show; None where it shows all that was sent.

    Raises:
        BadSetting: The address or the token is malformed.

    Example:
        >>> with RobotLink("http://127.0.0.1:9", "token", "plate") as link:  # nobody is there
        ...     link.alive, link.stopped, link.hold(timeout_s=0.01)
        (False, False, False)
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        robot: str = "robot",
        *,
        hold_s: float = HOLD_S,
        id: str = "",
        ca_file: str | Path | None = None,
    ) -> None:
        self.robot = robot
        self.clock = ServerClock()
        self.problem: HandupError | None = None
        self._pulse = Pulse(hold_s)
        self._news = threading.Condition()
        self.stops_heard = 0
        self.people = 0
        self.unshown: Unshown | None = None
        self._sticks = Sticks()
        self._warned = set[Unshown]()
        self._id = id
        self._stop: ActiveStop | None = None
        self._own_stop: tuple[str, str] | None = None  # reason and token of our own stop
        self._outbox = Outbox(robot)
        self._client = AsyncClient(url, token, patience_s=0.0, ca_file=ca_file)
        self._over, self._urgent, self._to_send = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"handup link {robot}", daemon=True)
        self._thread.start()

    # -- what the robot looks at -------------------------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """True while the robot may move: the server was heard within `hold_s`, and no stop holds."""
        return self.heard and not self.stopped

    @property
    def heard(self) -> bool:
        """True where the server was heard within `hold_s`."""
        return self._pulse.fresh

    @property
    def stopped(self) -> bool:
        """True while a stop holds, also without connection, until the server says that a person enabled the robots."""
        return self._stop is not None or self._own_stop is not None

    @property
    def stop_heard(self) -> ActiveStop | None:
        """The stop that holds, as the server sent it; None without one."""
        return self._stop

    @property
    def stick(self) -> Stick | None:
        """Last position of the stick that steers this robot. Check its age: people let go, and links fail."""
        return self._sticks.latest

    def hold(self, timeout_s: float | None = None, *, only_heard: bool = False) -> bool:
        """Wait while the robot may not move.

        Args:
            timeout_s: Longest time in seconds; for ever where it is None.
            only_heard: Wait only until the server is heard, even if a stop holds.

        Returns:
            True where it may move now; with `only_heard`, where the server is heard.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        with self._news:
            while not (good := self.heard if only_heard else self.alive):
                left_s = None if until is None else until - time.monotonic()
                if (left_s is not None and left_s <= 0) or not self._thread.is_alive():
                    break
                self._news.wait(BEAT_S if left_s is None else min(left_s, BEAT_S))
        return good

    # -- what the robot says -----------------------------------------------------------------------------------------

    def state(self, state: Mapping[str, Any] | RobotState) -> None:
        """Show people the state of the robot. Returns at once; of several states, the latest is sent.

        Args:
            state: `phase`, and where you like `title`, `doing`, `why` and `panels`: those of `handup.core.panels`, or
                the same as plain data. While `handup.run` drives the robot, leave the phase to it.
        """
        self._outbox.put_state(state, self.clock.now_s())
        self._tell(self._to_send)

    def phase(self, phase: Phase | str, doing: str | None = None) -> None:
        """Show people the last state with another phase, and with `doing` in place of its words where it is given."""
        self._outbox.put_phase(str(phase), doing, self.clock.now_s())
        self._tell(self._to_send)

    def picture(self, name: str, picture: bytes) -> None:
        """Show a picture (PNG, JPEG or WebP). Returns at once; it is there before the next state is."""
        self._outbox.put_picture(name, picture)
        self._tell(self._to_send)

    def stop(self, why: str = "") -> None:
        """Stop every robot of this server. The stop holds here at once, and is sent until the server has written it."""
        if self._own_stop is None:
            self._own_stop = (why, new_token())
        self._tell(self._urgent)

    def close(self) -> None:
        """End the link, once the latest state was sent if the server is heard. Safe to call twice.

        People are told that the robot does not answer, unless the phase of that state is `done`.
        """
        self._tell(self._over)
        self._thread.join(END_S)
        self._pulse.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what it hears, in its own thread ----------------------------------------------------------------------------

    def _hear(self, frame: Mapping[str, Any]) -> None:
        match frame.get("type"):
            case "beat":
                self.clock.hear(frame.get("at_s"))
            case "hello":
                self.clock.hear(frame.get("now_s"))
                self._keep_unwritten(stop_of(frame.get("stopped")))
                self._take_stop(frame.get("stopped"))
                self.people = count_of(frame.get("people"))
                self._id = self._id or _id_of(frame)
                self.problem = self.unshown = None
            case "stopped":
                self._take_stop(frame.get("stopped"))
            case "people":
                self.people = count_of(frame.get("people"))
            case "stick":
                self._sticks.hear(frame)
            case "stop":
                own = self._own_stop
                if own is not None and frame.get("token") == own[1] and frame.get("written") is True:
                    self._own_stop = None
            case "unshown":
                self._take_unshown(unshown_of(frame))
            case "error":
                _log.warning("the server refused something of '%s': %s", self.robot, json.dumps(frame.get("error")))
        with self._news:
            self._news.notify_all()

    def _take_unshown(self, unshown: Unshown) -> None:
        """Keep the parts that are not shown; log them where they are new, also across connections."""
        self.unshown = unshown
        if unshown not in self._warned and len(self._warned) < MOST_WARNINGS:
            self._warned.add(unshown)
            _log.warning("the server is too old to show %s of '%s'; update handup there", unshown, self.robot)

    def _take_stop(self, view: Any) -> None:
        stop = stop_of(view)
        known = self._stop
        if stop is not None and (known is None or (stop.by, stop.at_s) != (known.by, known.at_s)):
            self.stops_heard += 1
        self._stop = stop

    def _keep_unwritten(self, now: ActiveStop | None) -> None:
        """Send a stop again that a server lost because it ended before the stop was written."""
        lost = self._stop
        if lost is None or lost.written or self._own_stop is not None:
            return
        if now is None or now.by != lost.by:
            self._own_stop = (f"{lost.by or 'somebody'} said stop before the server was lost", new_token())
            self._tell(self._urgent)

    def _note(self, problem: HandupError) -> None:
        """Keep the error that keeps the link from working; log it when it is new."""
        if self.problem is None or self.problem.cause != problem.cause:
            _log.warning("robot '%s' holds: %s", self.robot, problem)
        self.problem = problem

    # -- its own thread: one connection after the other, each with a listener, a heart and a sender ------------------

    def _tell(self, event: asyncio.Event) -> None:
        """Set an event of the link's event loop, from any thread; do nothing once the loop has ended."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(event.set)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_over())

    async def _until_over(self) -> None:
        link = asyncio.create_task(self._for_ever())
        await self._over.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):
                while self.heard and self._outbox.sent is not self._outbox.state:
                    await asyncio.sleep(BETWEEN_STATES_S / 5)
        link.cancel()
        await asyncio.gather(link, return_exceptions=True)
        await self._client.close()

    async def _for_ever(self) -> None:
        while True:
            try:
                await self._once()
            except (*link_protocol.FAILS, httpx.HTTPError) as error:
                self._note(link_protocol.refused(error) or self._lost(error))
            except HandupError as error:
                self._note(error)
            except (ValueError, TypeError, LookupError, RecursionError) as error:  # another program may have answered
                self._note(self._lost(error))
            await asyncio.sleep(PAUSE_S)

    def _lost(self, error: Exception) -> HandupError:
        return ServerUnreachable(
            f"no link to {self._client.address.url}: {link_protocol.why(error)}",
            hint="The robot stands still, and the link tries again. See whether the server runs.",
        )

    async def _once(self) -> None:
        """Keep one connection until it fails. Before, check that no other program has taken the address."""
        if self._id:
            await check_proof(self._client.address, self._id)
        began_s = time.monotonic()
        async with connect(**link_protocol.how(self._client.address)) as socket:
            hello = link_protocol.read(await asyncio.wait_for(socket.recv(), GIVE_UP_S))
            if hello.get("type") != "hello":
                if hello.get("type") == "stopped":
                    self._hear(hello)  # a stop counts even before the greeting
                raise strange("a greeting")
            self._hear(hello)  # a stop is known before the link is alive
            self._pulse.connected(began_s)
            self._to_send.set()
            work = (self._listen(socket), self._beat(socket), self._send(socket))
            tasks = [asyncio.create_task(part) for part in work]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, socket: ClientConnection) -> None:
        while True:
            frame = link_protocol.read(await socket.recv())
            if frame.get("type") == "beat":
                self._pulse.hear(frame)
            self._hear(frame)

    async def _beat(self, socket: ClientConnection) -> None:
        began_s = time.monotonic()
        while True:
            self._urgent.clear()
            async with asyncio.timeout(GIVE_UP_S):
                if (own := self._own_stop) is not None:
                    await socket.send(link_protocol.frame("stop", why=own[0], token=own[1]))
                await socket.send(link_protocol.beat(self._pulse.send()))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._urgent.wait(), link_protocol.BEAT_S)
            if min(self._pulse.age_s, time.monotonic() - began_s) > GIVE_UP_S:
                raise TimeoutError

    async def _send(self, socket: ClientConnection) -> None:
        while True:
            await self._to_send.wait()
            self._to_send.clear()
            for _ in range(MOST_PICTURES):
                if (waiting := self._outbox.picture()) is not None:
                    await self._send_picture(*waiting)
            if (state := self._outbox.state) is not None:
                await socket.send(state)
                self._outbox.sent = state
            await asyncio.sleep(BETWEEN_STATES_S)

    async def _send_picture(self, name: str, picture: bytes) -> None:
        try:
            async with asyncio.timeout(PICTURE_S):
                await self._client.put_picture(name, picture)
        except (HandupError, TimeoutError) as error:
            _log.warning("the picture '%s' was not sent: %s", name, str(error) or "it took too long")
        self._outbox.done(name, picture)


def _id_of(hello: Mapping[str, Any]) -> str:
    """Return the id of our token; empty where the server does not say it."""
    me = hello.get("me")
    return str(me.get("id") or "") if isinstance(me, Mapping) else ""
