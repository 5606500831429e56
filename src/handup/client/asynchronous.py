"""A client that awaits: the same methods as `Client`, for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from websockets.asyncio.client import ClientConnection, connect

from handup.client import calls, live
from handup.client.address import Address
from handup.client.calls import Call
from handup.client.reading import NOT_ARRIVED, body_of, limits, polls
from handup.client.tries import LONGEST_PAUSE_S, PASSING, PATIENCE_S, Tries, answered
from handup.client.views import Change, Connected, Lost, Pairing, Robot, change_of, count_of
from handup.core import Question, ReplyKind, ServerUnreachable, Value
from handup.core.panels import RobotState
from handup.desk import Receipt, Record

T = TypeVar("T")


class AsyncClient:
    """Speaks with a server, as `Client` does, inside one event loop. See there for what the methods promise.

    Args:
        url: Where the server is; `HANDUP_URL`, or this machine, where it is not given.
        token: What pairing gave; `HANDUP_TOKEN` where it is not given.
        patience_s: How long to try while the server cannot be reached.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Raises:
        BadSetting: The address or the token cannot be one.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        patience_s: float = PATIENCE_S,
        ca_file: str | Path | None = None,
    ) -> None:
        self.address = Address.of(url, token, ca_file)
        self.patience_s = patience_s
        self._http = self._connections()

    # -- robots ------------------------------------------------------------------------------------------------------

    async def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> Record:
        """Put a question to people."""
        return await self._do(calls.ask(question, run=run, step=step, attempt=attempt, load=load))

    async def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until there is something to tell of a question, or everything is stopped; None when the time is up."""
        for call, left_s in polls(question, timeout_s):
            try:
                found = await self._do(call, patience_s=left_s)
            except ServerUnreachable:
                return None
            if found is not None:
                return found
        return None

    async def record(self, question: str) -> Record | None:
        """A question as it is; None where there is none."""
        return await self._do(calls.record(question))

    async def withdraw(self, question: str, why: str) -> Receipt:
        """Take a question back that is no longer needed."""
        return await self._do(calls.withdraw(question, why))

    async def put_state(self, robot: str, state: Mapping[str, Any] | RobotState) -> None:
        """Show what a robot does."""
        await self._do(calls.put_state(robot, state))

    async def put_picture(self, name: str, picture: bytes) -> None:
        """Keep a picture (PNG, JPEG or WebP) that questions and states name."""
        await self._do(calls.put_picture(name, picture))

    # -- people ------------------------------------------------------------------------------------------------------

    async def waiting(self) -> tuple[Record, ...]:
        """The questions that wait for an answer and that we may see."""
        return await self._do(calls.waiting())

    async def answer(self, question: str, value: Value, *, certainty: float = 1.0, device: str = "") -> Receipt:
        """Answer a question. The receipt says whether it counts."""
        return await self._do(calls.reply(question, ReplyKind.ANSWER, value=value, certainty=certainty, device=device))

    async def reply(self, question: str, kind: ReplyKind, *, until_s: float | None = None, device: str = "") -> Receipt:
        """Say *not now*, *someone else* or *let the robot try*."""
        return await self._do(calls.reply(question, kind, until_s=until_s, device=device))

    async def claim(self, question: str) -> Receipt:
        """Take a question on, so that nobody else answers it meanwhile."""
        return await self._do(calls.claim(question))

    async def release(self, question: str) -> Receipt:
        """Give a claim back."""
        return await self._do(calls.release(question))

    async def robots(self) -> tuple[Robot, ...]:
        """The robots that the server knows, and whether they are heard."""
        return await self._do(calls.robots())

    # -- everybody ---------------------------------------------------------------------------------------------------

    async def stop(self, why: str = "") -> None:
        """Stop every robot: latched, until a person enables them. *Not* a safety function: that is the hardware's.

        Raises:
            StoreUnavailable: It holds on the server, which could not write it in time.
        """
        await self._do(calls.stop(why))

    async def enable(self, stop: int | None = None) -> None:
        """Let the robots go on after a stop. Not sent again by itself where nobody knows whether it arrived.

        Args:
            stop: The number (`Stop.seq`) of the last stop that was seen; those said so far where it is None.

        Raises:
            IllegalCall: There is a newer stop, which holds.
        """
        await self._do(calls.enable(stop))

    async def pair(self, code: str, device: str = "python") -> Pairing:
        """Turn a code from `handup pair` into a token, and use it from now on."""
        pairing = await self._do(calls.pair(code, device))
        await self._http.aclose()
        self.address = Address(self.address.url, pairing.token, self.address.ca_file)
        self._http = self._connections()
        return pairing

    async def leave(self) -> None:
        """Give up the token."""
        await self._do(calls.leave())

    async def me(self) -> Mapping[str, Any]:
        """Who the server takes us for."""
        return await self._do(calls.me())

    async def health(self) -> Mapping[str, Any]:
        """How the server is."""
        return await self._do(calls.health())

    async def watch(self, *questions: str) -> AsyncGenerator[Change, None]:
        """What changes, for ever. Begins with `Connected`, and again after each `Lost`.

        Raises:
            HandupError: The server does not let us in.
        """
        lost = False
        while True:
            try:
                async with connect(**live.how(self.address)) as socket, _beating(socket):
                    for each in questions:
                        await socket.send(live.frame("watch", id=each))
                    while True:
                        async with asyncio.timeout(live.SILENT_S):
                            frame = live.read(await socket.recv())
                        change = change_of(frame)
                        if isinstance(change, Connected) and count_of(frame.get("more")):
                            change = replace(change, questions=await self.waiting())  # not all were in the greeting
                        lost = lost and change is None
                        if change is not None:
                            yield change
            except (*live.FAILS, *PASSING) as error:
                if (refused := live.refused(error)) is not None:
                    raise refused from None
                if not lost:
                    yield Lost(why=live.why(error))
                lost = True
            await asyncio.sleep(LONGEST_PAUSE_S)

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- one request -------------------------------------------------------------------------------------------------

    def _connections(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.address.api,
            headers=self.address.headers,
            verify=self.address.trust() or False,  # plain HTTP has nothing to verify
            trust_env=False,
        )

    async def _do(self, call: Call[T], patience_s: float | None = None) -> T:
        tries = Tries(call, self.address.url, self.patience_s if patience_s is None else patience_s)
        while True:
            try:
                response = await self._send(call)
            except httpx.TransportError as error:
                await asyncio.sleep(tries.lost(error, arrived=not isinstance(error, NOT_ARRIVED)))
                continue
            pause_s = tries.busy(response.status_code, response.headers.get("retry-after"), body_of(response))
            if pause_s is None:
                result: T = answered(call, response.status_code, body_of(response))
                return result
            await asyncio.sleep(pause_s)

    async def _send(self, call: Call[T]) -> httpx.Response:
        if call.again:
            return await self._http.request(**limits(call))
        async with self._connections() as fresh:  # one that was kept may be dead
            return await fresh.request(**limits(call))


@asynccontextmanager
async def _beating(socket: ClientConnection) -> AsyncIterator[None]:
    """Say that we are there while whoever watches is busy with a change."""

    async def beats() -> None:
        number = 0
        while True:
            await asyncio.sleep(live.BEAT_S)
            number += 1
            try:
                await socket.send(live.beat(number))
            except live.FAILS:
                return  # whoever receives finds out

    task = asyncio.create_task(beats())
    try:
        yield
    finally:
        task.cancel()
