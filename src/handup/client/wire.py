"""The work of a link's own thread: one connection after the other, each with a listener, a heart and a sender."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from handup.client import live
from handup.client.asynchronous import AsyncClient
from handup.client.outbox import MOST_PICTURES, Outbox
from handup.client.proving import check_proof
from handup.client.pulse import Pulse
from handup.client.views import strange
from handup.core import HandupError, ServerUnreachable

PAUSE_S = 0.25
"""The pause before a lost connection is made again."""
GIVE_UP_S = 2.0
"""After so long without a beat that is trusted a connection is dropped and made anew."""
BETWEEN_STATES_S = 0.05
"""States come no faster than this; of several the latest counts."""
PICTURE_S = 2.0
"""So long a picture may take."""
_log = logging.getLogger("handup.client")


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
