"""A house with a server in it: people of every role and a robot, each with a token."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import httpx
from fastapi import FastAPI
from starlette.exceptions import StarletteDeprecationWarning

with warnings.catch_warnings():
    warnings.simplefilter("ignore", StarletteDeprecationWarning)  # it would like another httpx
    from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession

from handup.core import Limits, Person, Role
from handup.server import Bounds, ServerSettings, create_app
from handup.server.models import FRAMES
from handup.server.service import Service

__all__ = ["TestClient", "WebSocketDenialResponse"]
URL = "http://127.0.0.1:8765"
LIVE = "ws://127.0.0.1:8765/api/v1/live"
PEOPLE = (
    Person(name="ana", limits=Limits(at_once=50)),
    Person(name="cem", role=Role.CAREGIVER, limits=Limits(at_once=50)),
    Person(name="olu", role=Role.OPERATOR, limits=Limits(at_once=50)),
)
NAMES: dict[str, str] = {
    Role.RESIDENT: "ana",
    Role.CAREGIVER: "cem",
    Role.BYSTANDER: "bo",
    Role.OPERATOR: "olu",
    Role.DEVELOPER: "dev",
    "robot": "plate",
}
CHOICE = {"prompt": "Which food?", "kind": "choice", "options": ["plum", "pear"]}
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 64
ROOMY = Bounds(per_s=1e6, burst=1e6, robot_per_s=1e6, robot_burst=1e6, address_per_s=1e6, address_burst=1e6)
"""Limits that no test meets by chance."""
TOLD = {
    get_args(model.model_fields["type"].annotation)[0]: model
    for whom in ("ToPerson", "ToRobot")
    for model in FRAMES[whom]
}
"""The frames of the server by type: what it sends is as described."""


@dataclass
class House:
    """A server within this process."""

    app: FastAPI
    client: TestClient
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def service(self) -> Service:
        service: Service = self.app.state.service
        return service

    def token(self, role: str) -> str:
        """A token of a role, made when it is first asked for."""
        access = self.service.access
        if role not in self.tokens:
            if role == "robot":
                self.tokens[role] = access.robot_token(NAMES[role]).token
            else:
                self.tokens[role] = access.pair(access.make_code(NAMES[role], Role(role))[0], "tablet").token
        return self.tokens[role]

    def headers(self, role: str | None) -> dict[str, str]:
        return {} if role is None else {"Authorization": f"Bearer {self.token(role)}"}

    def call(self, method: str, path: str, role: str | None, **more: Any) -> httpx.Response:
        """A request of a role, under /api/v1."""
        headers = {**self.headers(role), **more.pop("headers", {})}
        answered: httpx.Response = self.client.request(method, f"/api/v1{path}", headers=headers, **more)
        return answered

    def ask(self, step: str = "food", **more: Any) -> str:
        """Ask a question as the robot; its id."""
        asked = {"question": {**CHOICE, **more}, "run": "meal", "step": step}
        answered = self.call("POST", "/questions", "robot", json=asked)
        assert answered.status_code == 200, answered.text
        return str(answered.json()["id"])

    def answer(self, question: str, role: str = "resident", value: Any = "plum", token: str = "t") -> Any:
        said = {"question": question, "kind": "answer", "value": value, "token": token}
        return self.call("POST", "/replies", role, json=said).json()

    @contextmanager
    def live(self, role: str, query: str = "?panels=1") -> Iterator[Live]:
        """A socket of a role."""
        protocols = ["handup", f"bearer.{self.token(role)}"]
        with self.client.websocket_connect(f"{LIVE}{query}", subprotocols=protocols) as socket:
            yield Live(socket)


@dataclass
class Live:
    """One end of a socket."""

    socket: WebSocketTestSession

    def send(self, kind: str, /, **frame: Any) -> None:
        self.socket.send_text(json.dumps({"type": kind, **frame}))

    def next(
        self, kind: str | tuple[str, ...], where: Callable[[dict[str, Any]], bool] = lambda _: True
    ) -> dict[str, Any]:
        """The next frame of a type, or of one of several; beats keep this from waiting for ever."""
        until = time.monotonic() + 10.0
        while time.monotonic() < until:
            frame: dict[str, Any] = json.loads(self.socket.receive_text())
            TOLD[frame["type"]].model_validate(frame)
            if frame["type"] in ((kind,) if isinstance(kind, str) else kind) and where(frame):
                return frame
        raise AssertionError(f"no frame '{kind}' came")


@contextmanager
def house(store: Path | str, **settings: Any) -> Iterator[House]:
    """A server on a store, for as long as the block lasts."""
    made = ServerSettings(**{"store": str(store), "people": PEOPLE, "bounds": ROOMY, **settings})
    app = create_app(made.store, settings=made)
    with TestClient(app, base_url=URL, raise_server_exceptions=False) as client:
        yield House(app, client)
