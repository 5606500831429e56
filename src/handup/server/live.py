"""Live WebSocket of each page and robot: heartbeats both ways, changes as they happen, and stops without waiting."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from pydantic_core import from_json

from handup.core import BadRequest, HandupError, NotForYou, ReplyKind, TooFast
from handup.core.checks import shown
from handup.core.panels import Unshown
from handup.server.auth import PROTOCOL, AccessGuard
from handup.server.hub import Socket
from handup.server.models import MOST_NUMBER, DraftFrame, StickFrame, StopFrame, WatchFrame
from handup.server.permissions import ANSWER, LIVE, MOVE
from handup.server.refusals import body_of, refusal
from handup.server.robot_state import read_state
from handup.server.routes import keep, replied
from handup.server.service import Service
from handup.server.views import encoded, may_see

MOST_WRONG = 50
"""Number of wrong frames in a row after which the socket is closed."""
MOST_REPLIES = 8
"""The most replies of one socket that may be on their way at a time."""
MOST_UNSHOWN = 20
"""The most messages to one socket about parts of its state that are not shown; each part is named once."""
SEND_FAILS = (WebSocketDisconnect, RuntimeError, OSError)
"""Errors of sending to a socket that has closed."""
Takes = dict[str, Callable[[dict[str, Any]], Awaitable[None]]]
routes = APIRouter()


@routes.websocket(LIVE)
async def live(websocket: WebSocket) -> None:
    """Serve one live socket. `handup.server.models` describes its frames."""
    service: Service = websocket.app.state.service
    guard: AccessGuard = websocket.app.state.guard
    try:
        grant = await guard.admit(websocket, ("GET", LIVE))
        assert grant is not None
        socket = service.hub.join(grant, panels="panels" in websocket.query_params)
    except HandupError as error:
        service.metrics.refused[error.code] += 1
        await websocket.send_denial_response(refusal(error))
        return
    try:
        await websocket.accept(subprotocol=PROTOCOL if PROTOCOL in websocket.scope.get("subprotocols", ()) else None)
        socket.greet(service.hello(socket))
        await SocketConversation(websocket, service, guard, socket).run()
    finally:
        service.hub.leave(socket)


class SocketConversation:
    """Conversation on one socket. Its frames are described in `handup.server.models`."""

    def __init__(self, websocket: WebSocket, service: Service, guard: AccessGuard, socket: Socket) -> None:
        self._websocket, self._service, self._guard, self._socket = websocket, service, guard, socket
        self._wrong = 0
        self._replies = 0
        self._unshown = set[Unshown]()
        self._token = secrets.token_hex(8)
        robot: Takes = {"state": self._state, "watch": self._watch}
        person: Takes = {"reply": self._reply, "draft": self._draft, "stick": self._stick}
        self._does = {"beat": self._beat, "stop": self._stop, **(robot if socket.grant.is_robot else person)}
        self._others = person if socket.grant.is_robot else robot

    async def run(self) -> None:
        """Read and write until one side ends."""
        if self._socket.grant.is_robot:
            self._service.robots.heard(self._socket.grant.name)
        async with anyio.create_task_group() as together:

            async def until_done(work: Callable[[], Awaitable[object]]) -> None:
                await work()
                together.cancel_scope.cancel()

            for work in (self._read, self._write, self._socket.cut.wait):
                together.start_soon(until_done, work)

    async def _write(self) -> None:
        socket = self._socket
        with suppress(*SEND_FAILS):
            while (frame := await socket.next()) is not None:
                socket.sending_since = time.monotonic()
                await self._websocket.send_text(frame)
                socket.sending_since = None
            await self._websocket.close(1000)

    async def _read(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            self._socket.heard_s = time.monotonic()
            text = message.get("text")
            try:
                await self._one(text)
                self._wrong = 0
            except HandupError as error:
                self._wrong += 1
                self._refuse(error)
                if self._wrong >= MOST_WRONG:
                    self._socket.bye("Too much of what you sent was wrong.")
                    await asyncio.sleep(self._service.settings.beats.silent_s)
                    return

    async def _one(self, text: str | None) -> None:
        """Take one frame.

        Raises:
            HandupError: It is refused; nothing changed.
        """
        frame = self._frame(text)
        kind = frame.pop("type", None)
        if kind != "stop" and not (kind == "reply" and frame.get("kind") == ReplyKind.STOP):
            self._guard.check_pace(self._socket.grant)
        if self._socket.grant.is_robot:
            self._service.robots.heard(self._socket.grant.name)
        do = self._does.get(kind) if isinstance(kind, str) else None
        if do is None:
            if isinstance(kind, str) and kind in self._others:
                raise NotForYou(f"a {self._socket.grant.role} sends no '{kind}'", hint="Pair with another role.")
            raise BadRequest("there is no frame of this type", hint=f"Send one of: {', '.join(self._does)}.")
        if self._service.damage is not None and kind not in {"beat", "stop"}:
            raise self._service.damage
        try:
            await do(frame)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, first["loc"]))[:200]
            raise BadRequest(
                f"a frame '{kind}' is wrong ({where}: {first['msg'][:200]})", hint="Correct this field."
            ) from None

    def _frame(self, text: str | None) -> dict[str, Any]:
        most = self._service.settings.bounds.frame
        if text is None:
            raise BadRequest("a frame is no text", hint="Send JSON as text.")
        if len(text) > most or len(text.encode("utf-8", "replace")) > most:
            raise BadRequest("a frame is too large", hint=f"Send at most {most} bytes.")
        try:
            frame = from_json(text, allow_inf_nan=False)
        except (ValueError, RecursionError):
            raise BadRequest("a frame is no JSON", hint="Send a JSON object.") from None
        if not isinstance(frame, dict):
            raise BadRequest("a frame is no JSON object", hint='Send one such as {"type": "beat"}.')
        return frame

    async def _beat(self, frame: dict[str, Any]) -> None:
        """Answer a heartbeat that has a number; that the other side is there was noted already."""
        number = frame.get("n")
        if number is None:
            return
        if type(number) is not int or not 0 <= number < MOST_NUMBER:
            cause = f"n of a beat must be a whole number from 0 to 2**53 - 1, got {shown(number)}"
            raise BadRequest(cause, hint="Count your heartbeats from 1, or leave 'n' out.")
        self._socket.number = number
        self._socket.beat(self._service.now_s())

    async def _stop(self, frame: dict[str, Any]) -> None:
        try:
            stop = StopFrame.model_validate(frame)
        except ValidationError:
            stop = StopFrame()  # a stop is never refused for what else is in its frame
        token = stop.token or self._token
        self._service.spawn(self._say_stop(stop.why, token))
        await asyncio.sleep(0)  # lets that task begin, which broadcasts the stop, before the next frame is read

    async def _say_stop(self, why: str, token: str) -> None:
        """Stop, and tell the sender when it is written: until then they send it again."""
        written = await self._service.stop(self._socket.grant.name, why, self._service.now_s(), token)
        self._socket.send(encoded({"type": "stop", "token": token, "written": written}), slot="stop")

    async def _reply(self, frame: dict[str, Any]) -> None:
        if self._socket.grant.role not in ANSWER:
            raise NotForYou(f"a {self._socket.grant.role} does not answer", hint="Ask somebody who may.")
        if self._replies >= MOST_REPLIES and frame.get("kind") != ReplyKind.STOP:
            raise TooFast("too many replies are on their way", hint="Wait for the receipts.")
        self._replies += 1
        self._service.spawn(self._give_receipt(frame))

    async def _give_receipt(self, frame: dict[str, Any]) -> None:
        """Pass a reply on and send its receipt; in a task of its own, so that a stop that follows does not wait."""
        token = frame.get("token")
        try:
            receipt = await replied(self._service, self._socket.grant, frame)
            self._socket.send(encoded({"type": "receipt", "token": token, "receipt": receipt}))
        except HandupError as error:
            self._refuse(error, **({"token": token} if isinstance(token, str) else {}))
        finally:
            self._replies -= 1

    def _refuse(self, error: HandupError, **about: str) -> None:
        self._service.metrics.refused[error.code] += 1
        self._socket.send(encoded({"type": "error", **about, "error": body_of(error)}))

    async def _draft(self, frame: dict[str, Any]) -> None:
        draft = DraftFrame.model_validate(frame)
        self._service.spawn(self._aside(keep(self._service, self._socket.grant, draft.id, draft.value, draft.at_s)))

    async def _stick(self, frame: dict[str, Any]) -> None:
        """Pass the stick on to a robot. A push that is too old, or comes during a stop, moves nothing."""
        if self._socket.grant.role not in MOVE:
            raise NotForYou(f"a {self._socket.grant.role} does not steer", hint="Ask somebody who may.")
        stick = StickFrame.model_validate(frame)
        late_s = self._service.now_s() - stick.heard_s
        if self._service.stopped is not None or late_s > self._service.settings.beats.hold_s:
            return
        source = {"by": self._socket.grant.name, "device": self._socket.grant.id, "mode": stick.mode}
        push = encoded({"type": "stick", **source, "push": stick.push, "close": stick.close})
        self._service.hub.steer(stick.robot, push)

    async def _aside(self, work: Awaitable[None]) -> None:
        """Do work that may wait for the store; in a task of its own, so that a stop that follows does not wait."""
        try:
            await work
        except HandupError as error:
            self._refuse(error)

    async def _state(self, frame: dict[str, Any]) -> None:
        state, unshown = read_state(frame.get("state"))
        if state.robot != self._socket.grant.name:
            raise NotForYou(
                f"this token is the robot '{self._socket.grant.name}'s", hint="Send the state of that robot."
            )
        self._service.robots.put(state.robot, state)
        if unshown and unshown not in self._unshown and len(self._unshown) < MOST_UNSHOWN:
            self._unshown.add(unshown)
            self._socket.send(encoded({"type": "unshown", **asdict(unshown)}))

    async def _watch(self, frame: dict[str, Any]) -> None:
        question = WatchFrame.model_validate(frame).id
        await self._service.check_own(question, self._socket.grant.name)
        self._service.hub.watch(self._socket, question)
        self._service.spawn(self._aside(self._show(question)))

    async def _show(self, question: str) -> None:
        record = await self._service.record(question)
        if record is None or not may_see(self._socket.grant, record):
            return
        view = self._service.views.of(record, self._service.now_s())
        self._socket.send(encoded({"type": "record", "record": view}))
        if record.ended:
            self._service.hub.unwatch(self._socket, question)
