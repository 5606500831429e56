"""Clients of a server: `Client` blocks, for robots and scripts without an event loop; `AsyncClient` awaits."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx
from websockets.asyncio.client import ClientConnection, connect

from handup.client import calls, link_protocol
from handup.client.address import ServerAddress
from handup.client.calls import LONGEST_PAUSE_S, PASSING, PATIENCE_S, ServerCall, Tries, answered, body_of
from handup.client.views import Change, Connected, Lost, Pairing, change_of, count_of
from handup.core import ServerUnreachable
from handup.desk import Record

P = ParamSpec("P")
T = TypeVar("T")
CLOSED = "the client is closed"


def _awaits(make: Callable[P, ServerCall[T]]) -> Callable[Concatenate[AsyncClient, P], Awaitable[T]]:
    """Return a method that makes a call, with the name, docstring and parameters of the call."""

    async def method(self: AsyncClient, /, *arguments: P.args, **options: P.kwargs) -> T:
        return await self._do(make(*arguments, **options))

    wraps(make)(method)
    del method.__wrapped__  # type: ignore[attr-defined]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = inspect.signature(make)
    method.__signature__ = taken.replace(parameters=[own, *taken.parameters.values()])  # type: ignore[attr-defined]
    return method


class AsyncClient:
    """Client of a server inside one event loop, with the arguments of `Client` and the same methods to await."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        patience_s: float = PATIENCE_S,
        ca_file: str | Path | None = None,
    ) -> None:
        self.patience_s = patience_s
        self._go_to(ServerAddress.of(url, token, ca_file))

    ask = _awaits(calls.ask)
    record = _awaits(calls.record)
    withdraw = _awaits(calls.withdraw)
    hand_on = _awaits(calls.hand_on)
    put_state = _awaits(calls.put_state)
    put_picture = _awaits(calls.put_picture)

    waiting = _awaits(calls.waiting)
    answer = _awaits(calls.answer)
    reply = _awaits(calls.reply)
    claim = _awaits(calls.claim)
    release = _awaits(calls.release)
    robots = _awaits(calls.robots)

    stop = _awaits(calls.stop)
    enable = _awaits(calls.enable)
    leave = _awaits(calls.leave)
    me = _awaits(calls.me)
    health = _awaits(calls.health)

    async def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until a question is settled (`Record.settled`), or everything is stopped.

        A server that is away meanwhile is waited for, too.

        Returns:
            The question as it is then; None when the time is up.
        """
        for call, left_s in calls.polls(question, timeout_s):
            try:
                record = await self._do(call, patience_s=left_s)
            except ServerUnreachable:
                return None
            if record is not None:
                return record
        return None

    async def pair(self, code: str, device: str = "python") -> Pairing:
        """Turn a code from `handup pair` into a token, and use it from now on."""
        pairing = await self._do(calls.pair(code, device))
        await self._http.aclose()
        self._go_to(replace(self.address, token=pairing.token))
        return pairing

    async def watch(self, *questions: str) -> AsyncGenerator[Change, None]:
        """Yield changes for ever: questions, robots, stops. The first is `Connected`, and again after each `Lost`.

        Args:
            questions: For a robot: ids of the questions to hear of. People hear of all that they may see.

        Raises:
            HandupError: The server does not let us in.
        """
        lost = False
        while True:
            try:
                async with connect(**link_protocol.how(self.address)) as socket, _beating(socket):
                    for question in questions:
                        await socket.send(link_protocol.frame("watch", id=question))
                    while True:
                        async with asyncio.timeout(link_protocol.SILENT_S):
                            frame = link_protocol.read(await socket.recv())
                        change = change_of(frame)
                        if isinstance(change, Connected) and count_of(frame.get("more")):
                            change = replace(change, questions=await self.waiting())  # not all were in the greeting
                        lost = lost and change is None
                        if change is not None:
                            yield change
            except (*link_protocol.FAILS, *PASSING) as error:
                if (refused := link_protocol.refused(error)) is not None:
                    raise refused from None
                if not lost:
                    yield Lost(why=link_protocol.why(error))
                lost = True
            await asyncio.sleep(LONGEST_PAUSE_S)

    async def close(self) -> None:
        """Close the connections. Safe to call twice."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _go_to(self, address: ServerAddress) -> None:
        self.address = address
        self._http = self._connections()

    def _connections(self) -> httpx.AsyncClient:
        address = self.address
        verify = address.trust() or False  # plain HTTP has nothing to verify
        return httpx.AsyncClient(base_url=address.api, headers=address.headers, verify=verify, trust_env=False)

    async def _do(self, call: ServerCall[T], patience_s: float | None = None) -> T:
        tries = Tries(call, self.address.url, self.patience_s if patience_s is None else patience_s)
        while True:
            try:
                response = await self._send(call)
            except httpx.TransportError as error:
                await asyncio.sleep(tries.lost(error))
                continue
            body = body_of(response)
            pause_s = tries.busy(response.status_code, response.headers.get("retry-after"), body)
            if pause_s is None:
                return answered(call, response.status_code, body)
            await asyncio.sleep(pause_s)

    async def _send(self, call: ServerCall[T]) -> httpx.Response:
        if call.again:
            return await self._http.request(**call.arguments())
        # A kept connection may be dead, and then nobody would know whether this call arrived.
        async with self._connections() as fresh:
            return await fresh.request(**call.arguments())


