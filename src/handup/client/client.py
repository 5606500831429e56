"""Clients of a server: `Client` blocks, for robots and scripts without an event loop; `AsyncClient` awaits."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

import httpx
import websockets.asyncio.client as awaited
import websockets.sync.client as waited

from handup.client import calls, link_protocol
from handup.client.address import ServerAddress
from handup.client.calls import LONGEST_PAUSE_S, PASSING, PATIENCE_S, ServerCall, Tries, answered, body_of
from handup.client.views import Change, Connected, Lost, Pairing, change_of, count_of
from handup.core import ServerUnreachable
from handup.desk import Record

P = ParamSpec("P")
T = TypeVar("T")
Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)


def _documented(method: Callable[..., Any], make: Callable[..., Any]) -> None:
    """Give a method the name, docstring and parameters of the call that it makes."""
    wraps(make)(method)
    del method.__wrapped__  # type: ignore[attr-defined]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = inspect.signature(make)
    method.__signature__ = taken.replace(parameters=[own, *taken.parameters.values()])  # type: ignore[attr-defined]


def _waits(make: Callable[P, ServerCall[T]]) -> Callable[Concatenate[Client, P], T]:
    def method(self: Client, /, *arguments: P.args, **options: P.kwargs) -> T:
        return self._do(make(*arguments, **options))

    _documented(method, make)
    return method


def _awaits(make: Callable[P, ServerCall[T]]) -> Callable[Concatenate[AsyncClient, P], Awaitable[T]]:
    async def method(self: AsyncClient, /, *arguments: P.args, **options: P.kwargs) -> T:
        return await self._do(make(*arguments, **options))

    _documented(method, make)
    return method


class _Speaker(Generic[Http]):
    """Base of both clients."""

    _kind: Callable[..., Http]
    _http: Http

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

    def _go_to(self, address: ServerAddress) -> None:
        self.address = address
        self._http = self._connections()

    def _connections(self) -> Http:
        verify = self.address.trust() or False  # plain HTTP has nothing to verify
        return self._kind(base_url=self.address.api, headers=self.address.headers, verify=verify, trust_env=False)

    def _tries(self, call: ServerCall[Any], patience_s: float | None) -> Tries:
        return Tries(call, self.address.url, self.patience_s if patience_s is None else patience_s)


class Client(_Speaker[httpx.Client]):
    """Client of a server: a robot asks through it, a program may answer for a person.

    Threads may share one. A request that fails is repeated for a while, with the same id or token, so that it counts
    once. Requests that must not be carried out twice are not repeated.

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

    _kind = httpx.Client

    ask = _waits(calls.ask)
    record = _waits(calls.record)
    withdraw = _waits(calls.withdraw)
    put_state = _waits(calls.put_state)
    put_picture = _waits(calls.put_picture)

    waiting = _waits(calls.waiting)
    answer = _waits(calls.answer)
    reply = _waits(calls.reply)
    claim = _waits(calls.claim)
    release = _waits(calls.release)
    robots = _waits(calls.robots)

    stop = _waits(calls.stop)
    enable = _waits(calls.enable)
    leave = _waits(calls.leave)
    me = _waits(calls.me)
    health = _waits(calls.health)

    def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until a question is settled (`Record.settled`), or everything is stopped.

        A server that is away meanwhile is waited for, too.

        Returns:
            The question as it is then; None when the time is up.
        """
        for call, left_s in calls.polls(question, timeout_s):
            try:
                record = self._do(call, patience_s=left_s)
            except ServerUnreachable:
                return None
            if record is not None:
                return record
        return None

    def pair(self, code: str, device: str = "python") -> Pairing:
        """Turn a code from `handup pair` into a token, and use it from now on."""
        pairing = self._do(calls.pair(code, device))
        self._http.close()
        self._go_to(replace(self.address, token=pairing.token))
        return pairing

    def watch(self, *questions: str) -> Generator[Change, None, None]:
        """Yield changes for ever: questions, robots, stops. The first is `Connected`, and again after each `Lost`.

        Args:
            questions: For a robot: ids of the questions to hear of. People hear of all that they may see.

        Raises:
            HandupError: The server does not let us in.
        """
        lost = False
        while True:
            try:
                with waited.connect(**link_protocol.how(self.address)) as socket, _beating(socket):
                    for question in questions:
                        socket.send(link_protocol.frame("watch", id=question))
                    while True:
                        frame = link_protocol.read(socket.recv(timeout=link_protocol.SILENT_S))
                        change = change_of(frame)
                        if isinstance(change, Connected) and count_of(frame.get("more")):
                            change = replace(change, questions=self.waiting())  # not all were in the greeting
                        lost = lost and change is None
                        if change is not None:
                            yield change
            except (*link_protocol.FAILS, *PASSING) as error:
                if (refused := link_protocol.refused(error)) is not None:
                    raise refused from None
                if not lost:
                    yield Lost(why=link_protocol.why(error))
                lost = True
            time.sleep(LONGEST_PAUSE_S)

    def close(self) -> None:
        """Close the connections. Safe to call twice."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, call: ServerCall[T], patience_s: float | None = None) -> T:
        tries = self._tries(call, patience_s)
        while True:
            try:
                response = self._send(call)
            except httpx.TransportError as error:
                time.sleep(tries.lost(error))
                continue
            body = body_of(response)
            pause_s = tries.busy(response.status_code, response.headers.get("retry-after"), body)
            if pause_s is None:
                return answered(call, response.status_code, body)
            time.sleep(pause_s)

    def _send(self, call: ServerCall[T]) -> httpx.Response:
        if call.again:
            return self._http.request(**call.arguments())
        # A kept connection may be dead, and then nobody would know whether this call arrived.
        with self._connections() as fresh:
            return fresh.request(**call.arguments())


@contextmanager
def _beating(socket: waited.ClientConnection) -> Iterator[None]:
    """Send heartbeats while the caller of `watch` is busy with a change."""
    over = threading.Event()

    def beats() -> None:
        number = 0
        while not over.wait(link_protocol.BEAT_S):
            number += 1
            try:
                socket.send(link_protocol.beat(number))
            except link_protocol.FAILS:
                return  # the receiving side notices that the connection is lost

    thread = threading.Thread(target=beats, name="handup watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class AsyncClient(_Speaker[httpx.AsyncClient]):
    """Client of a server inside one event loop, with the arguments of `Client` and the same methods to await."""

    _kind = httpx.AsyncClient

    ask = _awaits(calls.ask)
    record = _awaits(calls.record)
    withdraw = _awaits(calls.withdraw)
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
        """Wait until a question is settled; see `Client.wait`."""
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
        """Yield changes for ever; see `Client.watch`."""
        lost = False
        while True:
            try:
                async with awaited.connect(**link_protocol.how(self.address)) as socket, _async_beating(socket):
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

    async def _do(self, call: ServerCall[T], patience_s: float | None = None) -> T:
        tries = self._tries(call, patience_s)
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
        async with self._connections() as fresh:  # a kept connection may be dead
            return await fresh.request(**call.arguments())


@asynccontextmanager
async def _async_beating(socket: awaited.ClientConnection) -> AsyncIterator[None]:
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
