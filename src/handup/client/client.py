"""A client that waits: for robots and scripts without an event loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from websockets.sync.client import ClientConnection, connect

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


class Client:
    """Speaks with a server: a robot asks through it, a program may answer for a person.

    Threads may share one. A request that fails is sent again for a while, with the same id or token, so that it counts
    once; only what must not be done twice is not.

    Args:
        url: Where the server is; `HANDUP_URL`, or this machine, where it is not given.
        token: What pairing gave; `HANDUP_TOKEN` where it is not given.
        patience_s: How long to try while the server cannot be reached.
        ca_file: Certificates to trust, for a server whose certificate was made at home.

    Raises:
        BadSetting: The address or the token cannot be one.

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
        self.address = Address.of(url, token, ca_file)
        self.patience_s = patience_s
        self._http = self._connections()

    # -- robots ------------------------------------------------------------------------------------------------------

    def ask(self, question: Question, *, run: str, step: str, attempt: int = 1, load: float = 0.0) -> Record:
        """Put a question to people. The same run, step and attempt give the same question back, also after a crash."""
        return self._do(calls.ask(question, run=run, step=step, attempt=attempt, load=load))

    def wait(self, question: str, timeout_s: float | None = None) -> Record | None:
        """Wait until there is something to tell of a question (`Record.settled`), or everything is stopped.

        A server that is away meanwhile is waited for, too.

        Returns:
            The question as it is then; None when the time is up.
        """
        for call, left_s in polls(question, timeout_s):
            try:
                found = self._do(call, patience_s=left_s)
            except ServerUnreachable:
                return None
            if found is not None:
                return found
        return None

    def record(self, question: str) -> Record | None:
        """A question as it is; None where there is none."""
        return self._do(calls.record(question))

    def withdraw(self, question: str, why: str) -> Receipt:
        """Take a question back that is no longer needed. People read `why`."""
        return self._do(calls.withdraw(question, why))

    def put_state(self, robot: str, state: Mapping[str, Any] | RobotState) -> None:
        """Show what a robot does. A `RobotLink` does this without making the robot wait."""
        self._do(calls.put_state(robot, state))

    def put_picture(self, name: str, picture: bytes) -> None:
        """Keep a picture (PNG, JPEG or WebP) that questions and states name."""
        self._do(calls.put_picture(name, picture))

    # -- people ------------------------------------------------------------------------------------------------------

    def waiting(self) -> tuple[Record, ...]:
        """The questions that wait for an answer and that we may see."""
        return self._do(calls.waiting())

    def answer(self, question: str, value: Value, *, certainty: float = 1.0, device: str = "") -> Receipt:
        """Answer a question. The receipt says whether it counts."""
        return self._do(calls.reply(question, ReplyKind.ANSWER, value=value, certainty=certainty, device=device))

    def reply(self, question: str, kind: ReplyKind, *, until_s: float | None = None, device: str = "") -> Receipt:
        """Say *not now*, *someone else* or *let the robot try*."""
        return self._do(calls.reply(question, kind, until_s=until_s, device=device))

    def claim(self, question: str) -> Receipt:
        """Take a question on, so that nobody else answers it meanwhile."""
        return self._do(calls.claim(question))

    def release(self, question: str) -> Receipt:
        """Give a claim back."""
        return self._do(calls.release(question))

    def robots(self) -> tuple[Robot, ...]:
        """The robots that the server knows, and whether they are heard."""
        return self._do(calls.robots())

    # -- everybody ---------------------------------------------------------------------------------------------------

    def stop(self, why: str = "") -> None:
        """Stop every robot: latched, until a person enables them. *Not* a safety function: that is the hardware's.

        Raises:
            StoreUnavailable: It holds on the server, which could not write it in time.
        """
        self._do(calls.stop(why))

    def enable(self, stop: int | None = None) -> None:
        """Let the robots go on after a stop. Not sent again by itself where nobody knows whether it arrived.

        Args:
            stop: The number (`Stop.seq`) of the last stop that was seen; those said so far where it is None.

        Raises:
            IllegalCall: There is a newer stop, which holds.
        """
        self._do(calls.enable(stop))

    def pair(self, code: str, device: str = "python") -> Pairing:
        """Turn a code from `handup pair` into a token, and use it from now on."""
        pairing = self._do(calls.pair(code, device))
        self._http.close()
        self.address = Address(self.address.url, pairing.token, self.address.ca_file)
        self._http = self._connections()
        return pairing

    def leave(self) -> None:
        """Give up the token."""
        self._do(calls.leave())

    def me(self) -> Mapping[str, Any]:
        """Who the server takes us for: id, name, role, device, until_s."""
        return self._do(calls.me())

    def health(self) -> Mapping[str, Any]:
        """How the server is: status (`ok`, `stopped` or `damaged`), version, now_s."""
        return self._do(calls.health())

    def watch(self, *questions: str) -> Generator[Change, None, None]:
        """What changes, for ever: questions, robots, stops. Begins with `Connected`, and again after each `Lost`.

        Args:
            questions: For a robot: the ids of the questions to hear of. People hear of what they may see.

        Raises:
            HandupError: The server does not let us in.
        """
        lost = False
        while True:
            try:
                with connect(**live.how(self.address)) as socket, _beating(socket):
                    for each in questions:
                        socket.send(live.frame("watch", id=each))
                    while True:
                        frame = live.read(socket.recv(timeout=live.SILENT_S))
                        change = change_of(frame)
                        if isinstance(change, Connected) and count_of(frame.get("more")):
                            change = replace(change, questions=self.waiting())  # not all were in the greeting
                        lost = lost and change is None
                        if change is not None:
                            yield change
            except (*live.FAILS, *PASSING) as error:
                if (refused := live.refused(error)) is not None:
                    raise refused from None
                if not lost:
                    yield Lost(why=live.why(error))
                lost = True
            time.sleep(LONGEST_PAUSE_S)

    def close(self) -> None:
        """Close the connections. Safe to call twice."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- one request -------------------------------------------------------------------------------------------------

    def _connections(self) -> httpx.Client:
        return httpx.Client(
            base_url=self.address.api,
            headers=self.address.headers,
            verify=self.address.trust() or False,  # plain HTTP has nothing to verify
            trust_env=False,
        )

    def _do(self, call: Call[T], patience_s: float | None = None) -> T:
        tries = Tries(call, self.address.url, self.patience_s if patience_s is None else patience_s)
        while True:
            try:
                response = self._send(call)
            except httpx.TransportError as error:
                time.sleep(tries.lost(error, arrived=not isinstance(error, NOT_ARRIVED)))
                continue
            pause_s = tries.busy(response.status_code, response.headers.get("retry-after"), body_of(response))
            if pause_s is None:
                result: T = answered(call, response.status_code, body_of(response))
                return result
            time.sleep(pause_s)

    def _send(self, call: Call[T]) -> httpx.Response:
        if call.again:
            return self._http.request(**limits(call))
        with self._connections() as fresh:  # one that was kept may be dead, and nobody would know what arrived
            return fresh.request(**limits(call))


@contextmanager
def _beating(socket: ClientConnection) -> Iterator[None]:
    """Say that we are there while whoever watches is busy with a change."""
    over = threading.Event()

    def beats() -> None:
        number = 0
        while not over.wait(live.BEAT_S):
            number += 1
            try:
                socket.send(live.beat(number))
            except live.FAILS:
                return  # whoever receives finds out

    thread = threading.Thread(target=beats, name="handup watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