@asynccontextmanager
async def _beating(socket: ClientConnection) -> AsyncIterator[None]:
    """Send heartbeats, also while the caller of `watch` is busy with a change."""

    async def beats() -> None:
        number = 0
        while True:
            await asyncio.sleep(link_protocol.BEAT_S)
            number += 1
            try:
                await socket.send(link_protocol.beat(number))
            except link_protocol.FAILS:
                return  # the receiving side notices that the connection is lost

    task = asyncio.create_task(beats())
    try:
        yield
    finally:
        task.cancel()


def _waits(method: Callable[Concatenate[AsyncClient, P], Awaitable[T]]) -> Callable[Concatenate[Client, P], T]:
    @wraps(method)
    def waits(self: Client, /, *arguments: P.args, **options: P.kwargs) -> T:
        return self._wait_for(lambda: method(self._client, *arguments, **options))

    return waits


class Client:
    """Client of a server: a robot asks through it, a program may answer for a person.

    It works in a thread of its own, and threads may share one. A request that fails is repeated for a while, with the
    same id or token, so that it counts once. Requests that must not be carried out twice are not repeated.

    Args:
        url: Address of the server; `HANDUP_URL`, or this machine, where it is None.
        token: Token from pairing; `HANDUP_TOKEN` where it is None.
        patience_s: Time in seconds for which requests are repeated while the server cannot be reached.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Raises:
        BadSetting: The address or the token is malformed.

    Every method raises `ServerUnreachable` where nobody answers in time, and a `HandupError` that the server named
    where it refuses.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        patience_s: float = PATIENCE_S,
        ca_file: str | Path | None = None,
    ) -> None:
        self._client = AsyncClient(url, token, patience_s=patience_s, ca_file=ca_file)
        self._watched = set[AsyncGenerator[Change, None]]()
        self._calls = set[Future[Any]]()
        self._over, self._loop = asyncio.Event(), asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="handup client", daemon=True)
        self._thread.start()

    ask = _waits(AsyncClient.ask)
    record = _waits(AsyncClient.record)
    withdraw = _waits(AsyncClient.withdraw)
    hand_on = _waits(AsyncClient.hand_on)
    put_state = _waits(AsyncClient.put_state)
    put_picture = _waits(AsyncClient.put_picture)

    waiting = _waits(AsyncClient.waiting)
    answer = _waits(AsyncClient.answer)
    reply = _waits(AsyncClient.reply)
    claim = _waits(AsyncClient.claim)
    release = _waits(AsyncClient.release)
    robots = _waits(AsyncClient.robots)

    stop = _waits(AsyncClient.stop)
    enable = _waits(AsyncClient.enable)
    leave = _waits(AsyncClient.leave)
    me = _waits(AsyncClient.me)
    health = _waits(AsyncClient.health)

    wait = _waits(AsyncClient.wait)
    pair = _waits(AsyncClient.pair)

    def watch(self, *questions: str) -> Generator[Change, None, None]:
        """Yield changes for ever; see `AsyncClient.watch`."""
        changes = self._client.watch(*questions)
        self._watched.add(changes)
        try:
            while True:
                yield self._wait_for(lambda: anext(changes))
        finally:
            with suppress(RuntimeError):  # it ends by itself: with the client, or where a signal came
                self._wait_for(changes.aclose)
            self._watched.discard(changes)

    @property
    def address(self) -> ServerAddress:
        """Address of the server, with the token."""
        return self._client.address

    def close(self) -> None:
        """Close the connections. Safe to call twice."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_over())
        for future in tuple(self._calls):  # those that came too late for the loop to begin them
            future.cancel()

    async def _until_over(self) -> None:
        await self._over.wait()
        for changes in tuple(self._watched):
            with suppress(RuntimeError):  # a thread waits for the next change; it ends with the loop
                await changes.aclose()
        await self._client.close()

    def _wait_for(self, work: Callable[[], Awaitable[T]]) -> T:
        async def working() -> T:
            return await work()

        if self._loop.is_closed():
            raise RuntimeError(CLOSED)
        call = working()
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        self._calls.add(future)
        try:
            if self._loop.is_closed():  # perhaps since its thread has cancelled the calls that it did not begin
                future.cancel()
            return future.result()
        except CancelledError:
            raise RuntimeError(CLOSED) from None
        finally:
            future.cancel()  # where a signal ended the wait; what is done stays done
            self._calls.discard(future)
            if self._loop.is_closed():
                call.close()  # it may never have begun
