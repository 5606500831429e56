"""The work of a link's own thread: one connection after the other, each with a listener, a heart and a sender."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from handup.client import live
from handup.client.address import check_proof
from handup.client.client import AsyncClient
from handup.client.views import strange
from handup.core import HandupError, ServerUnreachable
from handup.core.panels import RobotState, plain

MOST_PICTURES = 8
"""So many pictures may wait to be sent; then the oldest is dropped."""
MOST_STATE = 60_000
"""A state may be so long, as JSON."""
REMEMBERED = 64
"""So many of our own beats are remembered, the latest."""
PAUSE_S = 0.25
"""The pause before a lost connection is made again."""
GIVE_UP_S = 2.0
"""After so long without a beat that is trusted a connection is dropped and made anew."""
BETWEEN_STATES_S = 0.05
"""States come no faster than this; of several the latest counts."""
PICTURE_S = 2.0
"""So long a picture may take."""
_log = logging.getLogger("handup.client")


class Outbox:
    """The latest state and the pictures that wait. Threads may share it, and nothing here waits or raises.

    Args:
        robot: Whose.
    """

    def __init__(self, robot: str) -> None:
        self._robot = robot
        self._lock = threading.Lock()
        self._pictures: dict[str, bytes] = {}
        self.state: str | None = None

    def put_state(self, state: Mapping[str, Any] | RobotState, now_s: float) -> None:
        """Take a state, as the frame that says it; one that cannot be sent is told in the log and left out."""
        try:
            text = live.frame("state", state={"at_s": now_s, **plain(state), "robot": self._robot})
        except (TypeError, ValueError) as error:
            _log.warning("a state of '%s' cannot be sent: %s", self._robot, error)
            return
        if len(text) > MOST_STATE:
            _log.warning("a state of '%s' is too large to be sent: %d characters", self._robot, len(text))
            return
        self.state = text

    def put_picture(self, name: str, picture: bytes) -> None:
        """Take a picture, in place of the last one of that name."""
        with self._lock:
            self._pictures.pop(name, None)
            self._pictures[name] = picture
            while len(self._pictures) > MOST_PICTURES:
                del self._pictures[next(iter(self._pictures))]

    def picture(self) -> tuple[str, bytes] | None:
        """The picture that waits for longest."""
        with self._lock:
            return next(iter(self._pictures.items()), None)

    def done(self, name: str, picture: bytes) -> None:
        """A picture need not be sent any more, unless another one has taken its place."""
        with self._lock:
            if self._pictures.get(name) is picture:
                del self._pictures[name]


class Pulse:
    """Heartbeats both ways, and how old what we hear can be.

    Each beat of ours has a number, and the server's beats repeat the last one that it heard. So a beat that was held
    up on the way, by a network or by a program that slept, is dated by when *we* sent the number in it, and not by when
    it came in. No wall clock is asked, neither here nor there.

    Args:
        hold_s: How long a beat is good for.
        now_s: A clock that never jumps.
    """

    def __init__(self, hold_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self.hold_s = hold_s
        self._now_s = now_s
        self._last_s = -math.inf
        self._number = 0
        self._echoes = False
        self._sent: OrderedDict[int, float] = OrderedDict()

    @property
    def age_s(self) -> float:
        """How long ago the server was surely there; infinity where it never was."""
        return self._now_s() - self._last_s

    @property
    def fresh(self) -> bool:
        """Whether the server was there just now."""
        return self.age_s < self.hold_s

    def send(self) -> int:
        """The number of a beat that goes out now."""
        self._number += 1
        self._sent[self._number] = self._now_s()
        if len(self._sent) > REMEMBERED:
            self._sent.popitem(last=False)
        return self._number

    def connected(self, began_s: float) -> None:
        """A connection was made that we began to make at a time of our clock; the server was there after that."""
        self._echoes = False
        self._there_at(began_s)

    def hear(self, beat: Mapping[str, Any]) -> None:
        """Take in a beat. From a server that repeats no numbers it is dated by when it came in."""
        number = beat.get("heard")
        self._echoes = self._echoes or "heard" in beat
        if not self._echoes:
            self._there_at(self._now_s())
        elif isinstance(number, int) and number in self._sent:
            self._there_at(self._sent[number])

    def _there_at(self, at_s: float) -> None:
        self._last_s = max(self._last_s, at_s)

    def forget(self) -> None:
        """The server is not there, as far as we are concerned."""
        self._last_s = -math.inf


@dataclass(frozen=True, kw_only=True)
class Wire:
    """Keeps a connection, for ever. What it is told from other threads comes in by `tell`.

    Args:
        client: Sends pictures; its address is the server's.
        pulse: Is told of every beat.
        outbox: What to send.
        hear: Called with every frame that comes in.
        own_stop: Why the robot itself says stop, and a token for it; None where it does not, or it is written.
        note: Called with why there is no connection.
        id: What the store calls our token, once that is known: then a server proves itself before it gets the token.
    """

    client: AsyncClient
    pulse: Pulse
    outbox: Outbox
    hear: Callable[[Mapping[str, Any]], None]
    own_stop: Callable[[], tuple[str, str] | None]
    note: Callable[[HandupError], None]
    id: Callable[[], str]
    over: asyncio.Event = field(default_factory=asyncio.Event)
    urgent: asyncio.Event = field(default_factory=asyncio.Event)
    to_send: asyncio.Event = field(default_factory=asyncio.Event)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def tell(self, event: asyncio.Event) -> None:
        """Set one of its events, from any thread, also after its end."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(event.set)

    def run(self) -> None:
        """Until `over` is set; the target of a thread."""
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_over())

    async def _until_over(self) -> None:
        link = asyncio.create_task(self._for_ever())
        await self.over.wait()
        link.cancel()
        await asyncio.gather(link, return_exceptions=True)
        await self.client.close()

    async def _for_ever(self) -> None:
        while True:
            try:
                await self._once()
            except (*live.FAILS, httpx.HTTPError) as error:
                self.note(live.refused(error) or self._lost(error))
            except HandupError as error:
                self.note(error)
            except (ValueError, TypeError, LookupError, RecursionError) as error:  # whatever a stranger there has sent
                self.note(self._lost(error))
            await asyncio.sleep(PAUSE_S)

    def _lost(self, error: Exception) -> HandupError:
        return ServerUnreachable(
            f"no link to {self.client.address.url}: {live.why(error)}",
            hint="The robot holds, and the link is tried again; see whether the server runs.",
        )

    async def _once(self) -> None:
        """One connection, until it fails. Another program may be at the address since the last one."""
        if id_ := self.id():
            await check_proof(self.client.address, id_)
        began_s = time.monotonic()
        async with connect(**live.how(self.client.address)) as socket:
            hello = live.read(await asyncio.wait_for(socket.recv(), GIVE_UP_S))
            if hello.get("type") != "hello":
                if hello.get("type") == "stopped":
                    self.hear(hello)  # it holds, whoever says it out of turn; the next greeting tells more
                raise strange("a greeting")
            self.hear(hello)  # a stop is known before the link is alive
            self.pulse.connected(began_s)
            self.to_send.set()
            work = (self._listen(socket), self._beat(socket), self._send(socket))
            tasks = [asyncio.create_task(each) for each in work]
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
            frame = live.read(await socket.recv())
            if frame.get("type") == "beat":
                self.pulse.hear(frame)
            self.hear(frame)

    async def _beat(self, socket: ClientConnection) -> None:
        began_s = time.monotonic()
        while True:
            self.urgent.clear()
            async with asyncio.timeout(GIVE_UP_S):
                if (own := self.own_stop()) is not None:
                    await socket.send(live.frame("stop", why=own[0], token=own[1]))
                await socket.send(live.beat(self.pulse.send()))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.urgent.wait(), live.BEAT_S)
            if min(self.pulse.age_s, time.monotonic() - began_s) > GIVE_UP_S:
                raise TimeoutError

    async def _send(self, socket: ClientConnection) -> None:
        while True:
            await self.to_send.wait()
            self.to_send.clear()
            for _ in range(MOST_PICTURES):
                if (found := self.outbox.picture()) is not None:
                    await self._send_picture(*found)
            if self.outbox.state is not None:
                await socket.send(self.outbox.state)
            await asyncio.sleep(BETWEEN_STATES_S)

    async def _send_picture(self, name: str, picture: bytes) -> None:
        try:
            async with asyncio.timeout(PICTURE_S):
                await self.client.put_picture(name, picture)
        except (HandupError, TimeoutError) as error:
            _log.warning("the picture '%s' was not sent: %s", name, str(error) or "it took too long")
        self.outbox.done(name, picture)
